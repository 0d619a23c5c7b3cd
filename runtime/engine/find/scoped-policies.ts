import type { LoadScope, PolicyLists, TracedBundle } from '../../policy/index.js';
import { ScopeSet } from './chains.js';
import { type Findable, type OnLoad, type Registry, requirePart, type ScopedPolicies } from './registry.js';

/** The policies of one scope, in a bundle that makes them on demand. */
export interface PoliciesOfScope {
  /** Not the root. */
  readonly scope: string;
  /** Whether it has resource policies, or role policies with rules: requests about resources can be at this scope. */
  readonly listsResources: boolean;
  /** Whether it has role policies. */
  readonly hasRoles: boolean;
  /** The principals with policies of this scope. */
  readonly principals: readonly string[];
  /** Makes the policies, anew with each call. */
  readonly load: () => PolicyLists;
}

/**
 * A bundle that makes the policies of a scope when a request first names it
 * (docs/decisions/compiler.md#0110).
 *
 * @param root the bundle without the policies of scopes.
 * @param scopes one element for each scope with policies.
 */
export function loadedByScope<Root extends Findable>(
  root: Root,
  scopes: readonly PoliciesOfScope[],
): Root & { readonly scoped: ScopedPolicies } {
  const table = new ScopeTable(scopes, ({ load }) => load());
  const lists = new Map<keyof PolicyLists, unknown>();
  const once = <List>(name: keyof PolicyLists, make: (all: readonly PolicyLists[]) => List): List => {
    if (!lists.has(name)) lists.set(name, make([root, ...table.all()]));
    return lists.get(name) as List;
  };
  return {
    ...root,
    scoped: {
      root,
      scopes: scopes.map(({ scope }) => scope),
      open: (registry, bundle, onLoad) => open(table, scopes, { registry, bundle, onLoad }),
    },
    get resourcePolicies() {
      return once('resourcePolicies', (all) => all.flatMap((some) => some.resourcePolicies).sort(byKey));
    },
    get principalPolicies() {
      return once('principalPolicies', (all) => all.flatMap((some) => some.principalPolicies).sort(byKey));
    },
    get rolePolicies() {
      return once('rolePolicies', (all) => all.flatMap((some) => some.rolePolicies).sort(byKey));
    },
    get filters() {
      return once('filters', (all) => all.flatMap((some) => some.filters ?? []));
    },
  };
}

/** The order of the lists of other bundles. */
function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

interface Opened {
  readonly registry: Registry;
  readonly bundle: Findable;
  readonly onLoad: OnLoad | undefined;
}

/** Opens a scope for `ScopedPolicies.open`. */
function open(
  table: ScopeTable<PoliciesOfScope, PolicyLists>,
  scopes: readonly PoliciesOfScope[],
  { registry, bundle: { principalJudge, roleJudge }, onLoad }: Opened,
): void {
  const { shared, settings } = registry;
  for (const { scope, listsResources, hasRoles, principals } of scopes) {
    if (listsResources) registry.resourceScopes.add(scope);
    if (hasRoles) registry.roles ??= requirePart(roleJudge).rolesOf([], shared);
    if (principals.length === 0) continue;
    registry.principals ??= requirePart(principalJudge).principalsOf([], shared, settings.lenientScopeSearch);
    registry.principals.expect(principals, scope);
  }
  shared.load = table.loader(settings.lenientScopeSearch, (policies, scope) => {
    registry.add([...policies.resourcePolicies, ...policies.principalPolicies]);
    registry.principals?.add(policies.principalPolicies);
    registry.roles?.add(policies.rolePolicies);
    shared.traced?.load?.(scope);
    onLoad?.(policies);
  });
}

/** The traced conditions of the policies of a scope. */
export interface TracedScope {
  readonly scope: string;
  /** Makes the conditions, as entries of the maps. */
  readonly load: () => TracedLists;
}

type Entries<Of> = Of extends ReadonlyMap<infer Key, infer Value> ? readonly (readonly [Key, Value])[] : never;

/** The traced conditions of some policies. */
export interface TracedLists {
  readonly conditions: Entries<TracedBundle['conditions']>;
}

/**
 * A traced bundle that makes the conditions of a scope when the engine loads the scope.
 *
 * @param root the bundle without the conditions of scopes.
 */
export function tracedByScope<Root extends TracedBundle>(root: Root, scopes: readonly TracedScope[]): Root {
  const conditions = new Map(root.conditions);
  const table = new ScopeTable(scopes, ({ load }) => {
    for (const [key, condition] of load().conditions) conditions.set(key, condition);
  });
  return { ...root, conditions, load: (scope) => table.at(scope) };
}

/** What is made for each scope, once. */
class ScopeTable<Row extends { readonly scope: string }, Made> {
  private readonly made = new Map<string, Made>();
  private readonly rows: ReadonlyMap<string, Row>;

  constructor(
    rows: readonly Row[],
    private readonly make: (row: Row) => Made,
  ) {
    this.rows = new Map(rows.map((row) => [row.scope, row]));
  }

  /** What was made for a scope; undefined if the table does not have it. */
  at(scope: string): Made | undefined {
    const row = this.rows.get(scope);
    if (row !== undefined && !this.made.has(scope)) this.made.set(scope, this.make(row));
    return this.made.get(scope);
  }

  all(): readonly Made[] {
    return [...this.rows.keys()].map((scope) => this.at(scope) as Made);
  }

  /** Only names of this table are kept, so that requests cannot fill the memory. */
  loader(lenient: boolean, add: (made: Made, scope: string) => void): LoadScope {
    const scopes = new ScopeSet(lenient);
    for (const scope of this.rows.keys()) scopes.add(scope);
    const added = new Set<string>();
    return (requested) => {
      if (added.has(requested)) return;
      const first = scopes.first(requested);
      if (first === undefined) return;
      for (const scope of scopes.listFrom(first)) {
        if (added.has(scope)) continue;
        add(this.at(scope) as Made, scope);
        // Only now: if the policies cannot be made, no request is decided without them.
        added.add(scope);
      }
    };
  }
}
