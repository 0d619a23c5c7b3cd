import { EXIT } from '../exit.js';
import { compileFolder } from '../policies/compile.js';
import { compileCommand } from './compile.js';
import { fmtCommand } from './fmt.js';
import { testCommand } from './test.js';
import { verifyCommand } from './verify.js';

/** The command line options of `authzc ci`. */
export interface CiOptions {
  readonly out: string;
  readonly output: 'pretty' | 'github';
  readonly failOn: 'error' | 'warning';
  readonly strictTypes?: boolean;
}

/** A check, and whether it can be made. Undefined stands for one that the policies give no reason for. */
interface Step {
  readonly name: string;
  readonly run: () => Promise<number | undefined> | number | undefined;
}

/**
 * `authzc ci`: all that must hold before a change of policies lands, and a line for each at the end. Writes nothing.
 * Returns the highest exit code of the checks.
 */
export async function ciCommand(directory: string, options: CiOptions): Promise<number> {
  const outcomes: { readonly name: string; readonly code: number | undefined }[] = [];
  for (const { name, run } of stepsOf(directory, options)) outcomes.push({ name, code: await run() });
  for (const { name, code } of outcomes) console.error(`${STATES[String(code)] ?? 'FAILED '} ${name}`);
  return Math.max(...outcomes.map(({ code = EXIT.done }) => code));
}

const STATES: Readonly<Record<string, string>> = { [EXIT.done]: 'ok     ', undefined: 'nothing' };

function stepsOf(directory: string, options: CiOptions): readonly Step[] {
  const { output } = options;
  const compiled = { ...options, bundle: 'dist/policies.js', emit: true, check: true, skipTests: true };
  let isCompiled = false;
  return [
    {
      name: 'the policies are in one style',
      run: () => fmtCommand([directory], { check: true, output: output === 'github' ? output : 'list' }),
    },
    {
      name: `the policies compile, and ${options.out} is what they compile to`,
      run: async () => {
        const code = await compileCommand(directory, compiled);
        isCompiled = code !== EXIT.refused;
        return code;
      },
    },
    {
      name: 'the tests pass',
      run: () =>
        isCompiled
          ? testCommand(directory, {
              output: output === 'github' ? output : 'tree',
              enforceSchemas: true,
              passWithNoTests: true,
              color: true,
            })
          : undefined,
    },
    {
      name: 'the invariants hold',
      run: () =>
        isCompiled && compileFolder(directory).invariants.length > 0
          ? verifyCommand(directory, { output, effort: 3, timeout: 60_000 })
          : undefined,
    },
  ];
}
