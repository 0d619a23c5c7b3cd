import { type PolicyBundle, sanitize } from '#runtime/policy';

/** The actions that the policies of a bundle name for a principal and a kind, sorted. */
export type ActionNames = (principalId: string, kind: string) => readonly string[];

/**
 * Finds the actions that a request can ask about. Globs name no action. Policies of every version and scope count:
 * a check decides which of them apply. Computed once for each kind.
 */
export function actionNames({
  resourcePolicies,
  principalPolicies,
}: Pick<PolicyBundle, 'resourcePolicies' | 'principalPolicies'>): ActionNames {
  const byKind = grouped(resourcePolicies, ({ kind }) => kind);
  const byPrincipal = grouped(principalPolicies, ({ principal }) => principal);
  const ofKinds = new Map<string, readonly string[]>();
  const ofKind = (kind: string): readonly string[] => {
    const policies = byKind.get(kind);
    // Only kinds of policies are kept, so that requests cannot fill the memory.
    if (policies === undefined) return [];
    let names = ofKinds.get(kind);
    if (names === undefined) {
      names = sorted(policies.flatMap(({ actions }) => [...actions.keys()]));
      ofKinds.set(kind, names);
    }
    return names;
  };
  return (principalId, kind) => {
    const name = sanitize(kind);
    const own = (byPrincipal.get(principalId) ?? []).flatMap(({ kinds }) => [
      ...(kinds.get(name)?.actions.keys() ?? []),
    ]);
    return own.length === 0 ? ofKind(name) : sorted([...ofKind(name), ...own]);
  };
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
