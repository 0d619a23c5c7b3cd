import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { CommandContext } from '../context.js';
import { git } from '../git/git.js';
import { replaceFiles } from '../outputs/replace-files.js';
import type { WriteStep } from './steps.js';
import { BACKUP_FOLDER, type Tree } from './tree.js';

/** Where the originals are after a migration. */
export type Originals = 'git' | 'backup';

/**
 * Writes the files of a plan. Nothing is lost: in a repository of git, files that change must be committed; elsewhere
 * the originals are copied to `.authz-migrate` first. Either all files are written, or none.
 *
 * @throws Error if a file has changes that are not committed, changed since the tree was read, or is in the way.
 */
export async function applyWrites(
  root: string,
  tree: Tree,
  writes: readonly WriteStep[],
  { env }: Pick<CommandContext, 'env'>,
): Promise<Originals> {
  const old = writes.map(({ path }) => path);
  const files = writes.flatMap((step) => step.files);
  for (const path of old)
    if (readFileSync(join(root, path), 'utf8') !== tree.get(path))
      throw new Error(`\`${visible(path)}\` changed in the meantime; run the command again`);
  const isReplaced = new Set(old);
  for (const { path } of files)
    if (!isReplaced.has(path) && existsSync(join(root, path)))
      throw new Error(`\`${visible(path)}\` exists, and would be overwritten; move it away`);

  const uncommitted = await uncommittedFiles(root, env);
  const dirty = old.filter((path) => uncommitted?.has(path));
  if (dirty.length > 0)
    throw new Error(
      `${dirty.length === 1 ? 'a file that would change is' : `${dirty.length} files that would change are`} not committed: ${shortList(dirty)}; commit first, so that nothing is lost`,
    );
  if (uncommitted === undefined) backUp(root, tree, old);
  replaceFiles(files.map(({ path, text }) => ({ path: join(root, path), text })));
  const written = new Set(files.map(({ path }) => path));
  for (const path of old) if (!written.has(path)) rmSync(join(root, path));
  return uncommitted === undefined ? 'backup' : 'git';
}

/** An original that an earlier migration kept is the older one, and stays. */
function backUp(root: string, tree: Tree, paths: readonly string[]): void {
  const missing = paths.filter((path) => !existsSync(join(root, BACKUP_FOLDER, path)));
  replaceFiles(missing.map((path) => ({ path: join(root, BACKUP_FOLDER, path), text: tree.get(path) ?? '' })));
}

/** The files below a folder whose content git does not have; undefined outside of a repository. */
async function uncommittedFiles(
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<ReadonlySet<string> | undefined> {
  const options = { folder: root, environment, signal: new AbortController().signal };
  const prefix = await git(['rev-parse', '--show-prefix'], options).catch(() => undefined);
  if (prefix === undefined || prefix.code !== 0) return undefined;
  const status = await git(
    ['status', '--porcelain', '-z', '--ignored=matching', '--untracked-files=all', '--no-renames', '--', '.'],
    options,
  );
  if (status.code !== 0) throw new Error(`git status failed: ${status.stderr.trim()}`);
  const below = prefix.stdout.toString('utf8').trimEnd();
  const entries = status.stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  return new Set(entries.map((entry) => entry.slice(3).slice(below.length)));
}

function shortList(paths: readonly string[]): string {
  const shown = paths
    .slice(0, 3)
    .map((path) => `\`${visible(path)}\``)
    .join(', ');
  return paths.length > 3 ? `${shown} and others` : shown;
}
