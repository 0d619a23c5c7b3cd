import type { Attributes } from '../../../runtime/policy/index.js';
import type { SchemaAddress, SchemaModule } from '../../../compiler/ir/schema.js';
import type { Candidates } from '../candidates/candidates.js';
import type { Point } from './point.js';
import type { Formula } from '../formula/formula.js';
import type { Situation } from './situation.js';

/** Whether any request of a point makes a formula true. */
export interface Question {
  readonly formula: Formula;
  /** Fixes kind, version and scope, and the id of a principal that has policies. */
  readonly point: Point;
  /** The ids of principals that have policies: a principal of a point without one has another id. */
  readonly principals: ReadonlySet<string>;
  /** One that stands for its class: conditions cannot see it. */
  readonly action: string;
  /** One role of each class that the formula may name. A role of no class is in no formula. */
  readonly roles: readonly string[];
  /** The globals of the engine; undefined if any are possible. */
  readonly globals: Attributes | undefined;
  /** What attributes satisfy: the domain under `--schemas enforce`; empty otherwise. */
  readonly schemas: readonly AssumedSchema[];
  /** Values that are tried besides those that conditions compare. */
  readonly candidates?: readonly Candidates[];
}

/** A schema that the attributes of the principal or the resource satisfy. */
export interface AssumedSchema {
  readonly attributesOf: 'principal' | 'resource';
  readonly at: SchemaAddress;
  /** The schemas that `at` is in and refers to. */
  readonly modules: readonly SchemaModule[];
}

/** What is known about a question (docs/spec/analysis.md#answers). */
export type Answer = No | Yes | Undecided;

/** A proof that no request of the domain makes the formula true. */
export interface No {
  readonly answer: 'no';
  readonly by: 'same' | 'bdd' | 'search' | 'solver';
}

/** A request that was confirmed by the compiled policies, and shrunk. */
export interface Yes {
  readonly answer: 'yes';
  readonly by: 'search' | 'solver';
  readonly situation: Situation;
}

/** Neither a proof nor a request. */
export interface Undecided {
  readonly answer: '?';
  readonly reason: UndecidedReason;
  /** The functions, macros and operators that the prover does not interpret; sorted. */
  readonly uninterpreted: readonly string[];
  /** A request that a proof says is impossible, and the compiled policies confirm: a bug of the analysis. */
  readonly refutedBy?: Situation;
}

export type UndecidedReason =
  | 'no solver'
  | 'resource limit'
  | 'does not replay'
  | 'rules share results'
  | 'schemas differ'
  | 'too many classes'
  | 'proof refuted'
  | 'time';

/** Level 3: decides what booleans and search leave open. Handed in by commands; absent under `--no-solver`. */
export interface Prover {
  /** Its name and version, as reports show it: `z3 5.2.0`. */
  readonly name: string;
  /**
   * Answers a question. `yes` only for a situation that `confirm` accepts; it need not be shrunk. Does not throw for
   * trouble of the solver: that is undecided.
   *
   * @param confirm whether the compiled policies show what is asked for. It is slow: microseconds to milliseconds.
   */
  prove(question: Question, confirm: (candidate: Situation) => boolean): Promise<Answer>;
  close(): Promise<void>;
}
