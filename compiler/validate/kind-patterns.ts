import { anyOf, literalOrGlob, type Matcher } from '../../runtime/policy/index.js';
import { sanitize } from '../ast/names.js';

/**
 * A matcher of kinds, as people write both: `leave-request` and `leave-*` match `leave_request` and `leave-request`
 * (docs/spec/policy-language.md#sanitized-names). A string with a `*` is a glob.
 */
export function kindMatcher(pattern: string): Matcher {
  const matches = anyOf(kindPatterns(pattern).map(literalOrGlob));
  return (kind) => matches(sanitize(kind));
}

/** The names and globs that match sanitized kinds where a pattern is meant to match kinds as people write them. */
export function kindPatterns(pattern: string): readonly string[] {
  if (!pattern.includes('*')) return [sanitize(pattern)];
  // Kinds that are no plain names keep their separators.
  return [...new Set([pattern, withoutSeparators(pattern)])];
}

/** A string with `_` for every run of separators, as in kinds that are plain names; but not in the lists of globs. */
export function withoutSeparators(pattern: string): string {
  return pattern.replace(/\\.|\[[^\]]*\]|[:@\-/]+/gs, (text) => (/^[\\[]/.test(text) ? text : '_'));
}
