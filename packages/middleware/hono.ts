/** Guards for Hono. */
import type { Context, MiddlewareHandler } from 'hono';
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

/** The settings of guards for Hono. */
export interface HonoGuardSettings<P extends Permissions> extends GuardSettings<P, Context> {
  /** The response to a refused request, in place of a JSON object with `error`. */
  readonly refuse?: ((refusal: Refusal, c: Context) => Response | Promise<Response>) | undefined;
}

/** Makes middleware that lets a request pass if an action is allowed. The decision is `c.var.authz`. */
export type HonoGuard<P extends Permissions> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
>(
  question: Question<P, Context, K, A, B>,
) => MiddlewareHandler<{ Variables: { authz: Decision<P, K, A | B> } }>;

/**
 * Creates the function that makes the guards of an application. A request that is aborted ends its call.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { honoGuard } from 'authz/middleware/hono';
 * import { Hono } from 'hono';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * const guard = honoGuard<Policies>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: (c) => ({ id: c.req.header('x-user') ?? 'guest', roles: ['user'] }),
 * });
 * const mayEdit = guard({
 *   action: 'edit',
 *   resource: () => album,
 * });
 * const app = new Hono().get('/', mayEdit, (c) => c.json(c.var.authz.allowed));
 * console.log((await app.request('/', { headers: { 'x-user': 'bob' } })).status); // => 403
 */
export function honoGuard<P extends Permissions = AnyPermissions>(settings: HonoGuardSettings<P>): HonoGuard<P> {
  const { refuse = refusalResponse } = settings;
  return (question) => async (c, next) => {
    const { decision, refusal } = await decide(settings, question, c, { signal: c.req.raw.signal });
    if (refusal !== undefined) return refuse(refusal, c);
    c.set('authz', decision);
    return next();
  };
}

function refusalResponse(refusal: Refusal, c: Context): Response {
  return c.json(makeBody(refusal), refusal.status, makeHeaders(refusal));
}
