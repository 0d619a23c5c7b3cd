import type {
  ActionOf,
  KindOf,
  Permissions,
  PlannedResourceOf,
  PrincipalOf,
  ResourceOf,
} from '../../runtime/policy/index.js';
import type { AuthzClient, CallOptions, CheckAllRequest, RequestExtras } from './authz-client.js';

/** Which of several actions are allowed on each of several rows, as `engine.capabilities` is asked. */
export interface CapabilitiesRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>>
  extends RequestExtras {
  readonly principal: PrincipalOf<P, K>;
  /** The kind of all rows, and the scope and version of those that have none. */
  readonly resource: Omit<PlannedResourceOf<P, K>, 'attr'>;
  readonly rows: readonly Omit<ResourceOf<P, K>, 'kind'>[];
  /** One or more actions; unique. */
  readonly actions: readonly A[];
}

/** How many resources a server accepts in a request, unless it is configured otherwise. */
const MOST_ROWS = 50;

/**
 * Asks a decision point about each action on each row: `engine.capabilities` over any client. It sends a request for
 * every 50 rows; they are decided one after the other, so a bundle may change in between.
 *
 * @example
 * import { capabilities, inProcessClient } from 'authz/client';
 * import { policies } from './dist/policies.js';
 *
 * const cells = await capabilities(inProcessClient(policies), {
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   rows: [{ id: 'a1', attr: { owner: 'ann' } }, { id: 'a2', attr: { owner: 'bob' } }],
 *   actions: ['edit'],
 * });
 * console.log(cells); // => [ { edit: true }, { edit: false } ]
 */
export async function capabilities<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>>(
  client: Pick<AuthzClient<P>, 'checkAll'>,
  { resource, rows, actions, ...request }: CapabilitiesRequest<P, K, A>,
  options?: CallOptions,
): Promise<readonly { readonly [Action in A]: boolean }[]> {
  const answers: { readonly [Action in A]: boolean }[] = [];
  for (let first = 0; first < rows.length; first += MOST_ROWS) {
    const some = rows.slice(first, first + MOST_ROWS);
    const resources = some.map(({ scope = resource.scope, policyVersion = resource.policyVersion, ...row }) => ({
      resource: {
        ...row,
        kind: resource.kind,
        ...(scope !== undefined && { scope }),
        ...(policyVersion !== undefined && { policyVersion }),
      },
      actions,
    }));
    const { results } = await client.checkAll({ ...request, resources } as unknown as CheckAllRequest<P>, options);
    answers.push(...results.map(({ allowed }) => allowed as { readonly [Action in A]: boolean }));
  }
  return answers;
}
