import type { Types } from '../ast/checked.js';
import type { LinkedDerivedRole, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import type { Module, Program } from '../ir/program.js';
import type { SchemaSet } from '../ir/schema.js';
import { lowerDerivedRoles } from './derived-roles.js';
import { lowerPrincipalPolicy } from './principal.js';
import { lowerResourcePolicy } from './resource.js';
import { lowerRolePolicy } from './role.js';

/** Policies as data and decisions: no name is left to look up (design 5.1). */
export function lower(policies: PolicySet, types: Types, schemas: SchemaSet = NO_SCHEMAS): Program {
  const modules = [
    ...derivedRoleSets(policies.policies).map((definitions) => lowerDerivedRoles(definitions, types)),
    ...policies.policies.map((policy) => lowerPolicy(policy, types, schemas)),
  ];
  return { modules: modules.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)), schemas: schemas.modules };
}

const NO_SCHEMAS: SchemaSet = { modules: [], entries: new Map() };

function lowerPolicy(policy: LinkedPolicy, types: Types, schemas: SchemaSet): Module {
  switch (policy.kind) {
    case 'resource':
      return lowerResourcePolicy(policy, types, schemas);
    case 'principal':
      return lowerPrincipalPolicy(policy, types);
    case 'role':
      return lowerRolePolicy(policy, types);
  }
}

/** The definitions some policy imports, by document; a document nobody imports is not compiled (policy-language.md 1). */
function derivedRoleSets(policies: readonly LinkedPolicy[]): readonly (readonly LinkedDerivedRole[])[] {
  const sets = new Map<string, Map<string, LinkedDerivedRole>>();
  for (const policy of policies) {
    if (policy.kind !== 'resource') continue;
    for (const role of policy.importedRoles) {
      const set = sets.get(role.set) ?? new Map<string, LinkedDerivedRole>();
      sets.set(role.set, set.set(role.definition.name.value, role));
    }
  }
  return [...sets.values()].map((set) =>
    [...set.values()].sort((a, b) => a.definition.place.anchor - b.definition.place.anchor),
  );
}
