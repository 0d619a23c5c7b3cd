import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkOut } from './checkout.js';
import type { GitOptions } from './git.js';
import { isCommit, type RemoteFolder } from './remote-folder.js';
import { REMOTE, remoteGit } from './remote-git.js';
import { findTree } from './revisions.js';

export interface RemoteLimits {
  /** Limit for all commands of a fetch, in milliseconds. */
  readonly timeout: number;
  /** Limit for the objects that are fetched, and for the files that are read, in bytes. */
  readonly maxSize: number;
}

/** A commit that a ref names. */
export interface RemoteCommit {
  readonly id: string;
  /** The full name of the ref, such as `refs/heads/main`; the id if a commit was asked for. */
  readonly ref: string;
}

/**
 * Asks a repository for the commit that the ref of a folder names now. A name is a branch, or else a tag; a full name
 * (`refs/tags/v1`) is nothing else. Rejects with an Error without credentials.
 */
export async function findCommit(remote: RemoteFolder, options: GitOptions): Promise<RemoteCommit> {
  const { ref } = remote;
  if (isCommit(ref)) return { id: ref, ref };
  const isFull = ref === 'HEAD' || ref.startsWith('refs/');
  const names = isFull ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
  const patterns = names.flatMap((name) => [name, `${name}^{}`]);
  const result = await remoteGit(remote, ['ls-remote', REMOTE, ...patterns], options);
  const found = idsByName(result.stdout.toString('utf8'));
  for (const name of names) {
    // Of an annotated tag, the second is the commit.
    const id = found.get(`${name}^{}`) ?? found.get(name);
    if (id !== undefined) return { id, ref: name };
  }
  throw new Error(`the repository has no branch or tag \`${ref}\``);
}

/** Patterns of ls-remote match the ends of names, too: only exact names count. */
function idsByName(listed: string): ReadonlyMap<string, string> {
  const lines = listed.split('\n').map((line) => line.split('\t'));
  return new Map(lines.flatMap(([id = '', name = '']) => (isCommit(id) ? [[name, id] as const] : [])));
}

/** How a commit is checked out. */
interface CheckOutOptions extends Omit<GitOptions, 'folder'> {
  /** The folder of what is fetched. */
  readonly scratch: string;
  /** Limit for what is fetched and for what is written, in bytes. */
  readonly maxSize: number;
}

/**
 * Writes the policies of the folder at a commit into a new folder: this commit is fetched, whatever refs name now, into a
 * repository that is removed afterwards. Nothing of the repository is run: no hooks, filters or submodules. Rejects with
 * an Error without credentials.
 */
export async function checkOutRemote(
  remote: RemoteFolder,
  commit: string,
  to: string,
  { signal, environment, scratch, maxSize }: CheckOutOptions,
): Promise<void> {
  const folder = await mkdtemp(join(scratch, 'fetch-'));
  const done = new AbortController();
  const tooLarge = new AbortController();
  const options: GitOptions = { folder, environment, signal: AbortSignal.any([signal, tooLarge.signal]) };
  const watching = abortAbove(folder, maxSize, tooLarge, done.signal);
  try {
    await remoteGit(remote, ['init', '--quiet', '--bare', '--template=', '.'], options);
    const spec = `+${commit}:refs/authz/fetched`;
    const flags = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    await remoteGit(remote, ['fetch', ...flags, REMOTE, spec], options);
    // What came fast ended before anybody looked.
    await limitSize(folder, maxSize, tooLarge);
    // Not the name that it was given here: the id says what its content is.
    const tree = await findTree(commit, options);
    await mkdir(to, { recursive: true });
    await checkOut({ revision: remote.name, tree, path: remote.path }, to, options, { links: false, maxSize });
  } catch (error) {
    if (tooLarge.signal.aborted) throw new Error(`the repository has more than ${maxSize} bytes`);
    throw error;
  } finally {
    done.abort();
    await watching;
    await rm(folder, { recursive: true, force: true });
  }
}

const LOOK = 100;

/** Aborts when the files below a folder have more bytes. */
async function abortAbove(
  folder: string,
  maxSize: number,
  tooLarge: AbortController,
  done: AbortSignal,
): Promise<void> {
  while (!done.aborted && !tooLarge.signal.aborted) {
    await limitSize(folder, maxSize, tooLarge);
    await sleep(LOOK, undefined, { signal: done }).catch(() => undefined);
  }
}

async function limitSize(folder: string, maxSize: number, tooLarge: AbortController): Promise<void> {
  if ((await measureFolder(folder)) > maxSize) tooLarge.abort();
}

async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map((entry) =>
    entry.isFile()
      ? stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        )
      : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
