import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { loadConfig } from '../../server/config.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';

interface Collector {
  readonly receivers: {
    readonly otlp: { readonly protocols: { readonly [protocol: string]: { readonly endpoint: string } } };
    readonly prometheus: {
      readonly config: {
        readonly scrape_configs: readonly {
          readonly static_configs: readonly { readonly targets: readonly string[] }[];
        }[];
      };
    };
  };
  readonly processors: object;
  readonly exporters: object;
  readonly service: {
    readonly pipelines: {
      readonly [signal: string]: { readonly [part: string]: readonly string[] };
    };
  };
}

const collector = parse(readFileSync(join(ROOT, 'deploy/otel/collector.yaml'), 'utf8')) as Collector;

test('each part of a pipeline is declared, and each declared part is used', () => {
  const pipelines = Object.values(collector.service.pipelines);
  for (const part of ['receivers', 'processors', 'exporters'] as const) {
    const used = new Set(pipelines.flatMap((pipeline) => pipeline[part]));
    assert.equal([...used].sort(), Object.keys(collector[part]).sort(), part);
  }
  for (const { processors } of pipelines) assert.is(processors?.[0], 'memory_limiter');
});

test('it listens where OpenTelemetry SDKs send by default, and scrapes where a server listens by default', () => {
  const { grpc, http } = collector.receivers.otlp.protocols;
  assert.equal([grpc?.endpoint, http?.endpoint], ['127.0.0.1:4317', '127.0.0.1:4318']);
  const { httpListenAddr } = loadConfig({ sets: [], environment: {} }).config.server;
  const port = httpListenAddr.kind === 'tcp' ? httpListenAddr.port : undefined;
  const [scrape] = collector.receivers.prometheus.config.scrape_configs;
  assert.equal(scrape?.static_configs[0]?.targets, [`127.0.0.1:${port}`]);
});

if (spawnSync('promtool', ['--version']).error === undefined) {
  test('Prometheus accepts what the collector scrapes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'authz-collector-'));
    try {
      const file = join(folder, 'prometheus.yaml');
      writeFileSync(file, stringify(collector.receivers.prometheus.config));
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' });
      assert.is(status, 0, `${stdout}${stderr}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
} else skip(import.meta.url, 'promtool is not installed (Debian: prometheus)');

test.run();
