import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';

/** A kind with more actions than a check may ask about, and one with a policy of a principal. */
const ACTIONS = Array.from({ length: 120 }, (_, index) => `action-${String(index).padStart(3, '0')}`);
const POLICIES = {
  'report.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: report
  version: default
  rules:
    - actions: [${ACTIONS.join(', ')}]
      effect: EFFECT_ALLOW
      roles: [user]
      condition:
        match:
          expr: R.attr.public == true || P.id == R.attr.owner
    - actions: ["print:*"]
      effect: EFFECT_ALLOW
      roles: ["*"]
    - actions: [action-007]
      effect: EFFECT_DENY
      roles: [user]
      condition:
        match:
          expr: R.attr["authz.context"].locked == true
`,
  'auditor.yaml': `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: auditor
  version: default
  rules:
    - resource: report
      actions:
        - action: seal
          effect: EFFECT_ALLOW
        - action: action-003
          effect: EFFECT_DENY
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

interface Found {
  readonly results: readonly { readonly name: string }[];
  readonly page?: { readonly next_token: string };
}

async function post(path: string, body: unknown): Promise<{ readonly status: number; readonly json: unknown }> {
  const { status, text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body), {
    'Content-Type': 'application/json',
  });
  return { status, json: JSON.parse(text) };
}

async function search(body: object): Promise<Found> {
  const { status, json } = await post('/access/v1/search/action', body);
  assert.is(status, 200, JSON.stringify(json));
  return json as Found;
}

const namesIn = ({ results }: Found): readonly string[] => results.map(({ name }) => name);
const subject = (id: string) => ({ type: 'user', id });
const report = (properties: object = {}) => ({ type: 'report', id: 'r1', properties });

test('a search finds the actions that evaluations allow, of more than one check has', async () => {
  for (const [id, properties, context] of [
    ['alice', { owner: 'alice' }, {}],
    ['alice', { owner: 'bob' }, {}],
    ['alice', { public: true }, { locked: true }],
    ['auditor', { public: true }, {}],
    ['auditor', {}, {}],
  ] as const) {
    const request = { subject: subject(id), resource: report(properties), context };
    const candidates = [...ACTIONS, 'seal', 'print:now'];
    const evaluations = candidates.map((name) => ({ action: { name } }));
    const decided: { readonly decision: boolean }[] = [];
    for (let start = 0; start < evaluations.length; start += 50) {
      const batch = { ...request, evaluations: evaluations.slice(start, start + 50) };
      const { json } = await post('/access/v1/evaluations', batch);
      decided.push(...(json as { readonly evaluations: readonly { readonly decision: boolean }[] }).evaluations);
    }
    // A glob names no action.
    const allowed = candidates.filter((name, index) => decided[index]?.decision === true && name !== 'print:now');
    assert.equal(namesIn(await search(request)), allowed, JSON.stringify(request));
  }
});

test('pages are those of one list', async () => {
  const request = { subject: subject('alice'), resource: report({ owner: 'alice' }) };
  const all = namesIn(await search(request));
  assert.is(all.length, ACTIONS.length);
  for (const limit of [1, 50, 119, 120, 500]) {
    const found: string[] = [];
    let token = '';
    do {
      const page = await search({ ...request, page: { token, limit } });
      assert.ok(page.results.length <= limit);
      found.push(...namesIn(page));
      token = page.page?.next_token ?? '';
    } while (token !== '');
    assert.equal(found, all, `${limit}`);
  }
  assert.equal(await search({ ...request, page: {} }), {
    results: all.map((name) => ({ name })),
    page: { next_token: '' },
  });
  assert.equal(await search({ ...request, page: { token: 'zzz' } }), { results: [], page: { next_token: '' } });
});

test('an unknown subject or type has no results; an incomplete request is a bad one', async () => {
  assert.equal(await search({ subject: { type: 'robot', id: 'x' }, resource: report() }), { results: [] });
  assert.equal(await search({ subject: subject('alice'), resource: { type: 'nothing', id: 'r1' } }), { results: [] });
  assert.equal(await search({ subject: subject('alice'), resource: { type: '__proto__', id: 'r1' } }), { results: [] });
  const whole = { subject: subject('alice'), resource: report() };
  for (const part of [{ subject: undefined }, { resource: undefined }, { resource: { type: 'report' } }, { page: 1 }])
    assert.is((await post('/access/v1/search/action', { ...whole, ...part })).status, 400, JSON.stringify(part));
});

test('metadata name the search of actions; the others are not implemented', async () => {
  const { text } = await send(server.httpAddress, 'GET', '/.well-known/authzen-configuration');
  const base = `http://${server.httpAddress}`;
  assert.equal(JSON.parse(text), {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
    search_action_endpoint: `${base}/access/v1/search/action`,
  });
  for (const path of ['/access/v1/search/subject', '/access/v1/search/resource']) {
    const { status, json } = await post(path, { subject: subject('alice'), resource: report(), action: { name: 'a' } });
    assert.is(status, 501, path);
    assert.is((json as { readonly code: number }).code, 12);
  }
});

test.run();
