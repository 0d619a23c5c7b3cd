import type { SuiteFiles } from '../load/index.js';
import { pairsOf } from './expand-test.js';
import { InvalidSuite } from './invalid-suite.js';
import { namesIn } from './names-in-suite.js';
import { inContext, readFixtures, readSuite } from './read-suite.js';
import type { CaseResult, SuiteResult, TestResults } from './results.js';
import { type RunOptions, runPair } from './run-pair.js';
import type { Suite } from './suite.js';
import { bare, summaryOf, sumOf } from './summary.js';

/**
 * Runs test suites against policies (docs/spec/server.md#how-tests-run). Never throws for what an author wrote: a suite
 * that cannot be run is one of the results.
 */
export function runTests(files: readonly SuiteFiles[], options: RunOptions): TestResults {
  const suites = files.map((file) => resultOf(file, options));
  return { suites, summary: sumOf(suites.map(({ summary }) => summary)) };
}

function resultOf(files: SuiteFiles, options: RunOptions): SuiteResult {
  const read = attempt(() => readSuite(files));
  if ('invalid' in read)
    return { ...EMPTY, file: files.path, name: 'Unknown', summary: bare('errored'), ...errorOf(read.invalid) };
  const suite = read.value;
  const head = { ...EMPTY, file: files.path, name: suite.name, description: suite.description };
  const ran = attempt(() => casesOf(suite, files, options));
  if ('invalid' in ran) return { ...head, summary: bare('errored'), ...errorOf(ran.invalid) };
  if (suite.skip) return { ...head, summary: bare('skipped'), skipReason: suite.skipReason };
  return { ...head, summary: summaryOf(ran.value), cases: ran.value };
}

function errorOf(invalid: InvalidSuite): Pick<SuiteResult, 'error' | 'invalid'> {
  return { error: invalid.message, invalid };
}

const EMPTY = { description: '', error: undefined, skipReason: '', cases: [] };

/** Groups are looked at even in a suite that is skipped (docs/spec/server.md#how-tests-run). */
function casesOf(suite: Suite, files: SuiteFiles, options: RunOptions): readonly CaseResult[] {
  const names = namesIn(suite, readFixtures(files));
  if (suite.skip) return [];
  inContext('Invalid test suite: ', () => requireUniqueNames(suite));
  const pairs = suite.tests.flatMap((test) =>
    inContext('Failed to load the test suite: ', () =>
      inContext(`invalid test ${JSON.stringify(test.name)}: `, () => pairsOf(test, suite, names)),
    ),
  );
  return pairs.flatMap((pair) => runPair(pair, suite.name, options));
}

function requireUniqueNames({ tests }: Suite): void {
  const seen = new Set<string>();
  for (const { name } of tests) {
    if (seen.has(name)) throw new InvalidSuite(`another test named ${name} already exists`);
    seen.add(name);
  }
}

function attempt<T>(work: () => T): { readonly value: T } | { readonly invalid: InvalidSuite } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof InvalidSuite) return { invalid: error };
    throw error;
  }
}
