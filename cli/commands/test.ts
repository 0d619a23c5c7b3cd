import { visible } from '../../compiler/diagnostics/visible.js';
import { loadSuites } from '../../compiler/load/index.js';
import { testFilter } from '../../compiler/policy-tests/filter.js';
import { compileFolder, policiesOf } from '../policies/compile.js';
import { EXIT } from '../exit.js';
import { runPolicyTests } from '../policies/test-policies.js';
import { isColorful, printDiagnostics } from '../report.js';
import type { TestOptions } from '../policies/test-options.js';

/** How problems of policies and the results of tests are shown. */
export const TEST_OUTPUTS = ['tree', 'list', 'json'] as const;

/** The command line options of `authzc test`. */
export interface TestCommandOptions extends TestOptions {
  readonly output: (typeof TEST_OUTPUTS)[number];
  /** Whether attributes that violate their schemas deny, as in the tests of `authzc compile`. */
  readonly enforceSchemas?: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
  /** Whether a folder without tests is fine. */
  readonly passWithNoTests?: boolean;
}

/** `authzc test`: runs the tests of a folder of policies. Writes no file. Returns the exit code. */
export async function testCommand(directory: string, options: TestCommandOptions): Promise<number> {
  const filter = testFilter(options.testFilter ?? []);
  const suites = loadSuites(options.tests ?? directory);
  const compilation = compileFolder(directory);
  if (compilation.program === undefined) {
    printDiagnostics(compilation.diagnostics, options.output === 'tree' ? 'pretty' : options.output, {
      folder: directory,
      color: options.color && isColorful(process.stdout),
    });
    return EXIT.refused;
  }
  if (suites.length === 0 && options.passWithNoTests !== true) {
    const folder = visible(options.tests ?? directory);
    console.error(
      `authzc: \`${folder}\` holds no tests (files \`*_test.yaml\`); name their folder with --tests DIR, or accept it with --pass-with-no-tests`,
    );
    return EXIT.failed;
  }
  const { report, code, violations } = await runPolicyTests(suites, await policiesOf(compilation, directory), {
    filter,
    skipBatching: options.skipBatching ?? false,
    strictEvaluation: options.strictEvaluation ?? false,
    schemaEnforcement: options.enforceSchemas === true ? 'reject' : options.ignoreSchemas === true ? 'none' : 'warn',
    format: options.testOutput ?? options.output,
    verbose: options.verbose ?? false,
    color: options.color && isColorful(process.stdout),
    folder: options.tests ?? directory,
  });
  process.stdout.write(report);
  if (violations > 0 && options.enforceSchemas !== true) console.error(unenforced(violations));
  if (code !== EXIT.done) console.error('authzc: tests failed');
  return code;
}

function unenforced(calls: number): string {
  return `warning: in ${calls} ${calls === 1 ? 'call' : 'calls'} attributes do not satisfy their schemas; a server that enforces them denies (--enforce-schemas does, --ignore-schemas says nothing)`;
}
