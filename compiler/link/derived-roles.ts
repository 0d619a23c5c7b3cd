import { importKey, policyKeyOf } from '../ast/names.js';
import type { PolicyFile, ResourcePolicy } from '../ast/policy.js';
import type { LinkedDerivedRole } from '../ast/policy-set.js';
import { didYouMean } from '../diagnostics/did-you-mean.js';
import type { Details } from '../diagnostics/diagnostic.js';
import type { MessageParameters } from '../diagnostics/messages.js';
import type { Located } from '../diagnostics/span.js';
import { linkBindings } from './bindings.js';
import { type Catalogue, type FileOf, hasKind } from './catalogue.js';
import { linkCondition } from './expressions.js';
import { addTo } from './groups.js';
import { printPosition } from '../ast/places.js';
import { counted, type Problems } from '../diagnostics/problems.js';

/** A derived-roles document, linked once for all policies that import it. */
export interface RoleSet {
  readonly roles: readonly LinkedDerivedRole[];
  /** Whether something in it was reported. */
  readonly isBroken: boolean;
}

/** Finds the set an import names; undefined when there is none. */
export type FindRoleSet = (name: string) => RoleSet | undefined;

/** Links derived-roles documents when first asked for: those nobody imports are not looked at (policy-language.md 1). */
export function roleSets(catalogue: Catalogue, problems: Problems): FindRoleSet {
  const linked = new Map<PolicyFile, RoleSet>();
  return (name) => {
    const file = catalogue.find(importKey('derived_roles', name));
    if (file === undefined || !hasKind(file, 'derived-roles')) return undefined;
    const set = linked.get(file) ?? linkRoleSet(file, catalogue, problems);
    linked.set(file, set);
    return set;
  };
}

/** What a resource policy imports. */
export interface ImportedRoles {
  /** Every definition, sorted by key. */
  readonly all: readonly LinkedDerivedRole[];
  /** Those that rules name. */
  readonly named: ReadonlyMap<string, LinkedDerivedRole>;
  /** Whether something in the imported sets or in their use was reported: that ends the policy (12.6). */
  readonly isBroken: boolean;
}

/** Resolves the derived roles that the rules of a resource policy name; reports unknown and ambiguous ones, once per name (7.1). */
export function linkDerivedRoles(file: FileOf<'resource'>, find: FindRoleSet, problems: Problems): ImportedRoles {
  const all = new Map<string, LinkedDerivedRole>();
  const byName = new Map<string, Candidate[]>();
  const own = counted(problems);
  let isBroken = false;
  for (const as of file.policy.importDerivedRoles) {
    const set = find(as.value);
    isBroken ||= set?.isBroken ?? false;
    for (const role of set?.roles ?? []) {
      const name = role.definition.name.value;
      all.set(role.key, role);
      addTo(byName, name, { role, as });
    }
  }
  const named = new Map<string, LinkedDerivedRole>();
  for (const [name, use] of lastUses(file.policy)) {
    const candidates = byName.get(name) ?? [];
    const [first] = candidates;
    if (first === undefined) own.add('derived-role/unknown', use.place, { name }, { hints: () => didYouMean(name, byName.keys()) });
    else if (candidates.length > 1) own.add('derived-role/ambiguous', file.source, ...ambiguity(name, candidates));
    else named.set(name, first.role);
  }
  return { all: [...all.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), named, isBroken: isBroken || own.count() > 0 };
}

function linkRoleSet(file: FileOf<'derived-roles'>, catalogue: Catalogue, problems: Problems): RoleSet {
  const { policy } = file;
  const own = counted(problems);
  const bindings = linkBindings(file, catalogue, own);
  for (const definition of policy.definitions) linkCondition(definition.condition, bindings, own);
  const key = policyKeyOf(policy);
  return {
    isBroken: own.count() > 0,
    roles: policy.definitions.map((definition) => ({
      key: `${key}#${definition.name.value}`,
      set: policy.name.value,
      file,
      definition,
      bindings,
    })),
  };
}

/** A definition and the import it came by. */
interface Candidate {
  readonly role: LinkedDerivedRole;
  readonly as: Located<string>;
}

function ambiguity(name: string, candidates: readonly Candidate[]): [MessageParameters<'derived-role/ambiguous'>, Details] {
  const definitions = candidates.map(
    ({ role, as }) => `${role.file.source.path} (imported as ${JSON.stringify(as.value)} at ${printPosition(as.place)})`,
  );
  const notes = candidates.map(({ role }) => ({ message: `defined in ${role.set}`, span: role.definition.name.place.span }));
  return [{ name, definitions }, { notes }];
}

/** Each derived role that rules name, sorted, with the last place that does. */
function lastUses(policy: ResourcePolicy): readonly (readonly [string, Located<string>])[] {
  const uses = new Map(policy.rules.flatMap((rule) => rule.derivedRoles.map((use) => [use.value, use] as const)));
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
}
