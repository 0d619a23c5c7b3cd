import type { Value } from './value.js';

/**
 * A condition reduced to the question "does it hold?": two-valued, so `&&`, `||` and `!` are those of JavaScript. An
 * expression is tested for one of two polarities: that it is true, or that it is false. An expression that cannot be
 * evaluated is neither.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Predicate[] }
  /** Two-valued negation: satisfied when the operand is not, including on errors (`none`, consent, role policies). */
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
  /** `some` element satisfies the body, or `every` element does; false if the range is not iterable. */
  | {
      readonly kind: 'quantifier';
      readonly quantifier: 'some' | 'every';
      readonly range: Value;
      readonly variables: readonly string[];
      readonly body: Predicate;
    }
  /** A value that must equal `polarity`. */
  | { readonly kind: 'is'; readonly value: Value; readonly polarity: boolean };

export type Comparison = 'equals' | 'lessThan' | 'atMost' | 'greaterThan' | 'atLeast';
