import type { Instant } from '../../../runtime/policy/index.js';
import type { BundleModule } from '../../../compiler/bundle/import-bundle.js';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import { formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import { toReport } from '../../../compiler/diagnostics/json.js';
import { colored, plain } from '../../../compiler/diagnostics/paint.js';
import type { Program } from '../../../compiler/ir/program.js';
import type { SuiteFiles } from '../../../compiler/load/index.js';
import { testFilter, type TestFilter } from '../../policy-tests/filter.js';
import type { TestFormat } from '../../policy-tests/report/formats.js';
import { formatReport, type ReportStyle } from '../../policy-tests/report/index.js';
import type { Summary, TestResults } from '../../policy-tests/results.js';
import { runTests } from '../../policy-tests/run-tests.js';
import { type CommandContext, isColorful, type OutputStream } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { ProgressLine, formatStep } from '../progress.js';
import { type OutputFormat, printDiagnostics } from '../report.js';
import { DIAGNOSTIC_RULES, toFindings } from '../findings/diagnostics.js';
import { findingLog, isLogFormat } from '../findings/log.js';
import { listFolders, TEST_RULES, testFindings } from '../findings/tests.js';
import type { AskOptions, OnDecision } from '../../policy-tests/engine/ask-engine.js';
import { askPolicies } from '../../policy-tests/engine/ask-policies.js';
import { compileFolder, type FolderCompilation, loadPolicies } from './compile.js';
import type { TestOptions } from './test-options.js';
import { undeclaredInTests } from './test-vocabulary.js';
import { readVocabulary } from './vocabulary.js';
import { visibleJson } from '../../../compiler/diagnostics/visible.js';

/**
 * Runs the tests in a folder that is being compiled, with schemas enforced (docs/spec/server.md#how-tests-run), and
 * shows the diagnostics of the compiler, too. Returns the exit code, and how many tests passed.
 */
export async function testCompilation(
  suites: readonly SuiteFiles[],
  compilation: Pick<FolderCompilation, 'files' | 'diagnostics' | 'sources'>,
  options: TestOptions & { readonly output: OutputFormat; readonly folder: string },
  context: CommandContext,
): Promise<{ readonly code: number; readonly tests: number }> {
  const undeclared = undeclaredInTests(suites, readVocabulary());
  if (undeclared.length > 0) {
    printDiagnostics(undeclared, options.output, { folder: options.tests ?? options.folder }, context);
    return { code: EXIT.refused, tests: 0 };
  }
  const format = options.testOutput ?? FORMATS[options.output];
  const ready = await loadPolicies(compilation, options.folder);
  // What the cache keeps of a compilation has no program.
  const policies = { ...ready, lowered: () => compileFolder(options.folder).lowered };
  const { stdout } = context;
  const testOptions: PolicyTestOptions = {
    filter: testFilter(options.testFilter ?? []),
    skipBatching: options.skipBatching ?? false,
    now: options.now,
    strictEvaluation: options.strictEvaluation ?? false,
    schemaEnforcement: options.ignoreSchemas === true ? 'none' : 'reject',
    format,
    verbose: options.verbose ?? false,
    color: isColorful(stdout, context),
    folder: options.tests ?? options.folder,
    policyFolder: options.folder,
    stderr: context.stderr,
  };
  const { results, report, code, tests } = await runPolicyTests(suites, policies, testOptions);
  if (isLogFormat(options.output)) {
    const { folder, tests: testFolder = folder } = options;
    const findings = [
      ...toFindings(compilation.diagnostics, folder),
      ...testFindings(results, listFolders(compilation, folder, testFolder)),
    ];
    stdout.write(findingLog(options.output, findings, [...DIAGNOSTIC_RULES, ...TEST_RULES]));
  } else show(report, compilation.diagnostics, { format, output: options.output, folder: options.folder }, context);
  if (code !== EXIT.done) printMessage(context, 'tests failed');
  return { code, tests };
}

/** A log for programs has failed tests; what explains them is data, as in JSON. */
const FORMATS: Readonly<Record<OutputFormat, TestFormat>> = {
  list: 'list',
  pretty: 'tree',
  json: 'json',
  sarif: 'json',
  github: 'json',
  junit: 'json',
};

/** Programs that read standard output expect one document there. */
function show(
  report: string,
  diagnostics: readonly Diagnostic[],
  { format, output, folder }: { readonly format: TestFormat; readonly output: OutputFormat; readonly folder: string },
  context: CommandContext,
): void {
  const { stdout, stderr } = context;
  switch (format) {
    case 'json':
      if (output === 'json') {
        stdout.write(`${visibleJson({ ...toReport(diagnostics), ...(JSON.parse(report) as object) }, 2)}\n`);
        return;
      }
      break;
    case 'tree':
    case 'list':
      printDiagnostics(diagnostics, output, { folder }, context);
      stdout.write(report);
      return;
    case 'junit':
      break;
  }
  if (diagnostics.length > 0) stderr.write(formatPretty(diagnostics, { color: false, folder }));
  stdout.write(report);
}

/** How the tests of policies are run and shown. */
export interface PolicyTestOptions extends ReportStyle, AskOptions {
  /** The folder of the policies. */
  readonly policyFolder: string;
  readonly filter: TestFilter;
  readonly skipBatching: boolean;
  /** The time of tests that set none. */
  readonly now?: Instant | undefined;
  /** A terminal that shows how many suites have run. */
  readonly stderr?: OutputStream | undefined;
}

/** The result of running tests. */
export interface PolicyTestOutcome {
  readonly results: TestResults;
  /** The results in the format of the options, with the last line break. */
  readonly report: string;
  /** Exit code. */
  readonly code: number;
  /** How many tests ran. */
  readonly tests: number;
  /** The paths of the suites that failed or could not be run. */
  readonly failed: readonly string[];
  /** The number of calls in which attributes did not satisfy their schemas. */
  readonly violations: number;
}

/** Policies to test. */
export interface TestedPolicies extends BundleModule {
  /** The program as its authors wrote it. Called only if tests fail, to explain them, or do not know some facts. */
  readonly lowered: () => Program | undefined;
}

/** Runs test suites against compiled policies, in this process. */
export async function runPolicyTests(
  suites: readonly SuiteFiles[],
  policies: TestedPolicies,
  options: PolicyTestOptions,
  onDecision?: OnDecision,
): Promise<PolicyTestOutcome> {
  const progress = options.stderr && new ProgressLine(options.stderr);
  const loaded = { ...policies, traces: await policies.traced() };
  const { ask, violations } = askPolicies(loaded, options, onDecision);
  const ran = runTests(suites, {
    ...options,
    ask,
    traced: options.verbose,
    onStep: (suite, all) => progress?.show(`running ${formatStep(suite, all, 'suites')}`),
  });
  progress?.clear();
  const results = await explained(ran, policies, options);
  return {
    results,
    report: formatReport(results, options),
    code: isFailure(ran.summary) ? EXIT.testsFailed : EXIT.done,
    tests: ran.summary.count,
    failed: ran.suites.flatMap(({ file, summary }) => (isFailure(summary) ? file : [])),
    violations: violations(),
  };
}

function isFailure({ overall }: Summary): boolean {
  return overall === 'failed' || overall === 'errored';
}

/** JUnit has no place for explanations. */
async function explained(
  results: TestResults,
  { lowered }: TestedPolicies,
  options: PolicyTestOptions,
): Promise<TestResults> {
  if ((results.summary.counts.get('failed') ?? 0) === 0 || options.format === 'junit') return results;
  const program = lowered();
  if (program === undefined) return results;
  const { explainFailures } = await import('../../policy-tests/engine/explained-tests.js');
  const formatPath = (file: string): string => shownPath(file, options.policyFolder);
  return explainFailures(results, program, options, {
    paint: options.color ? colored : plain,
    pathOf: formatPath,
    full: false,
  });
}
