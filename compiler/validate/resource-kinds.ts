import { sanitize } from '../ast/names.js';
import type { PolicySet } from '../ast/policy-set.js';

/**
 * The kinds that resource policies are about, as requests are looked up (docs/spec/policy-language.md#sanitized-names).
 * Sorted.
 */
export function resourceKindsOf({ policies }: PolicySet): readonly string[] {
  const kinds = policies.flatMap((linked) =>
    linked.kind === 'resource' ? [sanitize(linked.policy.resource.value)] : [],
  );
  return [...new Set(kinds)].sort();
}

/** A text as kinds made of plain names are looked up: every run of separators is one `_`. */
export function withoutSeparators(text: string): string {
  return text.replace(/[:@\-/]+/g, '_');
}

/**
 * Whether a glob has a character that no kind made of plain names has when it is looked up. Braces and brackets could
 * stand for something else: of such globs nothing is said.
 */
export function needsSeparator(glob: string): boolean {
  return /[:@\-/]/.test(glob) && !/[[\]{}\\]/.test(glob);
}
