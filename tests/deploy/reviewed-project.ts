import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { documentPolicy } from '../support/cli/policies.js';
import { folderOf, PROGRAMS } from '../support/cli/programs.js';
import { ROOT } from '../support/compiled.js';

/** A project whose policies a branch changes, and a shallow clone of it as CI systems make them. */
export interface ReviewedProject {
  readonly folder: string;
  /** The commit before the change. */
  readonly base: string;
  /** The folders of `PATH`: `npx` runs the `authzc` of this repository. */
  readonly path: string;
}

const SUITE = `name: documents
principals: {ann: {id: ann, roles: [user]}}
resources: {d1: {kind: document, id: d1}}
tests:
  - name: users view
    input: {principals: [ann], resources: [d1], actions: [view]}
    expected:
      - {principal: ann, resource: d1, actions: {view: EFFECT_ALLOW}}
`;

const NPX = `#!/bin/sh
while [ "$1" != authzc ]; do shift; done
shift
exec "${process.execPath}" "${PROGRAMS.authzc}" "$@"
`;

/** @param change the files of the second commit; it may change nothing. */
export function reviewedProject(change: { readonly [path: string]: string }): ReviewedProject {
  const folder = folderOf({
    'origin/policies/document.yaml': documentPolicy('view'),
    'origin/policies/document_test.yaml': SUITE,
    'origin/README.md': 'documents\n',
    'bin/npx': NPX,
    'bin/npm': '#!/bin/sh\n',
  });
  for (const name of ['npx', 'npm']) chmodSync(join(folder, 'bin', name), 0o755);
  const origin = join(folder, 'origin');
  git(folder, 'init', '--quiet', '--initial-branch=main', 'origin');
  commit(origin);
  const base = git(origin, 'rev-parse', 'HEAD').trim();
  for (const [path, text] of Object.entries(change)) {
    mkdirSync(dirname(join(origin, path)), { recursive: true });
    writeFileSync(join(origin, path), text);
  }
  commit(origin);
  git(folder, 'clone', '--quiet', '--depth=1', `file://${origin}`, 'clone');
  mkdirSync(join(folder, 'clone/node_modules'));
  execFileSync('ln', ['-s', ROOT, join(folder, 'clone/node_modules/authzc')]);
  return { folder: join(folder, 'clone'), base, path: `${join(folder, 'bin')}:${process.env['PATH']}` };
}

function commit(folder: string): void {
  execFileSync(process.execPath, [PROGRAMS.authzc, 'compile', '--skip-tests'], { cwd: folder });
  git(folder, 'add', 'policies', 'generated', 'README.md');
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '--message=change');
}

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
}
