import type { Compilation } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import { testFilter } from '../../compiler/policy-tests/filter.js';
import type { TestFormat } from '../../compiler/policy-tests/report/formats.js';
import { policiesOf } from './compiled-policies.js';
import { EXIT } from '../exit.js';
import { runPolicyTests } from './policy-tests.js';
import { isColorful, type OutputFormat, say } from '../report.js';
import type { TestOptions } from './test-options.js';

/**
 * Runs the tests in a folder that is being compiled, with schemas enforced (docs/spec/server.md#how-tests-run), and
 * shows what the compiler has to say, too. Returns the exit code, and how many tests passed.
 */
export async function testCompilation(
  suites: readonly SuiteFiles[],
  compilation: Compilation,
  options: TestOptions & { readonly output: OutputFormat; readonly folder: string },
): Promise<{ readonly code: number; readonly tests: number }> {
  const format = options.testOutput ?? FORMATS[options.output];
  const { report, code, tests } = await runPolicyTests(suites, await policiesOf(compilation, options.folder), {
    filter: testFilter(options.testFilter ?? []),
    skipBatching: options.skipBatching ?? false,
    strictEvaluation: options.strictEvaluation ?? false,
    schemaEnforcement: options.ignoreSchemas === true ? 'none' : 'reject',
    format,
    verbose: options.verbose ?? false,
    color: isColorful(),
    folder: options.tests ?? options.folder,
  });
  show(report, compilation.diagnostics, { format, output: options.output, folder: options.folder });
  if (code !== EXIT.done) console.error('authzc: tests failed');
  return { code, tests };
}

const FORMATS: Readonly<Record<OutputFormat, TestFormat>> = { list: 'list', pretty: 'tree', json: 'json' };

/** A program that reads standard output finds one document there. */
function show(
  report: string,
  diagnostics: readonly Diagnostic[],
  { format, output, folder }: { readonly format: TestFormat; readonly output: OutputFormat; readonly folder: string },
): void {
  switch (format) {
    case 'json':
      if (output === 'json') {
        process.stdout.write(
          `${JSON.stringify({ ...toReport(diagnostics), ...(JSON.parse(report) as object) }, undefined, 2)}\n`,
        );
        return;
      }
      break;
    case 'tree':
    case 'list':
      say(diagnostics, output, { folder });
      process.stdout.write(report);
      return;
    case 'junit':
      break;
  }
  if (diagnostics.length > 0) process.stderr.write(formatPretty(diagnostics, { color: false, folder }));
  process.stdout.write(report);
}
