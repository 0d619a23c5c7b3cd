// esbuild remembers the working directory in which it is loaded, so it must not be the one of a test.
import 'esbuild';
import { runAuthzc } from '../../../packages/cli/authzc-program.js';
import { recordedContext } from './recorded-context.js';
import type { Ended } from './programs.js';

let latest: Promise<unknown> = Promise.resolve();

/**
 * Runs a command of `authzc` in this process: a process of its own takes five times as long. Commands run one after the
 * other, as each has the working directory of the process. Those that serve, watch or start programs need a process of
 * their own: `run` and `launch` of programs.ts.
 *
 * @param folder the working directory.
 * @param variables added to the environment.
 * @param input what standard input has.
 */
export function callAuthzc(
  words: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv = {},
  input: string | Buffer = '',
): Promise<Ended> {
  const ended = latest.then(() => runIn(words, folder, variables, input));
  latest = ended.catch(() => undefined);
  return ended;
}

async function runIn(
  words: readonly string[],
  folder: string,
  variables: NodeJS.ProcessEnv,
  input: string | Buffer,
): Promise<Ended> {
  const { AUTHZ_CONFIG: _, ...environment } = process.env;
  const context = recordedContext({ ...environment, ...variables }, input);
  const home = process.cwd();
  const { TMPDIR: scratch } = process.env;
  process.chdir(folder);
  // `os.tmpdir` reads the environment of the process.
  if (variables['TMPDIR'] !== undefined) process.env['TMPDIR'] = variables['TMPDIR'];
  try {
    const code = await runAuthzc(words, context);
    return { code, stdout: context.printed(), stderr: context.said() };
  } finally {
    process.chdir(home);
    if (scratch === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = scratch;
  }
}
