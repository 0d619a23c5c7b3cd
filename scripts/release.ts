import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { npmProgram } from '../tests/support/npm.js';
import { releasedChangelog } from './release/changelog.js';
import { compareVersions, VERSIONED_FILES, withVersion } from './release/version.js';

/*
 * `npm run release -- X.Y.Z`: checks that everything passes, writes the version and the heading of the changelog,
 * checks the packages, commits and tags. Nothing leaves this machine: pushing the tag and publishing are separate steps
 * (CONTRIBUTING.md). `--dry-run` does the same and then restores the tree.
 */

const USAGE = 'npm run release -- X.Y.Z [--dry-run]';
const ROOT = join(import.meta.dirname, '..');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'dry-run': { type: 'boolean', default: false } },
});
const [version, ...others] = positionals;
if (version === undefined || others.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
try {
  await release(version, values['dry-run']);
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function release(to: string, isTrial: boolean): Promise<void> {
  const { version: from } = JSON.parse(read('package.json')) as { readonly version: string };
  // Before anything that takes long.
  const changelog = releasedChangelog(read('CHANGELOG.md'), to, new Date().toISOString().slice(0, 10));
  checkState(from, to);
  npm('run', 'test:full');
  let isDone = false;
  try {
    for (const file of VERSIONED_FILES) write(file.path, withVersion(read(file.path), file, from, to));
    write('CHANGELOG.md', changelog);
    // The manifests of generated folders name the compiler.
    npm('run', 'generate');
    // It loads tools of a second, which a release that is refused does not need.
    const { packageProblems } = await import('./release/check-package.js');
    const problems = await packageProblems(ROOT, to);
    if (problems.length > 0) throw new Error(`the packages are not fit to be published:\n${problems.join('\n')}`);
    isDone = !isTrial;
  } finally {
    // The tree was clean, so all that differs was written here.
    if (!isDone) git('restore', '.');
  }
  if (isTrial) {
    console.log(`${to} can be released`);
    return;
  }
  git('commit', '--quiet', '--all', '--message', `Release ${to}`);
  git('tag', '--annotate', `v${to}`, '--message', `Release ${to}`);
  console.log(
    `committed and tagged v${to}; to publish it:\n  git push --follow-tags\n  the packages are published in CI, from the tag`,
  );
}

function checkState(from: string, to: string): void {
  if (git('status', '--porcelain') !== '') throw new Error('the tree has changes that are not committed');
  const branch = git('branch', '--show-current');
  if (branch !== 'main') throw new Error(`releases are made on main, not on \`${branch}\``);
  if (git('tag', '--list', `v${to}`) !== '') throw new Error(`the tag v${to} exists already`);
  // The very first release has the version that the package has already.
  const order = compareVersions(to, from);
  if (order < 0 || (order === 0 && git('tag', '--list', 'v*') !== ''))
    throw new Error(`${to} must be newer than ${from}`);
}

function git(...words: readonly string[]): string {
  return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim();
}

function npm(...words: readonly string[]): void {
  execFileSync(process.execPath, [npmProgram(), ...words], { cwd: ROOT, stdio: 'inherit' });
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

function write(path: string, text: string): void {
  writeFileSync(join(ROOT, path), text);
}
