import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkOut } from './checkout.js';
import { type GitOptions, type GitResult, git } from './git.js';
import { treeOf } from './revisions.js';

/** A folder of a remote repository. */
export interface RemoteFolder {
  /** As it was written, with credentials. */
  readonly url: string;
  /** A branch, a tag or the id of a commit; `HEAD` if none was written. */
  readonly ref: string;
  /** Below the root of the repository, with `/`; empty for the root. */
  readonly path: string;
  /** All three, without credentials: for messages. */
  readonly name: string;
}

export interface RemoteLimits {
  /** Of all commands of a fetch, in milliseconds. */
  readonly timeout: number;
  /** Of the objects that are fetched, and of the files that are read, in bytes. */
  readonly maxSize: number;
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const REF = /^[A-Za-z0-9_][A-Za-z0-9._/+@-]{0,255}$/;

/**
 * Reads `URL#ref:path`, of which ref and path may be left out. URLs are `https://`, `http://`, `file://` and absolute
 * paths. Throws an Error that says what is wrong.
 */
export function parseRemote(written: string): RemoteFolder {
  const hash = written.indexOf('#');
  const address = hash < 0 ? written : written.slice(0, hash);
  const fragment = hash < 0 ? '' : written.slice(hash + 1);
  const colon = fragment.indexOf(':');
  const ref = (colon < 0 ? fragment : fragment.slice(0, colon)) || 'HEAD';
  const path = (colon < 0 ? '' : fragment.slice(colon + 1)).replace(/\/+$/, '');
  if (!REF.test(ref) || /\.\.|\/\/|@\{|\.lock$|[/.]$/.test(ref)) throw new Error(`\`${ref}\` is not a branch or a tag`);
  const segments = path === '' ? [] : path.split('/');
  if (segments.some((name) => ['', '.', '..'].includes(name) || /[\0-\x1f]/.test(name)) || path.startsWith('-'))
    throw new Error(`\`${path}\` is not a folder below the root of a repository`);
  const { url, shown } = addressOf(address);
  return { url, ref, path, name: `${shown}#${ref}${path === '' ? '' : `:${path}`}` };
}

function addressOf(written: string): { readonly url: string; readonly shown: string } {
  if (written.startsWith('/')) return { url: written, shown: written };
  const isUrl = /^(?:https?|file):\/\//.test(written) && URL.canParse(written);
  if (!isUrl) throw new Error('the URL of a repository begins with https://, http://, file:// or /');
  const shown = new URL(written);
  shown.username = '';
  shown.password = '';
  return { url: written, shown: shown.href };
}

/** The id of the commit that the ref names now. Rejects with an Error without credentials. */
export async function remoteCommit(remote: RemoteFolder, options: GitOptions): Promise<string> {
  if (COMMIT.test(remote.ref)) return remote.ref;
  const result = await remoteGit(remote, ['ls-remote', REMOTE, remote.ref, `${remote.ref}^{}`], options);
  const found = result.stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [id = '', name = ''] = line.split('\t');
      return COMMIT.test(id) ? [{ id, name }] : [];
    });
  const names = [remote.ref, `refs/heads/${remote.ref}`, `refs/tags/${remote.ref}^{}`, `refs/tags/${remote.ref}`];
  for (const name of names) {
    const id = found.find((each) => each.name === name)?.id;
    if (id !== undefined) return id;
  }
  throw new Error(`the repository has no branch or tag \`${remote.ref}\``);
}

/**
 * Writes the policies of the folder into a new folder: one commit is fetched, into a repository that is removed
 * afterwards. Nothing of the repository is run: no hooks, filters or submodules. Returns the id of the commit. Rejects
 * with an Error without credentials.
 */
export async function checkOutRemote(
  remote: RemoteFolder,
  to: string,
  { signal, scratch, maxSize }: { readonly signal: AbortSignal; readonly scratch: string; readonly maxSize: number },
): Promise<string> {
  const folder = await mkdtemp(join(scratch, 'fetch-'));
  const done = new AbortController();
  const tooLarge = new AbortController();
  const options: GitOptions = { folder, signal: AbortSignal.any([signal, tooLarge.signal]) };
  const watching = abortAbove(folder, maxSize, tooLarge, done.signal);
  try {
    await remoteGit(remote, ['init', '--quiet', '--bare', '--template=', '.'], options);
    const spec = `+${remote.ref}:refs/authz/fetched`;
    const flags = ['--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
    await remoteGit(remote, ['fetch', ...flags, REMOTE, spec], options);
    // What came fast ended before anybody looked.
    await limitSize(folder, maxSize, tooLarge);
    const commit = await git(['rev-parse', '--verify', 'refs/authz/fetched^{commit}'], options);
    if (commit.code !== 0) throw new Error(`\`${remote.ref}\` is not a commit`);
    const tree = await treeOf('refs/authz/fetched', options);
    await mkdir(to, { recursive: true });
    await checkOut({ revision: remote.name, tree, path: remote.path }, to, options, { links: false, maxSize });
    return commit.stdout.toString('utf8').trim();
  } catch (error) {
    if (tooLarge.signal.aborted) throw new Error(`the repository has more than ${maxSize} bytes`);
    throw error;
  } finally {
    done.abort();
    await watching;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The remote is named by the environment: its URL is no argument, which other users could read. */
const REMOTE = 'authz-source';

async function remoteGit(remote: RemoteFolder, args: readonly string[], options: GitOptions): Promise<GitResult> {
  const result = await git([...SAFETY, ...args], { ...options, environment: environmentOf(remote) });
  if (result.code === 0) return result;
  const line = result.stderr.split('\n').find((each) => each.startsWith('fatal: ') || each.startsWith('error: '));
  throw new Error(`git: ${withoutCredentials(line?.replace(/^\w+: /, '') ?? 'failed', remote)}`);
}

/** Hooks of the user's configuration are for working with git, not for reading a repository. */
const SAFETY = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];

function environmentOf({ url }: RemoteFolder): NodeJS.ProcessEnv {
  const count = Number(process.env['GIT_CONFIG_COUNT'] ?? 0);
  return {
    GIT_ALLOW_PROTOCOL: 'file:http:https',
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `remote.${REMOTE}.url`,
    [`GIT_CONFIG_VALUE_${count}`]: url,
  };
}

function withoutCredentials(message: string, { url }: RemoteFolder): string {
  return message.replaceAll(url, '<url>').replace(/\/\/[^/\s@']*@/g, '//');
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
  if ((await sizeOf(folder)) > maxSize) tooLarge.abort();
}

async function sizeOf(folder: string): Promise<number> {
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
