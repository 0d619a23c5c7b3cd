import type { Suggestion } from '../../packages/cel/check/did-you-mean.js';
import type { Span } from './span.js';

/** A change of a file that resolves a diagnostic, for editors, `--fix` and SARIF. */
export interface Fix {
  /** What a menu shows: ``replace `ownr` with `owner` ``. */
  readonly description: string;
  /** The text that is replaced; empty for an insertion. */
  readonly span: Span;
  readonly text: string;
  /**
   * Whether it can be applied without asking: the policies mean the same afterwards, or the written text can mean
   * nothing else. The nearest name is only a guess.
   */
  readonly isSafe: boolean;
}

/**
 * Replaces the written name, if the text of the problem has it once and as it is. Names that may need quotes are left
 * to the author.
 */
export function fixOfSuggestion(
  { written, nearest, isSafe = false }: Suggestion,
  { source, start, end }: Span,
): Fix | undefined {
  const parts = source.text.slice(start, end).split(written);
  if (written === '' || parts.length !== 2 || !/^[\w.-]+$/.test(nearest)) return undefined;
  const at = start + (parts[0] as string).length;
  return {
    description: `replace \`${written}\` with \`${nearest}\``,
    span: { source, start: at, end: at + written.length },
    text: nearest,
    isSafe,
  };
}
