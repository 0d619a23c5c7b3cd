import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { loopbackConfig } from '../support/server/start.js';

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
  const config = loopbackConfig();
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
});

test('an unknown subject or type has no results; an incomplete request is a bad one', async () => {
  assert.equal(await search({ subject: { type: 'robot', id: 'x' }, resource: report() }), { results: [] });
  assert.equal(await search({ subject: subject('alice'), resource: { type: 'nothing', id: 'r1' } }), { results: [] });
  assert.equal(await search({ subject: subject('alice'), resource: { type: '__proto__', id: 'r1' } }), { results: [] });
  const whole = { subject: subject('alice'), resource: report() };
  for (const part of [{ subject: undefined }, { resource: undefined }, { resource: { type: 'report' } }, { page: 1 }])
    assert.is((await post('/access/v1/search/action', { ...whole, ...part })).status, 400, JSON.stringify(part));
});

test('a token is one of the same question, in any order of its members and with any limit', async () => {
  const request = { subject: subject('alice'), resource: report({ owner: 'alice', a: 1 }), context: { ip: '::1' } };
  const { page } = await search({ ...request, page: { limit: 2 } });
  const token = page?.next_token ?? '';
  const next = async (body: object, limit?: number) =>
    post('/access/v1/search/action', { ...body, page: { token, limit } });
  const found = (await next(request, 3)).json as Found;
  assert.equal(namesIn(found), ACTIONS.slice(2, 5));
  for (const same of [
    { ...request, resource: report({ a: 1, owner: 'alice' }) },
    { ...request, context: { ip: '::1', 'authz.requestId': 'second', 'authz.includeMeta': true } },
  ])
    assert.equal(((await next(same, 3)).json as Found).results, found.results, JSON.stringify(same));
  for (const other of [
    { ...request, subject: subject('bob') },
    { ...request, subject: { ...subject('alice'), properties: { 'authz.scope': 'acme' } } },
    { ...request, resource: { ...report({ owner: 'alice', a: 1 }), id: 'r2' } },
    { ...request, resource: report({ owner: 'alice', a: 2 }) },
    { ...request, context: { ip: '::2' } },
    { ...request, context: undefined },
  ])
    assert.is((await next(other)).status, 400, JSON.stringify(other));
});

test('tokens that no page has are bad requests', async () => {
  const request = { subject: subject('alice'), resource: report({ owner: 'alice' }) };
  const { page } = await search({ ...request, page: { limit: 2 } });
  const token = page?.next_token ?? '';
  const bytes = Buffer.from(token, 'base64url');
  for (const forged of [
    'zzz',
    'action-001',
    `${token}=`,
    `${token} `,
    ` ${token}`,
    token.slice(0, 4),
    bytes.subarray(0, 16).toString('base64url'),
    bytes.toString('base64'),
    Buffer.concat([Buffer.alloc(16), bytes.subarray(16)]).toString('base64url'),
    Buffer.concat([bytes.subarray(0, 16), Buffer.from([0xff, 0xfe])]).toString('base64url'),
    'A'.repeat(100_000),
    Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(100_000, 'a')]).toString('base64url'),
    '\0',
  ])
    if (forged !== token)
      assert.is(
        (await post('/access/v1/search/action', { ...request, page: { token: forged } })).status,
        400,
        forged.slice(0, 80),
      );
  for (const page of [{ token: 1 }, { token: ['a'] }, { limit: '2' }, { limit: true }, { limit: 4294967296 }, []]) {
    const { status } = await post('/access/v1/search/action', { ...request, page });
    assert.is(status, 400, JSON.stringify(page));
  }
});

test('without rows, the searches of subjects and resources say what to do instead', async () => {
  for (const path of ['/access/v1/search/subject', '/access/v1/search/resource']) {
    const { status, json } = await post(path, { subject: subject('alice'), resource: report(), action: { name: 'a' } });
    assert.is(status, 501, path);
    const { code, message } = json as { readonly code: number; readonly message: string };
    assert.is(code, 12);
    assert.match(message, /^the server has no (subjects|resources) to search: /);
  }
});

test.run();
