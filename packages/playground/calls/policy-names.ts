import type { JsonObject } from '../json.js';

/** What requests about a kind of resource can name, by the policies of the server. */
export interface KindNames {
  readonly kind: string;
  readonly actions: readonly string[];
  readonly roles: readonly string[];
  readonly policyVersions: readonly string[];
  /** The root is the empty string. */
  readonly scopes: readonly string[];
  /** Attributes that the schema of the resource accepts, if the server knows it. */
  readonly attr?: JsonObject;
}

/** Reads the names from the server that shows the page; none if it does not tell. */
export async function fetchNames(): Promise<readonly KindNames[]> {
  const response = await fetch('explorer/names.json');
  if (!response.ok) return [];
  const { kinds } = (await response.json()) as { readonly kinds: readonly KindNames[] };
  return kinds;
}

/** The principal of an example about a kind. */
export function examplePrincipal({ roles }: KindNames): JsonObject {
  return { id: 'alice', roles: [roles[0] ?? 'user'] };
}

/** The resources of an example about a kind. */
export function exampleResource({ kind, policyVersions, scopes }: KindNames): JsonObject {
  const [version = 'default'] = policyVersions;
  const [scope = ''] = scopes;
  return {
    kind,
    ...(policyVersions.includes('default') || version === 'default' ? {} : { policyVersion: version }),
    ...(scopes.includes('') || scope === '' ? {} : { scope }),
  };
}

/** A single resource of an example about a kind, with attributes if they are known. */
export function exampleOne(names: KindNames): JsonObject {
  return { ...exampleResource(names), id: '1', ...(names.attr === undefined ? {} : { attr: names.attr }) };
}

/** The actions of an example about a kind. */
export function exampleActions({ actions }: KindNames): readonly [string, ...string[]] {
  const [first = 'view', ...others] = actions;
  return [first, ...others.slice(0, 4)];
}

/** Names that a field may be offered. */
export type Suggested = 'kind' | 'actions' | 'roles' | 'policyVersions' | 'scopes';

/** The names for a field: of one kind if the form has chosen a known one, otherwise of all. */
export function namesFor(names: readonly KindNames[], suggested: Suggested, kind: string): readonly string[] {
  if (suggested === 'kind') return names.map((one) => one.kind);
  const chosen = names.filter((one) => one.kind === kind);
  const found = (chosen.length > 0 ? chosen : names).flatMap((one) => one[suggested]);
  return [...new Set(found)].filter((name) => name !== '').sort();
}
