import type { IncomingMessage } from 'node:http';
import { readPath } from './exchange.js';
import type { Route } from './route.js';

/**
 * The routes that are answered before Fastify, by method and path: checks, plans and health
 * (docs/decisions/messages-and-transports.md#0041).
 */
export class HotRoutes {
  readonly #posts: ReadonlyMap<string, Route>;
  readonly #gets: ReadonlyMap<string, Route>;

  constructor(routes: readonly Route[]) {
    const hot = (method: 'GET' | 'POST'): ReadonlyMap<string, Route> =>
      new Map(
        routes.filter(({ isHot, methods }) => isHot && methods.includes(method)).map((route) => [route.path, route]),
      );
    this.#posts = hot('POST');
    this.#gets = hot('GET');
  }

  /** The route of a request, which Fastify finds if this does not. A call with a query is not found; health has one. */
  find(request: IncomingMessage): Route | undefined {
    const { method, url = '' } = request;
    if (method === 'POST') return this.#posts.get(url);
    return method === 'GET' || method === 'HEAD' ? this.#gets.get(readPath(request)) : undefined;
  }
}
