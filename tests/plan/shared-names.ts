import type { Document, ResourceRule } from '../support/oracle/documents.js';
import type { Random } from '../support/oracle/random.js';

/**
 * The policies, changed so that rules share a name and so their first result
 * (docs/spec/policy-language.md#rules-that-share-a-name).
 */
export function withSharedNames(random: Random, documents: readonly Document[]): readonly Document[] {
  return documents.map((document) => {
    const { resourcePolicy, principalPolicy } = document;
    if (resourcePolicy?.rules !== undefined)
      return { ...document, resourcePolicy: { ...resourcePolicy, rules: renamed(random, resourcePolicy.rules) } };
    if (principalPolicy?.rules === undefined) return document;
    const rules = principalPolicy.rules.map((block) => ({
      ...block,
      actions: block.actions.map((action, index) => (index === 0 ? { ...action, name: 'shared' } : action)),
    }));
    return { ...document, principalPolicy: { ...principalPolicy, rules } };
  });
}

/** Names one rule like another that has no name. */
function renamed(random: Random, rules: readonly ResourceRule[]): readonly ResourceRule[] {
  const unnamed = rules.flatMap(({ name }, index) => (name === undefined ? [index] : []));
  if (unnamed.length === 0 || rules.length < 2) return rules;
  const known = random.pick(unnamed);
  const called = random.pick([...rules.keys()].filter((index) => index !== known));
  return rules.map((rule, index) =>
    index === called ? { ...rule, name: `rule-${String(known + 1).padStart(3, '0')}` } : rule,
  );
}
