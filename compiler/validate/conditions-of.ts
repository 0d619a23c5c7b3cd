import type { Condition } from '../ast/policy.js';
import type { LinkedPolicy, PolicySet } from '../ast/policy-set.js';

/** Every condition that is compiled, each once: of rules, and of all definitions of imported derived roles. */
export function conditionsOf({ policies }: PolicySet): ReadonlySet<Condition> {
  return new Set(policies.flatMap(ofPolicy).filter((condition) => condition !== undefined));
}

function ofPolicy(linked: LinkedPolicy): readonly (Condition | undefined)[] {
  switch (linked.kind) {
    case 'resource':
      return [...linked.policy.rules.map(({ condition }) => condition), ...linked.importedRoles.map(({ definition }) => definition.condition)];
    case 'principal':
      return linked.policy.rules.flatMap((rule) => rule.actions.map(({ condition }) => condition));
    case 'role':
      return linked.policy.rules.map(({ condition }) => condition);
  }
}
