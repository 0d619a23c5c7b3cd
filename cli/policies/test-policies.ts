import type { BundleModule } from '../../compiler/bundle/import-bundle.js';
import type { Compilation } from '../../compiler/compile.js';
import type { Diagnostic } from '../../compiler/diagnostics/diagnostic.js';
import { formatPretty } from '../../compiler/diagnostics/format.js';
import { toReport } from '../../compiler/diagnostics/json.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import { testFilter, type TestFilter } from '../../compiler/policy-tests/filter.js';
import type { TestFormat } from '../../compiler/policy-tests/report/formats.js';
import { reportOf, type ReportStyle } from '../../compiler/policy-tests/report/index.js';
import { runTests } from '../../compiler/policy-tests/run-tests.js';
import { EXIT } from '../exit.js';
import { isColorful, type OutputFormat, printDiagnostics } from '../report.js';
import { askEngine, type AskOptions } from './ask-engine.js';
import { policiesOf } from './compile.js';
import type { TestOptions } from './test-options.js';

/**
 * Runs the tests in a folder that is being compiled, with schemas enforced (docs/spec/server.md#how-tests-run), and
 * shows the diagnostics of the compiler, too. Returns the exit code, and how many tests passed.
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
    color: isColorful(process.stdout),
    folder: options.tests ?? options.folder,
  });
  show(report, compilation.diagnostics, { format, output: options.output, folder: options.folder });
  if (code !== EXIT.done) console.error('authzc: tests failed');
  return { code, tests };
}

const FORMATS: Readonly<Record<OutputFormat, TestFormat>> = { list: 'list', pretty: 'tree', json: 'json' };

/** Programs that read standard output expect one document there. */
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
      printDiagnostics(diagnostics, output, { folder });
      process.stdout.write(report);
      return;
    case 'junit':
      break;
  }
  if (diagnostics.length > 0) process.stderr.write(formatPretty(diagnostics, { color: false, folder }));
  process.stdout.write(report);
}

/** How the tests of policies are run and shown. */
export interface PolicyTestOptions extends ReportStyle, AskOptions {
  readonly filter: TestFilter;
  readonly skipBatching: boolean;
}

/** The result of running tests. */
export interface PolicyTestOutcome {
  /** The report, with its last line break. */
  readonly report: string;
  /** Exit code. */
  readonly code: number;
  /** How many tests ran. */
  readonly tests: number;
  /** The number of calls in which attributes did not satisfy their schemas. */
  readonly violations: number;
}

/** Runs test suites against compiled policies, in this process. */
export async function runPolicyTests(
  suites: readonly SuiteFiles[],
  policies: BundleModule,
  options: PolicyTestOptions,
): Promise<PolicyTestOutcome> {
  const { ask, violations } = await askEngine(policies, options);
  const results = runTests(suites, { ...options, ask, traced: options.verbose });
  const { overall } = results.summary;
  return {
    report: reportOf(results, options),
    code: overall === 'failed' || overall === 'errored' ? EXIT.testsFailed : EXIT.done,
    tests: results.summary.count,
    violations: violations(),
  };
}
