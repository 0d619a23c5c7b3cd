import type { Value } from './value.js';

/**
 * What is left of a condition when only "does it hold?" matters: two-valued, so `&&`, `||` and `!` are JavaScript's
 * own. An expression is asked for one of its two polarities: it is true, or it is false. What cannot be evaluated is
 * neither.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Predicate[] }
  /** The two-valued not: satisfied when the operand is not, errors included (`none`, consent, role policies). */
  | { readonly kind: 'not'; readonly operand: Predicate }
  | {
      readonly kind: 'compare';
      readonly comparison: Comparison;
      readonly left: Value;
      readonly right: Value;
      readonly polarity: boolean;
    }
  | { readonly kind: 'in'; readonly element: Value; readonly collection: Value; readonly polarity: boolean }
  | { readonly kind: 'has'; readonly operand: Value; readonly name: string; readonly polarity: boolean }
  /** `some` element satisfies the body, or `every` one does; false when the range cannot be walked. */
  | {
      readonly kind: 'quantifier';
      readonly quantifier: 'some' | 'every';
      readonly range: Value;
      readonly variables: readonly string[];
      readonly body: Predicate;
    }
  /** A value that must be exactly `polarity`. */
  | { readonly kind: 'is'; readonly value: Value; readonly polarity: boolean };

export type Comparison = 'equals' | 'lessThan' | 'atMost' | 'greaterThan' | 'atLeast';
