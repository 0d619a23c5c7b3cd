import type { Environment } from '../config/substitute.js';
import { ThrottledReporter } from '../throttled-reporter.js';
import { ConditionErrorSearch } from './condition-errors.js';
import { callLog, conditionLog, decisionLog, payloadLog } from './log/call-log.js';
import { HiddenValues } from './log/hidden-values.js';
import { BundleMetrics } from './metrics/bundle-metrics.js';
import { createMetrics } from './metrics/metrics.js';
import { RolloutMetrics } from './metrics/rollout-metrics.js';
import type { Observation, ObserveOptions } from './options.js';
import { logDiagnostics } from './otel/failures.js';
import { pushMetrics } from './otel/push-metrics.js';
import { otelSettings } from './otel/settings.js';
import { createTraces } from './traces/traces.js';

/**
 * Sets up metrics, log and traces of a server (docs/spec/server.md#observability). Rejects with a ConfigError for
 * variables of OpenTelemetry that the server must not start with.
 */
export async function observe(options: ObserveOptions): Promise<Observation> {
  const { log, version } = options;
  const settings = otelSettings(options.environment ?? process.env);
  const { serviceName } = settings;
  const otelLogger = log.logger('authz.otel');
  for (const warning of settings.warnings) otelLogger.warn(warning);
  const reporter = new ThrottledReporter((message) => otelLogger.warn(message));
  if (settings.traces !== undefined || settings.pushedMetrics !== undefined) await logDiagnostics(reporter);

  const bundle = new BundleMetrics();
  const rollout = new RolloutMetrics();
  const isScraped = options.metricsEnabled && settings.scrapedMetrics;
  const isCounted = isScraped || settings.pushedMetrics !== undefined;
  const hidden = new HiddenValues(options.mask ?? []);
  const conditions = conditionSearch(options, isCounted, hidden);
  const metrics = isCounted
    ? await createMetrics({
        bundle,
        rollout,
        conditions,
        audit: options.audit,
        rejectedBundles: options.rejectedBundles,
        source: options.source,
        tenants: options.tenants,
        facts: options.facts,
        droppedLines: log.dropped,
      })
    : undefined;
  const stopPush =
    settings.pushedMetrics !== undefined && metrics !== undefined
      ? await pushMetrics({
          settings: settings.pushedMetrics,
          serviceName,
          version,
          reporter,
          snapshot: metrics.snapshot,
        })
      : undefined;
  const traces =
    settings.traces === undefined
      ? undefined
      : await createTraces({ settings: settings.traces, serviceName, version, reporter });

  const close = async (): Promise<void> => {
    if (!(await atMost(PATIENCE, [stopPush?.(), traces?.close()])))
      otelLogger.warn(`the collector did not accept the last spans and metrics within ${PATIENCE} ms`);
    await log.flush();
  };
  return {
    watchers: [
      // First, so that spans are open while the other watchers run.
      ...(traces === undefined ? [] : [traces.watcher]),
      ...(metrics === undefined ? [] : [metrics.watcher]),
      ...(conditions === undefined ? [] : [conditions]),
      decisionLog(log.logger('authz.engine'), hidden),
      ...(options.logRequestPayloads ? [payloadLog(log.logger('authz.payload'), hidden)] : []),
      callLog(log.logger('authz.grpc'), hidden),
    ],
    metrics: isScraped ? metrics : undefined,
    bundle,
    rollout,
    close,
  };
}

/** Whether the variables of OpenTelemetry enable traces. Throws a ConfigError like `observe`. */
export function tracesCalls(environment: Environment = process.env): boolean {
  return otelSettings(environment).traces !== undefined;
}

/** How long a collector that does not answer delays the end of the process, in milliseconds. */
const PATIENCE = 5000;

/** Undefined if neither the log nor the metrics need the errors. */
function conditionSearch(
  { findConditionErrors, celErrorLogLevel, log, now }: ObserveOptions,
  isCounted: boolean,
  hidden: HiddenValues,
): ConditionErrorSearch | undefined {
  if (findConditionErrors === undefined || (celErrorLogLevel === 'none' && !isCounted)) return undefined;
  const logger = log.logger('authz.engine');
  return new ConditionErrorSearch(
    findConditionErrors,
    celErrorLogLevel === 'none' ? [] : [conditionLog(logger, celErrorLogLevel, hidden)],
    logger,
    now,
  );
}

/** Returns whether the work ended in time. Failures have been logged by then. */
async function atMost(patience: number, work: readonly (Promise<void> | undefined)[]): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), patience);
  });
  const isInTime = await Promise.race([Promise.allSettled(work).then(() => true), timeout]);
  clearTimeout(timer);
  return isInTime;
}
