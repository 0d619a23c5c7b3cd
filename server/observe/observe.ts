import { callLog } from './log/call-log.js';
import { decisionLog } from './log/decision-log.js';
import { payloadLog } from './log/payload-log.js';
import { BundleMetrics } from './metrics/bundle-metrics.js';
import { createMetrics } from './metrics/metrics.js';
import type { Observation, ObserveOptions } from './options.js';
import { logDiagnostics } from './otel/diagnostics.js';
import { pushMetrics } from './otel/push-metrics.js';
import { otelSettings } from './otel/settings.js';
import { createTraces } from './traces/traces.js';

/** Sets up metrics, log and traces of a server (server.md 5). Rejects with a ConfigError for variables of OpenTelemetry that the server must not start with. */
export async function observe(options: ObserveOptions): Promise<Observation> {
  const { log, version } = options;
  const settings = otelSettings(options.environment ?? process.env);
  const { serviceName } = settings;
  const otelLogger = log.logger('authz.otel');
  for (const warning of settings.warnings) otelLogger.warn(warning);
  if (settings.traces !== undefined || settings.pushedMetrics !== undefined) await logDiagnostics(otelLogger);

  const isScraped = options.metricsEnabled && settings.scrapedMetrics;
  const bundle = new BundleMetrics();
  const metrics = isScraped || settings.pushedMetrics !== undefined ? await createMetrics(bundle, options.audit ?? noAudit, log.dropped) : undefined;
  const stopPush = settings.pushedMetrics !== undefined && metrics !== undefined ? await pushMetrics({ settings: settings.pushedMetrics, serviceName, version, snapshot: metrics.snapshot }) : undefined;
  const traces = settings.traces === undefined ? undefined : await createTraces({ settings: settings.traces, serviceName, version });

  const close = async (): Promise<void> => {
    await atMost(PATIENCE, [stopPush?.(), traces?.close()]);
    await log.flush();
  };
  return {
    watchers: [
      // Spans are open while the others are told.
      ...(traces === undefined ? [] : [traces.watcher]),
      ...(metrics === undefined ? [] : [metrics.watcher]),
      decisionLog(log.logger('authz.engine'), options.celErrorLogLevel),
      ...(options.logRequestPayloads ? [payloadLog(log.logger('authz.payload'))] : []),
      callLog(log.logger('authz.grpc')),
    ],
    metrics: isScraped ? metrics : undefined,
    bundle,
    close,
  };
}

/** How long a collector that does not answer holds up the end of the process, in milliseconds. */
const PATIENCE = 5000;

function noAudit(): readonly [] {
  return [];
}

/** What fails here has said so in the log. */
async function atMost(patience: number, work: readonly (Promise<void> | undefined)[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience);
  });
  await Promise.race([Promise.allSettled(work), timeout]);
  clearTimeout(timer);
}
