import type { CompiledBundle } from '../../../runtime/engine/index.js';
import type { Ask } from '../ask.js';
import type { AskOptions } from '../engine/ask-engine.js';
import { askProgram } from '../engine/ask-policies.js';
import type { TestCall } from '../run-tests.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { Answer, Prover } from '../../analysis/question/question.js';
import { LiteralValues } from '../../analysis/witness/literal-values.js';
import { realistic } from '../../analysis/witness/realistic.js';
import { type Situation, makeSituation } from '../../analysis/question/situation.js';
import { listRequests } from '../test-requests.js';
import { type ComparedMutant, MutantComparison } from './comparison.js';
import type { Mutant } from './mutants.js';

/** How the tests took mutants. Plain data: JSON. */
export interface MutationReport {
  readonly mutants: readonly MutantResult[];
  readonly total: MutationTotals;
  /** Whether mutants are left that were not tried. */
  readonly isInterrupted: boolean;
}

/** What became of one mutant. */
export interface MutantResult extends Omit<Mutant, 'program'> {
  /**
   * `killed`: a test that passes fails with the mutant. `equivalent`: proved to decide every request as before.
   * `survived`: the rest.
   */
  readonly result: 'killed' | 'survived' | 'equivalent';
  /** The first test that fails. */
  readonly killedBy?: TestName;
  /** A request that tells a survivor apart, if one was found: then it is certainly not equivalent. */
  readonly witness?: Witness;
}

/** A situation that a mutant decides otherwise. */
export interface Witness extends Situation {
  readonly before: 'ALLOW' | 'DENY';
  readonly after: 'ALLOW' | 'DENY';
}

/** A case of a test. */
export interface TestName {
  readonly test: string;
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
}

export interface MutationTotals {
  readonly killed: number;
  readonly survived: number;
  readonly equivalent: number;
  /** Survivors that no request was found to distinguish from the policies: they may be equivalent. */
  readonly undecided: number;
  /** Percent of killed mutants, of those that are not equivalent. */
  readonly score: number;
}

/** The tests to try. */
export interface Tests {
  readonly calls: readonly TestCall[];
  readonly options: AskOptions;
  readonly compiled: CompiledBundle;
  /** Creates the solver when it is first needed; undefined without one. */
  readonly prover?: (() => Promise<Prover>) | undefined;
}

/** Is called between mutants. */
export interface Progress {
  /** Returns whether to go on. */
  readonly next: (done: number, all: number) => Promise<boolean>;
}

/** Runs the tests against each mutant, and stops at the first that fails. */
export async function tryMutants(
  program: ir.Program,
  mutants: readonly Mutant[],
  { calls, options, compiled, prover }: Tests,
  { next }: Progress,
): Promise<MutationReport> {
  const passing = passingCalls(calls, askProgram(program, options));
  // Proofs are about default evaluation.
  const isProvable = !options.strictEvaluation;
  const seeds = listRequests(calls).map(makeSituation);
  const literalValues = new LiteralValues(program);
  const comparison = new MutantComparison(program, compiled, isProvable ? prover : undefined);
  const results: MutantResult[] = [];
  try {
    for (const [index, { program: made, ...mutant }] of mutants.entries()) {
      if (!(await next(index, mutants.length))) break;
      const mutated = made();
      const killedBy = firstFailure(passing, askProgram(mutated, options));
      if (killedBy !== undefined) {
        results.push({ ...mutant, result: 'killed', killedBy });
        continue;
      }
      const compared = comparison.of(mutated);
      const answer = await compared.difference({ seeds });
      if (answer.answer === 'no' && isProvable) results.push({ ...mutant, result: 'equivalent' });
      else {
        const shown = await asSchemasAllow(answer, compared, seeds);
        results.push({ ...mutant, result: 'survived', ...makeWitness(shown, compared, literalValues) });
      }
    }
  } finally {
    await comparison.close();
  }
  const countResults = (wanted: MutantResult['result']): number =>
    results.filter(({ result }) => result === wanted).length;
  const [killed, survived, equivalent] = [countResults('killed'), countResults('survived'), countResults('equivalent')];
  const undecided = results.filter(({ result, witness }) => result === 'survived' && witness === undefined).length;
  return {
    mutants: results,
    total: { killed, survived, equivalent, undecided, score: computeScore(killed, killed + survived) },
    isInterrupted: results.length < mutants.length,
  };
}

/** How many mutants some test kills. */
export function countKilled(
  mutants: readonly Mutant[],
  program: ir.Program,
  { calls, options }: Pick<Tests, 'calls' | 'options'>,
): number {
  const passing = passingCalls(calls, askProgram(program, options));
  return mutants.filter((mutant) => firstFailure(passing, askProgram(mutant.program(), options))).length;
}

/** The answer with attributes that the schemas accept, if there are such: readers do not believe a request that no caller sends. */
async function asSchemasAllow(answer: Answer, compared: ComparedMutant, seeds: readonly Situation[]): Promise<Answer> {
  const { satisfiesSchemas } = compared;
  if (answer.answer !== 'yes' || satisfiesSchemas(answer.situation)) return answer;
  const allowed = await compared.difference({ seeds, satisfiesSchemas });
  return allowed.answer === 'yes' ? allowed : answer;
}

/** The situation of an answer, with values that a reader knows. They satisfy the schemas if those of the answer do. */
function makeWitness(
  answer: Answer,
  compared: ComparedMutant,
  literalValues: LiteralValues,
): { readonly witness?: Witness } {
  if (answer.answer !== 'yes') return {};
  const { differs, satisfiesSchemas } = compared;
  const isValid = satisfiesSchemas(answer.situation);
  const situation = realistic(
    answer.situation,
    literalValues,
    (other) => differs(other) && (!isValid || satisfiesSchemas(other)),
  );
  const isAllowed = compared.isAllowedBefore(situation);
  return { witness: { ...situation, before: isAllowed ? 'ALLOW' : 'DENY', after: isAllowed ? 'DENY' : 'ALLOW' } };
}

/** A call, and whether each of its cases passes with the policies as they are. */
interface PassingCall extends TestCall {
  readonly passed: readonly boolean[];
}

function passingCalls(calls: readonly TestCall[], ask: Ask): readonly PassingCall[] {
  return calls
    .map((call) => ({
      ...call,
      passed: call.judge(ask(call.question)).map(({ details }) => details.kind === 'passed'),
    }))
    .filter(({ passed }) => passed.includes(true));
}

function firstFailure(calls: readonly PassingCall[], ask: Ask): TestName | undefined {
  for (const { question, judge, passed } of calls) {
    const failed = judge(ask(question)).find(({ details }, index) => passed[index] && details.kind !== 'passed');
    if (failed !== undefined) {
      const { test, principal, resource, action } = failed;
      return { test, principal, resource, action };
    }
  }
  return undefined;
}

/** Percent of killed mutants, rounded down to a tenth; 100 without mutants. */
export function computeScore(killed: number, all: number): number {
  return all === 0 ? 100 : Math.floor((killed * 1000) / all) / 10;
}
