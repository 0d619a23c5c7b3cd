import { maskText } from '../../../server/config/mask.js';
import { type GitOptions, type GitResult, git } from './git.js';
import type { RemoteFolder } from './remote-folder.js';

/** The remote is named by the environment: its URL is no argument, which other users could read. */
export const REMOTE = 'authz-source';

/** Runs a command of git that may ask the remote. Rejects with an Error without credentials. */
export async function remoteGit(
  remote: RemoteFolder,
  args: readonly string[],
  options: GitOptions,
): Promise<GitResult> {
  const result = await git([...SAFETY, ...args], {
    ...options,
    environment: { ...options.environment, ...remoteVariables(remote, options.environment) },
  });
  if (result.code === 0) return result;
  throw new Error(`git: ${withoutCredentials(problemIn(result.stderr), remote)}`);
}

/** The line that says what is wrong; if ssh failed, git only says so, and the line before it says why. */
function problemIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const index = lines.findIndex((line) => /^(?:fatal|error): /.test(line));
  const line = (lines[index] ?? 'failed').replace(/^\w+: /, '');
  const before = /^Could not read from remote repository/.test(line) ? lines[index - 1] : undefined;
  // Servers write some of these lines.
  return (before ?? line)
    .replace(/[\0-\x1f\x7f-\x9f]/g, ' ')
    .trim()
    .slice(0, LONGEST_LINE);
}

const LONGEST_LINE = 300;

/** Hooks of the user's configuration are for working with git, not for reading a repository. */
const SAFETY = ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];

function remoteVariables({ url }: RemoteFolder, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  return {
    GIT_ALLOW_PROTOCOL: listProtocols(url),
    // Nobody is there to answer ssh.
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `remote.${REMOTE}.url`,
    [`GIT_CONFIG_VALUE_${count}`]: url,
  };
}

/** A redirect does not lead to another kind of transport, but from this machine to TLS. */
function listProtocols(url: string): string {
  if (url.startsWith('ssh:')) return 'ssh';
  if (url.startsWith('https:')) return 'https';
  return url.startsWith('http:') ? 'http:https' : 'file';
}

function withoutCredentials(message: string, { url }: RemoteFolder): string {
  return maskText(message.replaceAll(url, '<url>'));
}
