import { literalOrGlob } from '../../../runtime/policy/index.js';
import { kindMatcher } from '../kind-patterns.js';
import { sanitize } from '../../ast/names.js';
import { didYouMean } from '../../../packages/cel/check/did-you-mean.js';
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

/** Whether a kind or a glob of kinds has a kind in common with one of several, however each is spelt. */
export function isKnownKind(text: string, known: ReadonlySet<string>): boolean {
  const matches = kindMatcher(text);
  return known.has(text) || [...known].some((other) => matches(other) || kindMatcher(other)(text));
}

/** The known names that a name was probably meant to be. */
export function suggest({ value }: Located<string>, known: ReadonlySet<string>): Details {
  return { hints: () => didYouMean(value, known) };
}
