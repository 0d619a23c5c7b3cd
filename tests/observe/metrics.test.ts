import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Snapshot } from '../../server/observe/metrics/family.js';
import { BundleMetrics } from '../../server/observe/metrics/bundle-metrics.js';
import { createMetrics, type Metrics } from '../../server/observe/metrics/metrics.js';
import { WorkerTotals } from '../../server/observe/metrics/worker-totals.js';
import type { Call } from '../../server/service/call.js';
import type { CallEnd, Planned } from '../../server/service/watcher.js';
import { sampleCall, sampleCheck, sampleEnd } from './sample-calls.js';

test('a scrape is valid Prometheus text: every line is a comment or a sample of the family above it', async () => {
  const metrics = await someMetrics();
  recordCall(metrics, sampleCall({ protocol: 'grpc' }), sampleEnd());
  const text = await metrics.text();
  let family = '';
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE (\S+) (?:counter|gauge|histogram)$/.exec(line);
    if (type !== null) family = type[1] as string;
    else if (!line.startsWith('# HELP '))
      assert.match(
        line,
        new RegExp(
          `^${family}(?:_bucket|_sum|_count)?(?:\\{\\w+="(?:[^"\\\\]|\\\\.)*"(?:,\\w+="(?:[^"\\\\]|\\\\.)*")*\\})? (?:[-+.\\de]+|\\+Inf|NaN)$`,
        ),
      );
  }
  assert.match(metrics.contentType, /^text\/plain/);
});

test('every documented name is present', async () => {
  const metrics = await someMetrics();
  recordCall(metrics, sampleCall(), sampleEnd());
  recordCall(metrics, sampleCall({ protocol: 'grpc' }), sampleEnd());
  metrics.watcher.planned?.(sampleCall(), { plan: { unplanned: [] }, duration: 1 } as unknown as Planned);
  const text = await metrics.text();
  for (const name of DOCUMENTED) assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'), name);
});

test('a check records its duration, its size and its decisions', async () => {
  const metrics = await someMetrics();
  metrics.watcher.checked?.(sampleCall(), sampleCheck(['album', 'photo'], { duration: 0.5 }));
  const text = await metrics.text();
  assert.match(
    text,
    'authz_check_duration_seconds_bucket{le="0.0003"} 0\nauthz_check_duration_seconds_bucket{le="0.0006"} 1\n',
  );
  assert.match(text, 'authz_check_batch_size_bucket{le="1"} 0\nauthz_check_batch_size_bucket{le="2"} 1\n');
  assert.match(text, 'authz_decisions_total{kind="photo",action="view",effect="allow"} 1\n');
});

test('gRPC calls are counted by code name, HTTP calls by status', async () => {
  const metrics = await someMetrics();
  recordCall(metrics, sampleCall({ protocol: 'grpc' }), sampleEnd({ code: 'invalid_argument' }));
  recordCall(metrics, sampleCall({ protocol: 'rest' }), sampleEnd({ code: 'invalid_argument', httpStatus: 400 }));
  recordCall(metrics, sampleCall({ protocol: 'rest' }), sampleEnd());
  recordCall(metrics, sampleCall({ protocol: 'connect' }), sampleEnd());
  const text = await metrics.text();
  assert.match(
    text,
    'grpc_server_handled_total{grpc_type="unary",grpc_service="authz.svc.v1.AuthzService",grpc_method="CheckResources",grpc_code="InvalidArgument"} 1\n',
  );
  assert.match(
    text,
    'grpc_server_started_total{grpc_type="unary",grpc_service="authz.svc.v1.AuthzService",grpc_method="CheckResources"} 1\n',
  );
  assert.match(text, 'authz_http_requests_total{rpc="CheckResources",protocol="rest",status="400"} 1\n');
  assert.match(
    text,
    'http_server_request_duration_seconds_count{http_request_method="POST",http_response_status_code="200",network_protocol_name="http"} 2\n',
  );
  assert.match(
    text,
    'http_server_request_body_size_bytes_sum{http_request_method="POST",http_response_status_code="200",network_protocol_name="http"} 1000\n',
  );
});

test('unknown methods from callers do not grow the memory', async () => {
  const metrics = await someMetrics();
  for (let index = 0; index < 1000; index++)
    recordCall(metrics, sampleCall({ protocol: 'grpc', method: `/s/M${index}` }), sampleEnd({ code: 'unimplemented' }));
  const text = await metrics.text();
  assert.is(text.match(/^grpc_server_handled_total/gm)?.length, 65);
  assert.match(
    text,
    'grpc_server_handled_total{grpc_type="unary",grpc_service="other",grpc_method="other",grpc_code="Unimplemented"} 936\n',
  );
});

test('the current bundle is named, reloads are counted by result, and the first load is not a reload', async () => {
  const bundle = new BundleMetrics();
  const metrics = await createMetrics({ bundle, droppedLines: () => 0 });
  const begun = Date.now() / 1000;
  bundle.loaded({ hash: 'one', version: '1' });
  bundle.loaded({ hash: 'two', version: '2' });
  bundle.refused();
  const text = await metrics.text();
  assert.match(text, '\nauthz_bundle_info{hash="two",version="2"} 1\n');
  assert.not.match(text, 'hash="one"');
  assert.match(
    text,
    '\nauthz_bundle_reload_total{result="success"} 1\nauthz_bundle_reload_total{result="failure"} 1\n',
  );
  const seconds = Number(/^authz_bundle_last_success_timestamp_seconds (\S+)$/m.exec(text)?.[1]);
  assert.ok(seconds >= begun && seconds <= Date.now() / 1000, `${seconds}`);
});

test('metrics of workers are aggregated: calls are summed, a reload of all workers counts once, the bundle is shown once', async () => {
  const totals = new WorkerTotals();
  for (const worker of [1, 2]) {
    const bundle = new BundleMetrics();
    const metrics = await createMetrics({
      bundle,
      audit: () => [{ kind: 'access', written: 2, dropped: 1, failed: 0 }],
      droppedLines: () => 0,
    });
    bundle.loaded({ hash: 'one', version: '1' });
    bundle.loaded({ hash: 'two', version: '1' });
    recordCall(metrics, sampleCall({ protocol: 'grpc' }), sampleEnd());
    // In the form in which it arrives over the channel between processes.
    totals.record(worker, JSON.parse(JSON.stringify(await metrics.snapshot())) as Snapshot);
  }
  const text = totals.text();
  assert.match(text, '\nauthz_check_duration_seconds_count 2\n');
  assert.match(text, 'authz_decisions_total{kind="album",action="view",effect="allow"} 2\n');
  assert.match(text, '\nauthz_bundle_info{hash="two",version="1"} 1\n');
  assert.match(text, '\nauthz_bundle_reload_total{result="success"} 1\n');
  assert.match(text, 'authz_audit_entries_total{kind="access",result="written"} 4\n');
});

test.run();

const DOCUMENTED = [
  'authz_check_duration_seconds',
  'authz_plan_duration_seconds',
  'authz_check_batch_size',
  'authz_decisions_total',
  'authz_evaluation_errors_total',
  'authz_bundle_info',
  'authz_bundle_reload_total',
  'authz_bundle_last_success_timestamp_seconds',
  'authz_http_requests_total',
  'grpc_server_started_total',
  'grpc_server_handled_total',
  'grpc_server_handling_seconds',
  'http_server_request_duration_seconds',
  'http_server_request_body_size_bytes',
  'http_server_response_body_size_bytes',
  'rpc_server_call_duration_seconds',
  'authz_audit_entries_total',
  'authz_dev_engine_check_batch_size',
  'authz_dev_audit_error_count_total',
  'authz_dev_store_last_successful_refresh',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
];

async function someMetrics(): Promise<Metrics> {
  const bundle = new BundleMetrics();
  bundle.loaded({ hash: 'h', version: '1' });
  return createMetrics({
    bundle,
    audit: () => [{ kind: 'decision', written: 1, dropped: 0, failed: 0 }],
    droppedLines: () => 0,
  });
}

function recordCall({ watcher }: Metrics, call: Call, end: CallEnd): void {
  watcher.began?.(call);
  watcher.checked?.(call, sampleCheck());
  watcher.ended?.(call, end);
}
