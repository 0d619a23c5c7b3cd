import { type CelError, isFailure, type JsonMap, type Result, type Value } from '../../packages/cel/runtime/index.js';
import type { Operand } from './expression.js';

/**
 * The value of a CEL expression when only part of the request is known (docs/spec/plans.md#known-and-unknown): a value,
 * a failure, or a residual. A failure is distinct from false, because they differ below a `!` or beside an unknown.
 */
export type Term = Result | Unknown;

/** Distinguishes an Unknown from a value, including those of the library's copy in a bundle. */
const UNKNOWN = Symbol.for('authz.unknown');

/** An expression that cannot be evaluated before there is a resource. */
export class Unknown {
  get [UNKNOWN](): true {
    return true;
  }

  /** Its structural hash (likeness.ts); 0 until it is computed. */
  likeness = 0;

  /** Whether it is known to be true exactly where the condition `is` of it holds, and false where that of `!` does. */
  isClean = false;

  /** Its flat form in filters, if plans share it (shared.ts). */
  written: Operand | undefined = undefined;

  constructor(
    readonly node: Node,
    readonly sort: Sort,
    /**
     * Its form in the reference, if `node` has a better one (docs/spec/plans.md#differences-from-cerbos).
     */
    readonly reference?: Node,
    /**
     * The value of a call that is kept because its value cannot be sent over the wire: `hierarchy("a.b")`
     * (docs/spec/plans.md#folding).
     */
    readonly constant?: Value,
  ) {}
}

/**
 * The known type of an unknown value. `json`: that of attributes, whose numbers are doubles. `key`: an int or a string,
 * as in the first of two variables.
 */
export type Sort = 'json' | 'key' | 'string' | 'bool' | 'int' | 'double' | 'other';

export type Node =
  /** `R.attr` as a whole; the listed attributes hold for every row (docs/spec/plans.md#known-and-unknown). */
  | { readonly kind: 'attributes'; readonly listed: JsonMap }
  /**
   * `request.resource.attr.x.y`, or a macro's variable and the fields selected from it. `variable` is its name in
   * filters, once it was needed and if it has one.
   */
  | { readonly kind: 'path'; readonly root: string; readonly fields: readonly Field[]; variable?: string | undefined }
  /** An operator or a function by its name on the wire. Except for `and`, `or` and `if` it fails if an operand does. */
  | { readonly kind: 'call'; readonly operator: string; readonly operands: readonly Term[]; readonly run?: CelFunction }
  | { readonly kind: 'field'; readonly operand: Term; readonly name: string }
  | { readonly kind: 'struct'; readonly entries: readonly (readonly [key: Term, value: Term])[] }
  | {
      readonly kind: 'macro';
      readonly operator: string;
      readonly range: Term;
      readonly variables: readonly string[];
      readonly bodies: readonly Term[];
    }
  /**
   * Whether a condition holds, as a boolean that never fails: the value of `"owner" in runtime.effectiveDerivedRoles`.
   */
  | { readonly kind: 'condition'; readonly condition: Condition }
  /**
   * `runtime.effectiveDerivedRoles`: the roles that may be active, each with its condition; and where the list can be
   * read.
   */
  | { readonly kind: 'roles'; readonly roles: readonly PossibleRole[]; readonly readable: Condition }
  /** An optional that holds `value` where `present` is true. */
  | { readonly kind: 'optional'; readonly present: Term; readonly value: Term }
  | { readonly kind: 'unplannable'; readonly reason: string };

/** A function of packages/cel/runtime. */
export type CelFunction = (...args: readonly never[]) => Result;

export interface Field {
  readonly name: string;
  /** Written with brackets. */
  readonly bracketed: boolean;
}

export interface PossibleRole {
  readonly name: string;
  readonly condition: Condition;
}

/**
 * When a rule applies, as far as it is known before the resource: two-valued, like `when`. A term holds if it is
 * exactly true; one that fails does not, and `not` inverts that. This `not` is that of `none`, of DENY and of consent;
 * CEL's own `!`, which fails with its operand, stays inside a term (docs/spec/plans.md#outcome-of-a-condition,
 * docs/spec/plans.md#d-09-two-kinds-of-not).
 */
export type Condition =
  | boolean
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  /** The term is true. */
  | { readonly kind: 'is'; readonly term: Unknown }
  /** Cannot be expressed on the wire. */
  | { readonly kind: 'unplannable'; readonly reason: string };

/** Whether nothing is unknown: a value or a failure, even if the call that returned it is kept. */
export function isKnown(term: Term): boolean {
  return !(term instanceof Unknown) || term.constant !== undefined;
}

/**
 * Whether a term cannot be evaluated yet, from any copy of the library: an engine compares those that a bundle has
 * created.
 */
export function isUnknown(term: Term): term is Unknown {
  return typeof term === 'object' && term !== null && UNKNOWN in term;
}

/** The value or failure of a known term. */
export function getResult(term: Term): Result {
  return term instanceof Unknown ? (term.constant as Result) : term;
}

/** Whether a term failed, for any resource. */
export function failed(term: Term): term is CelError | undefined {
  return !(term instanceof Unknown) && isFailure(term);
}

/** Whether no filter can express a term. */
export function isUnplannable(term: Term): boolean {
  return term instanceof Unknown && term.node.kind === 'unplannable';
}

/** An operator over terms, without folding. */
export function kept(operator: string, operands: readonly Term[], sort: Sort = 'bool'): Unknown {
  const term = new Unknown({ kind: 'call', operator, operands }, sort);
  term.isClean =
    operator !== 'if' &&
    operands.every((operand) => operand instanceof Unknown && operand.isClean) &&
    (operator !== 'not' || matchOperands(operands[0], operator) === undefined);
  return term;
}

/** The operands of a call of a given operator or function. */
export function matchOperands(term: Term, operator: string): readonly Term[] | undefined {
  return term instanceof Unknown && term.node.kind === 'call' && term.node.operator === operator
    ? term.node.operands
    : undefined;
}

/**
 * A term that no filter can express. Its rule does not grant, or always denies
 * (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export function unplannable(reason: string): Unknown {
  return new Unknown({ kind: 'unplannable', reason }, 'other');
}

/** A path on the resource or on a macro's variable. */
export function path(root: string, fields: readonly Field[], sort: Sort = 'json'): Unknown {
  const term = new Unknown({ kind: 'path', root, fields, variable: undefined }, sort);
  term.isClean = true;
  return term;
}

/** The root of all attributes that are not listed. */
export const ATTRIBUTES = 'request.resource.attr';
