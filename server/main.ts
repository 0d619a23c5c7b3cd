import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mergeErrors } from '../runtime/engine/index.js';
import type { ServerInfoResponse } from '../proto/gen/messages.js';
import type { AuditLog } from './audit/audit-log.js';
import { type AuditWatch, auditWatcher } from './audit/audit-watcher.js';
import type { AuditReader } from './audit/reader.js';
import { textOf, type Verifier, verifierOf } from './aux-data/verify.js';
import { hasOneListener } from './config/address.js';
import type { Config } from './config.js';
import { type Listener, openListener } from './listen.js';
import type { Log } from './observe/log/logger.js';
import { loggingRefusals } from './observe/log/call-log.js';
import { observe, tracesCalls } from './observe/observe.js';
import type { LoadedBundle, Observation, Scrape, SourceStatus } from './observe/options.js';
import { createExtAuthz } from './gateway/ext-authz.js';
import { Gateway } from './gateway/gateway.js';
import { createGatewayEndpoints } from './gateway/http-endpoints.js';
import { unknownNames } from './gateway/unknown-names.js';
import { expiryOf } from './bundle/provenance.js';
import type { BundleText } from './bundle/read-bundle.js';
import { release } from './release.js';
import { adminService } from './admin/admin.js';
import { serviceNames } from './service/aliases.js';
import { CallIds } from './service/call-id.js';
import type { Decider } from './service/decider.js';
import { Health } from './service/health.js';
import { createProxySteps, createSteps, type Preparation } from './service/prepare-call.js';
import { OWN_NAMES, propertyNames } from './service/property-names.js';
import { RpcError, type Report } from './service/rpc-error.js';
import type { RolloutChange } from './rollout/rollout.js';
import type { Shadow } from './rollout/shadow.js';
import {
  ADMIN_SERVICE,
  type Explainer,
  HEALTH_NAMES,
  type Reload,
  type RunRollout,
  type Services,
  type SourceHealth,
} from './service/services.js';
import type { TenantService } from './service/tenants.js';
import { guarded, tellAudited } from './service/watch.js';
import type { Deliver, Watcher } from './service/watcher.js';
import type { Bundle } from './service/bundle.js';
import { DecisionClock } from './swap/decision-clock.js';
import { evaluateBundleText } from './swap/evaluate-bundle.js';
import { ServedBundles } from './swap/served-bundles.js';
import { type ServingEngine, servingEngine } from './swap/serving-engine.js';
import { tenantReporter, warnOfTenants } from './tenants/log.js';
import { openTenants } from './tenants/open-tenants.js';
import type { TenantStore } from './tenants/tenant-store.js';
import { loadTls, type ServerTls, type TlsEvent } from './tls/server-tls.js';
import { BodyBudget } from './transport/body-budget.js';
import { grpcServer } from './transport/grpc/grpc-server.js';
import { httpServer } from './transport/http/http-server.js';
import type { MetricsText } from './transport/http/metrics.js';

export type { Bundle } from './service/bundle.js';

/** A running server. */
export interface ListeningServer {
  /** `127.0.0.1:3592`, or `unix:/path`. Empty if another process accepts connections. */
  readonly httpAddress: string;
  readonly grpcAddress: string;
  /** Loads what a ready server needs soon (`HttpServer.load`). */
  readonly load: () => void;
  /** Reports NOT_SERVING, and ends connections with their next response; new connections are still accepted. */
  readonly retire: () => void;
  /**
   * Retires and, unless already retired, waits for the configured delay; then accepts no more connections, answers
   * calls in progress, and resolves when that is done (docs/spec/server.md#start-and-stop). To be called once.
   */
  readonly close: () => Promise<void>;
}

/** A server of compiled policies. */
export interface RunningServer extends ListeningServer {
  /** Serves a connection that another process has accepted. */
  readonly take: Readonly<Record<'http' | 'grpc', (socket: Socket) => void>>;
  /** Prepares another bundle: tries it, and changes nothing yet. Rejects if it cannot be served. */
  readonly prepare: (bundle: Bundle) => Promise<Prepared>;
  /**
   * Uses another bundle from the next request on; a request sees one bundle. Rejects, and changes nothing, if it cannot
   * be served.
   */
  readonly swap: (bundle: Bundle) => Promise<void>;
  /**
   * Prepares a change of the rollout: loads and tries the bundles that are new, and changes nothing yet. Rejects if one
   * cannot be served.
   */
  readonly prepareChange: (change: RolloutChange) => Promise<PreparedChange>;
  /** The hash of the current bundle. */
  readonly hash: () => string;
  /** Reports a bundle that could not be loaded: it is counted. */
  readonly refused: () => void;
  /** The metrics of this process; undefined if metrics are disabled. */
  readonly metrics: Scrape | undefined;
}

/** A bundle that was tried. */
export interface Prepared {
  /** Uses the bundle from the next request on. */
  readonly commit: () => void;
}

/** A change of the rollout whose bundles were tried. */
export interface PreparedChange extends Prepared {
  /** Of the bundles that came with the change, in order. */
  readonly hashes: readonly string[];
}

/** The parts of a server other than its configuration. */
export interface Surroundings {
  /** If absent: there are no watchers, as in tests of the transports. */
  readonly log?: Log | undefined;
  /** Closed with the server. */
  readonly audit?: AuditLog | undefined;
  /** Carries out requests of the admin API; absent if there are no candidates. */
  readonly rollout?: RunRollout | undefined;
  /** Checks the bundle file; absent if there is none. */
  readonly reload?: Reload | undefined;
  /** How many bundles were rejected, by reason; absent if another process knows. */
  readonly rejectedBundles?: (() => ReadonlyMap<string, number>) | undefined;
  /** The built module of the thread in which candidates decide; absent in a program, which has it beside its chunks. */
  readonly shadowThread?: URL;
  /** What became of the source of the bundle; absent if it is a file. */
  readonly source?: SourceWatch | undefined;
  /** The metrics of all processes of the server; absent if this is the only one. */
  readonly scrapeAll?: (() => Promise<string>) | undefined;
  /** Whether the event loops of all processes of the server respond; absent if this is the only one. */
  readonly allTurn?: (() => Promise<boolean>) | undefined;
  /**
   * Another process accepts connections for this one and its siblings, which resume TLS sessions with the same keys.
   */
  readonly accepted?: { readonly ticketKeys: Buffer } | undefined;
}

/** The source of the bundle, as the metrics and the health of a process see it. */
export interface SourceWatch {
  /** Absent in a worker: the primary process counts. */
  readonly status?: (() => SourceStatus) | undefined;
  readonly health: () => SourceHealth;
}

/** How long calls in progress may take after the server is asked to stop, in milliseconds. */
const PATIENCE = 30_000;

/**
 * Serves the policies of a bundle: engine, watchers, service, transports, listeners, in this order, so that nothing
 * listens before everything is ready. Rejects with a ConfigError for an invalid configuration, and for a listener it
 * cannot open.
 */
export async function startServer(
  config: Config,
  bundle: Bundle,
  surroundings: Surroundings = {},
): Promise<RunningServer> {
  const { log, audit, source } = surroundings;
  const clock = log !== undefined && tracesCalls() ? new DecisionClock() : undefined;
  const tenantLog = log?.logger('authz.tenants');
  const tell = tenantReporter(tenantLog);
  const store = config.tenants && (await openTenants(config.tenants, tell));
  const engineFor = (next: Bundle): Promise<ServingEngine> =>
    servingEngine(config, next, clock, (tenant, { message: reason }) => {
      store?.refused();
      tell({ kind: 'refused', tenant, reason, bundle: next.policies.hash });
    });
  const bundles = new ServedBundles(await engineFor(bundle), config.rollout.minWait);
  const observation =
    log === undefined ? undefined : await observationOf(config, bundles, log, { ...surroundings, store });
  const auditWatch =
    audit === undefined ? undefined : watchForAudit(config, bundles, audit, log, observation?.watchers ?? []);
  const tenants: TenantService | undefined = store && {
    loader: store,
    neededBy: (principal, bundle) => bundles.of({ bundle }).tenants?.neededBy(principal) ?? [],
  };
  const shadow =
    observation === undefined ? undefined : await shadowOf(config, bundles, observation, surroundings, tenants);
  const watchers: readonly Watcher[] = [
    // Metrics, traces, the log.
    ...(observation?.watchers ?? []),
    ...(shadow === undefined ? [] : [shadow.watcher]),
    ...(auditWatch === undefined ? [] : [auditWatch.watcher]),
  ];
  const answered = async (): Promise<void> => {
    await store?.close();
    await shadow?.close();
    await auditWatch?.close();
    await observation?.close();
  };
  const tellLoaded = (current: ServingEngine): void => {
    observation?.bundle.loaded(loadedBundle(current));
    warnOfPatterns(current, log);
    warnOfRoutes(config, current, log);
    warnOfTenants(config, current, tenantLog);
  };
  tellLoaded(bundles.current);
  const own = observation?.metrics;
  const metrics =
    own === undefined ? undefined : { contentType: own.contentType, text: surroundings.scrapeAll ?? own.text };
  const server = await listen({
    config,
    decider: bundles.current.decider,
    preparation: { bundles, tenants },
    build: () => bundles.current.release,
    watchers,
    auditReader: audit?.reader,
    explainer: config.server.explain ? explainerOf(bundles) : undefined,
    bundle: () => bundles.current.bundle,
    rollout: surroundings.rollout,
    reload: surroundings.reload,
    source: source?.health,
    names: () => bundles.current.names(),
    actionNames: (principalId, kind) => bundles.current.actionNames(principalId, kind),
    deliver: auditWatch?.deliver,
    metrics,
    answered,
    accepted: surroundings.accepted,
    allTurn: surroundings.allTurn,
    log,
  });
  const prepare = async (next: Bundle): Promise<Prepared> => {
    const serving = await engineFor(next);
    const commit = (): void => {
      bundles.swap(serving);
      tellLoaded(serving);
    };
    return { commit };
  };
  let candidateText: BundleText | undefined;
  const prepareChange = async ({ rollout, texts }: RolloutChange): Promise<PreparedChange> => {
    const engines = new Map<string, ServingEngine>();
    for (const text of texts) {
      const known = bundles.find(text.digest);
      engines.set(text.digest, known ?? (await engineFor(await evaluateBundleText(text))));
    }
    const commit = (): void => {
      const before = bundles.current;
      bundles.change(rollout, engines);
      if (bundles.current !== before) tellLoaded(bundles.current);
      const isCandidate = ({ digest }: BundleText): boolean => digest === rollout.candidate;
      candidateText = [...texts, ...(candidateText === undefined ? [] : [candidateText])].find(isCandidate);
      shadow?.follow(rollout.stage === 'shadow' ? candidateText : undefined);
      const { candidate } = bundles;
      observation?.rollout.changed(candidate && { ...rollout, hash: candidate.hash });
    };
    return { hashes: texts.map(({ digest }) => engines.get(digest)?.hash ?? ''), commit };
  };
  return {
    ...server,
    prepare,
    prepareChange,
    hash: () => bundles.current.hash,
    swap: async (next) => (await prepare(next)).commit(),
    refused: () => observation?.bundle.refused(),
    metrics: observation?.metrics,
  };
}

/** The same with any decider: for tests of the transports. */
export function serve(
  config: Config,
  decider: Decider,
  build: ServerInfoResponse,
  watchers: readonly Watcher[] = [],
): Promise<ListeningServer> {
  return listen({
    config,
    decider,
    preparation: {},
    build: () => build,
    watchers,
    auditReader: undefined,
    explainer: undefined,
    bundle: undefined,
    rollout: undefined,
    reload: undefined,
    source: undefined,
    names: undefined,
    actionNames: () => [],
    deliver: undefined,
    metrics: undefined,
    answered: async () => {},
    accepted: undefined,
    allTurn: undefined,
    log: undefined,
  });
}

/** The bundle in use, for metrics. */
function loadedBundle({ hash, provenance, bundle }: ServingEngine): LoadedBundle {
  const own = { hash, version: release.version };
  if (provenance === undefined) return own;
  const { digest, revision, builder } = provenance;
  const { manifest, verified } = bundle.provenance ?? {};
  return {
    ...own,
    archive: {
      digest,
      revision,
      builder,
      sequence: manifest?.sequence,
      expires: bundle.provenance && expiryOf(bundle.provenance),
      signedAt: verified?.signedAt,
    },
  };
}

/** Explains decisions of the bundles in use. */
function explainerOf(bundles: ServedBundles): Explainer {
  return {
    rolesFor: (request, bundle) => bundles.of({ bundle }).tenants?.roles.rolesFor(request),
    explain(request, search, bundle) {
      const { explainer } = bundles.of({ bundle });
      if (explainer === undefined) throw new RpcError('failed_precondition', NOT_EXPLAINED);
      return explainer.explain(request, search);
    },
    texts() {
      const { texts } = bundles.current;
      if (texts === undefined) throw new RpcError('failed_precondition', NOT_EXPLAINED);
      return texts;
    },
  };
}

const NOT_EXPLAINED = 'the bundle cannot explain decisions: compile it with `authzc compile --explain`';

function observationOf(
  config: Config,
  bundles: ServedBundles,
  log: Log,
  { audit, rejectedBundles, source, store }: Surroundings & { readonly store: TenantStore | undefined },
): Promise<Observation> {
  const { metricsEnabled, logRequestPayloads } = config.server;
  return observe({
    log,
    metricsEnabled,
    logRequestPayloads,
    celErrorLogLevel: config.engine.celErrorLogLevel,
    mask: config.audit.mask,
    version: release.version,
    findConditionErrors: (request, call) => mergeErrors(bundles.of(call).engine.explain(request)),
    audit: audit?.counts,
    rejectedBundles,
    source: source?.status,
    tenants: store && (() => store.counts()),
  });
}

/** Undefined if there are no candidates. */
async function shadowOf(
  config: Config,
  bundles: ServedBundles,
  { rollout: events }: Observation,
  { log, shadowThread }: Surroundings,
  tenants: TenantService | undefined,
): Promise<Shadow | undefined> {
  const { candidate, log: file } = config.rollout;
  if (candidate === undefined || log === undefined) return undefined;
  const logger = log.logger('authz.rollout');
  // Modules that a server does not need are not loaded; and its thread is beside a chunk of the program.
  const [{ Shadow }, { DifferenceLog }] = await Promise.all([
    import('./rollout/shadow.js'),
    import('./rollout/difference-log.js'),
  ]);
  const differences = new DifferenceLog({
    audit: config.audit,
    file,
    logger,
    hashes: ({ call }) => ({ current: bundles.of(call).hash, candidate: bundles.candidate?.hash ?? '' }),
  });
  return new Shadow({
    config,
    events,
    log: differences,
    logger,
    ...(shadowThread && { thread: shadowThread }),
    tenants: tenants && { ...tenants, neededBy: (principal) => tenants.neededBy(principal, bundles.candidate) },
  });
}

function watchForAudit(
  config: Config,
  bundles: ServedBundles,
  { sink }: AuditLog,
  log: Log | undefined,
  watchers: readonly Watcher[],
): AuditWatch {
  const logger = log?.logger('authz.audit');
  return auditWatcher({
    config: config.audit,
    sink,
    bundle: (call) => bundles.of(call).audited,
    onProblem: (message, error) => logger?.error(message, error === undefined ? {} : { error }),
    onEntry: (call, time) => tellAudited(watchers, call, time),
  });
}

interface Listening {
  readonly config: Config;
  readonly decider: Decider;
  /** What calls need before they are decided. */
  readonly preparation: Preparation;
  readonly build: () => ServerInfoResponse;
  readonly watchers: readonly Watcher[];
  readonly auditReader: AuditReader | undefined;
  readonly explainer: Explainer | undefined;
  readonly bundle: Services['bundle'];
  readonly rollout: Services['rollout'];
  readonly reload: Services['reload'];
  readonly source: Services['source'];
  readonly names: Services['names'];
  readonly actionNames: Services['actionNames'];
  readonly deliver: Deliver | undefined;
  /** The health of the whole server. */
  readonly metrics: MetricsText | undefined;
  /** All calls have been answered, so the watchers write what remains. */
  readonly answered: () => Promise<void>;
  readonly accepted: Surroundings['accepted'];
  readonly allTurn: Surroundings['allTurn'];
  readonly log: Log | undefined;
}

async function listen({
  config,
  decider,
  preparation,
  build,
  watchers,
  auditReader,
  explainer,
  bundle,
  rollout,
  reload,
  source,
  names,
  actionNames,
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
          loadTls(config.server.tls, (event) => tellOfTls(event, log)),
          accepted?.ticketKeys,
        );
  const services: Services = {
    decider,
    steps: createSteps(preparation),
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
    bundle,
    rollout,
    reload,
    source,
    names,
    actionNames,
    deliver,
    report,
    get release() {
      return build();
    },
    maxMessageSize: config.server.grpc.maxRecvMsgSizeBytes,
  };
  const budget = new BodyBudget(config.server.requestLimits.maxUnfinishedBytes);
  const gateway = config.server.gateway && new Gateway(config.server.gateway, services, createProxySteps(preparation));
  const grpc = grpcServer(config.server, services, tls, budget, gateway && [createExtAuthz(gateway, services)]);
  const endpoints = gateway && [createGatewayEndpoints(gateway, services)];
  const http = httpServer(config.server, services, { grpc, tls, metrics, budget, endpoints });
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
    await Promise.all([http.stop(PATIENCE), grpc.stop(PATIENCE)]);
    verifier.close();
    await answered();
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
    const grpcAddress = hasOneListener(config.server) ? undefined : await open('grpcListenAddr', grpc.take);
    const httpAddress = await open('httpListenAddr', http.take);
    return {
      httpAddress,
      grpcAddress: grpcAddress ?? httpAddress,
      load: http.load,
      retire,
      close: () => close(hasRetired ? 0 : config.server.shutdownGrace),
      take: { http: http.take, grpc: grpc.take },
    };
  } catch (error) {
    await close(0);
    throw error;
  }
}

function sharing(tls: ServerTls, ticketKeys: Buffer | undefined): ServerTls {
  return ticketKeys === undefined ? tls : { ...tls, options: () => ({ ...tls.options(), ticketKeys }) };
}

/** Decisions are correct but slower than necessary: Node should be updated. */
function warnOfPatterns(
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

/** Requests of these routes will be denied. */
function warnOfRoutes({ server }: Config, { names }: ServingEngine, log: Log | undefined): void {
  if (server.gateway === undefined || log === undefined) return;
  const logger = log.logger('authz.gateway');
  for (const message of unknownNames(server.gateway.routes, names())) logger.warn(message, {});
}

/** Keysets log their refreshes and failures. */
function verifierFor(config: Config, log: Log | undefined): Verifier {
  const logger = log?.logger('authz.aux_data');
  return verifierOf(
    config.jwt,
    logger === undefined
      ? {}
      : { onKeySet: (event) => logger[event.kind === 'fetched' ? 'info' : 'warn'](textOf(event)) },
  );
}

function tellOfTls(event: TlsEvent, log: Log | undefined): void {
  const logger = log?.logger('authz.tls');
  if (event.kind === 'reloaded') logger?.info('the certificate was reloaded');
  else logger?.error('the certificate cannot be reloaded; still using the last good one', { reason: event.reason });
}
