import type { Selecting } from '../decision/decisions.js';
import { some, listValues } from '../../../compiler/ir/visit.js';
import type { Formula, Holds } from '../formula/formula.js';
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

/** Number of tries at effort 3. */
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
  /** Questions for which a search found nothing, without their kinds. */
  private readonly searchedInVain = new Set<string>();
  /** What a solver said of questions, without their kinds, if it found no situation. */
  private readonly solved = new Map<string, No | Undecided>();
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
    const shown = this.isImpossible(formula) ? 'impossible' : this.shownOnce(question, confirm, seeds);
    if (shown === 'impossible') return this.tried(question, { answer: 'no', by: 'bdd' }, confirm);
    if (shown !== undefined) return { answer: 'yes', by: 'search', situation: shrink(shown, confirm) };
    if (this.options.isOver()) return undecided('time');
    if (this.options.prover === undefined) return undecided('no solver');
    const kindless = this.keyWithoutKind(question);
    const solved = kindless === undefined ? undefined : this.solved.get(kindless);
    if (solved !== undefined) return solved;
    this.prover ??= this.options.prover();
    const answer = await (await this.prover).prove(question, confirm);
    if (answer.answer === 'yes') return { ...answer, situation: shrink(answer.situation, confirm) };
    const tried = answer.answer === 'no' ? this.tried(question, answer, confirm) : answer;
    const isShared = !('refutedBy' in tried) && !this.options.isOver();
    if (kindless !== undefined && isShared) this.solved.set(kindless, tried);
    return tried;
  }

  /** Whether a formula is false whatever conditions and roles are true. False is not a proof of the opposite. */
  isImpossible(formula: Formula): boolean {
    return this.booleans.isImpossible(formula);
  }

  /**
   * A situation that shows what is asked for. Sets have thousands of kinds with equal rules: where a search found nothing
   * for one of them, only the seeds are tried for the next.
   */
  private shownOnce(
    question: Question,
    confirm: (situation: Situation) => boolean,
    seeds: readonly Situation[],
  ): Situation | undefined {
    const key = this.keyWithoutKind(question);
    if (key !== undefined && this.searchedInVain.has(key)) return seeds.find(confirm);
    const shown = this.shown(question, confirm, seeds);
    if (shown === undefined && key !== undefined) this.searchedInVain.add(key);
    return shown;
  }

  /** What a search depends on besides the kind; undefined if a condition may see the kind, or a schema matters. */
  private keyWithoutKind({ formula, point, roles, schemas, candidates }: Question): string | undefined {
    if (schemas.length > 0 || candidates !== undefined || conditionsIn([formula]).some(seesKind)) return undefined;
    const { kind: _, isNamedKind: __, ...chain } = point;
    return JSON.stringify([this.options.keys.of(formula), chain, roles]);
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
    return search(this.makeSpace(question), this.booleans.assignments(question.formula), confirm, tries);
  }

  /** A proof that no request refutes, of many that are tried. */
  private tried(question: Question, proof: No, confirm: (situation: Situation) => boolean): No | Undecided {
    let left = TRIALS;
    for (const situation of randomSituations(this.makeSpace(question))) {
      if (left-- === 0) break;
      if (confirm(situation)) return { ...undecided('proof refuted'), refutedBy: shrink(situation, confirm) };
    }
    // That of a solver may depend on the point.
    if (proof.by === 'bdd') this.proved.set(this.options.keys.of(question.formula), proof);
    return proof;
  }

  private makeSpace(question: Question): SearchSpace {
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

/** Whether a condition, or a variable of its policy, reads the kind of the resource. */
function seesKind({ condition, module }: Holds): boolean {
  const values = [...listValues(condition), ...module.variables.map(({ value }) => value)];
  return values.some((value) =>
    some(
      value,
      (part) => (part.kind === 'field' && part.of === 'resource' && part.name === 'kind') || part.kind === 'part',
    ),
  );
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
