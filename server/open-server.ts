import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerInfoResponse } from '../proto/gen/messages.js';
import type { AuditReader } from './audit/reader.js';
import { formatEvent, type Verifier, createVerifier } from './aux-data/verify.js';
import { hasOneListener } from './config/address.js';
import type { Config } from './config.js';
import { type Listener, openListener } from './listen.js';
import type { Log } from './observe/log/logger.js';
import { loggingRefusals } from './observe/log/call-log.js';
import { Gateway } from './gateway/gateway.js';
import { createGatewayEndpoints } from './gateway/http-endpoints.js';
import { adminService } from './admin/admin.js';
import { serviceNames } from './service/aliases.js';
import { CallIds } from './service/call-id.js';
import type { Decider } from './service/decider.js';
import { Health } from './service/health.js';
import { createProxySteps, createSteps, type Preparation } from './service/prepare-call.js';
import { OWN_NAMES, propertyNames } from './service/property-names.js';
import type { Report } from './service/rpc-error.js';
import { ADMIN_SERVICE, type Explainer, HEALTH_NAMES, type LocalAccess, type Services } from './service/services.js';
import { guarded } from './service/watch.js';
import type { Deliver, Watcher } from './service/watcher.js';
import type { ServerTls, TlsEvent } from './tls/server-tls.js';
import { BodyBudget } from './transport/body-budget.js';
import { httpServer } from './transport/http/http-server.js';
import type { MetricsText } from './transport/http/metrics.js';
import { OnDemand } from './transport/on-demand.js';
import type { ListeningServer, RunningServer, Surroundings } from './running-server.js';

/** How long calls in progress may take after the server is asked to stop, in milliseconds. */
const PATIENCE = 30_000;

/** The parts of a server that listens. What is absent, it does not offer. */
export interface Listening {
  readonly config: Config;
  readonly decider: Decider;
  /** What calls need before they are decided. */
  readonly preparation: Preparation;
  readonly build: () => ServerInfoResponse;
  readonly watchers: readonly Watcher[];
  readonly auditReader?: AuditReader | undefined;
  readonly explainer?: Explainer | undefined;
  readonly local?: LocalAccess | undefined;
  readonly bundle?: Services['bundle'];
  readonly rollout?: Services['rollout'];
  readonly reload?: Services['reload'];
  readonly source?: Services['source'];
  readonly sources?: Services['sources'];
  readonly names?: Services['names'];
  /** If absent: the policies name no actions. */
  readonly actionNames?: Services['actionNames'];
  readonly populations?: Services['populations'];
  readonly deliver?: Deliver | undefined;
  /** The health of the whole server. */
  readonly metrics?: MetricsText | undefined;
  /** All calls have been answered, so the watchers write what remains. */
  readonly answered?: () => Promise<void>;
  readonly accepted?: Surroundings['accepted'];
  readonly allTurn?: Surroundings['allTurn'];
  readonly log?: Log | undefined;
}

/**
 * Opens a server: service, transports, listeners, in this order. What only some servers need is loaded by the first
 * connection or request that needs it: gRPC, HTTP/2, and everything behind Fastify.
 */
export async function openServer({
  config,
  decider,
  preparation,
  build,
  watchers,
  auditReader,
  explainer,
  local,
  bundle,
  rollout,
  reload,
  source,
  sources,
  names,
  actionNames = () => [],
  populations,
  deliver,
  metrics,
  answered,
  accepted,
  allTurn,
  log,
}: Listening): Promise<ListeningServer & Pick<RunningServer, 'take'>> {
  const admin = adminService(config.server.adminAPI, auditReader);
  const { aliases } = config.server;
  const named = admin === undefined ? HEALTH_NAMES : [...HEALTH_NAMES, ADMIN_SERVICE];
  const health = new Health(named.flatMap((service) => serviceNames(service, aliases)));
  const logger = log?.logger('authz.server');
  const report: Report = (problem, error) => logger?.error(problem, { error });
  const verifier = verifierFor(config, log);
  const tls =
    config.server.tls === undefined
      ? undefined
      : sharing(
          (await import('./tls/server-tls.js')).loadTls(config.server.tls, (event) => tellOfTls(event, log)),
          accepted?.ticketKeys,
        );
  const services: Services = {
    decider,
    steps: createSteps(preparation),
    facts: preparation.facts,
    callIds: new CallIds(),
    limits: config.server.requestLimits,
    tokenSubject: config.server.tokenSubject,
    aliases,
    propertyNames: [...OWN_NAMES, ...aliases.map(({ propertyPrefix }) => propertyNames(propertyPrefix))],
    verify: log === undefined ? verifier : loggingRefusals(verifier, log.logger('authz.aux_data')),
    watchers: watchers.map((watcher) => guarded(watcher, report)),
    health,
    allTurn,
    admin,
    explainer,
    local,
    bundle,
    rollout,
    reload,
    source,
    sources,
    names,
    actionNames,
    populations,
    bundles: preparation.bundles,
    deliver,
    report,
    get release() {
      return build();
    },
    maxMessageSize: config.server.grpc.maxRecvMsgSizeBytes,
  };
  const budget = new BodyBudget(config.server.requestLimits.maxUnfinishedBytes);
  const gateway = config.server.gateway && new Gateway(config.server.gateway, services, createProxySteps(preparation));
  const grpc = new OnDemand(
    async () => {
      const { grpcServer } = await import('./transport/grpc/grpc-server.js');
      const plugins = gateway && [(await import('./gateway/ext-authz.js')).createExtAuthz(gateway, services)];
      return grpcServer(config.server, services, tls, budget, plugins);
    },
    (error) => report('gRPC cannot be served', error),
  );
  const endpoints = gateway && [createGatewayEndpoints(gateway, services)];
  const http = httpServer(config.server, services, { grpc: () => grpc.get(), tls, metrics, budget, endpoints });
  const listeners: Listener[] = [];
  let hasRetired = false;
  const retire = (): void => {
    hasRetired = true;
    health.stop();
    http.retire();
  };
  const stop = async (grace: number): Promise<void> => {
    retire();
    // Clients that watch the health send new calls elsewhere; until they notice, calls are still answered.
    if (grace > 0) await sleep(grace);
    await Promise.all(listeners.map((listener) => listener.close()));
    tls?.close();
    const stopGrpc = async (): Promise<void> => (await grpc.settled())?.stop(PATIENCE);
    await Promise.all([http.stop(PATIENCE), stopGrpc()]);
    verifier.close();
    await answered?.();
  };
  let closing: Promise<void> | undefined;
  const close = (grace: number): Promise<void> => {
    closing ??= stop(grace);
    return closing;
  };
  const open = async (
    key: 'httpListenAddr' | 'grpcListenAddr',
    onConnection: (socket: Socket) => void,
  ): Promise<string> => {
    if (accepted !== undefined) return '';
    const listener = await openListener({
      address: config.server[key],
      key: `server.${key}`,
      socketMode: config.server.udsFileMode,
      onConnection,
    });
    listeners.push(listener);
    return listener.address;
  };
  try {
    const grpcAddress = hasOneListener(config.server)
      ? undefined
      : await open('grpcListenAddr', (socket) => grpc.take(socket));
    const httpAddress = await open('httpListenAddr', http.take);
    return {
      httpAddress,
      grpcAddress: grpcAddress ?? httpAddress,
      retire,
      close: () => close(hasRetired ? 0 : config.server.shutdownGrace),
      take: { http: http.take, grpc: (socket) => grpc.take(socket) },
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

function sharing(tls: ServerTls, ticketKeys: Buffer | undefined): ServerTls {
  return ticketKeys === undefined ? tls : { ...tls, options: () => ({ ...tls.options(), ticketKeys }) };
}

/** Keysets log their refreshes and failures. */
function verifierFor(config: Config, log: Log | undefined): Verifier {
  const logger = log?.logger('authz.aux_data');
  return createVerifier(
    config.jwt,
    logger === undefined
      ? {}
      : { onKeySet: (event) => logger[event.kind === 'fetched' ? 'info' : 'warn'](formatEvent(event)) },
  );
}

function tellOfTls(event: TlsEvent, log: Log | undefined): void {
  const logger = log?.logger('authz.tls');
  if (event.kind === 'reloaded') logger?.info('the certificate was reloaded');
  else logger?.error('the certificate cannot be reloaded; still using the last good one', { reason: event.reason });
}
