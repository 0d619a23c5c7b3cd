import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

/** Why no command can run on a terminal here; undefined if one can. */
export const NO_TERMINAL: string | undefined =
  spawnSync('script', ['--version']).status === 0 ? undefined : 'script is not installed';

/** A process on a terminal: `stdin` is the keyboard, `stdout` the screen, and `stdio[3]` a pipe beside it. */
export type OnTerminal = ChildProcessByStdio<Writable, Readable, null>;

/** Runs a line of `/bin/sh`, whatever the user's shell is, on a terminal of its own. */
export function onTerminal(line: string, folder: string, variables: NodeJS.ProcessEnv = {}): OnTerminal {
  return spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, SHELL: '/bin/sh', ...variables },
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  }) as unknown as OnTerminal;
}
