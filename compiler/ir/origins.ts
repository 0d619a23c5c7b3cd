import type { Span } from '../diagnostics/span.js';
import type { Predicate } from './predicate.js';
import type { AuthoredText } from './program.js';
import type { Value } from './value.js';

/** A range of an expression's text: UTF-16 offsets, half-open. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

// Not a property of values: expressions with the same text share their value, and passes replace values by equal ones.
const extents = new WeakMap<Value, Extent>();

/** Remembers where a value stands in the text of its expression, unless that is known. Returns the value. */
export function standsAt<V extends Value>(value: V, extent: Extent | undefined): V {
  if (extent !== undefined && !extents.has(value)) extents.set(value, extent);
  return value;
}

/**
 * Where a value stands in the text of its expression; undefined if it has no text of its own, such as an argument that
 * a macro adds.
 */
export function findExtent(value: Value): Extent | undefined {
  return extents.get(value);
}

/** Where a value was written; undefined if it has no text of its own. */
export function findPlace(value: Value, expression: AuthoredText): Span | undefined {
  const extent = findExtent(value);
  return extent && expression.spanOf(extent.start, extent.end);
}

/** The value that a predicate is about, and the expression that contains it. */
export interface Subject {
  readonly value: Value;
  readonly expression: AuthoredText;
}

const subjects = new WeakMap<Predicate, Subject>();

/** Remembers what a predicate is about, unless that is known. Returns the predicate. */
export function isAbout(predicate: Predicate, value: Value, expression: AuthoredText | undefined): Predicate {
  if (expression !== undefined && !subjects.has(predicate)) subjects.set(predicate, { value, expression });
  return predicate;
}

/** What a predicate is about; undefined if it combines several expressions. */
export function findSubject(predicate: Predicate): Subject | undefined {
  return subjects.get(predicate);
}
