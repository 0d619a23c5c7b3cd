import { mergeErrors } from '../runtime/engine/index.js';
import type { AuditLog } from './audit/audit-log.js';
import { type AuditWatch, auditWatcher } from './audit/audit-watcher.js';
import type { Config } from './config.js';
import type { ServedFacts } from './facts/serve-facts.js';
import type { Log } from './observe/log/logger.js';
import { observe } from './observe/observe.js';
import type { LoadedBundle, Observation } from './observe/options.js';
import { findExpiry } from './bundle/provenance.js';
import { release } from './release.js';
import type { Shadow } from './rollout/shadow.js';
import type { TenantService } from './service/tenants.js';
import { tellAudited } from './service/watch.js';
import type { Watcher } from './service/watcher.js';
import type { ServedBundles } from './swap/served-bundles.js';
import type { ServingEngine } from './swap/serving-engine.js';
import type { TenantStore } from './tenants/tenant-store.js';
import type { Surroundings } from './running-server.js';

/** The bundle in use, for metrics. */
export function describeLoaded({ hash, provenance, bundle }: ServingEngine): LoadedBundle {
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
      expires: bundle.provenance && findExpiry(bundle.provenance),
      signedAt: verified?.signedAt,
    },
  };
}

/** Starts metrics, traces and the log. */
export function startObservation(
  config: Config,
  bundles: ServedBundles,
  log: Log,
  {
    audit,
    rejectedBundles,
    source,
    store,
    facts,
  }: Surroundings & { readonly store: TenantStore | undefined; readonly facts: ServedFacts | undefined },
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
    facts: facts?.states,
  });
}

/** Starts what decides by a candidate beside the current bundle; undefined if there are no candidates. */
export async function startShadow(
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

/** Starts what makes audit entries of calls. */
export function startAuditWatch(
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
