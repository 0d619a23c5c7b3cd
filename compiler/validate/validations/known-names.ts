import { literalOrGlob } from '#runtime/policy';
import { sanitize } from '../../ast/names.js';
import { didYouMean } from '../../diagnostics/did-you-mean.js';
import type { Details } from '../../diagnostics/diagnostic.js';
import type { Located } from '../../diagnostics/span.js';

/**
 * Whether a name or a glob and one of several names or globs have a text in common. Of two globs this is only found if
 * one of them matches the other as a text.
 */
export function isKnown(text: string, known: ReadonlySet<string>): boolean {
  if (known.has(text)) return true;
  const matches = literalOrGlob(text);
  return [...known].some((other) => matches(other) || literalOrGlob(other)(text) || sanitize(other) === sanitize(text));
}

/** The known names that a name was probably meant to be. */
export function suggest({ value }: Located<string>, known: ReadonlySet<string>): Details {
  return { hints: () => didYouMean(value, known) };
}
