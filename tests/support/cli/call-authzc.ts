// esbuild remembers the working directory in which it is loaded, so it must not be the one of a test.
import 'esbuild';
import type { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { runAuthzc } from '../../../packages/cli/authzc-program.js';
import { recordedContext } from './recorded-context.js';
import { type Ended, PROGRAMS } from './programs.js';

let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `authzc` in this process: a process of its own takes five times as long. Commands run one after the
 * other, as each has the working directory of the process. Those that serve, watch or start programs need a process of
 * their own: `run` and `launch` of programs.ts.
 *
 * @param folder the working directory.
 * @param variables added to the environment.
 * @param input what standard input has.
 * @param interrupt receives the source of its signals before the command begins.
 */
export async function callAuthzc(
  words: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
  input: string | Buffer = '',
  interrupt: (signals: EventEmitter) => void = () => undefined,
): Promise<Ended> {
  const { code, stdout, stderr } = await afterLatest(() =>
    runIn(runAuthzc, words, folder, variables, input, interrupt),
  );
  return { code, stdout, stderr };
}

/**
 * Runs a command of the program as it is shipped, in this process: what differs between the program and its sources, such
 * as the cache of compilations.
 */
export function callShipped(
  words: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<EndedHere> {
  return afterLatest(async () => {
    const shipped = (await import(pathToFileURL(PROGRAMS.module).href)) as { readonly runAuthzc: typeof runAuthzc };
    return runIn(shipped.runAuthzc, words, folder, variables, '');
  });
}

/** The result of a command in this process. */
export interface EndedHere extends Ended {
  /** The output on stdout and stderr, in the order in which it was written. */
  readonly output: string;
}

function afterLatest(command: () => Promise<EndedHere>): Promise<EndedHere> {
  const ended = latest.then(command);
  latest = ended.catch(() => undefined);
  return ended;
}

/** Commands that leave undecided what they have no time for. On a busy machine, a minute is not enough for all tests. */
const LIMITED = ['diff', 'verify'];

function withTime(words: readonly string[]): readonly string[] {
  const [command = '', ...others] = words;
  return LIMITED.includes(command) ? [command, '--timeout', '30m', ...others] : words;
}

async function runIn(
  command: typeof runAuthzc,
  words: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv,
  input: string | Buffer,
  interrupt: (signals: EventEmitter) => void = () => undefined,
): Promise<EndedHere> {
  const { AUTHZ_CONFIG: _, ...environment } = process.env;
  const context = recordedContext({ ...environment, ...variables }, input);
  interrupt(context.signals);
  const home = process.cwd();
  const { TMPDIR: scratch } = process.env;
  process.chdir(folder);
  // `os.tmpdir` reads the environment of the process.
  if (variables['TMPDIR'] !== undefined) process.env['TMPDIR'] = variables['TMPDIR'];
  try {
    const code = await command(withTime(words), context);
    return { code, stdout: context.printed(), stderr: context.said(), output: context.both() };
  } finally {
    process.chdir(home);
    if (scratch === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = scratch;
  }
}
