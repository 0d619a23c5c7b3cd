import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FolderDiagnostics, folderDiagnostics } from '../../packages/editor/folder-diagnostics.js';
import { until } from '../support/timeout.js';
import { withServer } from './served.js';

const test = suite('an editor while its folder is compiled');

const policy = (kind: string, role = 'user'): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules:
    - { actions: [view], roles: [${role}], effect: EFFECT_ALLOW }
`;

test('an edit is answered, and what the folder had before it is not shown', async () => {
  const files = Object.fromEntries(['album', 'photo'].map((kind) => [`${kind}.yaml`, `${policy(kind)}  unknown: 1\n`]));
  /** The compilations that have begun, and how to end each. */
  const passes: (() => void)[] = [];
  const options = {
    findVocabulary: () => ({}),
    diagnoseFolder: (workspace: Parameters<typeof folderDiagnostics>[0]) => {
      const found = folderDiagnostics(workspace);
      return new Promise<FolderDiagnostics>((resolve) => passes.push(() => resolve(found)));
    },
  };
  await withServer(files, options, async ({ shown, open, edit }) => {
    await until(() => passes.length === 1);
    await open('album.yaml', policy('album', ''));
    await until(() => shown.length === 1);
    assert.equal(shown, [['album.yaml', ['rule/no-roles']]]);
    await edit('album.yaml', policy('album'));
    await until(() => shown.length === 2);
    assert.equal(shown[1], ['album.yaml', []]);

    // The first compilation has seen both files with their mistakes.
    passes[0]?.();
    await until(() => passes.length === 2);
    assert.equal(shown.slice(2), [['photo.yaml', ['policy/unknown-field']]]);
    passes[1]?.();
    await until(() => shown.length === 4);
    assert.equal(shown[3], ['photo.yaml', ['policy/unknown-field']]);
  });
});

test.run();
