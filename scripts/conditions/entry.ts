/** What the reference says of a name of the condition language. */
export interface Entry {
  /** As in the table of functions, or of an operator or macro as an author writes it. */
  readonly name: string;
  /** Operators and macros have no row in the table: how they are written. */
  readonly signatures?: readonly string[];
  readonly meaning: string;
  /** Expression and value, which the test of the documentation evaluates. */
  readonly examples: readonly (readonly [expression: string, value: string])[];
}

/** Names that belong together. */
export interface Section {
  readonly title: string;
  readonly intro?: string;
  readonly entries: readonly Entry[];
}
