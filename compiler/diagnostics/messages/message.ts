export type Severity = 'error' | 'warning';

/** One kind of diagnostic. Its key in the registry is its code: never reused, a page in docs/diagnostics. */
export interface Message<P> {
  readonly severity: Severity;
  /** `load` for phases 1 to 5, `compile` for phase 6 (docs/spec/policy-language.md#compilation-phases). */
  readonly stage: 'load' | 'compile' | 'rls';
  /** The short kind of the machine-readable report (docs/spec/policy-language.md#diagnostics-of-the-compiler). */
  readonly kind: string;
  readonly text: (parameters: P) => string;
  /** The text for terminals, if `text` has the wording of the machine-readable report. */
  readonly shown?: (parameters: P) => string;
  /** A note with the way out, where it is the same for every such problem. */
  readonly advice?: string;
  /** The page of docs/diagnostics in Markdown: the meaning and the fix. */
  readonly explanation: string;
}

/** Declares one entry of the registry, so that the type of its parameters is kept. */
export function message<P>(entry: Message<P>): Message<P> {
  return entry;
}

/** A string in double quotes, with escapes for characters that do not print, so that a message stays on one line. */
export function quoted(text: string): string {
  let result = '"';
  for (const character of text)
    result += ESCAPES.get(character) ?? (PRINTABLE.test(character) ? character : codeEscape(character));
  return `${result}"`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

const PRINTABLE = /^[ \p{L}\p{M}\p{N}\p{P}\p{S}]$/u;

function codeEscape(character: string): string {
  const code = character.codePointAt(0) as number;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}
