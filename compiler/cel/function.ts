import type { CelType } from './types.js';

/** One signature of a CEL function. The receiver of a member form is the first parameter. */
export interface Overload {
  readonly form: 'global' | 'member';
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

/**
 * A function of the language: a row of the table (functions.ts). Adding a function is adding a row here and an
 * export of the same name in runtime/cel.
 */
export interface CelFunction {
  /** As an author writes it, with its namespace: `startsWith`, `math.abs`, `base64.encode`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** The export of `#runtime/cel` that does the work; the receiver is its first argument. All overloads share it. */
  readonly runtime: string;
  /** False for `now` and `timeSince`: they ask for the request's instant and are never folded. */
  readonly pure: boolean;
}
