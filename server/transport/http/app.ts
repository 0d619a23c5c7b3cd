import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Receiver } from './receive-body.js';
import {
  ALL_METHODS,
  type EarlyHandler,
  type Failed,
  type Handler,
  type Method,
  type Parameters,
  type Refusal,
  type Route,
} from './route.js';

/**
 * Adds the routes of one feature. Each plugin has a scope of its own in Fastify: its hooks concern no other routes, and
 * `onClose` hooks run when all requests are answered.
 */
export type HttpPlugin = (routes: Routes) => void;

/** Adds routes that are known as data. */
export function createRoutesPlugin(all: readonly Route[]): HttpPlugin {
  return (routes) => {
    for (const route of all) routes.add(route);
  };
}

/** The responses that do not come from a route. */
export interface Fallbacks {
  /** Answers a request for a path or a method without a route. */
  readonly unrouted: EarlyHandler;
  readonly failed: Failed;
}

/**
 * Routes everything but checks, plans, health and metrics, over HTTP/1.1 and HTTP/2: Fastify finds the route, `Receiver` receives
 * the body (docs/decisions/messages-and-transports.md#0041). The first request that needs Fastify and the plugins loads
 * them.
 */
export class App {
  readonly #plugins: () => Promise<readonly HttpPlugin[]>;
  readonly #receiver: Receiver;
  readonly #fallbacks: Fallbacks;
  #loading: Promise<void> | undefined;
  #app: FastifyInstance | undefined;
  #routing: RequestListener | undefined;

  /** @param plugins loads the plugins, in their order; called once. */
  constructor(plugins: () => Promise<readonly HttpPlugin[]>, receiver: Receiver, fallbacks: Fallbacks) {
    this.#plugins = plugins;
    this.#receiver = receiver;
    this.#fallbacks = fallbacks;
  }

  /** Answers a request. */
  route(request: IncomingMessage, response: ServerResponse): void {
    if (this.#routing !== undefined) return this.#routing(request, response);
    // Starts to buffer the request: `Http2Sessions` listens to its stream, and would take data that nobody reads.
    if (request.httpVersionMajor === 2) request.read(0);
    this.#loading ??= this.#load();
    this.#loading.then(
      () => this.#routing?.(request, response),
      (thrown) => this.#fallbacks.failed(request, response, thrown),
    );
  }

  /** Runs the `onClose` hooks of the plugins. To be called when all requests are answered. */
  async close(): Promise<void> {
    await this.#loading?.catch(() => {});
    await this.#app?.close();
  }

  /** Loads Fastify and the plugins. Rejects if a plugin cannot be added, which is a bug. */
  async #load(): Promise<void> {
    const [{ default: fastify }, plugins] = await Promise.all([import('fastify'), this.#plugins()]);
    const { unrouted, failed } = this.#fallbacks;
    const app = fastify({
      exposeHeadRoutes: false,
      // The listener ends connections, and what it still passes on is answered.
      return503OnClosing: false,
      // Paths that cannot be decoded, and parameters that are too long.
      frameworkErrors: (_error, { raw: request }, reply) => {
        reply.hijack();
        unrouted(request, reply.raw);
      },
    });
    app.addHook('onRequest', (request, reply, done) => {
      if (!request.is404) return done();
      reply.hijack();
      unrouted(request.raw, reply.raw);
    });
    app.setErrorHandler((thrown, { raw: request }, reply) => {
      reply.hijack();
      failed(request, reply.raw, thrown);
    });
    for (const plugin of plugins)
      app.register((scope, _options, done) => {
        plugin(new Routes(scope, this.#receiver));
        done();
      });
    await app.ready();
    this.#app = app;
    this.#routing = (request, response) => app.routing(request, response);
  }
}

/** The routes of a plugin. */
export class Routes {
  constructor(
    /** The scope of the plugin, for hooks. */
    readonly app: FastifyInstance,
    private readonly receiver: Receiver,
  ) {}

  get(path: string, handler: Handler): void {
    this.add({ methods: ['GET'], path, handler });
  }

  post(path: string, handler: Handler, refuses?: Refusal): void {
    this.add({ methods: ['POST'], path, handler, refuses });
  }

  /** Adds a document that is served for every method (docs/spec/server.md#openapi-and-explorer). */
  any(path: string, handler: Handler): void {
    this.add({ methods: ALL_METHODS, path, handler });
  }

  /** Adds a route. That of GET serves HEAD, too: the platform sends the response without its body. */
  add(route: Route): void {
    const { methods, path } = route;
    const all = new Set<Method>(methods.includes('GET') ? [...methods, 'HEAD'] : methods);
    this.#add([...all], path, (request, response, parameters) =>
      this.receiver.receive(route, request, response, parameters),
    );
  }

  /** Adds a handler that reads the body itself. */
  postEarly(path: string, handler: EarlyHandler): void {
    this.#add(['POST'], path, (request, response) => this.receiver.pass(handler, request, response));
  }

  /**
   * Answers after the `onRequest` hooks and before Fastify reads the body, as it refuses media types that protocols here
   * accept, and takes a request of HTTP/2 without a length for one without a body.
   */
  #add(
    method: Method[],
    url: string,
    answer: (request: IncomingMessage, response: ServerResponse, parameters: Parameters) => void,
  ): void {
    this.app.route({
      method,
      url,
      preParsing: (request, reply) => {
        reply.hijack();
        answer(request.raw, reply.raw, request.params as Parameters);
      },
      // The platform's response is complete, or under way.
      handler: () => {},
    });
  }
}
