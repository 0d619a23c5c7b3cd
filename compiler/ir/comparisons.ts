import type { Operator } from './value.js';

/** The operators that compare two values: their result is a boolean, unless they fail. */
export const COMPARISONS: ReadonlySet<string> = new Set<Operator>([
  'equals',
  'notEquals',
  'lessThan',
  'atMost',
  'greaterThan',
  'atLeast',
  'inCollection',
]);
