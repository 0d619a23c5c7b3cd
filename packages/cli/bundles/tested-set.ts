import type { TestSummary } from '../../bundle/index.js';
import { CoverageRecorder } from '../../analysis/coverage/coverage.js';
import { loadSuites } from '../../../compiler/load/index.js';
import { testFilter } from '../../policy-tests/filter.js';
import type { TestResults } from '../../policy-tests/results.js';
import { compileFolder, loadPolicies } from '../policies/compile.js';
import { runPolicyTests } from '../policies/test-policies.js';
import { type CommandContext, isColorful } from '../context.js';
import { printDiagnostics } from '../report.js';
import { undeclaredInTests } from '../policies/test-vocabulary.js';
import { readVocabulary } from '../policies/vocabulary.js';
import { EXIT } from '../exit.js';

/** The summary of tests that passed, or the exit code of those that did not. */
export type TestedSet =
  | { readonly kind: 'passed'; readonly summary: TestSummary }
  | { readonly kind: 'failed'; readonly code: number };

/**
 * Runs the tests of a folder of policies, with schemas enforced, and measures their coverage. Results are printed to
 * standard error if a test fails.
 *
 * @param tests the folder of the tests.
 */
export async function testedSet(directory: string, tests: string, context: CommandContext): Promise<TestedSet> {
  const { stderr } = context;
  const suites = loadSuites(tests);
  const undeclared = undeclaredInTests(suites, readVocabulary());
  if (undeclared.length > 0) {
    printDiagnostics(undeclared, 'pretty', { folder: tests }, context);
    return { kind: 'failed', code: EXIT.refused };
  }
  const compilation = compileFolder(directory);
  const { lowered } = compilation;
  if (lowered === undefined) return { kind: 'failed', code: EXIT.refused };
  const recorder = new CoverageRecorder(lowered);
  const policies = { ...(await loadPolicies(compilation, directory)), lowered: () => lowered };
  const { results, report, code } = await runPolicyTests(
    suites,
    policies,
    {
      filter: testFilter([]),
      skipBatching: false,
      strictEvaluation: false,
      schemaEnforcement: 'reject',
      format: 'tree',
      verbose: false,
      color: isColorful(stderr, context),
      folder: tests,
      policyFolder: directory,
      stderr,
    },
    (request, options) => recorder.record(request, options),
  );
  if (code !== EXIT.done) {
    stderr.write(report);
    return { kind: 'failed', code };
  }
  const { total } = recorder.coverage();
  const coverage = Object.fromEntries(
    Object.entries(total).map(([item, { covered, all }]) => [item, { covered, total: all }]),
  );
  return { kind: 'passed', summary: { ...readCounts(results), coverage } };
}

function readCounts({ summary: { counts } }: TestResults): Omit<TestSummary, 'coverage'> {
  return { passed: counts.get('passed') ?? 0, failed: counts.get('failed') ?? 0, skipped: counts.get('skipped') ?? 0 };
}
