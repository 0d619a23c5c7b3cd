import type { Predicate } from '../../../compiler/ir/predicate.js';

/** A comparison of two values. */
export type Comparing = Predicate & { readonly kind: 'compare' };

/** Where the first is true, so is the second. */
export type Implication = readonly [Comparing, Comparing];

/**
 * What two comparisons of the same two values have to do with each other, for all values: one that can be ordered is
 * less than another, equal to it, or greater. NaN is none of these, so that something is false implies little. A
 * comparison of values that have no order is neither true nor false.
 *
 * @param isSwapped whether the second compares them in the other order.
 */
export function listImplications(one: Comparing, other: Comparing, isSwapped: boolean): readonly Implication[] {
  return [...implicationsFrom(one, other, isSwapped), ...implicationsFrom(other, one, isSwapped)];
}

function implicationsFrom(one: Comparing, other: Comparing, isSwapped: boolean): readonly Implication[] {
  switch (`${one.comparison} ${other.comparison}`) {
    case 'lessThan atMost':
      return isSwapped
        ? [
            [is(one), isNot(other)],
            [is(other), isNot(one)],
          ]
        : [
            [is(one), is(other)],
            [isNot(other), isNot(one)],
          ];
    case 'lessThan lessThan':
      return isSwapped ? [[is(one), isNot(other)]] : [];
    case 'lessThan equals':
      return [[is(one), isNot(other)]];
    default:
      return [];
  }
}

function is(comparing: Comparing): Comparing {
  return { ...comparing, polarity: true };
}

function isNot(comparing: Comparing): Comparing {
  return { ...comparing, polarity: false };
}
