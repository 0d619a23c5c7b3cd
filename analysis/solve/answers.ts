import type { Selecting } from '../decision/decisions.js';
import type { Formula } from '../formula/formula.js';
import type { FormulaKeys } from '../formula/keys.js';
import { requestAt } from '../witness/replay.js';
import { conditionsIn, randomSituations, search, type SearchSpace } from '../witness/search.js';
import { withRequired } from '../witness/schema-example.js';
import { shrink } from '../witness/shrink.js';
import type { Situation } from '../question/situation.js';
import { Booleans } from './booleans.js';
import type { Answer, No, Prover, Question, Undecided, UndecidedReason } from '../question/question.js';

/** How questions are answered. */
export interface AnswerOptions {
  readonly keys: FormulaKeys;
  readonly selecting: Selecting;
  /** 1 to 5: multiplies the number of tries. */
  readonly effort: number;
  readonly prover: (() => Promise<Prover>) | undefined;
  /** Asked before each question; a reason ends the run: what is left is undecided. */
  readonly isOver: () => boolean;
}

/** At effort 3. */
const TRIES = 5000;
/** The number of requests that each proof is tried with. */
const TRIALS = 1000;

/**
 * Answers questions about sets of policies by levels, the cheapest first: decision diagrams prove, a search finds, and a
 * solver does both (docs/spec/analysis.md#levels).
 */
export class Answers {
  private prover: Promise<Prover> | undefined;
  private readonly proved = new Map<number, No>();
  private readonly booleans;

  constructor(private readonly options: AnswerOptions) {
    this.booleans = new Booleans(options.keys);
  }

  /** The name of the solver, if it was needed. */
  async solver(): Promise<string | undefined> {
    return (await this.prover)?.name;
  }

  async close(): Promise<void> {
    await (await this.prover)?.close();
  }

  /**
   * Answers a question.
   *
   * @param confirm whether the compiled policies show what is asked for; also for situations that are not about the
   * point, where they do not.
   * @param seeds situations to try first.
   */
  async answer(
    question: Question,
    confirm: (situation: Situation) => boolean,
    seeds: readonly Situation[] = [],
  ): Promise<Answer> {
    const { formula } = question;
    if (formula === false) return { answer: 'no', by: 'same' };
    const key = this.options.keys.of(formula);
    const known = this.proved.get(key);
    if (known !== undefined) return known;
    await nextTurn();
    if (this.options.isOver()) return undecided('time');
    const shown = this.isImpossible(formula) ? 'impossible' : this.shown(question, confirm, seeds);
    if (shown === 'impossible') return this.tried(question, { answer: 'no', by: 'bdd' }, confirm);
    if (shown !== undefined) return { answer: 'yes', by: 'search', situation: shrink(shown, confirm) };
    if (this.options.isOver()) return undecided('time');
    if (this.options.prover === undefined) return undecided('no solver');
    this.prover ??= this.options.prover();
    const answer = await (await this.prover).prove(question, confirm);
    if (answer.answer === 'no') return this.tried(question, answer, confirm);
    return answer.answer === 'yes' ? { ...answer, situation: shrink(answer.situation, confirm) } : answer;
  }

  /** Whether a formula is false whatever conditions and roles are true. False is not a proof of the opposite. */
  isImpossible(formula: Formula): boolean {
    return this.booleans.isImpossible(formula);
  }

  /** A situation that shows what is asked for; undefined if none is found. */
  shown(
    question: Question,
    confirm: (situation: Situation) => boolean,
    seeds: readonly Situation[] = [],
    tries = Math.ceil((TRIES * this.options.effort) / 3),
  ): Situation | undefined {
    const seed = seeds.find(confirm);
    if (seed !== undefined) return seed;
    return search(this.spaceOf(question), this.booleans.assignments(question.formula), confirm, tries);
  }

  /** A proof that no request refutes, of many that are tried. */
  private tried(question: Question, proof: No, confirm: (situation: Situation) => boolean): No | Undecided {
    let left = TRIALS;
    for (const situation of randomSituations(this.spaceOf(question))) {
      if (left-- === 0) break;
      if (confirm(situation)) return { ...undecided('proof refuted'), refutedBy: shrink(situation, confirm) };
    }
    // That of a solver may depend on the point.
    if (proof.by === 'bdd') this.proved.set(this.options.keys.of(question.formula), proof);
    return proof;
  }

  private spaceOf(question: Question): SearchSpace {
    const { formula, point, principals, action, roles, globals, schemas, candidates } = question;
    const { principal, resource } = requestAt(point, principals, this.options.selecting);
    return {
      base: {
        principal: { ...principal, attr: withRequired({}, 'principal', schemas) },
        resource: { ...resource, attr: withRequired({}, 'resource', schemas) },
        action,
      },
      isAnyone: point.principal === undefined,
      roles,
      conditions: conditionsIn([formula]),
      globals,
      ...(candidates && { candidates }),
    };
  }
}

/** Signals arrive between turns. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** An answer without a proof and without a request. */
export function undecided(reason: UndecidedReason): Undecided {
  return { answer: '?', reason, uninterpreted: [] };
}
