/** An error of the CEL lexer or parser; offsets are relative to the expression. */
export interface SyntaxError {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  /** Suggested fixes. */
  readonly advice?: readonly Advice[];
}

/** A suggested fix of an expression that does not parse; offsets are relative to the expression. */
export interface Advice {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}
