import type { CompiledBundle } from '../../../runtime/engine/index.js';
import type * as ir from '../../../compiler/ir/program.js';
import { fold } from '../../../compiler/optimise/index.js';
import { classesAt, noClasses } from '../../analysis/decision/classes.js';
import { Decisions, type PointDecisions } from '../../analysis/decision/decisions.js';
import type { Point } from '../../analysis/question/point.js';
import { listPoints, TooManyRows } from '../../analysis/decision/points.js';
import { and, type Formula, not, or } from '../../analysis/formula/formula.js';
import { FormulaKeys } from '../../analysis/formula/keys.js';
import { makeBundle } from '../../analysis/program/bundle.js';
import { Answers, undecided } from '../../analysis/solve/answers.js';
import type { Answer, Prover, Question } from '../../analysis/question/question.js';
import { isAt, Replay } from '../../analysis/witness/replay.js';
import { shrink } from '../../analysis/witness/shrink.js';
import type { Situation } from '../../analysis/question/situation.js';

/** Which situations are tried first, and which count. */
export interface DifferenceOptions {
  readonly seeds: readonly Situation[];
  /** Whether attributes satisfy the schemas; only such situations count. By default all do. */
  readonly satisfiesSchemas?: (situation: Situation) => boolean;
}

/** A mutant beside the program that it was made from. */
export interface ComparedMutant {
  /** Whether the program allows a situation. */
  readonly isAllowedBefore: (situation: Situation) => boolean;
  /** Whether attributes satisfy the schemas of the program. */
  readonly satisfiesSchemas: (situation: Situation) => boolean;
  /** Whether the mutant decides a situation otherwise. */
  readonly differs: (situation: Situation) => boolean;
  /**
   * Whether the mutant decides any situation otherwise, in default evaluation (docs/spec/analysis.md#levels). `no` is a proof,
   * with and without lenient scope search; a situation is one without.
   */
  readonly difference: (options: DifferenceOptions) => Promise<Answer>;
}

/** Compares mutants with the program that they were made from. */
export class MutantComparison {
  private readonly keys = new FormulaKeys();
  private readonly classes = noClasses();
  private readonly original: Evaluations;
  private readonly principals: ReadonlySet<string>;
  private readonly answers: Answers;

  /**
   * @param program as its authors wrote it.
   * @param compiled its compiled bundle.
   * @param prover creates the solver when it is first needed; undefined without one.
   */
  constructor(
    private readonly program: ir.Program,
    compiled: CompiledBundle,
    prover: (() => Promise<Prover>) | undefined,
  ) {
    this.original = makeEvaluations(fold(program), compiled);
    this.principals = new Set(
      program.modules.flatMap((module) => (module.kind === 'principal' ? [module.principal] : [])),
    );
    this.answers = new Answers({ keys: this.keys, selecting: {}, effort: EFFORT, prover, isOver: () => false });
  }

  of(mutated: ir.Program): ComparedMutant {
    const folded = fold(mutated);
    const mutant = makeEvaluations(folded, makeBundle(folded).bundle);
    return {
      isAllowedBefore: (situation) => this.original.strict.replay.isAllowed(situation),
      satisfiesSchemas: (situation) => this.original.strict.replay.satisfiesSchemas(situation),
      differs: differing(this.original.strict, mutant.strict),
      difference: (options) => this.difference(mutated, mutant, options),
    };
  }

  close(): Promise<void> {
    return this.answers.close();
  }

  private async difference(
    mutated: ir.Program,
    mutant: Evaluations,
    { seeds, satisfiesSchemas }: DifferenceOptions,
  ): Promise<Answer> {
    const isConcerned = concerned(changedModules(this.program, mutated), [...this.program.modules, ...mutated.modules]);
    for (const search of ['strict', 'lenient'] as const) {
      const [before, after] = [this.original[search], mutant[search]];
      const differs = differing(before, after);
      const compared: Compared = {
        sets: [before.decisions, after.decisions],
        differs: (situation) => differs(situation) && (satisfiesSchemas?.(situation) ?? true),
        assumesSchemas: satisfiesSchemas !== undefined,
        seeds,
        open: new Map(),
      };
      const answer = await this.differenceIn(compared, search === 'lenient', isConcerned);
      // Tests are decided by strict search.
      if (answer.answer === 'yes' && search === 'lenient') return undecided('does not replay');
      if (answer.answer !== 'no') return answer;
    }
    return SAME;
  }

  private async differenceIn(
    compared: Compared,
    isLenient: boolean,
    isConcerned: (point: Point) => boolean,
  ): Promise<Answer> {
    let left = SAME;
    try {
      for (const point of listPoints(compared.sets, isLenient, {}, isConcerned)) {
        const answer = await this.differenceAt(point, compared);
        if (answer.answer === 'yes') return answer;
        if (answer.answer === '?') left = answer;
      }
    } catch (error) {
      if (error instanceof TooManyRows) return undecided('too many classes');
      throw error;
    }
    return left;
  }

  private async differenceAt(point: Point, compared: Compared): Promise<Answer> {
    const at = (roles: readonly string[]): [PointDecisions, PointDecisions] =>
      compared.sets.map((set) => set.at(point, roles)) as [PointDecisions, PointDecisions];
    const unnamed = at([]);
    if (unnamed[0].signature === unnamed[1].signature) return SAME;
    const { actions, roles } = classesAt(point, unnamed, this.classes);
    const names = [...roles.named, ...roles.others];
    const decisions = at(names);
    const isShared = decisions.some(({ sharesResults }) => sharesResults);
    const confirm = (situation: Situation): boolean =>
      isAt(point, situation.request, this.principals, {}) && compared.differs(situation);
    let left = actions.isComplete && roles.isComplete ? SAME : undecided('too many classes');
    for (const action of [...actions.named, ...actions.others]) {
      const [before, after] = decisions.map((own) => own.of(action, this.keys)) as [Formula, Formula];
      if (!isShared && this.keys.of(before) === this.keys.of(after)) continue;
      // Formulas do not know which rules share results: they say only what may matter.
      const formula = isShared ? or(before, after) : or(and(before, not(after)), and(after, not(before)));
      const schemas = compared.assumesSchemas ? decisions.flatMap((own) => own.schemasFor(action)) : [];
      const question: Question = {
        formula,
        point,
        principals: this.principals,
        action,
        roles: names,
        globals: undefined,
        schemas,
      };
      const seeds = compared.seeds.flatMap((seed) => asking(seed, action, names));
      // Other actions often have the same formula.
      const known = compared.open.get(this.keys.of(formula));
      const answer = known ?? (await this.answer(question, confirm, seeds, isShared));
      if (answer.answer === 'yes') return answer;
      if (answer.answer === '?') {
        compared.open.set(this.keys.of(formula), answer);
        left = answer;
      }
    }
    return left;
  }

  private async answer(
    question: Question,
    confirm: (situation: Situation) => boolean,
    seeds: readonly Situation[],
    isShared: boolean,
  ): Promise<Answer> {
    if (!isShared) return this.answers.answer(question, confirm, seeds);
    const situation = this.answers.shown(question, confirm, seeds);
    if (situation === undefined) return undecided('rules share results');
    return { answer: 'yes', by: 'search', situation: shrink(situation, confirm) };
  }
}

const SAME: Answer = { answer: 'no', by: 'same' };

/** The default of `authzc diff`. */
const EFFORT = 3;

/** A program in both modes of scope search. */
interface Evaluations {
  readonly strict: Evaluation;
  readonly lenient: Evaluation;
}

interface Evaluation {
  readonly decisions: Decisions;
  readonly replay: Replay;
}

/** @param folded the program with constants inlined, as it is emitted. */
function makeEvaluations(folded: ir.Program, compiled: CompiledBundle): Evaluations {
  const evaluation = (lenientScopeSearch: boolean): Evaluation => ({
    decisions: new Decisions(folded, { lenientScopeSearch }),
    replay: new Replay(compiled, { lenientScopeSearch }),
  });
  return { strict: evaluation(false), lenient: evaluation(true) };
}

function differing(before: Evaluation, after: Evaluation): (situation: Situation) => boolean {
  return (situation) => before.replay.isAllowed(situation) !== after.replay.isAllowed(situation);
}

/** Two programs in one mode of scope search. */
interface Compared {
  readonly sets: readonly [Decisions, Decisions];
  readonly differs: (situation: Situation) => boolean;
  readonly assumesSchemas: boolean;
  readonly seeds: readonly Situation[];
  /** What is not decided, by the key of the formula. */
  readonly open: Map<number, Answer>;
}

/** A situation that asks for an action, by a principal with its own roles or with one of others. */
function asking(situation: Situation, action: string, roles: readonly string[]): readonly Situation[] {
  const { request } = situation;
  return [request.principal.roles, ...roles.map((role) => [role])].map((own) => ({
    ...situation,
    request: { ...request, principal: { ...request.principal, roles: own }, action },
  }));
}

/** The policies of two programs that are not the same in both. */
function changedModules(before: ir.Program, after: ir.Program): readonly ir.Module[] {
  const [old, new_] = [before, after].map(({ modules }) => new Set(modules)) as [Set<ir.Module>, Set<ir.Module>];
  return [
    ...before.modules.filter((module) => !new_.has(module)),
    ...after.modules.filter((module) => !old.has(module)),
  ];
}

/** The points that a change may concern: those of its kinds, unless policies of principals or roles changed. */
function concerned(changed: readonly ir.Module[], modules: readonly ir.Module[]): (point: Point) => boolean {
  if (changed.some(({ kind }) => kind === 'principal' || kind === 'role')) return () => true;
  const sets = new Set(changed.flatMap(({ kind, key }) => (kind === 'derived-roles' ? [key] : [])));
  const kinds = new Set(
    [...changed, ...modules].flatMap((module) =>
      module.kind === 'resource' &&
      (changed.includes(module) || module.derivedRoles.some(({ module: set }) => sets.has(set)))
        ? [module.kindName]
        : [],
    ),
  );
  return ({ kind }) => kinds.has(kind);
}
