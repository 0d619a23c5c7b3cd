import { join } from 'node:path';
import type { CompiledBundle, CompiledTraces } from '../runtime/engine/parts.js';
import { CoverageRecorder } from '../packages/analysis/coverage/coverage.js';
import { type LoadedVersion, loadVersion } from '../packages/analysis/decision/policy-version.js';
import { listMutants } from '../packages/policy-tests/mutate/mutants.js';
import { countKilled } from '../packages/policy-tests/mutate/mutate.js';
import { askPolicies } from '../packages/policy-tests/engine/ask-policies.js';
import { makeBundle } from '../packages/analysis/program/bundle.js';
import { loadSuites } from '../compiler/load/index.js';
import { fold } from '../compiler/optimise/index.js';
import type { Ask } from '../packages/policy-tests/ask.js';
import { runTests, testCalls } from '../packages/policy-tests/run-tests.js';
import { compileTexts, loadPolicies } from '../compiler/policy-texts.js';
import type { AnalysisReport } from './analysis.worker.js';
import { runChild } from './harness/child.js';
import { ROOT } from './harness/paths.js';
import { aim, figure, percent, ratio, type Section, table } from './harness/report.js';
import { type Measurement, measure, statisticsOf } from './harness/rounds.js';
import { CHANGES } from './workload/changed-policies.js';

export const ANALYSIS_TITLE = 'Analyses';

const POLICIES = join(ROOT, 'policies');
const ROUNDS = 5;

/** What the analyses of policies cost: comparing, proving, explaining, covering and mutating. */
export async function analysisBench(): Promise<Section> {
  const reports = await coldReports([...Object.keys(CHANGES), 'verify', 'explain', 'suggest']);
  const of = (name: string): readonly AnalysisReport[] => reports.get(name) ?? [];
  const changes = Object.keys(CHANGES).map((name) => ({ name, reports: of(name) }));
  const compile = statisticsOf(changes.flatMap((change) => change.reports.map((own) => own.compile)));
  const took = (name: string): number => statisticsOf(of(name).map(({ analyse }) => analyse)).median;
  const queries = statisticsOf(changes.flatMap((change) => change.reports.flatMap((own) => own.queries)));
  const tests = await testing();
  return {
    title: ANALYSIS_TITLE,
    text: [
      'Comparing 100 policies of ten rules, 1,000 rows, with changed ones. Each comparison has its own process. The ratio is that to compiling both sets.',
      comparisons(compile, changes),
      others(of, queries),
      'The tests of `policies/`, by CPU time: reading and running them, and their calls alone. Those of a mutant end at the first test that fails.',
      testTable(tests),
      aim('nothing changed in less than 0.7x of compiling', took('nothing changed') < 0.7 * compile.median),
      aim('one policy of 100 in less than a second more', took('one policy widened') < 1_000),
      aim('all widened in less than 5 s', took('all widened') < 5_000),
      aim('all rewritten with the same meaning in less than 5 s', took('all rewritten, same meaning') < 5_000),
      aim('a query of z3 in less than 20 ms', queries.median < 20),
      aim('an explanation in less than 0.5 s', took('explain') < 500),
      aim(
        'tests with coverage in less than 3x',
        medianOf(tests, 'tests, with coverage') < 3 * medianOf(tests, 'tests'),
      ),
      aim(
        'a mutant in less than 2 ms more than the calls of interpreted policies',
        medianOf(tests, 'calls of a mutant') < medianOf(tests, 'calls of interpreted policies') + 2e6,
      ),
    ].join('\n\n'),
    failures: [],
  };
}

/** Each analysis in turn, so that a burst of other load affects all alike. */
async function coldReports(names: readonly string[]): Promise<ReadonlyMap<string, readonly AnalysisReport[]>> {
  const reports = new Map<string, AnalysisReport[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, own] of reports) own.push(await runChild<AnalysisReport>('analysis.worker.ts', [name]));
  return reports;
}

function comparisons(
  compile: Statistics,
  changes: readonly { readonly name: string; readonly reports: readonly AnalysisReport[] }[],
): string {
  const row = (name: string, own: Statistics): readonly string[] => [
    name,
    ratio(own.median / compile.median),
    ...cellsOf(own),
  ];
  return table(
    ['changed', 'ratio', 'minimum ms', 'median ms', 'spread'],
    [
      row('compiling both sets', compile),
      ...changes.map(({ name, reports }) => row(name, statisticsOf(reports.map(({ analyse }) => analyse)))),
    ],
  );
}

function others(of: (name: string) => readonly AnalysisReport[], queries: Statistics): string {
  const whole = (name: string): Statistics => statisticsOf(of(name).map(({ analyse }) => analyse));
  const each = (name: string): Statistics => statisticsOf(of(name).map(({ analyse, results }) => analyse / results));
  return table(
    ['measured', 'minimum ms', 'median ms', 'spread'],
    [
      ['a query of z3', ...cellsOf(queries)],
      ['`authzc verify`, a row of `policies/`', ...cellsOf(each('verify'))],
      ['`authzc explain`, out of 100 policies', ...cellsOf(whole('explain'))],
      ['`authzc test --suggest`, a test of `policies/`', ...cellsOf(each('suggest'))],
    ],
  );
}

/** Tests of policies in one of the ways to run them. */
interface Run {
  readonly name: string;
  readonly run: () => unknown;
  /** How many runs it is. */
  readonly count?: number;
}

/** In nanoseconds of CPU. */
async function testing(): Promise<readonly Measurement[]> {
  const version = loadVersion(compileTexts(loadPolicies(POLICIES)), 'policies');
  if (version === undefined) throw new Error('the policies do not compile');
  const runs = runsOf(version, await version.compiled(), await version.traced());
  return measure(runs, 1, { rounds: 15 }).map(({ name, minimum, median, spread }, index) => {
    const { count = 1 } = runs[index] as Run;
    return { name, minimum: minimum / count, median: median / count, spread };
  });
}

function runsOf({ lowered }: LoadedVersion, policies: CompiledBundle, traces: CompiledTraces): readonly Run[] {
  const suites = loadSuites(POLICIES);
  const options = { strictEvaluation: false, schemaEnforcement: 'none' } as const;
  const callOptions = { filter: new Map(), skipBatching: false, traced: false };
  const calls = testCalls(suites, callOptions);
  const mutants = listMutants(lowered);
  const compiled = { policies, traces, lowered: () => lowered };
  const { bundle, traced } = makeBundle(fold(lowered));
  const interpreted = { policies: bundle, traces: traced, lowered: () => lowered };
  const tests = (ask: Ask): unknown => runTests(suites, { ...callOptions, ask });
  const asked = (ask: Ask): unknown => calls.map(({ question, judge }) => judge(ask(question)));
  const plainly = (run: (ask: Ask) => unknown): unknown => run(askPolicies(compiled, options).ask);
  const covered = (run: (ask: Ask) => unknown): unknown => {
    const recorder = new CoverageRecorder(lowered);
    run(askPolicies(compiled, options, (request, own) => recorder.record(request, own)).ask);
    return recorder.coverage();
  };
  return [
    { name: 'tests', run: () => plainly(tests) },
    { name: 'tests, with coverage', run: () => covered(tests) },
    { name: 'calls', run: () => plainly(asked) },
    { name: 'calls, with coverage', run: () => covered(asked) },
    { name: 'calls of interpreted policies', run: () => asked(askPolicies(interpreted, options).ask) },
    {
      name: 'calls of a mutant',
      run: () => countKilled(mutants, lowered, { calls, options }),
      count: mutants.length,
    },
  ];
}

function testTable(tests: readonly Measurement[]): string {
  return table(
    ['measured', 'ratio', 'minimum ms', 'median ms', 'spread'],
    tests.map(({ name, minimum, median, spread }) => [
      name,
      ratio(median / medianOf(tests, 'tests')),
      ...cellsOf({ minimum: minimum / 1e6, median: median / 1e6, spread }),
    ]),
  );
}

function medianOf(tests: readonly Measurement[], wanted: string): number {
  return tests.find(({ name }) => name === wanted)?.median ?? Number.NaN;
}

type Statistics = ReturnType<typeof statisticsOf>;

function cellsOf({ minimum, median, spread }: Statistics): readonly string[] {
  return [figure(minimum), figure(median), percent(spread)];
}
