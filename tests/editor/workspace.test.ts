import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { folderDiagnostics } from '../../packages/editor/folder-diagnostics.js';
import { Workspace } from '../../packages/editor/workspace.js';

const test = suite('workspaces of editors');

const policy = (kind: string, rest = ''): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  importDerivedRoles: [common]
  rules:
    - { actions: [view], derivedRoles: [owner], effect: EFFECT_ALLOW }
${rest}`;

const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: common
  definitions:
    - { name: owner, parentRoles: [user], condition: { match: { expr: R.attr.owner == P.id } } }
`;

test('an edit among 1,000 policies compiles the policy and what it imports', () => {
  const files = Array.from({ length: 1_000 }, (_, index) => [`kind_${index}.yaml`, policy(`kind_${index}`)] as const);
  withWorkspace(Object.fromEntries([...files, ['common.yaml', ROLES]]), (workspace, steps) => {
    workspace.setText('kind_500.yaml', policy('kind_500', '  rulez: []\n'));
    assert.equal(
      workspace.diagnoseFile('kind_500.yaml').map(({ code }) => code),
      ['policy/unknown-field'],
    );
    workspace.setText('kind_500.yaml', policy('kind_500').replace('[owner]', '[ownr]'));
    assert.equal(
      workspace.diagnoseFile('kind_500.yaml').map(({ code }) => code),
      ['derived-role/unknown'],
    );
    assert.is(steps.filter((step) => step === 'parsing').length, 4);
    assert.equal(workspace.involvedIn('kind_500.yaml'), ['common.yaml', 'kind_500.yaml']);
  });
});

test('the first answer to an edit has what the whole folder has, without what depends on other files', () => {
  const scoped = policy('album').replace('version: default', 'version: default\n  scope: acme');
  withWorkspace({ 'album.yaml': policy('album'), 'acme.yaml': scoped, 'common.yaml': ROLES }, (workspace) => {
    for (const text of [
      scoped.replace('[owner]', '[ownr]'),
      scoped.replace('scope: acme', 'scope: acme.hr'),
      scoped.replace('effect: EFFECT_ALLOW', 'effect: EFFECT_ALLOW, condition: { match: { expr: "1 == 1" } }'),
      scoped.replace('[common]', '[comon]'),
      scoped,
    ]) {
      workspace.setText('acme.yaml', text);
      const whole = folderDiagnostics(workspace).get('acme.yaml') ?? [];
      const own = workspace.diagnoseFile('acme.yaml');
      assert.equal(
        own.map(({ code }) => code),
        whole.map(({ code }) => code),
      );
    }
  });
});

test('a text that is open takes the place of the file until it is closed', () => {
  withWorkspace({ 'album.yaml': policy('album'), 'common.yaml': ROLES }, (workspace) => {
    workspace.setText('common.yaml', ROLES.replace('owner,', 'creator,'));
    assert.equal(
      [...folderDiagnostics(workspace).values()].flat().map(({ code }) => code),
      ['derived-role/unknown'],
    );
    writeFileSync(join(workspace.folder, 'album.yaml'), policy('photo'));
    workspace.reload();
    assert.equal(workspace.withKey('resource.photo.vdefault').length, 1);
    assert.equal(workspace.withKey('resource.album.vdefault').length, 0);
    workspace.setText('common.yaml', undefined);
    assert.is(folderDiagnostics(workspace).size, 0);
    rmSync(join(workspace.folder, 'album.yaml'));
    workspace.reload();
    assert.equal([...workspace.files.keys()], ['common.yaml']);
  });
});

test('files outside of the policies are not theirs', () => {
  withWorkspace({ 'album.yaml': policy('album') }, (workspace) => {
    assert.is(workspace.findPath(workspace.makeUri('sub/a b.yaml')), 'sub/a b.yaml');
    assert.is(workspace.findPath(workspace.makeUri('../compose.yaml')), undefined);
    assert.is(workspace.findPath(workspace.makeUri('testdata/notes.yaml')), undefined);
    for (const uri of ['untitled:album.yaml', 'file://host/album.yaml', 'file:///%', ''])
      assert.is(workspace.findPath(uri), undefined);
  });
});

function withWorkspace(
  files: { readonly [path: string]: string },
  use: (workspace: Workspace, steps: string[]) => void,
): void {
  const folder = mkdtempSync(join(tmpdir(), 'authz-workspace-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const steps: string[] = [];
    const workspace = new Workspace(
      folder,
      () => ({}),
      (step) => steps.push(step),
    );
    workspace.reload();
    use(workspace, steps);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.run();
