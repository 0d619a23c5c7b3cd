import { literalAndGlob, literalOrGlob, type Matcher } from '#runtime/policy';

/** Whether all that a text of a policy reaches is surely reached by other texts. */
export type Covers = (text: string) => boolean;

/**
 * Of texts that are globs only with a `*` (docs/spec/policy-language.md#where-a-string-is-a-glob): actions, roles,
 * resources.
 */
export function coverOf(texts: readonly string[]): Covers {
  return coveredBy(texts, literalOrGlob, /\*/);
}

/**
 * Of the `allowActions` of role policies, which are always globs as well
 * (docs/spec/policy-language.md#where-a-string-is-a-glob).
 */
export function coverOfAllowed(texts: readonly string[]): Covers {
  return coveredBy(texts, literalAndGlob, /[*?[\]{}\\]/);
}

// A glob is covered by itself and by what matches everything; whether one glob contains another is not worked out.
function coveredBy(texts: readonly string[], matcher: (text: string) => Matcher, special: RegExp): Covers {
  const own = new Set(texts);
  if (own.has('*') || own.has('**')) return () => true;
  const matchers = texts.filter((text) => special.test(text)).map(matcher);
  return (text) => own.has(text) || (!special.test(text) && matchers.some((matches) => matches(text)));
}
