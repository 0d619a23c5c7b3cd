import { visible } from '../../../compiler/diagnostics/visible.js';
import { loadSuites, type SuiteFiles } from '../../../compiler/load/index.js';
import { testFilter } from '../../policy-tests/filter.js';
import type { Coverage } from '../../analysis/coverage/coverage.js';
import type { MutationReport } from '../../policy-tests/mutate/mutate.js';
import { formatPretty, shownPath } from '../../../compiler/diagnostics/format.js';
import { compileFolder, type FolderCompilation, type PoliciesInMemory, loadPolicies } from '../policies/compile.js';
import type { SolverOptions } from '../policies/comparison-options.js';
import { type CoverageOptions, measuresCoverage } from '../policies/coverage-options.js';
import { type MutationOptions, mutates } from '../policies/mutation-options.js';
import { isLogFormat, LOG_FORMATS, type OnFindings, printLog } from '../findings/log.js';
import { type CommandContext, isColorful, type OutputStream, printNote } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { ProgressLine } from '../progress.js';
import { type PolicyTestOptions, runPolicyTests } from '../policies/test-policies.js';
import { printDiagnostics } from '../report.js';
import { hasTwoOutputs, type TestOptions } from '../policies/test-options.js';
import { undeclaredInTests } from '../policies/test-vocabulary.js';
import { readVocabulary } from '../policies/vocabulary.js';
import { suggestedFor, type SuggestionOptions } from '../policies/suggestion-options.js';
import type { WatchedTests } from '../policies/watched-tests.js';

/** How problems of policies and the results of tests are shown. */
const TEST_OUTPUTS = ['tree', 'list', 'json', ...LOG_FORMATS] as const;

/** Whether findings are printed; the report of the tests is a JUnit document itself. */
function isLog(output: string): output is 'sarif' | 'github' {
  return isLogFormat(output) && output !== 'junit';
}

/** The command line options of `authzc test`. */
export interface TestCommandOptions
  extends TestOptions,
    CoverageOptions,
    MutationOptions,
    SuggestionOptions,
    SolverOptions {
  readonly output: (typeof TEST_OUTPUTS)[number];
  /** False with `--no-color`. */
  readonly color: boolean;
  /** Whether a folder without tests is fine. */
  readonly passWithNoTests?: boolean;
  /** Whether the tests run again when a file changes, until a signal. */
  readonly watch?: boolean;
  /** Takes the findings of a log in place of standard output. */
  readonly onFindings?: OnFindings | undefined;
}

/** `authzc test`: runs the tests of a folder of policies. Writes no file. Returns the exit code. */
export async function testCommand(
  directory: string,
  options: TestCommandOptions,
  context: CommandContext,
): Promise<number> {
  if (hasTwoOutputs(options, context)) return EXIT.usage;
  const unwritable = await refusedSuite(options);
  if (unwritable !== undefined) {
    printMessage(context, `${unwritable.text}`);
    return unwritable.code;
  }
  if (options.watch !== true) return testOnce(directory, options, context);
  const { WatchedTests, untilInterrupted } = await import('../policies/watched-tests.js');
  const watched = new WatchedTests(measuresCoverage(options), context);
  const runAffected = async (): Promise<void> => {
    watched.begin();
    await testOnce(directory, options, context, watched);
  };
  await untilInterrupted([directory, options.tests ?? directory], runAffected, context);
  return EXIT.done;
}

/** A warning, such as about a misspelt value, often tells why a test fails. */
function printWarnings({ diagnostics }: FolderCompilation, folder: string, context: CommandContext): void {
  if (diagnostics.length === 0) return;
  const color = isColorful(context.stderr, context);
  printNote(context, formatPretty(diagnostics, { color, folder }).trimEnd());
}

/** Runs the tests of a folder once, or those that the changes since the last run can affect. Returns the exit code. */
export async function testOnce(
  directory: string,
  options: TestCommandOptions,
  context: CommandContext,
  watched?: WatchedTests,
): Promise<number> {
  const { stdout, stderr } = context;
  const color = options.color && isColorful(stdout, context);
  const diagnosticFormat = options.output === 'tree' ? 'pretty' : options.output;
  const filter = testFilter(options.testFilter ?? []);
  const all = loadSuites(options.tests ?? directory);
  const progress = new ProgressLine(stderr);
  const compilation = compileFolder(directory, { earlier: watched?.sources ?? [], onStep: progress.show });
  progress.clear();
  if (compilation.lowered === undefined) {
    const shown = { folder: directory, color, onFindings: options.onFindings };
    printDiagnostics(compilation.diagnostics, diagnosticFormat, shown, context);
    return EXIT.refused;
  }
  const goal = suggestedFor(options);
  if (all.length === 0 && options.passWithNoTests !== true && goal === undefined) {
    const folder = visible(options.tests ?? directory);
    printMessage(
      context,
      `\`${folder}\` holds no tests (files \`*_test.yaml\`); name their folder with --tests DIR, or accept it with --pass-with-no-tests`,
    );
    return EXIT.failed;
  }
  const undeclared = undeclaredInTests(all, readVocabulary());
  if (undeclared.length > 0) {
    const shown = { folder: options.tests ?? directory, color, onFindings: options.onFindings };
    printDiagnostics(undeclared, diagnosticFormat, shown, context);
    return EXIT.refused;
  }
  const suites = watched === undefined ? all : watched.suitesToRun(compilation, all);
  if (suites === undefined) return EXIT.done;
  const policies = { ...(await loadPolicies(compilation, directory)), lowered: compilation.lowered };
  const recorder = measuresCoverage(options)
    ? new (await import('../../analysis/coverage/coverage.js')).CoverageRecorder(policies.lowered)
    : undefined;
  const testOptions: PolicyTestOptions = {
    filter,
    skipBatching: options.skipBatching ?? false,
    now: options.now,
    strictEvaluation: options.strictEvaluation ?? false,
    schemaEnforcement: options.ignoreSchemas === true ? 'none' : 'reject',
    format: options.testOutput ?? (isLog(options.output) ? 'json' : options.output),
    verbose: options.verbose ?? false,
    color,
    folder: options.tests ?? directory,
    policyFolder: directory,
    stderr,
  };
  const { results, report, code, violations, failed } = await runPolicyTests(
    suites,
    { ...policies, lowered: () => policies.lowered },
    testOptions,
    recorder && ((request, engineOptions) => recorder.record(request, engineOptions)),
  );
  const { output } = options;
  if (!isLog(output) && (watched === undefined || suites.length > 0))
    (isSuitePrinted(options) ? stderr : stdout).write(report);
  watched?.finish(suites, failed);
  if (violations > 0 && code !== EXIT.done) printNote(context, deniedBySchemas(violations));
  if (results.summary.count === 0 && filter.size > 0 && watched === undefined)
    printNote(context, 'note: no test matches --test-filter; without it, `authzc test --verbose` lists all tests');
  const coverage = recorder?.coverage();
  const missed = coverage === undefined ? [] : await showCoverage(coverage, compilation, directory, options, context);
  // Mutants are tried with tests that pass.
  const mutants =
    code === EXIT.done && mutates(options)
      ? await tryMutants(suites, policies, testOptions, options, context)
      : undefined;
  if (isLog(output)) {
    const { listFolders, runFindings, TEST_RULES } = await import('../findings/tests.js');
    const findings = runFindings({ results, coverage, mutants }, listFolders(compilation, directory, options.tests));
    printLog(output, findings, TEST_RULES, { stdout, onFindings: options.onFindings });
  }
  if (code !== EXIT.done) {
    if (code === EXIT.testsFailed && (output === 'tree' || output === 'list'))
      printWarnings(compilation, directory, context);
    printMessage(context, 'tests failed');
    return code;
  }
  for (const line of missed) printMessage(context, `${line}`);
  const mutation = mutants === undefined ? EXIT.done : await showMutants(mutants, directory, options, context);
  const suggestion =
    goal === undefined
      ? EXIT.done
      : await (await import('../policies/suggested-suite.js')).suggestTests(
          { policies, suites, testOptions, options, mutants, context, pathOf: (file) => shownPath(file, directory) },
          goal,
        );
  return missed.length > 0 ? EXIT.failed : Math.max(mutation, suggestion);
}

async function tryMutants(
  suites: readonly SuiteFiles[],
  policies: PoliciesInMemory,
  testOptions: PolicyTestOptions,
  options: MutationOptions & SolverOptions,
  context: CommandContext,
): Promise<MutationReport> {
  const { tryTests } = await import('../policies/mutation-report.js');
  return tryTests(suites, policies, testOptions, options, context);
}

/** Shows what became of mutants, and returns the exit code. */
async function showMutants(
  mutants: MutationReport,
  directory: string,
  options: TestCommandOptions,
  context: CommandContext,
): Promise<number> {
  const { reportMutants } = await import('../policies/mutation-report.js');
  const texts = {
    pathOf: (file: string) => shownPath(file, directory),
    print: (text: string) => void chooseStream(options, context).write(`\n${text}`),
    verbose: options.verbose ?? false,
  };
  return reportMutants(mutants, options, texts, context);
}

/** Why the suite of suggested tests cannot be written, if that is known from the start. */
async function refusedSuite(
  options: TestCommandOptions,
): Promise<{ readonly text: string; readonly code: number } | undefined> {
  if (options.write === undefined) return undefined;
  if (suggestedFor(options) === undefined)
    return { text: '`--write` is for the suite of `--suggest`', code: EXIT.usage };
  const { refusedFile } = await import('../policies/suggested-suite.js');
  const reason = refusedFile(options.write);
  return reason === undefined ? undefined : { text: `--write ${reason}`, code: EXIT.failed };
}

/** Whether standard output is a suite of suggested tests: nothing else is there then. */
function isSuitePrinted(options: TestCommandOptions): boolean {
  return suggestedFor(options) !== undefined && options.write === undefined;
}

/** Programs that read standard output expect one document there. */
function chooseStream(options: TestCommandOptions, { stdout, stderr }: CommandContext): OutputStream {
  const { testOutput, output } = options;
  const format = testOutput ?? output;
  if (isSuitePrinted(options)) return stderr;
  return format === 'json' || format === 'junit' || isLog(format) ? stderr : stdout;
}

/** Reports coverage, and returns the thresholds that it misses. */
async function showCoverage(
  coverage: Coverage,
  { sources }: FolderCompilation,
  directory: string,
  options: TestCommandOptions,
  context: CommandContext,
): Promise<readonly string[]> {
  const { missedThresholds, reportCoverage } = await import('../policies/coverage-report.js');
  const texts = new Map(sources.map(({ path, text }) => [path, text]));
  const printed = reportCoverage(coverage, options, {
    pathOf: (file) => shownPath(file, directory),
    textOf: (file) => texts.get(file) ?? '',
  });
  if (printed !== '') chooseStream(options, context).write(`\n${printed}`);
  return missedThresholds(coverage, options);
}

/** Tests enforce schemas, so an incomplete fixture may be why one fails. */
function deniedBySchemas(calls: number): string {
  return `warning: in ${calls} ${calls === 1 ? 'call' : 'calls'} attributes do not satisfy their schemas, which denies; complete the fixtures, or run with --ignore-schemas for a server that does not enforce schemas`;
}
