/** Guards for route handlers of Next.js, and of everything else that handles standard requests. */
import type { ActionOf, AnyPermissions, KindOf, Permissions } from '../client/index.js';
import {
  makeBody,
  type Decision,
  decide,
  type GuardSettings,
  makeHeaders,
  type Question,
  type Refusal,
} from './guard.js';

export type { Decision, GuardSettings, Question, Refusal } from './guard.js';

/** What is known about a call of a route handler. */
export interface RouteCall<R extends Request, Params> {
  readonly request: R;
  /** The dynamic segments of the path. */
  readonly params: Params;
}

/** The settings of guards for Next.js. */
export interface NextGuardSettings<P extends Permissions, R extends Request>
  extends GuardSettings<P, { readonly request: R }> {
  /** The response to a refused request, in place of a JSON object with `error`. */
  readonly refuse?: ((refusal: Refusal, request: R) => Response | Promise<Response>) | undefined;
}

/** The second argument of route handlers. */
interface RouteContext<Params> {
  readonly params: Promise<Params>;
}

/** Wraps a route handler, which is called with the decision if an action is allowed. */
export type NextGuard<P extends Permissions, R extends Request> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
  Params extends object = { readonly [segment: string]: string },
>(
  question: Question<P, RouteCall<R, Params>, K, A, B>,
  handler: (call: RouteCall<R, Params> & { readonly decision: Decision<P, K, A | B> }) => Response | Promise<Response>,
) => (request: R, context: RouteContext<Params>) => Promise<Response>;

/**
 * Creates the function that guards the route handlers of an application. A request that is aborted ends its call.
 * `nextGuard<Policies, NextRequest>` has the requests of Next.js.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { nextGuard } from 'authz/middleware/next';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * const guard = nextGuard<Policies>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: ({ request }) => ({ id: request.headers.get('x-user') ?? 'guest', roles: ['user'] }),
 * });
 * // In app/albums/[id]/route.ts
 * export const GET = guard(
 *   { action: 'edit', resource: () => album },
 *   ({ decision }) => Response.json(decision.allowed),
 * );
 * const request = new Request('http://localhost/albums/a1', { headers: { 'x-user': 'ann' } });
 * console.log(await (await GET(request, { params: Promise.resolve({ id: 'a1' }) })).text()); // => {"edit":true}
 */
export function nextGuard<P extends Permissions = AnyPermissions, R extends Request = Request>(
  settings: NextGuardSettings<P, R>,
): NextGuard<P, R> {
  const { refuse = refusalResponse } = settings;
  return (question, handler) => async (request, context) => {
    const call = { request, params: await context.params };
    const { decision, refusal } = await decide(settings, question, call, { signal: request.signal });
    return refusal === undefined ? handler({ ...call, decision }) : refuse(refusal, request);
  };
}

function refusalResponse(refusal: Refusal): Response {
  return Response.json(makeBody(refusal), { status: refusal.status, headers: makeHeaders(refusal) });
}
