import { anyOf, glob, type Matcher } from '#runtime/policy';
import type { SchemaReference } from '../ast/policy.js';

/**
 * Whether a schema does not hold for an action of a rule (`ignoreWhen`,
 * docs/spec/policy-language.md#which-schemas-apply). The action may be a glob: it counts as ignored when its text is
 * matched, for it then reaches little else, and nothing is said about what may be exempt.
 */
export function ignoredBy({ ignoredActions }: SchemaReference): Matcher {
  return anyOf(ignoredActions.map(({ value }) => glob(value)));
}
