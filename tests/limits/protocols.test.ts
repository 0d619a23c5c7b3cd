import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, explanations } from '../../runtime/engine/index.js';
import type { CompiledBundle } from '../../runtime/engine/bundle.js';
import { auditWatcher } from '../../server/audit/audit-watcher.js';
import type { AuditRecord } from '../../server/audit/record.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { observe } from '../../server/observe/observe.js';
import type { Decider } from '../../server/service/decider.js';
import { configWith } from '../support/audit/samples.js';
import { checkOverGrpc } from '../support/cli/grpc-check.js';
import { start } from '../support/server/start.js';
import { compileTexts, loaded } from '../support/compiled.js';

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: item
  version: default
  rules:
    - { actions: ["*"], effect: EFFECT_ALLOW, roles: ["*"] }
    - { actions: ["*"], effect: EFFECT_DENY, roles: ["*"], condition: { match: { expr: "P.attr.a.exists(x, P.attr.a.exists(y, x + y == -1.0))" } } }
`;

const principal = { id: 'alice', roles: ['user'], attr: { a: Array.from({ length: 2_000 }, (_, index) => index) } };
const CHECK = { requestId: 'r1', principal, resources: [{ actions: ['view'], resource: { kind: 'item', id: 'i' } }] };
const PLAN = { requestId: 'r2', principal, action: 'view', resource: { kind: 'item' } };

test('a call over the cost limit is rejected in every protocol, counted, logged and audited', async () => {
  const { policies } = await loaded(compileTexts({ 'item.yaml': POLICY }));
  const engine = createEngine(policies as CompiledBundle, { limits: { evaluationCost: 100_000 } });
  const folder = mkdtempSync(join(tmpdir(), 'authz-limits-'));
  const [output, errors] = ['out', 'err'].map((name) => openSync(join(folder, name), 'w')) as [number, number];
  const log = openLog({ output, errors, environment: {} });
  const observation = await observe({
    log,
    metricsEnabled: true,
    logRequestPayloads: false,
    celErrorLogLevel: 'none',
    version: '1',
    environment: {},
  });
  const records: AuditRecord[] = [];
  const audit = auditWatcher({
    config: configWith({}),
    sink: { put: (record: AuditRecord) => void records.push(record), close: async () => {} } as unknown as Parameters<
      typeof auditWatcher
    >[0]['sink'],
    bundle: () => ({ policySource: { embeddedPdp: {} } }),
    onProblem: (problem) => assert.unreachable(problem),
  });
  const server = await start([], engine as unknown as Decider, [...observation.watchers, audit.watcher]);
  try {
    const post = async (path: string, body: unknown): Promise<readonly [number, unknown]> => {
      const response = await fetch(`http://${server.httpAddress}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return [response.status, ((await response.json()) as { readonly code: unknown }).code];
    };
    assert.equal(await post('/api/check/resources', CHECK), [429, 8]);
    assert.equal(await post('/api/plan/resources', PLAN), [429, 8]);
    assert.equal(await post('/authz.svc.v1.AuthzService/CheckResources', CHECK), [429, 'resource_exhausted']);
    const grpc = await checkOverGrpc(server.grpcAddress, CHECK).catch((error: { readonly code: number }) => error.code);
    assert.is(grpc, 8);
    assert.is(
      (await post('/api/check/resources', { ...CHECK, principal: { ...principal, attr: { a: [1] } } }))[0],
      200,
    );
    await server.close();
    await audit.close();
    await observation.close();

    assert.match((await observation.metrics?.text()) ?? '', 'authz_evaluation_limit_exceeded_total{reason="cost"} 4\n');
    const lines = readFileSync(join(folder, 'out'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly message: string });
    assert.is(lines.filter(({ message }) => message === 'Conditions exceed the evaluation limit').length, 4);
    const entries = records.map(({ json }) => json.toString());
    assert.is(entries.filter((entry) => entry.includes('costs more than')).length, 4);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the questions of a batch share the limits of one call, whoever the subjects are', async () => {
  const { policies } = await loaded(compileTexts({ 'item.yaml': POLICY }));
  const engine = createEngine(policies as CompiledBundle, {
    limits: { evaluationCost: 100_000 },
    use: [explanations()],
  });
  const server = await start([], engine as unknown as Decider);
  const statusOf = async (subjects: number): Promise<number> => {
    const properties = { roles: ['user'], a: Array.from({ length: 60 }, (_, index) => index) };
    const evaluations = Array.from({ length: subjects }, (_, index) => ({
      subject: { type: 'user', id: `u${index}`, properties },
    }));
    const body = JSON.stringify({ resource: { type: 'item', id: 'i' }, action: { name: 'view' }, evaluations });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    return (await fetch(`http://${server.httpAddress}/access/v1/evaluations`, init)).status;
  };
  try {
    assert.equal([await statusOf(1), await statusOf(50), await statusOf(1)], [200, 429, 200]);
  } finally {
    await server.close();
  }
});

test('a response whose metadata would be many times as long as the request is refused', async () => {
  const role =
    'apiVersion: api.authz.dev/v1\nrolePolicy:\n  role: user\n  rules:\n    - { resource: "*", allowActions: ["*"] }\n';
  const { policies } = await loaded(compileTexts({ 'item.yaml': POLICY, 'role.yaml': role }));
  const server = await start(
    [],
    createEngine(policies as CompiledBundle, { use: [explanations()] }) as unknown as Decider,
  );
  const send = async (path: string, body: object): Promise<readonly [status: number, length: number]> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(`http://${server.httpAddress}${path}`, init);
    return [response.status, (await response.text()).length];
  };
  const long = 'x'.repeat(1024 * 1024);
  const check = (length: number): object => ({
    principal: { id: 'a', roles: ['user'] },
    includeMeta: true,
    resources: Array.from({ length: 50 }, (_, index) => ({
      actions: Array.from({ length: 50 }, (_, action) => `a${action}`),
      resource: { kind: `${'k'.repeat(length)}${index}`, id: 'i' },
    })),
  });
  const batch = (context: object, defaults: object): object => ({
    context: { 'authz.includeMeta': true, ...context },
    subject: { type: 'user', id: 'a' },
    action: { name: 'view' },
    ...defaults,
    evaluations: Array.from({ length: 50 }, (_, index) => ({
      ...('resource' in defaults ? { action: { name: `a${index}` } } : { resource: { type: 'item', id: `${index}` } }),
    })),
  });
  try {
    const refused: readonly (readonly [path: string, body: object])[] = [
      ['/api/check/resources', check(20_000)],
      ['/access/v1/evaluations', batch({ 'authz.requestId': long }, {})],
      ['/access/v1/evaluations', batch({}, { action: { name: long } })],
      ['/access/v1/evaluations', batch({}, { resource: { type: 'item', id: long } })],
      [
        '/access/v1/evaluations',
        batch({}, { resource: { type: 'item', id: 'i', properties: { 'authz.scope': long } } }),
      ],
    ];
    for (const [index, [path, body]] of refused.entries()) {
      const [status, length] = await send(path, body);
      assert.is(status, 429, `request ${index}: ${length} bytes`);
      assert.ok(length < 1000);
    }
    assert.is((await send('/api/check/resources', check(100)))[0], 200);
    assert.is((await send('/access/v1/evaluations', batch({ 'authz.requestId': 'r' }, {})))[0], 200);
  } finally {
    await server.close();
  }
});

test.run();
