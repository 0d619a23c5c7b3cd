import type { PolicyTexts } from './leave-policies.js';

/**
 * One policy with this many rules about one action, for employees. Each rule has a condition that depends on the
 * resource.
 */
export function policiesOfRules(count: number): PolicyTexts {
  const rules = Array.from({ length: count }, (_, index) => ({
    actions: ['view'],
    effect: 'EFFECT_ALLOW',
    roles: ['employee'],
    condition: { match: { expr: CONDITIONS[index % CONDITIONS.length]?.(index) } },
  }));
  return {
    'document.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: { resource: 'document', version: 'default', rules },
    }),
  };
}

const CONDITIONS: readonly ((index: number) => string)[] = [
  (index) => `R.attr.owner == P.id && R.attr.level <= ${index}.0`,
  (index) => `R.attr.part == "part-${index}" && has(R.attr.released)`,
  (index) => `R.attr.department == P.attr.department && R.attr.state in ["draft", "open-${index}"]`,
  (index) => `R.attr.shared && R.attr.title.startsWith("t${index}")`,
];
