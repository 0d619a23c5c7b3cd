import { type CelError, isFailure, type JsonMap, type Result, type Value } from '../cel/index.js';

/**
 * What a CEL expression comes to when only part of the request is known (docs/spec/plans.md#known-and-unknown): a
 * value, a failure, or what is left of it. So a residual has three ends, and a failure is one of them: below a `!` or
 * beside an unknown it is not the same as false.
 */
export type Term = Result | Unknown;

/** What tells an Unknown from a value, also one of the library's copy in a bundle. */
const UNKNOWN = Symbol.for('authz.unknown');

/** An expression that cannot be evaluated before there is a resource. */
export class Unknown {
  get [UNKNOWN](): true {
    return true;
  }

  /** What tells it quickly from others (likeness.ts); 0 until somebody asks. */
  likeness = 0;

  constructor(
    readonly node: Node,
    readonly sort: Sort,
    /**
     * How the reference writes it, where a better form stands in `node`
     * (docs/spec/plans.md#differences-from-the-reference-pdp).
     */
    readonly reference?: Node,
    /**
     * The value of a call that is kept because its value has no form on the wire: `hierarchy("a.b")`
     * (docs/spec/plans.md#folding).
     */
    readonly constant?: Value,
  ) {}
}

/**
 * What is known of the kind of an unknown value. `json`: as attributes hold it, so a number is a double. `key`: an int
 * or a text, as in the first of two variables.
 */
export type Sort = 'json' | 'key' | 'string' | 'bool' | 'int' | 'double' | 'other';

export type Node =
  /** `R.attr` as a whole; the listed attributes hold for every row (docs/spec/plans.md#known-and-unknown). */
  | { readonly kind: 'attributes'; readonly listed: JsonMap }
  /** `request.resource.attr.x.y`, or a macro's variable and what is selected from it. */
  | { readonly kind: 'path'; readonly root: string; readonly fields: readonly Field[] }
  /** An operator or a function by its name on the wire. But for `and`, `or` and `if` it fails when an operand does. */
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
   * `runtime.effectiveDerivedRoles`: the roles that may be active, each with what makes it so; and where the list can
   * be read at all.
   */
  | { readonly kind: 'roles'; readonly roles: readonly PossibleRole[]; readonly readable: Condition }
  /** An optional that holds `value` where `present` is true. */
  | { readonly kind: 'optional'; readonly present: Term; readonly value: Term }
  | { readonly kind: 'unplannable'; readonly reason: string };

/** A function of runtime/cel. */
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
 * When a rule applies, as far as it is known before there is a resource: two-valued, like `when`. A term holds when it
 * is exactly true; one that fails does not, and `not` turns that around. This `not` is that of `none`, of DENY and of
 * consent; CEL's own `!`, which fails with its operand, stays inside a term (docs/spec/plans.md#outcome-of-a-condition,
 * docs/spec/plans.md#d-09-two-kinds-of-not).
 */
export type Condition =
  | boolean
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Condition[] }
  | { readonly kind: 'not'; readonly operand: Condition }
  /** The term is true. */
  | { readonly kind: 'is'; readonly term: Unknown }
  /** Nobody can say on the wire. */
  | { readonly kind: 'unplannable'; readonly reason: string };

/** Whether nothing is open: a value or a failure, also where the call that made it is kept. */
export function isKnown(term: Term): boolean {
  return !(term instanceof Unknown) || term.constant !== undefined;
}

/**
 * Whether a term is one that cannot be evaluated yet, of whatever copy of the library: an engine compares those that a
 * bundle has made.
 */
export function isUnknown(term: Term): term is Unknown {
  return typeof term === 'object' && term !== null && UNKNOWN in term;
}

/** The value or failure of a known term. */
export function resultOf(term: Term): Result {
  return term instanceof Unknown ? (term.constant as Result) : term;
}

/** Whether a term failed, whatever the resource. */
export function failed(term: Term): term is CelError | undefined {
  return !(term instanceof Unknown) && isFailure(term);
}

/** Whether a term is something that no filter can say. */
export function isUnplannable(term: Term): boolean {
  return term instanceof Unknown && term.node.kind === 'unplannable';
}

/** An operator over terms as it stands, nothing folded. */
export function kept(operator: string, operands: readonly Term[], sort: Sort = 'bool'): Unknown {
  return new Unknown({ kind: 'call', operator, operands }, sort);
}

/** The operands of a term that is a certain operator or function. */
export function operandsOf(term: Term, operator: string): readonly Term[] | undefined {
  return term instanceof Unknown && term.node.kind === 'call' && term.node.operator === operator
    ? term.node.operands
    : undefined;
}

/**
 * What no filter can say. The rule it stands in does not grant, or denies always
 * (docs/spec/plans.md#rules-that-cannot-be-planned).
 */
export function unplannable(reason: string): Unknown {
  return new Unknown({ kind: 'unplannable', reason }, 'other');
}

/** A path on the resource or on a macro's variable. */
export function path(root: string, fields: readonly Field[], sort: Sort = 'json'): Unknown {
  return new Unknown({ kind: 'path', root, fields }, sort);
}

/** The root of all attributes that are not listed. */
export const ATTRIBUTES = 'request.resource.attr';
