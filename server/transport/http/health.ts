import type { AliasConfig } from '../../config/aliases.js';
import { parseDuration } from '../../config/duration.js';
import { findExpiry } from '../../bundle/provenance.js';
import type { ServingStatus } from '../../service/health.js';
import { RpcError } from '../../service/rpc-error.js';
import type { Services, SourceHealth } from '../../service/services.js';
import { type Exchange, JSON_TYPE, readQuery } from './exchange.js';
import type { Handler, Route } from './route.js';

/**
 * The routes that say whether the server serves, and whether it runs (docs/spec/server.md#health). They are hot: a probe
 * asks as soon as the server is ready, and a client that closes its side gets only what is sent before that is noticed.
 */
export function createHealthRoutes(exchange: Exchange, services: Services): readonly Route[] {
  const health: Handler = (request, response) => {
    const query = readQuery(request);
    const status = services.health.of(query.get('service') ?? '');
    const problem = healthProblem(status) ?? ageProblem(query.get('maxBundleAge'), services.source?.());
    if (problem !== undefined) exchange.sendRestError(request, response, problem);
    else exchange.sendJson(request, response, 200, JSON_TYPE, `${servingStatus(services)}\n`);
  };
  const live: Handler = async (request, response) => {
    const isLive = services.allTurn === undefined || (await services.allTurn());
    if (isLive) exchange.sendJson(request, response, 200, JSON_TYPE, '{"status":"LIVE"}\n');
    else exchange.sendRestError(request, response, new RpcError('unavailable', 'a worker is stuck'));
  };
  const makeRoute = (path: string, handler: Handler): Route => ({ methods: ['GET'], path, handler, isHot: true });
  return serverPaths(services.aliases).flatMap((root) => [
    makeRoute(root + HEALTH, health),
    makeRoute(root + LIVE, live),
  ]);
}

/** Whether a path is one of health, under any name. */
export function isHealthPath(path: string, aliases: readonly AliasConfig[] | undefined): boolean {
  return serverPaths(aliases).some((root) => path === root + HEALTH || path === root + LIVE);
}

/** The prefixes of paths about the server itself: its own first, then those of aliases. */
export function serverPaths(aliases: readonly AliasConfig[] = []): readonly string[] {
  return ['/_authz', ...aliases.map(({ path }) => path)];
}

const HEALTH = '/health';
/** Unlike health, this still succeeds while the server stops. */
const LIVE = '/live';

function healthProblem(status: ServingStatus | undefined): RpcError | undefined {
  if (status === 'SERVING') return undefined;
  return status === undefined
    ? new RpcError('not_found', 'unknown service')
    : new RpcError('unavailable', 'the server is stopping');
}

/**
 * Only for those who ask by `maxBundleAge`: otherwise, all servers would stop serving when their source is away
 * (docs/decisions/connections-and-limits.md#0108).
 */
function ageProblem(maxAge: string | null, source: SourceHealth | undefined): RpcError | undefined {
  if (maxAge === null) return undefined;
  const longest = parseDuration(maxAge);
  if (longest === undefined || longest < 0)
    return new RpcError('invalid_argument', '`maxBundleAge` must be a duration such as `1h`');
  if (source === undefined || source.state === 'current') return undefined;
  const { confirmed = new Date(0).toISOString() } = source;
  return Date.now() - Date.parse(confirmed) > longest
    ? new RpcError('unavailable', `the source last had the bundle at ${confirmed}`)
    : undefined;
}

/**
 * Writes the status, with the state of the bundle if a source is asked for it, and `detail` if it has expired. The
 * messages of gRPC have no field for that.
 */
function servingStatus({ bundle, source }: Services): string {
  const provenance = bundle?.().provenance;
  const expires = provenance && findExpiry(provenance);
  const hasExpired = expires !== undefined && Date.now() > expires;
  return JSON.stringify({
    status: 'SERVING',
    ...(hasExpired && { detail: `the bundle expired at ${new Date(expires).toISOString()}` }),
    ...(source !== undefined && { bundle: source() }),
  });
}
