import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { freePort } from '../support/free-port.js';
import { engineRange, engineVersion, type Manifest } from '../../packages/bundle/index.js';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import type { SourceStatus } from '../../server/observe/options.js';
import { openAudit } from '../../server/process.js';
import { sourceHealth } from '../../server/service/services.js';
import { loaded, ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { until } from '../support/timeout.js';
import { loopbackConfig } from '../support/server/start.js';

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string }[];
}

const MANIFEST: Manifest = {
  format: 1,
  hash: '',
  files: {},
  compiler: engineVersion,
  engine: engineRange,
  sequence: 1,
  notAfter: '2100-01-01T00:00:00Z',
};
/** A source that is away. */
const SOURCE: SourceStatus = {
  source: 'https://bundles.example.com/policies.authzbundle',
  lastAttempt: 2,
  lastSuccess: 1,
  confirmed: 1,
  fromCache: false,
  problem: { reason: 'unreachable', message: 'cannot be reached' },
  attempts: { fetched: 1, unchanged: 0, failed: 1 },
  failures: new Map([['unreachable', 1]]),
  bytes: 1,
  cacheWrites: { success: 1, failure: 0 },
};
const ALERTS = join(ROOT, 'deploy/alerts/authz.rules.yaml');
const ALERT_TESTS = join(ROOT, 'deploy/alerts/authz.rules.test.yaml');
const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/dashboards/authz.json'), 'utf8')) as {
  readonly id: null;
  readonly panels: readonly Panel[];
};
const { groups } = parse(readFileSync(ALERTS, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

test('panels have ids of their own and do not overlap', () => {
  assert.is(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  assert.is(new Set(cells).size, cells.length);
});

test('the dashboard names no data source, host or id of an installation', () => {
  assert.is(dashboard.id, null);
  const sources = [...JSON.stringify(dashboard).matchAll(/"type":"prometheus","uid":"([^"]+)"/g)].map(([, uid]) => uid);
  assert.ok(sources.length > queries.length);
  assert.equal([...new Set(sources)], [`\${datasource}`]);
});

test('every alert has a case in which it fires and one in which it does not', () => {
  const { tests } = parse(readFileSync(ALERT_TESTS, 'utf8')) as {
    readonly tests: readonly {
      readonly alert_rule_test: readonly { readonly alertname: string; readonly exp_alerts: readonly unknown[] }[];
    }[];
  };
  const cases = tests.flatMap(({ alert_rule_test }) => alert_rule_test);
  for (const { alert } of rules)
    assert.equal(
      cases.filter(({ alertname }) => alertname === alert).map(({ exp_alerts }) => exp_alerts.length > 0),
      [true, false],
      alert,
    );
});

if (spawnSync('promtool', ['--version']).error === undefined) {
  test('promtool accepts the alerts and their cases', () => {
    for (const command of [
      ['check', 'rules', ALERTS],
      ['test', 'rules', ALERT_TESTS],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', command, { encoding: 'utf8' });
      assert.is(status, 0, `${stdout}${stderr}`);
    }
  });
} else skip(import.meta.url, 'promtool is not installed (Debian: prometheus)');

if (spawnSync('prometheus', ['--version']).error === undefined) {
  test('every panel has data, and alerts read only metrics that a server has', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authz-dashboards-'));
    const nowhere = openSync('/dev/null', 'w');
    const log = openLog({ output: nowhere, errors: nowhere, environment: {} });
    const config = loopbackConfig(
      'server.shutdownGrace=0s',
      'audit.enabled=true',
      'audit.backend=file',
      `audit.file.path=${join(folder, 'audit.log')}`,
      `tenants.source=${folder}`,
    );
    const module = await loaded(await compileFolder(join(ROOT, 'policies')));
    const provenance = { digest: 'd', manifest: { ...MANIFEST, hash: module.policies.hash } };
    const server = await startServer(
      config,
      { ...module, provenance },
      {
        log,
        audit: await openAudit(config, log),
        rejectedBundles: () => new Map([['unsigned', 1]]),
        source: { status: () => SOURCE, health: () => sourceHealth(SOURCE) },
      },
    );
    let prometheus: Prometheus | undefined;
    try {
      prometheus = await startPrometheus(folder, server.httpAddress);
      const open = queries.map(({ title, expr }) => ({ title, expr: withoutVariables(expr) }));
      // A rate needs two scrapes, and each round of calls adds to what they see.
      for (let round = 0; round < 600 && open.length > 0; round++) {
        await sendCalls(server.httpAddress);
        await sleep(500);
        for (let index = open.length - 1; index >= 0; index--)
          if ((await prometheus.query((open[index] as { expr: string }).expr)) > 0) open.splice(index, 1);
      }
      assert.equal(open, []);
      for (const name of new Set(rules.flatMap(({ expr }) => selectorsOf(expr))))
        await until(async () => ((await prometheus?.query(name)) ?? 0) > 0, name);
    } finally {
      await prometheus?.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
} else skip(import.meta.url, 'Prometheus is not installed (Debian: prometheus)');

test.run();

/** As Grafana sends an expression when all jobs and instances are selected. */
function withoutVariables(expr: string): string {
  return expr.replaceAll(/\$(?:job|instance)\b/g, '.*').replaceAll('$__rate_interval', '10s');
}

/**
 * The metrics of an expression, each with the names of its labels: `m{kind!=""}`. A series without the label does not
 * match, so a misspelled label has no data.
 */
function selectorsOf(expr: string): readonly string[] {
  return [...expr.matchAll(/\b((?:authz|grpc|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', matchers = '']) => {
    const labels = [...matchers.matchAll(/(\w+)=~?"/g)].map(([, label]) => `${label}!=""`);
    return `${name}{${labels.join(',')}}`;
  });
}

async function sendCalls(address: string): Promise<void> {
  const principal = { id: 'bob', roles: ['user'] };
  const resource = { kind: 'album', id: 'a1', attr: { owner: 'alice', visibility: 'public', status: 'OPEN' } };
  const calls = [
    { path: '/api/check/resources', body: { principal, resources: [{ actions: ['view', 'delete'], resource }] } },
    { path: '/api/plan/resources', body: { principal, action: 'view', resource: { kind: 'album' } } },
  ];
  for (const { path, body } of calls) {
    const response = await fetch(`http://${address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.is(response.status, 200, await response.text());
  }
  // An empty message is an invalid request; the metrics of gRPC count it like any other.
  const response = await fetch(`http://${address}/authz.svc.v1.AuthzService/CheckResources`, {
    method: 'POST',
    headers: { 'content-type': 'application/grpc-web+proto' },
    body: new Uint8Array(5),
  });
  await response.arrayBuffer();
}

interface Prometheus {
  /** The number of series that an expression has now. Rejects if it is invalid. */
  readonly query: (expr: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

async function startPrometheus(folder: string, target: string): Promise<Prometheus> {
  const port = await freePort();
  const file = join(folder, 'prometheus.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
      scrape_configs: [{ job_name: 'authz', metrics_path: '/_authz/metrics', static_configs: [{ targets: [target] }] }],
    }),
  );
  const child: ChildProcess = spawn(
    'prometheus',
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore', cwd: folder },
  );
  const ended = once(child, 'exit');
  const close = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const query = async (expr: string): Promise<number> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const answer = (await response.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data?: { readonly result: readonly unknown[] };
    };
    if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error}`);
    return answer.data?.result.length ?? 0;
  };
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(async () => child.exitCode !== null || (await isReady()), 'an answer of Prometheus', 100);
  if (child.exitCode === null) return { query, close };
  await close();
  throw new Error('Prometheus does not start');
}
