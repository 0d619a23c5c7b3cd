import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Claim } from '../../../compiler/ir/invariants.js';
import type { DiffLimits, RowPrincipal, RulePlace, WitnessRequest } from '../diff/report.js';
import type { UndecidedReason } from '../question/question.js';

/**
 * Which statements of invariants hold. Plain data: `JSON.stringify` of it is the JSON of `authzc verify`, and equal input
 * gives equal bytes.
 */
export interface VerifyReport {
  /** Statements by document, sorted by its name, in the order of the document. */
  readonly statements: readonly VerifiedStatement[];
  readonly summary: VerifySummary;
  readonly limits: DiffLimits;
}

export type StatementAnswer = 'proved' | 'refuted' | 'undecided';

/** A statement: refuted if one of its rows is, else undecided if one is, else proved. */
export interface VerifiedStatement {
  /** The name of its document. */
  readonly invariants: string;
  readonly name: string;
  readonly place: FilePlace;
  readonly form: Claim['form'];
  readonly answer: StatementAnswer;
  /** Why a statement without rows is refuted. */
  readonly reason?: 'matches no policy';
  /** Sorted by kind, version, scope, principal and action. */
  readonly rows: readonly VerifiedRow[];
}

/** What a statement says about one point and one class of actions (docs/spec/analysis.md#verified-statements). */
export interface VerifiedRow {
  readonly kind: string;
  readonly version: string;
  readonly scope: string;
  /** The principal whose policies decide; null for everyone else. */
  readonly principal: RowPrincipal | null;
  /** The action, or the shortest one of a class of actions that only globs match. */
  readonly action: string;
  /** The action that `implies` allows, too. */
  readonly also?: string;
  readonly answer: StatementAnswer;
  /** How a proof or a request was found; absent if there is neither. */
  readonly by?: 'same' | 'bdd' | 'search' | 'solver';
  /** Refutes the row; or shows what is `reachable`; or refutes a proof, which is a bug in authz. */
  readonly request?: WitnessRequest;
  /** The rule that decides the request; null where none does. */
  readonly decidedBy?: RulePlace | null;
  readonly reason?: UndecidedReason;
  /** The functions, macros and operators that the prover does not interpret; sorted. */
  readonly uninterpreted?: readonly string[];
}

/** Counts of statements. */
export interface VerifySummary {
  readonly statements: number;
  readonly proved: number;
  readonly refuted: number;
  readonly undecided: number;
}
