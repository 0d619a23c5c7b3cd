import { type AuthzClient, restClient } from 'authz/client';
import { expressGuard } from 'authz/middleware/express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { findOrder, type Order, type User } from './data.js';

export enum OrderAction {
  View = 'view',
  Cancel = 'cancel',
  Refund = 'refund',
}

export const client: AuthzClient = restClient({ url: 'http://localhost:3592' });

export const userOf = (request: Request): User | undefined => request.app.get('users').get(request.get('x-user'));

export const guard = expressGuard({ client, principal: userOf });

/** A guard of one order. */
export const orderGuard = (action: OrderAction) =>
  guard({ action, resource: async (request) => toResource(await findOrder(String(request.params['id']))) });

/** Middleware that a request passes if the user may do something with reports. */
export function requireReports(action: string): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    may(userOf(request), action, { kind: 'report', id: 'all' })
      .then((allowed) => (allowed ? next() : response.sendStatus(403)))
      .catch(next);
  };
}

/** Whether a user may do something. */
export async function may(user: User | undefined, action: string, resource: { kind: string; id: string }): Promise<boolean> {
  return user !== undefined && client.isAllowed({ principal: user, resource, action });
}

function toResource({ id, ...attr }: Order) {
  return { kind: 'order', id, attr: { ...attr } };
}
