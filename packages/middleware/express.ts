/** Guards for Express. */
import type { Request, RequestHandler, Response } from 'express';
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

/** The settings of guards for Express. */
export interface ExpressGuardSettings<P extends Permissions> extends GuardSettings<P, Request> {
  /** Writes the response to a refused request, in place of a JSON object with `error`. */
  readonly refuse?: ((refusal: Refusal, request: Request, response: Response) => unknown) | undefined;
}

/** Makes a handler that lets a request pass if an action is allowed. The decision is `response.locals.authz`. */
export type ExpressGuard<P extends Permissions> = <
  K extends KindOf<P>,
  A extends ActionOf<P, K>,
  B extends ActionOf<P, K> = never,
>(
  question: Question<P, Request, K, A, B>,
) => RequestHandler<
  // biome-ignore lint/suspicious/noExplicitAny: handlers of a route share these, so each must fit any other
  any,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  any,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  any,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  any,
  { authz: Decision<P, K, A | B> }
>;

/**
 * Creates the function that makes the guards of an application.
 *
 * @example
 * import { once } from 'node:events';
 * import type { AddressInfo } from 'node:net';
 * import { inProcessClient } from 'authz/client';
 * import { expressGuard } from 'authz/middleware/express';
 * import express from 'express';
 * import { policies } from './generated/index.js';
 * import type { Policies } from './generated/types.js';
 *
 * const attr = { owner: 'ann', visibility: 'public', friends: [], status: 'OPEN' } as const;
 * const album = { kind: 'album', id: 'a1', attr } as const;
 * const guard = expressGuard<Policies>({
 *   client: inProcessClient<Policies>(policies),
 *   principal: (request) => ({ id: request.get('x-user') ?? 'guest', roles: ['user'] }),
 * });
 * const mayEdit = guard({
 *   action: 'edit',
 *   resource: () => album,
 * });
 * const app = express().put('/', mayEdit, (_request, response) => void response.send('saved'));
 * const server = app.listen(0, '127.0.0.1');
 * await once(server, 'listening');
 * const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
 * for (const user of ['ann', 'bob']) {
 *   const { status } = await fetch(url, { method: 'PUT', headers: { 'x-user': user } });
 *   console.log(status);
 * }
 * // => 200
 * // => 403
 * server.close();
 */
export function expressGuard<P extends Permissions = AnyPermissions>(
  settings: ExpressGuardSettings<P>,
): ExpressGuard<P> {
  const { refuse = writeRefusal } = settings;
  return (question) => (request, response, next) => {
    decide(settings, question, request)
      .then(async ({ decision, refusal }) => {
        if (refusal !== undefined) {
          await refuse(refusal, request, response);
          return false;
        }
        response.locals.authz = decision;
        return true;
      })
      .then((passes) => {
        if (passes) next();
      }, next);
  };
}

function writeRefusal(refusal: Refusal, _: Request, response: Response): void {
  response.status(refusal.status).set(makeHeaders(refusal)).json(makeBody(refusal));
}
