import type { Source } from './source.js';

/** A half-open range of UTF-16 offsets in a Source: `start` is in it, `end` is not. */
export interface Span {
  readonly source: Source;
  readonly start: number;
  readonly end: number;
}

/**
 * The location of a node of a policy, in two forms: `anchor` and `path` are the position of the machine-readable report
 * (docs/spec/policy-language.md#reports).
 */
export interface Place {
  /** The underlined part: the value itself. */
  readonly span: Span;
  /** The offset reported as `position`: a field's key, a list's element, a map entry's value. */
  readonly anchor: number;
  /** `$.resourcePolicy.rules[0].actions[1]`, with the key spelling of the file; empty for a whole document. */
  readonly path: string;
}

/** A value that an author wrote, with its location. */
export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}
