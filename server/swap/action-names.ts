import {
  matchesName,
  namedActions,
  type PolicyBundle,
  type PrincipalPolicy,
  type ResourcePolicy,
  sanitize,
} from '../../runtime/policy/index.js';

/** The actions that the policies of a bundle name for a principal and a kind, sorted. */
export type ActionNames = (principalId: string, kind: string) => readonly string[];

/**
 * Finds the actions that a request can ask about. Globs name no action. Policies of every version and scope count:
 * a check decides which of them apply. Computed once for each kind.
 */
export function actionNames(bundle: Pick<PolicyBundle, 'resourcePolicies' | 'principalPolicies'>): ActionNames {
  // Grouped with the first question: reading the lists of a large bundle makes all policies.
  let known: PoliciesByName | undefined;
  const policies = (): PoliciesByName => {
    known ??= {
      byKind: grouped(bundle.resourcePolicies, ({ kind }) => kind),
      byPrincipal: grouped(bundle.principalPolicies, ({ principal }) => principal),
    };
    return known;
  };
  const ofKinds = new Map<string, readonly string[]>();
  const ofKind = (kind: string): readonly string[] => {
    const ofSameKind = policies().byKind.get(kind);
    // Only kinds of policies are kept, so that requests cannot fill the memory.
    if (ofSameKind === undefined) return [];
    let names = ofKinds.get(kind);
    if (names === undefined) {
      names = sorted(ofSameKind.flatMap(({ rules }) => namedActions(rules)));
      ofKinds.set(kind, names);
    }
    return names;
  };
  return (principalId, kind) => {
    const name = sanitize(kind);
    const own = (policies().byPrincipal.get(principalId) ?? []).flatMap((policy) => actionsOn(name, policy));
    return own.length === 0 ? ofKind(name) : sorted([...ofKind(name), ...own]);
  };
}

/** The actions on a kind that rules of a principal policy name, if one of them names the kind. */
function actionsOn(kind: string, { rules }: PrincipalPolicy): readonly string[] {
  if (!rules.some(({ resource }) => resource === kind)) return [];
  return namedActions(rules.filter(({ resource = '*' }) => matchesName([resource], kind)));
}

interface PoliciesByName {
  readonly byKind: ReadonlyMap<string, readonly ResourcePolicy[]>;
  readonly byPrincipal: ReadonlyMap<string, readonly PrincipalPolicy[]>;
}

function grouped<Value>(
  values: readonly Value[],
  keyOf: (value: Value) => string,
): ReadonlyMap<string, readonly Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group === undefined) groups.set(keyOf(value), [value]);
    else group.push(value);
  }
  return groups;
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}
