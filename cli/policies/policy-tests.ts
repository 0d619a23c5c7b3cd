import type { BundleModule } from '../../compiler/bundle/import-bundle.js';
import type { SuiteFiles } from '../../compiler/load/index.js';
import type { TestFilter } from '../../compiler/policy-tests/filter.js';
import { type ReportStyle, reportOf } from '../../compiler/policy-tests/report/index.js';
import { runTests } from '../../compiler/policy-tests/run-tests.js';
import { type AskOptions, askEngine } from './ask-engine.js';
import { EXIT } from '../exit.js';

/** How the tests of policies are run and shown. */
export interface PolicyTestOptions extends ReportStyle, AskOptions {
  readonly filter: TestFilter;
  readonly skipBatching: boolean;
}

/** What running tests came to. */
export interface PolicyTestOutcome {
  /** The report, with its last line break. */
  readonly report: string;
  /** Exit code. */
  readonly code: number;
  /** How many tests ran. */
  readonly tests: number;
  /** In how many calls attributes did not satisfy their schemas. */
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
