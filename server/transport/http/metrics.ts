import { toRpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import type { HttpPlugin } from './app.js';
import type { Exchange } from './exchange.js';
import { serverPaths } from './health.js';

/** The text for metrics scrapers (docs/spec/server.md#metrics). */
export interface MetricsText {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** Answers metrics scrapers. */
export function createMetricsPlugin(
  { contentType, text }: MetricsText,
  exchange: Exchange,
  services: Services,
): HttpPlugin {
  const headers = ['Content-Type', contentType];
  return (routes) => {
    for (const root of serverPaths(services.aliases))
      routes.any(`${root}/metrics`, (request, response) => {
        text().then(
          (body) => exchange.send(request, response, 200, headers, body),
          (thrown) => exchange.sendRestError(request, response, toRpcError(thrown, services.report)),
        );
      });
  };
}
