import type { Documentation } from '../../packages/cel/library/function.js';

/** The reference documentation of one function, operator or macro. */
export interface Entry extends Documentation {
  /** As in the table of functions; operators and macros as written in expressions. */
  readonly name: string;
  /** The syntax of operators and macros, which are not in the table of functions. */
  readonly signatures: readonly string[];
}

/** A section of the page. */
export interface Section {
  readonly title: string;
  readonly intro?: string;
  readonly entries: readonly Entry[];
}
