import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningServer, startServer } from '../../server/main.js';
import { loadConfig } from '../../server/config.js';
import { send } from '../support/server/http-client.js';
import { compileTexts, loaded } from '../support/compiled.js';

/**
 * The certification scenario of AuthZEN 1.0 for evaluations and batches: its eight decisions and its response shapes.
 */
const POLICIES = {
  'record.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: record
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
    - actions: [write]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          any:
            of:
              - expr: has(P.attr.role) && P.attr.role == "admin"
              - expr: P.id == "alice" && !(has(R.attr.status) && R.attr.status == "archived")
    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: P.id == "alice" && R.attr["authz.actionProperties"].soft == true
`,
};

let server: RunningServer;
test.before(async () => {
  const { config } = loadConfig({
    sets: ['server.httpListenAddr=127.0.0.1:0', 'server.grpcListenAddr=127.0.0.1:0'],
    environment: {},
  });
  server = await startServer(config, await loaded(compileTexts(POLICIES)));
});
test.after(() => server.close());

const subject = (id: string, properties?: object) => ({ type: 'user', id, ...(properties && { properties }) });
const resource = (id: string, properties?: object) => ({ type: 'record', id, ...(properties && { properties }) });
const action = (name: string, properties?: object) => ({ name, ...(properties && { properties }) });
const archived = resource('record-2', { status: 'archived' });
const admin = subject('bob', { role: 'admin' });

async function ask(path: string, body: unknown): Promise<{ readonly status: number; readonly json: unknown }> {
  const { status, text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body), {
    'Content-Type': 'application/json',
  });
  return { status, json: JSON.parse(text) };
}

const evaluate = (body: unknown) => ask('/access/v1/evaluation', body);
const evaluateAll = (body: unknown) => ask('/access/v1/evaluations', body);
const answers = (...decisions: readonly boolean[]) => ({
  status: 200,
  json: { evaluations: decisions.map((decision) => ({ decision })) },
});

test('1.4: the eight decisions', async () => {
  const record = resource('record-1');
  for (const [number, decision, request] of [
    [1, true, { subject: subject('alice'), action: action('read'), resource: record }],
    [2, true, { subject: subject('alice'), action: action('write'), resource: record }],
    [3, true, { subject: subject('bob'), action: action('read'), resource: record }],
    [4, false, { subject: subject('bob'), action: action('write'), resource: record }],
    [5, false, { subject: subject('alice'), action: action('write'), resource: archived }],
    [6, true, { subject: admin, action: action('write'), resource: archived }],
    [7, true, { subject: subject('alice'), action: action('delete', { soft: true }), resource: record }],
    [8, false, { subject: subject('alice'), action: action('delete', { soft: false }), resource: record }],
  ] as const) {
    assert.equal(await evaluate(request), { status: 200, json: { decision } }, `rule ${number}`);
    assert.equal(
      await evaluate({ ...request, context: { time: '2025-06-27T18:03-07:00' } }),
      { status: 200, json: { decision } },
      `rule ${number} with a context`,
    );
  }
});

test('2.2.8, 2.2.9: additional properties and unknown fields change nothing', async () => {
  const request = {
    subject: subject('alice', { department: 'Sales' }),
    action: action('read', { method: 'GET' }),
    resource: resource('record-1', { owner: 'bob' }),
  };
  assert.equal(await evaluate({ ...request, foo: 'bar', futureField: { nested: true } }), {
    status: 200,
    json: { decision: true },
  });
});

test('2.4: a missing field or a wrong type is a bad request', async () => {
  const whole = { subject: subject('alice'), action: action('read'), resource: resource('record-1') };
  for (const part of [
    { subject: undefined },
    { action: undefined },
    { resource: undefined },
    { subject: { id: 'alice' } },
    { subject: { type: 'user' } },
    { action: {} },
    { resource: { id: 'record-1' } },
    { resource: { type: 'record' } },
    { subject: 'alice' },
    { action: { name: 123 } },
  ]) {
    assert.is((await evaluate({ ...whole, ...part })).status, 400, JSON.stringify(part));
  }
  for (const body of ['', '{"subject":', '[]'])
    assert.is((await send(server.httpAddress, 'POST', '/access/v1/evaluation', body)).status, 400, body);
});

test('2.4.3: a body with another media type than JSON is a bad request', async () => {
  const body = JSON.stringify({ subject: subject('alice'), action: action('read'), resource: resource('record-1') });
  for (const path of ['/access/v1/evaluation', '/access/v1/evaluations']) {
    const statusOf = async (type: string) =>
      (await send(server.httpAddress, 'POST', path, body, { 'Content-Type': type })).status;
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'nonsense',
    ])
      assert.is(await statusOf(type), 400, type);
    for (const type of ['application/json', 'Application/JSON', 'application/json; charset=utf-8'])
      assert.is(await statusOf(type), 200, type);
    assert.is((await send(server.httpAddress, 'POST', path, body)).status, 200, 'no media type');
  }
});

test('2.5: the response repeats the header X-Request-ID', async () => {
  const body = JSON.stringify({ subject: subject('alice'), action: action('read'), resource: resource('record-1') });
  const { headers } = await send(server.httpAddress, 'POST', '/access/v1/evaluation', body, {
    'Content-Type': 'application/json',
    'X-Request-ID': 'abc-1',
  });
  assert.is(headers['x-request-id'], 'abc-1');
});

test('3.2: evaluations inherit missing parts from the batch', async () => {
  assert.equal(
    await evaluateAll({
      subject: subject('bob'),
      resource: resource('record-1'),
      evaluations: [{ action: action('read') }, { action: action('write') }],
    }),
    answers(true, false),
  );
  assert.equal(
    await evaluateAll({
      subject: subject('alice'),
      action: action('write'),
      evaluations: [{ resource: resource('record-1', { status: 'active' }) }, { resource: archived }],
    }),
    answers(true, false),
  );
  assert.equal(
    await evaluateAll({
      action: action('write'),
      resource: archived,
      evaluations: [{ subject: subject('alice') }, { subject: admin }],
    }),
    answers(false, true),
  );
  const whole = [
    { subject: subject('alice'), action: action('read'), resource: resource('record-1') },
    { subject: subject('bob'), action: action('write'), resource: resource('record-1') },
  ];
  assert.equal(await evaluateAll({ evaluations: whole }), answers(true, false));
  const merged = [{ resource: { id: 'record-1', properties: { status: 'active' } } }, { resource: archived }];
  assert.equal(
    await evaluateAll({
      subject: subject('alice'),
      action: action('write'),
      resource: { type: 'record' },
      evaluations: merged,
    }),
    answers(true, false),
  );
});

test('3.4: an evaluation that lacks a part is denied, and the others are answered', async () => {
  assert.equal(
    await evaluateAll({
      subject: subject('alice'),
      action: action('read'),
      evaluations: [{ resource: resource('record-1') }, {}],
    }),
    answers(true, false),
  );
});

test('3.4: a batch without evaluations is one evaluation', async () => {
  const request = { subject: subject('alice'), action: action('read'), resource: resource('record-1') };
  assert.equal(await evaluateAll(request), { status: 200, json: { decision: true } });
  assert.equal(await evaluateAll({ ...request, evaluations: [] }), { status: 200, json: { decision: true } });
});

test.run();
