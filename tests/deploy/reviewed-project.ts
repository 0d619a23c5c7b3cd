import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
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

/** `npx`: a command on the same commit and files as before prints what it printed. What reads the answers is tested. */
const NPX = `#!/bin/bash
while [ "$1" != authzc ]; do shift; done
shift
files() { git ls-files -z --cached --others --exclude-standard ':!*.md' | xargs -0 -r sha1sum 2>/dev/null; }
kept="$KEPT/$({ printf '%s\\0' "$PWD" "$@"; git rev-parse HEAD; files; } | sha1sum | cut -d' ' -f1)"
if [ ! -e "$kept.code" ]; then
  "${process.execPath}" "${PROGRAMS.authzc}" "$@" >"$kept.out" 2>"$kept.err"
  echo $? >"$kept.code"
fi
cat "$kept.out"
cat "$kept.err" >&2
exit "$(cat "$kept.code")"
`;

/** @param change the files of the second commit; it may change nothing. */
export function reviewedProject(change: { readonly [path: string]: string }): ReviewedProject {
  const folder = folderOf({
    'origin/policies/document.yaml': documentPolicy('view'),
    'origin/policies/document_test.yaml': SUITE,
    'origin/README.md': 'documents\n',
    'bin/npx': NPX.replace('$KEPT', '$(dirname "$0")/../kept'),
    'kept/.keep': '',
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
  compile(folder);
  git(folder, 'add', 'policies', 'generated', 'README.md');
  git(folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '--message=change');
}

/** Writes the modules of the policies of a folder; those of equal policies are compiled once. */
function compile(folder: string): void {
  const files = readdirSync(join(folder, 'policies'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  const key = paths.map((path) => `${relative(folder, path)}\n${readFileSync(path, 'utf8')}`).join('\0');
  const modules = join(folder, 'generated');
  const known = compiled.get(key);
  if (known === undefined) {
    execFileSync(process.execPath, [PROGRAMS.authzc, 'compile', '--skip-tests', '--no-bundle'], { cwd: folder });
    const copy = folderOf({});
    cpSync(modules, copy, { recursive: true });
    compiled.set(key, copy);
    return;
  }
  rmSync(modules, { recursive: true, force: true });
  cpSync(known, modules, { recursive: true });
}

const compiled = new Map<string, string>();
process.on('exit', () => {
  for (const folder of compiled.values()) rmSync(folder, { recursive: true, force: true });
});

function git(folder: string, ...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: folder, encoding: 'utf8' });
}
