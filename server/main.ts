import type { Config } from './config.js';
import { tracesCalls } from './observe/observe.js';
import type { BundleText } from './bundle/read-bundle.js';
import type { RolloutChange } from './rollout/rollout.js';
import type { TenantService } from './service/tenants.js';
import { guarded, tellFetched } from './service/watch.js';
import type { Watcher } from './service/watcher.js';
import type { Bundle } from './service/bundle.js';
import { DecisionClock } from './swap/decision-clock.js';
import { evaluateBundleText } from './swap/evaluate-bundle.js';
import { ServedBundles } from './swap/served-bundles.js';
import { type ServingEngine, servingEngine } from './swap/serving-engine.js';
import { tenantReporter, warnOfTenants } from './tenants/log.js';
import { openTenants } from './tenants/open-tenants.js';
import { openServer } from './open-server.js';
import type { Prepared, PreparedChange, RunningServer, Surroundings } from './running-server.js';
import { describeLoaded, startAuditWatch, startObservation, startShadow } from './start-watchers.js';
import { createExplainer } from './swap/explainer.js';
import { warnOfPatterns, warnOfRoutes } from './warnings.js';

export type { Bundle } from './service/bundle.js';
export type {
  ListeningServer,
  Prepared,
  PreparedChange,
  RunningServer,
  SourceWatch,
  Surroundings,
} from './running-server.js';

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
  // Modules that a server does not need are not loaded.
  const sources =
    config.sources &&
    (await (await import('./facts/serve-facts.js')).serveFacts(config.sources, log?.logger('authz.facts')));
  const engineFor = async (next: Bundle): Promise<ServingEngine> => {
    const serving = await servingEngine(config, next, clock, {
      onRefused: (tenant, { message: reason }) => {
        store?.refused();
        tell({ kind: 'refused', tenant, reason, bundle: next.policies.hash });
      },
      onDisagreement: sources?.disagreed,
    });
    sources?.examine(next.policies, { ...config.engine, schemaEnforcement: config.schemaEnforcement });
    return serving;
  };
  const first = await engineFor(bundle).catch(async (error: unknown) => {
    await sources?.close();
    throw error;
  });
  const bundles = new ServedBundles(first, config.rollout.minWait);
  const observation =
    log === undefined
      ? undefined
      : await startObservation(config, bundles, log, { ...surroundings, store, facts: sources });
  // Told by sources and the audit log; the server guards those that it tells itself.
  const observers = (observation?.watchers ?? []).map((watcher) =>
    guarded(watcher, (problem, error) => log?.logger('authz.server').error(problem, { error })),
  );
  const auditWatch = audit === undefined ? undefined : startAuditWatch(config, bundles, audit, log, observers);
  const tenants: TenantService | undefined = store && {
    loader: store,
    neededBy: (principal, bundle) => bundles.of({ bundle }).tenants?.neededBy(principal) ?? [],
  };
  const shadow =
    observation === undefined ? undefined : await startShadow(config, bundles, observation, surroundings, tenants);
  const watchers: readonly Watcher[] = [
    // Metrics, traces, the log.
    ...(observation?.watchers ?? []),
    ...(shadow === undefined ? [] : [shadow.watcher]),
    ...(auditWatch === undefined ? [] : [auditWatch.watcher]),
  ];
  const answered = async (): Promise<void> => {
    await store?.close();
    await sources?.close();
    await shadow?.close();
    await auditWatch?.close();
    await observation?.close();
  };
  const tellLoaded = (current: ServingEngine): void => {
    observation?.bundle.loaded(describeLoaded(current));
    warnOfPatterns(current, log);
    warnOfRoutes(config, current, log);
    warnOfTenants(config, current, tenantLog);
  };
  tellLoaded(bundles.current);
  const own = observation?.metrics;
  const metrics =
    own === undefined ? undefined : { contentType: own.contentType, text: surroundings.scrapeAll ?? own.text };
  const server = await openServer({
    config,
    decider: bundles.current.decider,
    preparation: {
      bundles,
      tenants,
      facts: sources?.serviceFor(bundles, (call, fetch) => tellFetched(observers, call, fetch)),
    },
    build: () => bundles.current.release,
    watchers,
    auditReader: audit?.reader,
    explainer: config.server.explain ? createExplainer(bundles) : undefined,
    local: surroundings.local,
    bundle: () => bundles.current.bundle,
    rollout: surroundings.rollout,
    reload: surroundings.reload,
    source: source?.health,
    sources: sources?.states,
    names: () => bundles.current.names(),
    populations: sources?.populations,
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
