import type { Condition } from '../ast/policy.js';
import type { LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import { importedRolesOf } from './imported-roles.js';

/** Every condition that is compiled, each once: of rules, and of all definitions of imported derived roles. */
export function conditionsOf({ policies }: PolicySet): ReadonlySet<Condition> {
  const ofRoles = [...importedRolesOf(policies)].map(({ definition }) => definition.condition);
  return new Set([...policies.flatMap(ofRules), ...ofRoles].filter((condition) => condition !== undefined));
}

function ofRules(linked: LinkedPolicy): readonly (Condition | undefined)[] {
  switch (linked.kind) {
    case 'resource':
      return linked.policy.rules.map(({ condition }) => condition);
    case 'principal':
      return linked.policy.rules.flatMap((rule) => rule.actions.map(({ condition }) => condition));
    case 'role':
      return linked.policy.rules.map(({ condition }) => condition);
  }
}
