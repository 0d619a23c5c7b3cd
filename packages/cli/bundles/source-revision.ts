import type { SourceRevision } from '../../bundle/index.js';
import type { CommandContext } from '../context.js';
import { git } from '../git/git.js';

/**
 * The commit that a folder is at: undefined if it is in no repository, the repository has no commit, or git is not
 * installed.
 */
export async function sourceRevision(
  folder: string,
  { env }: Pick<CommandContext, 'env'>,
): Promise<SourceRevision | undefined> {
  const options = { folder, environment: env, signal: new AbortController().signal };
  const ask = async (...words: readonly string[]): Promise<string | undefined> => {
    const { code, stdout } = await git(words, options);
    return code === 0 ? stdout.toString('utf8').replace(/\n$/, '') : undefined;
  };
  try {
    const revision = await ask('rev-parse', '--verify', '--quiet', 'HEAD');
    if (revision === undefined) return undefined;
    const path = (await ask('rev-parse', '--show-prefix'))?.replace(/\/$/, '');
    const changes = await ask('status', '--porcelain', '--', '.');
    const url = await ask('config', '--get', 'remote.origin.url');
    const repository = url === undefined ? undefined : publicUrl(url);
    return {
      revision,
      dirty: changes !== '',
      ...(path !== undefined && path !== '' && { path }),
      ...(repository !== undefined && { repository }),
    };
  } catch {
    return undefined;
  }
}

/** The URL of a repository without credentials; undefined for a path of this machine. */
export function publicUrl(url: string): string | undefined {
  // The form of scp, as in `git@example.org:team/policies.git`, has no password.
  if (/^[\w.-]+@[\w.-]+:(?!\/\/)/.test(url)) return url;
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (!['https:', 'http:', 'ssh:', 'git:'].includes(parsed.protocol)) return undefined;
  parsed.password = '';
  // A token may stand in the place of the name, and in the query.
  if (parsed.protocol !== 'ssh:') parsed.username = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}
