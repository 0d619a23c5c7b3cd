/** Guards for Fastify. */
import type { FastifyReply, FastifyRequest } from 'fastify';
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

/** The settings of guards for Fastify. An error without an answer is also written to the log of the request. */
export interface FastifyGuardSettings<P extends Permissions> extends GuardSettings<P, FastifyRequest> {
  /** Sends the reply to a refused request, in place of a JSON object with `error`. */
  readonly refuse?: ((refusal: Refusal, request: FastifyRequest, reply: FastifyReply) => unknown) | undefined;
}

/**
 * A `preHandler` of routes. `decision` returns the decision on a request that has passed, and throws for any other
 * request. Templates find it in `reply.locals.authz`, which `@fastify/view` passes to them.
 */
export interface FastifyGuardHook<D> {
  (request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  decision(request: FastifyRequest): D;
}

/** Makes a hook that lets a request pass if an action is allowed. */
export type FastifyGuard<P extends Permissions> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
>(
  question: Question<P, FastifyRequest, K, A, B>,
) => FastifyGuardHook<Decision<P, K, A | B>>;

/**
 * Creates the function that makes the guards of an application.
 *
 * @example
 * import { inProcessClient } from 'authz/client';
 * import { fastifyGuard } from 'authz/middleware/fastify';
 * import fastify from 'fastify';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * const guard = fastifyGuard<Policies>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: () => ({ id: 'ann', roles: ['user'] }),
 * });
 * const mayEdit = guard({
 *   action: 'edit',
 *   resource: album,
 * });
 * const app = fastify().get('/', { preHandler: mayEdit }, async (request) => mayEdit.decision(request).allowed);
 * console.log((await app.inject('/')).body); // => {"edit":true}
 */
export function fastifyGuard<P extends Permissions = AnyPermissions>(
  settings: FastifyGuardSettings<P>,
): FastifyGuard<P> {
  const { refuse = sendRefusal } = settings;
  return <K extends KindOf<P>, A extends ActionOf<P, K>, B extends ActionOf<P, K> = never>(
    question: Question<P, FastifyRequest, K, A, B>,
  ) => {
    const decisions = new WeakMap<FastifyRequest, Decision<P, K, A | B>>();
    const hook = async (request: FastifyRequest, reply: FastifyReply & WithLocals): Promise<unknown> => {
      const { decision, refusal } = await decide(settings, question, request);
      if (refusal !== undefined) {
        if (refusal.reason === 'no_answer') request.log.error({ err: refusal.error }, 'no authorization decision');
        await refuse(refusal, request, reply);
        return reply;
      }
      decisions.set(request, decision);
      reply.locals = { ...reply.locals, authz: decision };
      return undefined;
    };
    const decisionOn = (request: FastifyRequest): Decision<P, K, A | B> => {
      const decision = decisions.get(request);
      if (decision === undefined) throw new Error('this guard has not decided about the request');
      return decision;
    };
    return Object.assign(hook, { decision: decisionOn });
  };
}

/** What `@fastify/view` reads from replies. */
interface WithLocals {
  locals?: object;
}

function sendRefusal(refusal: Refusal, _: FastifyRequest, reply: FastifyReply): void {
  reply.code(refusal.status).headers(makeHeaders(refusal)).send(makeBody(refusal));
}
