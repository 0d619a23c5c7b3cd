import { importKey, makePolicyKey } from '../ast/names.js';
import type { PolicyFile, ResourcePolicy } from '../ast/policy.js';
import type { LinkedDerivedRole } from '../ast/policy-set.js';
import { didYouMean, type Hint } from '../../packages/cel/check/did-you-mean.js';
import type { Details } from '../diagnostics/diagnostic.js';
import type { MessageParameters } from '../diagnostics/messages.js';
import type { Located } from '../diagnostics/span.js';
import { linkBindings } from './bindings.js';
import { type Catalogue, type FileOf, hasKind } from './catalogue.js';
import { linkCondition } from './expressions.js';
import { suggestSets } from './suggest-sets.js';
import { addTo } from '../append.js';
import { printPosition } from '../ast/places.js';
import type { Problems } from '../diagnostics/problems.js';

/** A derived-roles document, linked once for all policies that import it. */
export interface RoleSet {
  readonly roles: readonly LinkedDerivedRole[];
}

/** The union of several sets. */
interface RoleSetUnion {
  /** Every definition, sorted by key. */
  readonly all: readonly LinkedDerivedRole[];
  readonly byName: ReadonlyMap<string, readonly Candidate[]>;
}

/**
 * Links derived-roles documents on first use: those that are not imported are not linked
 * (docs/spec/policy-language.md#documents).
 */
export class RoleSets {
  private readonly linked = new Map<PolicyFile, RoleSet>();
  private readonly unions = new Map<string, RoleSetUnion>();

  constructor(
    private readonly catalogue: Catalogue,
    private readonly problems: Problems,
  ) {}

  /**
   * The union of a list of imports; missing sets contribute nothing. Thousands of policies may have the same list, so
   * its union is built once.
   */
  imported(names: readonly string[]): RoleSetUnion {
    const key = JSON.stringify(names);
    const union = this.unions.get(key) ?? this.unite(names);
    this.unions.set(key, union);
    return union;
  }

  /** Suggests which set to import for a derived role of this name. */
  suggestImports(name: string): readonly Hint[] {
    return suggestSets(name, 'derived-roles', this.catalogue);
  }

  private unite(names: readonly string[]): RoleSetUnion {
    const all = new Map<string, LinkedDerivedRole>();
    const byName = new Map<string, Candidate[]>();
    for (const [by, name] of names.entries()) {
      const set = this.find(name);
      for (const role of set?.roles ?? []) {
        all.set(role.key, role);
        addTo(byName, role.definition.name.value, { role, by });
      }
    }
    return { all: [...all.values()].sort((a, b) => (a.key < b.key ? -1 : 1)), byName };
  }

  private find(name: string): RoleSet | undefined {
    const file = this.catalogue.find(importKey('derived_roles', name));
    if (file === undefined || !hasKind(file, 'derived-roles')) return undefined;
    const set = this.linked.get(file) ?? linkRoleSet(file, this.catalogue, this.problems);
    this.linked.set(file, set);
    return set;
  }
}

/** The derived roles that a resource policy imports. */
export interface ImportedRoles {
  /** Every definition, sorted by key. */
  readonly all: readonly LinkedDerivedRole[];
  /** The definitions that rules name. */
  readonly named: ReadonlyMap<string, LinkedDerivedRole>;
}

/**
 * Resolves the derived roles that the rules of a resource policy name; reports unknown and ambiguous ones, once per
 * name (docs/spec/policy-language.md#importing-derived-roles).
 */
export function linkDerivedRoles(file: FileOf<'resource'>, roleSets: RoleSets, problems: Problems): ImportedRoles {
  const { all, byName } = roleSets.imported(file.policy.importDerivedRoles.map(({ value }) => value));
  const named = new Map<string, LinkedDerivedRole>();
  for (const [name, uses] of usesByName(file.policy)) {
    const candidates = byName.get(name) ?? [];
    const [first] = candidates;
    if (first === undefined) {
      // The machine-readable report has the last use.
      const last = uses.at(-1)?.place;
      const details = {
        hints: () => [...roleSets.suggestImports(name), ...didYouMean(name, byName.keys())].slice(0, 1),
        others: uses.slice(0, -1).map(({ place }) => place),
      };
      problems.add('derived-role/unknown', last, { name }, details);
    } else if (candidates.length > 1)
      problems.add(
        'derived-role/ambiguous',
        file.source,
        ...ambiguity(name, candidates, file.policy.importDerivedRoles),
      );
    else named.set(name, first.role);
  }
  return { all, named };
}

function linkRoleSet(file: FileOf<'derived-roles'>, catalogue: Catalogue, problems: Problems): RoleSet {
  const { policy } = file;
  const bindings = linkBindings(file, catalogue, problems);
  for (const definition of policy.definitions)
    linkCondition(definition.condition, { ...bindings, catalogue }, problems);
  const key = makePolicyKey(policy);
  return {
    roles: policy.definitions.map((definition) => ({
      key: `${key}#${definition.name.value}`,
      set: policy.name.value,
      file,
      definition,
      bindings,
    })),
  };
}

/** A definition, and the import that it came from. */
interface Candidate {
  readonly role: LinkedDerivedRole;
  readonly by: number;
}

function ambiguity(
  name: string,
  candidates: readonly Candidate[],
  imports: readonly Located<string>[],
): [MessageParameters<'derived-role/ambiguous'>, Details] {
  const definitions = candidates.map(({ role, by }) => {
    const as = imports[by] as Located<string>;
    return `${role.file.source.path} (imported as ${JSON.stringify(as.value)} at ${printPosition(as.place)})`;
  });
  const notes = candidates.map(({ role }) => ({
    message: `defined in ${role.set}`,
    span: role.definition.name.place.span,
  }));
  return [{ name, definitions }, { notes }];
}

/** Each derived role that rules name, sorted, with the places where it is named. */
function usesByName(policy: ResourcePolicy): readonly (readonly [string, readonly Located<string>[]])[] {
  const uses = new Map<string, Located<string>[]>();
  for (const use of policy.rules.flatMap((rule) => rule.derivedRoles)) addTo(uses, use.value, use);
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1));
}
