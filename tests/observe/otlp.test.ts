import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Log } from '../../server/observe/log/logger.js';
import { observe } from '../../server/observe/observe.js';
import type { Observation } from '../../server/observe/options.js';
import type { Call } from '../../server/service/call.js';
import { makeCertificate } from '../support/certificate.js';
import { within } from '../support/timeout.js';
import { sampleCall, sampleCheck, sampleEnd } from './sample-calls.js';
import { OtlpReceiver } from '../support/server/otlp-receiver.js';

const folder = mkdtempSync(join(tmpdir(), 'authz-otlp-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('a sampled call is exported as spans for HTTP, RPC and engine, with the attributes of a decision', async () => {
  await withCollector({ OTEL_TRACES_SAMPLER: 'always_on' }, async (receiver, observation) => {
    recordCall(observation, sampleCall({ id: 'CALL' }));
    await observation.close();
    const [api, rpc, engine] = ['/api', 'authz.svc.v1.AuthzService/CheckResources', 'engine.Check'].map((name) =>
      receiver.spans.find((span) => span.name === name),
    );
    assert.ok(api !== undefined && rpc !== undefined && engine !== undefined);
    assert.is(rpc.parentSpanId, api.spanId);
    assert.is(engine.parentSpanId, rpc.spanId);
    assert.equal(engine.attributes, {
      'authz.call_id': 'CALL',
      'authz.request_id': 'request-1',
      'authz.kind': 'album',
      'authz.resource.count': 1,
      'authz.action.count': 2,
      'authz.decision': 'mixed',
    });
    assert.is(api.attributes['http.response.status_code'], 200);
    assert.is(rpc.attributes['authz.call_id'], 'CALL');
    assert.is(receiver.resources[0]?.['service.name'], 'authz');
    assert.equal(receiver.paths, ['/v1/traces']);
  });
});

test('by default only calls of a sampled trace are sampled', async () => {
  await withCollector({}, async (receiver, observation) => {
    recordCall(observation, sampleCall());
    recordCall(observation, sampleCall({ headers: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` } }));
    recordCall(observation, sampleCall({ headers: { b3: `${'c'.repeat(32)}-${'d'.repeat(16)}-1` } }));
    recordCall(observation, sampleCall({ headers: { traceparent: `00-${'e'.repeat(32)}-${'f'.repeat(16)}-00` } }));
    await observation.close();
    assert.equal(new Set(receiver.spans.map(({ traceId }) => traceId)), new Set(['a'.repeat(32), 'c'.repeat(32)]));
    assert.is(
      receiver.spans.find(({ name, traceId }) => name === '/api' && traceId.startsWith('a'))?.parentSpanId,
      'b'.repeat(16),
    );
  });
});

test('health checks are not traced; a server fault is an error, a bad request is not', async () => {
  await withCollector({ OTEL_TRACES_SAMPLER: 'always_on' }, async (receiver, observation) => {
    recordCall(observation, sampleCall({ method: '/grpc.health.v1.Health/Check', protocol: 'grpc' }));
    recordCall(observation, sampleCall({ protocol: 'grpc', method: '/s/Fault' }), 'internal');
    recordCall(observation, sampleCall({ protocol: 'grpc', method: '/s/Bad' }), 'invalid_argument');
    await observation.close();
    const rpcs = receiver.spans.filter(({ name }) => name !== 'engine.Check');
    assert.equal(
      rpcs.map(({ name, status }) => [name, status]),
      [
        ['s/Fault', 2],
        ['s/Bad', 0],
      ],
    );
  });
});

test('metrics are exported under their scrape names when enabled', async () => {
  await withCollector(
    {
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_SERVICE_NAME: 'pdp',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    },
    async (receiver, observation) => {
      recordCall(observation, sampleCall());
      assert.is(observation.metrics, undefined);
      await observation.close();
      const byName = new Map(receiver.metrics.map((metric) => [metric.name, metric]));
      assert.equal(byName.get('authz_check_duration_seconds'), {
        name: 'authz_check_duration_seconds',
        unit: 's',
        type: 'histogram',
      });
      assert.equal(byName.get('authz_decisions_total'), { name: 'authz_decisions_total', unit: '1', type: 'sum' });
      assert.is(byName.get('process_resident_memory_bytes')?.type, 'gauge');
      assert.is(receiver.resources[0]?.['service.name'], 'pdp');
      assert.is(receiver.resources[0]?.['deployment.environment'], 'test');
    },
  );
});

test('gRPC is the default protocol', async () => {
  const receiver = new OtlpReceiver();
  const endpoint = await receiver.listenGrpc();
  await withVariables(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_METRICS_EXPORTER: 'otlp,prometheus',
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1',
    },
    async () => {
      const observation = await observe({ ...OPTIONS, log: logInto([]) });
      recordCall(observation, sampleCall({ protocol: 'grpc' }));
      assert.match((await observation.metrics?.text()) ?? '', 'grpc_server_handled_total');
      await observation.close();
    },
  );
  receiver.close();
  assert.equal(receiver.paths.map((path) => path.split('.').at(-1)).sort(), [
    'MetricsService/Export',
    'TraceService/Export',
  ]);
  assert.equal(receiver.spans.map(({ name }) => name).sort(), [
    'authz.svc.v1.AuthzService/CheckResources',
    'engine.Check',
  ]);
  assert.ok(receiver.metrics.some(({ name }) => name === 'authz_bundle_reload_total'));
});

for (const [where, host] of [
  ['an IPv4 address', '127.0.0.1'],
  ['an IPv6 address', '[::1]'],
  ['a name', 'localhost'],
] as const) {
  test(`gRPC over TLS exports to a collector at ${where}, whose certificate is verified`, async () => {
    const certificate = makeCertificate('collector');
    const other = makeCertificate('other');
    for (const [ca, calls] of [
      [certificate, ['MetricsService/Export', 'TraceService/Export']],
      [other, []],
    ] as const) {
      const receiver = new OtlpReceiver();
      const file = join(folder, `${ca.name}.pem`);
      writeFileSync(file, ca.cert);
      const endpoint = await receiver.listenGrpc(certificate, host);
      const variables = {
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        OTEL_EXPORTER_OTLP_CERTIFICATE: file,
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_TRACES_SAMPLER: 'always_on',
      };
      // Long enough for a collector that responds, short enough for an untrusted one, which is retried again and again.
      await withVariables(
        { ...variables, OTEL_EXPORTER_OTLP_TIMEOUT: ca === certificate ? '30000' : '500' },
        async () => {
          const observation = await observe({ ...OPTIONS, log: logInto([]) });
          recordCall(observation, sampleCall());
          await observation.close();
        },
      );
      receiver.close();
      assert.equal(receiver.paths.map((path) => path.split('.').at(-1)).sort(), calls);
    }
  });
}

test('without an endpoint there are no traces, and enabled metrics cause a warning in the log', async () => {
  const lines: string[] = [];
  const observation = await observe({
    ...OPTIONS,
    log: logInto(lines),
    environment: { OTEL_METRICS_EXPORTER: 'otlp' },
  });
  assert.is(observation.metrics, undefined);
  assert.is(observation.watchers.length, 2);
  assert.match(lines[0] ?? '', 'no endpoint');
  await observation.close();
});

for (const protocol of ['http/protobuf', 'grpc']) {
  test(`a collector that cannot be reached over ${protocol} delays nothing and is logged once`, async () => {
    const lines: string[] = [];
    await withVariables(
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
        OTEL_EXPORTER_OTLP_TIMEOUT: '300',
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_TRACES_SAMPLER: 'always_on',
        OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
      },
      async () => {
        const observation = await observe({ ...OPTIONS, log: logInto(lines) });
        for (let call = 0; call < 3; call++) recordCall(observation, sampleCall());
        await within(observation.close(), 'the end of the observation');
      },
    );
    assert.is(lines.filter((line) => line === 'Handled request').length, 3);
    for (const what of ['traces', 'metrics'])
      assert.is(
        lines.filter((line) => line.startsWith(`${what} cannot be sent to the collector: `)).length,
        1,
        lines.join('\n'),
      );
    assert.is(lines.length, 3 + 2, lines.join('\n'));
  });
}

test('a collector that never responds causes a warning when the server stops', async () => {
  const lines: string[] = [];
  const sockets: Socket[] = [];
  const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  await withVariables(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      OTEL_TRACES_SAMPLER: 'always_on',
    },
    async () => {
      const observation = await observe({ ...OPTIONS, log: logInto(lines) });
      recordCall(observation, sampleCall());
      await within(observation.close(), 'the end of the observation');
    },
  );
  for (const socket of sockets) socket.destroy();
  silent.close();
  assert.ok(lines.includes('the collector did not accept the last spans and metrics within 5000 ms'), lines.join('\n'));
});

test.run();

const OPTIONS = {
  metricsEnabled: true,
  logRequestPayloads: false,
  celErrorLogLevel: 'warn',
  version: '1.2.3',
} as const;

function logInto(lines: string[]): Log {
  const write = (message: string): void => void lines.push(message);
  const logger = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    members: (_: string, message: string) => write(message),
    writes: () => true,
  };
  return { logger: () => logger, debugFor: () => {}, flush: async () => {}, dropped: () => 0 };
}

function recordCall({ watchers }: Observation, call: Call, code?: 'internal' | 'invalid_argument'): void {
  for (const { began } of watchers) began?.(call);
  for (const { checked } of watchers) checked?.(call, sampleCheck());
  for (const { ended } of watchers) ended?.(call, sampleEnd({ code }));
}

/** The exporters read the environment of the process themselves. */
async function withCollector(
  variables: Readonly<Record<string, string>>,
  run: (receiver: OtlpReceiver, observation: Observation) => Promise<void>,
): Promise<void> {
  const receiver = new OtlpReceiver();
  const endpoint = await receiver.listen();
  try {
    await withVariables(
      { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf', ...variables },
      async () => run(receiver, await observe({ ...OPTIONS, log: logInto([]) })),
    );
  } finally {
    receiver.close();
  }
}

async function withVariables(variables: Readonly<Record<string, string>>, run: () => Promise<void>): Promise<void> {
  Object.assign(process.env, variables);
  try {
    await run();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
}
