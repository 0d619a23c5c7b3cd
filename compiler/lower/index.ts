import type { Types } from '../ast/checked.js';
import type { PolicyFile } from '../ast/policy.js';
import type { Bindings, LinkedDerivedRole, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import type { Module, Program } from '../ir/program.js';
import type { SchemaSet } from '../ir/schema.js';
import { lowerTenantRoles } from './tenant-roles.js';
export { lowerInvariants } from './invariants.js';
import { lowerDerivedRoles, lowerPrincipalPolicy, lowerResourcePolicy, lowerRolePolicy } from './modules.js';

/** Policies as data and decisions, with all names resolved. */
export function lower(policies: PolicySet, types: Types, schemas: SchemaSet = NO_SCHEMAS): Program {
  const modules = [
    ...derivedRoleSets(policies.policies).map((roles) =>
      unlessKnown(roles[0].file, listRoles(roles), () => lowerDerivedRoles(roles, types)),
    ),
    ...policies.policies.map((policy) =>
      unlessKnown(policy.file, listIngredients(policy), () => lowerPolicy(policy, types, schemas)),
    ),
  ];
  const tenantRoles = lowerTenantRoles(policies);
  return {
    modules: modules.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
    schemas: schemas.modules,
    tenantRoles,
  };
}

const NO_SCHEMAS: SchemaSet = { modules: [], entries: new Map() };

/**
 * The module of each file, with the inputs it was made from. When a folder is compiled again, equal inputs produce the
 * same object.
 */
const known = new WeakMap<PolicyFile, { readonly of: readonly unknown[]; readonly module: Module }>();

/**
 * @param of the inputs of a module other than its file, as objects that live as long as their files; undefined if there
 * are further inputs.
 */
function unlessKnown(file: PolicyFile, of: readonly unknown[] | undefined, make: () => Module): Module {
  if (of === undefined) return make();
  const before = known.get(file);
  if (before?.of.length === of.length && before.of.every((item, index) => item === of[index])) return before.module;
  const module = make();
  known.set(file, { of, module });
  return module;
}

/** JSON schemas are read anew each time, so a policy that references schemas is lowered each time. */
function listIngredients(policy: LinkedPolicy): readonly unknown[] | undefined {
  if (policy.kind !== 'resource') return listNames(policy.bindings);
  if (policy.policy.schemas !== undefined) return undefined;
  return [...listNames(policy.bindings), ...listRoles([...policy.derivedRoles.values()])];
}

function listRoles(roles: readonly LinkedDerivedRole[]): readonly unknown[] {
  const bindings = new Set(roles.map((role) => role.bindings));
  return [...roles.map(({ definition }) => definition), ...[...bindings].flatMap(listNames)];
}

function listNames({ variables, constants }: Bindings): readonly unknown[] {
  return [
    ...[...variables.values()].map(({ expression }) => expression),
    ...[...constants.values()].map(({ value }) => value),
  ];
}

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

/**
 * The definitions that some policy imports, by document; a document that is not imported is not compiled
 * (docs/spec/policy-language.md#documents).
 */
function derivedRoleSets(policies: readonly LinkedPolicy[]): readonly DerivedRoleSet[] {
  const sets = new Map<string, Map<string, LinkedDerivedRole>>();
  // Policies that import the same sets share the list.
  const lists = new Set(policies.flatMap((policy) => (policy.kind === 'resource' ? [policy.importedRoles] : [])));
  for (const role of [...lists].flat()) {
    const set = sets.get(role.set) ?? new Map<string, LinkedDerivedRole>();
    sets.set(role.set, set.set(role.definition.name.value, role));
  }
  return [...sets.values()].map(
    (set) =>
      [...set.values()].sort(
        (a, b) => a.definition.place.anchor - b.definition.place.anchor,
      ) as unknown as DerivedRoleSet,
  );
}

/** The definitions of one document: a document has at least one. */
type DerivedRoleSet = readonly [LinkedDerivedRole, ...LinkedDerivedRole[]];
