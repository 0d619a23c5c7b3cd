export type Severity = 'error' | 'warning';

/** One kind of diagnostic. Its key in the registry is its code: never reused, a page in docs/diagnostics. */
export interface Message<P> {
  readonly severity: Severity;
  /** `load` for phases 1 to 5, `compile` for phase 6 (docs/spec/policy-language.md#compilation-phases). */
  readonly stage: 'load' | 'compile';
  /** The short kind of the machine-readable report (docs/spec/policy-language.md#diagnostics-of-the-compiler). */
  readonly kind: string;
  readonly text: (parameters: P) => string;
  /** What people read instead, where `text` has the words of the machine-readable report. */
  readonly shown?: (parameters: P) => string;
  /** The page of docs/diagnostics: what it means and the way out, in Markdown. */
  readonly explanation: string;
}

/** Declares one entry of the registry, so that the type of its parameters is kept. */
export function message<P>(entry: Message<P>): Message<P> {
  return entry;
}
