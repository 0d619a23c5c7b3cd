/** A program that answers queries in SMT-LIB 2.6. */
export interface Solver {
  /** Name and version: `z3 5.2.0`. */
  readonly name: string;
  /** Commands before each query, on one line: those that make this solver faster. */
  readonly prologue?: string;
  /** What it prints for a query, `(error)` if it failed; undefined if it ended or took too long. */
  run(query: string): Promise<string | undefined>;
  /** Ends the program. */
  close(): Promise<void>;
}
