import { toRpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import type { Exchange } from './exchange.js';
import { serverPaths } from './health.js';
import { ALL_METHODS, type Handler, type Route } from './route.js';

/** The text for metrics scrapers (docs/spec/server.md#metrics). */
export interface MetricsText {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** The routes of metrics scrapers. They are hot: most servers answer a scraper, and need Fastify for nothing else. */
export function createMetricsRoutes(
  { contentType, text }: MetricsText,
  exchange: Exchange,
  services: Services,
): readonly Route[] {
  const headers = ['Content-Type', contentType];
  const handler: Handler = (request, response) => {
    text().then(
      (body) => exchange.send(request, response, 200, headers, body),
      (thrown) => exchange.sendRestError(request, response, toRpcError(thrown, services.report)),
    );
  };
  return serverPaths(services.aliases).map((root) => ({
    methods: ALL_METHODS,
    path: `${root}/metrics`,
    handler,
    isHot: true,
  }));
}
