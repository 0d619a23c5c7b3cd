import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import { askPolicies } from '../../packages/policy-tests/engine/ask-policies.js';
import { policiesInMemory } from '../../packages/cli/policies/compile.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';
import { loadSuites } from '../../compiler/load/index.js';
import type { Ask } from '../../packages/policy-tests/ask.js';
import { testFilter } from '../../packages/policy-tests/filter.js';
import { jsonReport } from '../../packages/policy-tests/report/json.js';
import { runTests } from '../../packages/policy-tests/run-tests.js';
import { type Outcome, readKnownFailures, settle } from '../support/known-failures.js';
import { CORPUS, hasCorpus } from '../support/corpus.js';

interface Case {
  /** Relative to the folder of the case. */
  readonly policies: string;
  readonly tests: string;
  readonly testFilter?: string;
  readonly want: { readonly ok: boolean; readonly results: Report; readonly advisory?: readonly string[] };
}

interface Report {
  readonly suites?: readonly { readonly file: string; readonly error?: string }[];
  readonly summary: { readonly overallResult?: string };
}

const test = suite('recorded test suites');
const corpus = join(CORPUS, 'verify');

if (hasCorpus(import.meta.url)) {
  test('every recorded test suite has the recorded results', async () => {
    const runner = (await import(pathToFileURL(join(CORPUS, 'run.mjs')).href)) as Runner;
    const { diff } = (await import(pathToFileURL(join(CORPUS, 'lib.mjs')).href)) as Comparison;
    const outcomes: Outcome[] = [];
    for (const name of readdirSync(corpus).sort()) {
      const recorded = JSON.parse(readFileSync(join(corpus, name, 'want.json'), 'utf8')) as Case;
      const have = await reportOf(join(corpus, name), recorded);
      const [wanted, got] = [recorded.want.results, have].map((report) =>
        relaxed(runner.normReport(report, { messages: 'normal' }), recorded.want.advisory ?? []),
      );
      const diffs = [...diff(wanted, got), ...(isGood(have) === recorded.want.ok ? [] : ['exit status'])];
      outcomes.push({
        id: `verify/${name}`,
        problem: diffs.length === 0 ? undefined : JSON.stringify(diffs).slice(0, 600),
      });
    }
    settle('verify', outcomes, readKnownFailures(join(import.meta.dirname, 'verify-known-failures.txt')), 71);
  });
}

test.run();

/** The comparison rules of the corpus. */
interface Runner {
  normReport(report: Report, options: { readonly messages: 'normal' }): Report;
}

interface Comparison {
  diff(want: unknown, have: unknown): readonly unknown[];
}

/** One engine for all cases of a policies folder. */
const asks = new Map<string, Promise<Ask>>();

async function reportOf(folder: string, { policies, tests, testFilter: filter }: Case): Promise<Report> {
  const directory = join(folder, policies);
  const ask = asks.get(directory) ?? askOf(directory);
  asks.set(directory, ask);
  const results = runTests(loadSuites(join(folder, tests)), {
    ask: await ask,
    filter: testFilter(filter === undefined ? [] : [filter]),
    skipBatching: false,
    traced: false,
  });
  return JSON.parse(JSON.stringify(jsonReport(results))) as Report;
}

async function askOf(directory: string): Promise<Ask> {
  const policies = await policiesInMemory(directory, PROCESS_CONTEXT);
  if (policies === undefined) throw new Error(`${directory} does not compile`);
  const { lowered } = policies;
  const loaded = { policies: policies.policies, traces: await policies.traced(), lowered: () => lowered };
  return askPolicies(loaded, { strictEvaluation: false, schemaEnforcement: 'warn' }).ask;
}

function isGood({ summary: { overallResult } }: Report): boolean {
  return overallResult !== 'RESULT_FAILED' && overallResult !== 'RESULT_ERRORED';
}

/** Messages of other parsers are not compared. */
function relaxed(report: Report, advisory: readonly string[]): Report {
  return {
    ...report,
    suites: (report.suites ?? []).map((own) =>
      advisory.includes(own.file) && own.error !== undefined ? { ...own, error: '' } : own,
    ),
  };
}
