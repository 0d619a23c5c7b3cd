import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, relative, sep } from 'node:path';
import { Source } from '../../../compiler/diagnostics/source.js';
import { checkOut } from '../git/checkout.js';
import type { GitOptions } from '../git/git.js';
import { findPrefix, findTree, readRevisionFile } from '../git/revisions.js';
import { InputError } from '../report.js';
import { compileFolder, type FolderCompilation, type FolderOptions } from './compile.js';

/** A set of policies as the command line names it: a folder, or a folder of a git revision. */
export type SetName =
  | { readonly folder: string }
  /** Without a path it is the folder of `--dir`. */
  | { readonly revision: string; readonly path: string | undefined };

/** A set of policies that was read and compiled, or refused. */
export interface ReadSet {
  readonly compilation: FolderCompilation;
  /** Where it was read: `policies`, or `git:main:policies`. */
  readonly source: string;
  /** The folder that paths of its policies are shown in, from the working directory. */
  readonly folder: string;
}

/**
 * The two sets that arguments name: `OLD NEW`, or a range of revisions. An existing folder is never taken for a
 * revision (docs/spec/analysis.md#sets-of-policies).
 *
 * @param dir the folder of the policies, from the working directory.
 * @throws InputError if they are not two.
 */
export function comparedSets(first: string, second: string | undefined, dir: string): readonly [SetName, SetName] {
  if (second !== undefined) return [setNamed(first), setNamed(second)];
  const range = isFolder(first) ? undefined : parseRange(first);
  if (range === undefined)
    throw usage(
      `diff compares two sets of policies; got one, \`${first}\``,
      `\`${first}..\` compares a revision with the working tree`,
    );
  const [old, new_] = range;
  return [revisionNamed(old === '' ? 'HEAD' : old), new_ === '' ? { folder: dir } : revisionNamed(new_)];
}

/**
 * The set that an argument names.
 *
 * @throws InputError for a range.
 */
export function setNamed(word: string): SetName {
  if (isFolder(word)) return { folder: word };
  if (parseRange(word) !== undefined) throw usage(`\`${word}\` is a range, which names both sets`, 'name one of them');
  return revisionNamed(word);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The two dots of a range; in `main:../policies` they belong to the path. */
const RANGE = /^(.*?)(?<![:/])(\.{2,})(.*)$/s;

function parseRange(word: string): readonly [string, string] | undefined {
  const [, old, dots, new_] = RANGE.exec(word) ?? [];
  if (old === undefined || new_ === undefined) return undefined;
  if (dots === '..') return [old, new_];
  throw usage(
    `\`${word}\` is not a range of policies: write two dots`,
    `to begin where a branch did, name the revision that \`git merge-base\` prints`,
  );
}

/** The colon of `REV:PATH`; those of `HEAD^{/fix: it}` and `main@{10:00}` belong to the revision. */
const PATH = /^((?:[^:{]|\{[^}]*\})*):(.*)$/s;

function revisionNamed(word: string): SetName {
  const [, revision = word, path] = PATH.exec(word) ?? [];
  return { revision, path };
}

function usage(message: string, note: string): InputError {
  return new InputError(message, undefined, [{ message: note }]);
}

/** How a set is read. */
export interface ReadOptions extends Omit<GitOptions, 'folder'> {
  /** The sources of the set that this one is compared with: what both have is parsed once. */
  readonly earlier?: readonly Source[];
  /** The set that this one is compared with, as `readSet` returned it: if their files are the same, so is the compilation. */
  readonly before?: ReadSet;
  /** Is told what is being done. */
  readonly onStep?: FolderOptions['onStep'];
}

/**
 * Reads and compiles a set of policies. The vocabulary of the project does not apply: it is one of today, and decides
 * nothing.
 *
 * @param dir the folder of the policies in a revision, from the working directory.
 * @throws Error if it cannot be read.
 */
export async function readSet(
  name: SetName,
  dir: string,
  { earlier = [], before, signal, environment, onStep }: ReadOptions,
): Promise<ReadSet> {
  const folderOptions = { vocabulary: {}, earlier, before: before?.compilation, onStep };
  if ('folder' in name)
    return { compilation: compileFolder(name.folder, folderOptions), source: name.folder, folder: name.folder };
  const options: GitOptions = { folder: '.', signal, environment };
  const { revision } = name;
  const tree = await findTree(revision, options);
  const prefix = await findPrefix(revision, options);
  const path = pathBelowRoot(name.path ?? `./${relative('', dir)}`, prefix);
  return withTemporaryFolder(async (folder) => {
    await checkOut({ revision, tree, path }, folder, options);
    return {
      compilation: compileFolder(folder, folderOptions),
      source: `git:${revision}:${path}`,
      folder: posix.relative(prefix, path),
    };
  });
}

/**
 * A file that belongs to a set of policies: of a revision, if the set is one of a revision that has the file; undefined
 * if it does not, or if the file is outside of the repository.
 *
 * @param file the path of the file in the working tree.
 */
export async function readFileOfSet(
  { revision }: Extract<SetName, { readonly revision: string }>,
  file: string,
  { signal, environment }: ReadOptions,
): Promise<Source | undefined> {
  const options: GitOptions = { folder: '.', signal, environment };
  const tree = await findTree(revision, options);
  const prefix = await findPrefix(revision, options);
  const path = posix.normalize(`${prefix}${relative('', file).replaceAll(sep, '/')}`);
  if (path.startsWith('../')) return undefined;
  const text = await readRevisionFile({ tree, path }, options);
  return text === undefined ? undefined : new Source(`git:${revision}:${path}`, text);
}

/**
 * Writes a path as git reads it after a colon: from the root, or from the working directory if it begins with a dot.
 */
function pathBelowRoot(path: string, prefix: string): string {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(path);
  const normal = posix.normalize(isRelative ? `${prefix}${path}` : path).replace(/^\.?\/|^\.$|\/$/g, '');
  if (normal.startsWith('../') || normal === '..') throw new Error(`\`${path}\` is outside of the repository`);
  return normal;
}

/** The folder is removed when `use` ends, or the process does. */
async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'authzc-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.on('exit', remove);
  try {
    return await use(folder);
  } finally {
    process.off('exit', remove);
    remove();
  }
}
