import type { Config } from '../../config.js';
import type { Services } from '../../service/services.js';
import { createAdminPlugin } from './admin.js';
import type { HttpPlugin } from './app.js';
import type { Exchange } from './exchange.js';
import { createExplorerPlugin } from './explorer-routes.js';
import { createReflectionPlugin } from './reflection-routes.js';

/**
 * Creates the plugins whose modules are loaded with Fastify: descriptors of all messages, the description of the REST
 * interface, and the page.
 */
export function createRarePlugins(
  exchange: Exchange,
  services: Services,
  config: Config['server'],
): readonly HttpPlugin[] {
  return [
    createReflectionPlugin(exchange, services),
    createExplorerPlugin(exchange, services, config),
    ...(services.admin === undefined ? [] : [createAdminPlugin(services.admin, exchange, services)]),
  ];
}
