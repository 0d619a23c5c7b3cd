import { importPackage } from '../import-package.js';
import type { Attributes, Decide, Question, Workload } from '../workload.js';

/** The part of the package that is used. */
interface Cedar {
  readonly preparsePolicySet: (id: string, policies: { readonly staticPolicies: string }) => { readonly type: string };
  readonly statefulIsAuthorized: (call: object) => {
    readonly type: string;
    readonly response?: { readonly decision: string };
  };
}

/** Decides with `statefulIsAuthorized` of Cedar: policies are parsed and calls are objects beforehand. */
export async function decideWithCedar(
  { name, cedar }: Workload,
  questions: readonly Question[],
): Promise<Decide | undefined> {
  if (cedar === undefined) return undefined;
  const { preparsePolicySet, statefulIsAuthorized } = await importPackage<Cedar>('@cedar-policy/cedar-wasm/nodejs');
  const parsed = preparsePolicySet(name, { staticPolicies: cedar.text });
  if (parsed.type !== 'success') throw new Error(`policies of Cedar: ${JSON.stringify(parsed)}`);
  const calls = questions.map((question) => {
    const { principal, resource, action } = question;
    const [user, object] = [
      { type: 'User', id: principal.id },
      { type: entityType(resource.kind), id: resource.id },
    ];
    const { principal: groups = [], resource: containers = [] } = cedar.groups?.(question) ?? {};
    const parents = (ids: readonly string[]): readonly object[] => ids.map((id) => ({ type: 'Group', id }));
    const attributes = (attr: Attributes): object =>
      Object.fromEntries(
        Object.entries(attr).map(([key, value]) => [key, cedar.entities?.includes(key) ? toGroups(value) : value]),
      );
    return {
      principal: user,
      action: { type: 'Action', id: action },
      resource: object,
      context: {},
      preparsedPolicySetId: name,
      entities: [
        {
          uid: user,
          attrs: { id: principal.id, roles: principal.roles, ...attributes(principal.attr) },
          parents: parents(groups),
        },
        { uid: object, attrs: { id: resource.id, ...attributes(resource.attr) }, parents: parents(containers) },
      ],
    };
  });
  return (index) => {
    const answer = statefulIsAuthorized(calls[index] as object);
    if (answer.response === undefined) throw new Error(`Cedar: ${JSON.stringify(answer)}`);
    return answer.response.decision === 'allow';
  };
}

/** Ids as entities. */
function toGroups(value: Attributes[string]): unknown {
  const one = (id: unknown): object => ({ __entity: { type: 'Group', id } });
  return Array.isArray(value) ? value.map(one) : one(value);
}

/** The type of resources of a kind: `document` is `Document`. */
export function entityType(kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
}
