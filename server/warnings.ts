import type { Config } from './config.js';
import type { Log } from './observe/log/logger.js';
import { unknownNames } from './gateway/unknown-names.js';
import type { ServingEngine } from './swap/serving-engine.js';

/** Warns of regular expressions that Node.js matches wrongly: decisions are correct but slower than necessary. */
export function warnOfPatterns(
  { hash, patternsFailedOnHost: [pattern, ...others] }: ServingEngine,
  log: Log | undefined,
): void {
  if (pattern === undefined) return;
  const fields = { hash, pattern, patterns: 1 + others.length, node: process.versions.node };
  log
    ?.logger('authz.bundle')
    .warn(
      'regular expressions of this Node.js version failed a self-test; using automata instead, which are slower',
      fields,
    );
}

/** Warns of routes whose requests will be denied, as no policy has their kind or action. */
export function warnOfRoutes({ server }: Config, { names }: ServingEngine, log: Log | undefined): void {
  if (server.gateway === undefined || log === undefined) return;
  const logger = log.logger('authz.gateway');
  for (const message of unknownNames(server.gateway.routes, names())) logger.warn(message, {});
}
