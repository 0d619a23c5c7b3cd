import { openSync } from 'node:fs';
import { openLog } from '../../server/observe/log/open-log.js';
import { observe } from '../../server/observe/observe.js';
import { callLog } from '../../server/observe/log/call-log.js';
import { BundleMetrics } from '../../server/observe/metrics/bundle-metrics.js';
import { createMetrics } from '../../server/observe/metrics/metrics.js';
import { createTraces } from '../../server/observe/traces/traces.js';
import { ThrottledReporter } from '../../server/throttled-reporter.js';
import type { Watcher } from '../../server/service/watcher.js';
import { sampleCall, sampleCheck, sampleAction, sampleDecision, sampleEnd } from './sample-calls.js';

/**
 * The cost of each watcher per call, in microseconds of CPU time including writes: `node --import tsx
 * tests/observe/cost.ts`. The log goes to /dev/null, spans to an unreachable collector.
 */
const CALLS_A_TURN = 30;
const TURNS = 5000;
const ROUNDS = 5;

const log = openLog({ output: openSync('/dev/null', 'w'), errors: openSync('/dev/null', 'w'), level: 'info' });
const actions = ['view', 'edit', 'share', 'delete'].map((action, index) => sampleAction(action, index === 0 ? 1 : 2));
const single = sampleCheck(['album'], { decisions: [sampleDecision({ actions })] });
const batch = sampleCheck(new Array<string>(50).fill('album'), {
  decisions: new Array(50).fill(sampleDecision({ actions })),
});
const call = sampleCall();
const traced = sampleCall({ headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } });
const end = sampleEnd();

const { watcher: metrics, text } = await createMetrics({ bundle: new BundleMetrics(), droppedLines: log.dropped });
process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:1';
const settings = {
  protocol: 'http/protobuf',
  sampler: 'parentbased_always_off',
  ratio: 0,
  propagators: ['tracecontext', 'baggage', 'b3'],
} as const;
const reporter = new ThrottledReporter(() => {});
const traces = await createTraces({ settings, serviceName: 'authz', version: '0', reporter });
const all = await observe({
  log,
  metricsEnabled: true,
  logRequestPayloads: false,
  celErrorLogLevel: 'warn',
  version: '0',
  environment: {},
  findConditionErrors: () => [],
});

await report('none', [], call, single);
await report('metrics, 1 x 4', [metrics], call, single);
await report('metrics, 50 x 4', [metrics], call, batch);
await report('log, a line a call', [callLog(log.logger('authz.grpc'))], call, single);
await report('traces, not sampled', [traces.watcher], call, single);
await report('traces, sampled', [traces.watcher], traced, single);
await report('all that is on by default, 1 x 4', all.watchers, call, single);
await report('all that is on by default, 50 x 4', all.watchers, call, batch);

const start = performance.now();
const { length } = await text();
console.log(
  `a scrape: ${(performance.now() - start).toFixed(1)} ms, ${length} bytes; lines of the log dropped: ${log.dropped()}`,
);
process.exit();

async function report(
  name: string,
  watchers: readonly Watcher[],
  which: typeof call,
  check: typeof single,
): Promise<void> {
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let turn = 0; turn < TURNS; turn++) {
      for (let index = 0; index < CALLS_A_TURN; index++)
        recordCall(watchers, { ...which, timestamp: Date.now() }, check);
      await new Promise(setImmediate);
    }
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / (TURNS * CALLS_A_TURN));
  }
  console.log(`${name}: ${(costs.sort((a, b) => a - b)[ROUNDS >> 1] as number).toFixed(2)} us`);
}

function recordCall(watchers: readonly Watcher[], which: typeof call, check: typeof single): void {
  for (const watcher of watchers) watcher.began?.(which);
  for (const watcher of watchers) watcher.checked?.(which, check);
  for (const watcher of watchers) watcher.ended?.(which, end);
}
