import { existsSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Coverage, CoverageRecorder, toPercent } from '../../analysis/coverage/coverage.js';
import { countKilled, type MutationReport, computeScore } from '../../policy-tests/mutate/mutate.js';
import { listMutants } from '../../policy-tests/mutate/mutants.js';
import { selected } from '../../policy-tests/mutate/selection.js';
import { suggestForCoverage } from '../../policy-tests/suggest/coverage-suggestions.js';
import { suggestForMutants } from '../../policy-tests/suggest/mutant-suggestions.js';
import type { Continue, SuggestionSubject, Suggestions } from '../../policy-tests/suggest/subject.js';
import { suiteText } from '../../policy-tests/suggest/suite.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { isSuiteFile, type SuiteFiles } from '../../../compiler/load/index.js';
import { runTests, testCalls } from '../../policy-tests/run-tests.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printMessage } from '../exit.js';
import { ProgressLine } from '../progress.js';
import { askPolicies, type PoliciesWithProgram } from '../../policy-tests/engine/ask-policies.js';
import type { PoliciesInMemory } from './compile.js';
import type { SolverOptions } from './comparison-options.js';
import type { MutationOptions } from './mutation-options.js';
import { tryTests } from './mutation-report.js';
import { chooseProver } from './solver.js';
import type { SuggestionOptions } from './suggestion-options.js';
import type { PolicyTestOptions } from './test-policies.js';
import { readVocabulary } from './vocabulary.js';

/** What suggestions are made from. */
export interface SuggestionInputs {
  readonly policies: PoliciesInMemory;
  /** The suites that passed. */
  readonly suites: readonly SuiteFiles[];
  readonly testOptions: PolicyTestOptions;
  readonly options: SuggestionOptions & MutationOptions & SolverOptions;
  /** What the mutants did to the tests, if that is known. */
  readonly mutants?: MutationReport | undefined;
  readonly pathOf: (file: string) => string;
  readonly context: CommandContext;
}

/** What was suggested, and what it is good for. */
interface Outcome extends Suggestions {
  /** `score 66.6 % → 100 %` */
  readonly raised: (text: string) => string;
}

/**
 * Suggests tests and prints them as a suite, or writes it to a new file. Standard error has what the suite raises, and
 * what no request was found for. Returns the exit code.
 */
export async function suggestTests(inputs: SuggestionInputs, goal: 'uncovered' | 'mutants'): Promise<number> {
  const { options, pathOf, context } = inputs;
  const { policies, traced, lowered } = inputs.policies;
  const loaded = { policies, traces: await traced(), lowered: () => lowered };
  const { tests, unmet, isInterrupted, raised } = await withinTime(
    options.suggestTimeout,
    (goOn) => (goal === 'mutants' ? forMutants(inputs, loaded, goOn) : forCoverage(inputs, loaded, goOn)),
    context,
  );
  const text = suiteText(tests);
  if (tests.length > 0) {
    requirePassing(text, loaded, inputs.testOptions);
    if (options.write === undefined) context.stdout.write(text);
    else writeFileSync(options.write, text, { flag: 'wx' });
  }
  const count = `${tests.length} ${tests.length === 1 ? 'test' : 'tests'} suggested`;
  printMessage(context, `${tests.length === 0 ? 'no test suggested' : `${count}: ${raised(text)}`}`);
  for (const { place, text: what } of unmet)
    printNote(context, `  ${visible(pathOf(place.file))}:${place.line}:${place.column}  ${visible(oneLine(what))}`);
  if (isInterrupted) printMessage(context, 'interrupted before everything was searched');
  return isInterrupted ? EXIT.failed : EXIT.done;
}

/** Why a file cannot be the one of a suite, if it cannot. Nothing is overwritten. */
export function refusedFile(write: string): string | undefined {
  if (!isSuiteFile(basename(write)))
    return `\`${visible(write)}\`: name it *_test.yaml, or \`authzc test\` does not read it`;
  return existsSync(write) ? `\`${visible(write)}\` exists; name a new file` : undefined;
}

async function forCoverage(inputs: SuggestionInputs, loaded: PoliciesWithProgram, goOn: Continue): Promise<Outcome> {
  const { policies, suites, testOptions } = inputs;
  const { lowered } = policies;
  const [searched, confirmed] = [new CoverageRecorder(lowered), new CoverageRecorder(lowered)];
  const { ask } = askPolicies(loaded, testOptions, (request, options) => {
    for (const recorder of [searched, confirmed]) recorder.record(request, options);
  });
  const calls = testCalls(suites, { ...testOptions, traced: false });
  for (const { question } of calls) ask(question);
  const before = confirmed.coverage();
  const suggestions = await suggestForCoverage(searched, makeSubject(inputs, loaded), goOn);
  return {
    ...suggestions,
    raised: (text) => {
      const recording = askPolicies(loaded, testOptions, (request, options) => confirmed.record(request, options));
      runTests([suiteFiles(text)], { ...testOptions, filter: new Map(), traced: false, ask: recording.ask });
      return raisedCoverage(before, confirmed.coverage());
    },
  };
}

function raisedCoverage({ total: before }: Coverage, { total: after }: Coverage): string {
  const shares = [
    ['rules', before.rules, after.rules],
    ['clauses', before.clauses, after.clauses],
    ['MC/DC', before.mcdc, after.mcdc],
  ] as const;
  return shares
    .filter(([, { all }]) => all > 0)
    .map(([name, from, to]) => `${name} ${toPercent(from)} % → ${toPercent(to)} %`)
    .join(', ');
}

async function forMutants(inputs: SuggestionInputs, loaded: PoliciesWithProgram, goOn: Continue): Promise<Outcome> {
  const { policies, suites, testOptions, options } = inputs;
  const { lowered } = policies;
  const report = inputs.mutants ?? (await tryTests(suites, policies, testOptions, options, inputs.context));
  const { rule, mutants: count, seed } = options;
  const mutants = selected(listMutants(lowered), { rule, count, seed });
  const suggestions = await suggestForMutants(report, mutants, makeSubject(inputs, loaded), goOn);
  return {
    ...suggestions,
    isInterrupted: suggestions.isInterrupted || report.isInterrupted,
    raised: (text) => {
      const survivors = mutants.filter((_, index) => report.mutants[index]?.result === 'survived');
      const calls = testCalls([suiteFiles(text)], { ...testOptions, filter: new Map(), traced: false });
      const { killed, survived, score } = report.total;
      const noticed = countKilled(survivors, lowered, {
        calls,
        options: testOptions,
      });
      return `score ${score} % → ${computeScore(killed + noticed, killed + survived)} %`;
    },
  };
}

function makeSubject(
  { policies, suites, testOptions, options }: SuggestionInputs,
  loaded: PoliciesWithProgram,
): SuggestionSubject {
  const { roles, actions } = readVocabulary();
  return {
    program: policies.lowered,
    compiled: loaded.policies,
    ask: askPolicies(loaded, testOptions).ask,
    engineOptions: { strictEvaluation: testOptions.strictEvaluation, schemaEnforcement: 'none' },
    calls: testCalls(suites, { ...testOptions, traced: false }),
    allowed: { roles, actions },
    prover: testOptions.strictEvaluation ? undefined : chooseProver(options),
  };
}

/** Tests pass whether or not schemas are enforced, as in the tests of `authzc compile`. */
function requirePassing(text: string, loaded: PoliciesWithProgram, testOptions: PolicyTestOptions): void {
  for (const schemaEnforcement of [testOptions.schemaEnforcement, 'reject'] as const) {
    const { ask } = askPolicies(loaded, { ...testOptions, schemaEnforcement });
    const { suites, summary } = runTests([suiteFiles(text)], { ...testOptions, filter: new Map(), traced: false, ask });
    if (summary.overall !== 'passed') throw invariant(`a suggested test does not pass: ${suites[0]?.error ?? text}`);
  }
}

/** A suite that is in no folder yet. */
function suiteFiles(text: string): SuiteFiles {
  return {
    path: 'suggested_test.yaml',
    file: { source: new Source('suggested_test.yaml', text) },
    fixtureFolder: 'testdata',
    principals: undefined,
    resources: undefined,
    auxData: undefined,
  };
}

const LONGEST_SEARCH = 60_000;

/** Ends a search after some time, or at Ctrl-C. */
async function withinTime<T>(
  milliseconds = LONGEST_SEARCH,
  search: (goOn: Continue) => Promise<T>,
  { signals, stderr }: CommandContext,
): Promise<T> {
  const progress = new ProgressLine(stderr);
  progress.show('searching for tests');
  const end = performance.now() + milliseconds;
  let isInterrupted = false;
  const interrupt = (): void => {
    isInterrupted = true;
  };
  signals.on('SIGINT', interrupt);
  try {
    return await search(async () => {
      // Signals arrive between turns.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return !isInterrupted && performance.now() < end;
    });
  } finally {
    signals.off('SIGINT', interrupt);
    progress.clear();
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}
