import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grpcClient } from '../../packages/client/grpc.js';
import { connectClient, restClient } from '../../packages/client/index.js';
import type { Bundle, RunningServer } from '../../server/main.js';
import { type Outcome, PROTOCOLS, type Question } from '../support/facts/protocols.js';
import { answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { send } from '../support/server/http-client.js';

/*
 * Sources in a server, with all ways in which it is asked. A fact that is not available is never taken for one that there
 * is not: `blocked` switches off a DENY where it is missing.
 */

const test = suite('sources of facts in a server');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.blocked}}}
    - {actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: "P.attr.level < 1"}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
    - {actions: [view, edit], effect: EFFECT_ALLOW, roles: [admin]}
`;

type Row = { readonly [attribute: string]: unknown };

const DOCS: { readonly [id: string]: Row } = {
  '1': { owner: 'ann', blocked: false },
  '2': { owner: 'bob', blocked: true },
  '3': { owner: 'bob', blocked: false },
};
const PEOPLE: { readonly [id: string]: Row } = { ann: { level: 3 }, bob: { level: 0 } };

/** What `ann` and `bob` may do. */
const EXPECTED: readonly (readonly [id: string, doc: string, action: string, outcome: Outcome])[] = [
  ['ann', '1', 'view', 'allow'],
  ['ann', '2', 'view', 'deny'],
  ['bob', '1', 'view', 'deny'],
  ['ann', '1', 'edit', 'allow'],
  ['bob', '1', 'edit', 'deny'],
];

const question = (id: string, doc: string, action: string, roles = ['user']): Question => ({
  principal: { id, roles },
  kind: 'doc',
  id: doc,
  action,
});

let bundle: Bundle;
let origin: Origin;
let server: RunningServer;
/** How the origin answers, if not rightly. */
let fault: ((response: ServerResponse, ids: readonly string[]) => void) | undefined;

const sourcesOf = (url: string, more: object = {}): object => ({
  deadline: '60s',
  from: {
    docs: {
      of: 'doc',
      provides: { owner: 'string', blocked: 'boolean' },
      http: { url: `${url}/docs?ids={ids}` },
    },
    people: {
      of: 'principal',
      provides: { level: 'number' },
      http: { url: `${url}/people?ids={ids}`, items: '/people', attributes: { level: '/org/level' } },
    },
  },
  ...more,
});

function rightly(ids: readonly string[], response: ServerResponse, path: string): void {
  if (path.startsWith('/people'))
    answerJson(response, {
      people: ids.flatMap((id) => (PEOPLE[id] === undefined ? [] : [{ id, org: PEOPLE[id] }])),
    });
  else
    answerJson(
      response,
      ids.flatMap((id) => (DOCS[id] === undefined ? [] : [{ id, ...DOCS[id] }])),
    );
}

test.before(async () => {
  bundle = await factsBundle({ 'doc.yaml': POLICY });
  origin = await startOrigin();
  origin.answer = (ids, response, { url = '' }) => {
    if (fault !== undefined && url.startsWith('/docs')) fault(response, ids);
    else rightly(ids, response, url);
  };
  server = await startFactsServer(bundle, { sources: sourcesOf(origin.url) });
});
test.after(async () => {
  await server.close();
  await origin.close();
});
test.before.each(() => {
  fault = undefined;
  origin.asked.length = 0;
});

for (const protocol of PROTOCOLS)
  test(`${protocol.name}: ids are enough`, async () => {
    for (const [id, doc, action, outcome] of EXPECTED)
      assert.is(await protocol.ask(server, question(id, doc, action)), outcome, `${id} ${action} ${doc}`);
  });

/** How a source can fail, about the row of a document. */
const FAULTS: readonly (readonly [name: string, fault: NonNullable<typeof fault>])[] = [
  ['500', (response) => response.writeHead(500).end('[]')],
  ['302', (response) => response.writeHead(302, { location: `${origin.url}/other?ids=1` }).end()],
  ['204', (response) => response.writeHead(204).end()],
  ['404', (response) => response.writeHead(404, { 'content-type': 'application/json' }).end('[]')],
  ['HTML', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
  ['JSON as text', (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('[]')],
  ['2 MiB', (response) => answerJson(response, [{ id: '1', owner: 'x'.repeat(2 * 1024 * 1024), blocked: false }])],
  [
    'NDJSON',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":"1","owner":"ann","blocked":false}\n{"id":"2"}\n'),
  ],
  [
    'repeated names',
    (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('[{"id":"1","owner":"ann","blocked":false,"blocked":false}]'),
  ],
  [
    'another type',
    (response, ids) =>
      answerJson(
        response,
        ids.map((id) => ({ id, owner: 'ann', blocked: 'true' })),
      ),
  ],
  [
    'null',
    (response, ids) =>
      answerJson(
        response,
        ids.map((id) => ({ id, owner: 'ann', blocked: null })),
      ),
  ],
  [
    'two rows',
    (response, ids) =>
      answerJson(
        response,
        ids.flatMap((id) => [
          { id, owner: 'ann', blocked: false },
          { id, owner: 'ann', blocked: false },
        ]),
      ),
  ],
  ['no row', (response) => answerJson(response, [])],
  ['rows of others', (response) => answerJson(response, [{ id: '7', owner: 'ann', blocked: false }])],
  ['a row without an id', (response) => answerJson(response, [{ owner: 'ann', blocked: false }])],
  [
    'a row without attributes',
    (response, ids) =>
      answerJson(
        response,
        ids.map((id) => ({ id })),
      ),
  ],
  ['an object', (response) => answerJson(response, { error: 'busy' })],
  ['a connection that ends', (response) => response.destroy()],
];

for (const [name, how] of FAULTS)
  test(`a source that answers with ${name} makes calls unavailable`, async () => {
    fault = how;
    for (const protocol of PROTOCOLS)
      assert.is(await protocol.ask(server, question('ann', '1', 'view')), 'unavailable', protocol.name);
  });

test('a source that does not answer in time makes calls unavailable', async () => {
  const hurried = await startFactsServer(bundle, { sources: { ...sourcesOf(origin.url), deadline: '50ms' } });
  fault = (response) => response.writeHead(200, { 'content-type': 'application/json' }).write('[');
  try {
    for (const protocol of PROTOCOLS)
      assert.is(await protocol.ask(hurried, question('ann', '1', 'view')), 'unavailable', protocol.name);
  } finally {
    await hurried.close();
  }
});

test('one call asks each source once, for all its resources', async () => {
  const resources = ['1', '2', '9'].map((id) => ({ resource: { kind: 'doc', id }, actions: ['view', 'edit'] }));
  const body = JSON.stringify({ principal: { id: 'ann', roles: ['user'] }, resources: resources.slice(0, 2) });
  const { text } = await send(server.httpAddress, 'POST', '/api/check/resources', body, {
    'content-type': 'application/json',
  });
  const { results } = JSON.parse(text) as { results: readonly { readonly actions: object }[] };
  assert.equal(
    results.map(({ actions }) => actions),
    [
      { view: 'EFFECT_ALLOW', edit: 'EFFECT_ALLOW' },
      { view: 'EFFECT_DENY', edit: 'EFFECT_DENY' },
    ],
  );
  assert.equal([...origin.asked].sort(), ['/docs?ids=1,2', '/people?ids=ann']);
});

const asJson = { 'content-type': 'application/json' };

test('plans fetch what they read of the principal, and nothing else', async () => {
  const plan = async (id: string, action: string) => {
    const body = JSON.stringify({ action, principal: { id, roles: ['user'] }, resource: { kind: 'doc' } });
    return send(server.httpAddress, 'POST', '/api/plan/resources', body, asJson);
  };
  const filterOf = ({ text }: Awaited<ReturnType<typeof plan>>) =>
    (JSON.parse(text) as { readonly filter: { readonly kind: string } }).filter.kind;
  assert.is(filterOf(await plan('bob', 'view')), 'KIND_ALWAYS_DENIED');
  assert.is(filterOf(await plan('ann', 'view')), 'KIND_CONDITIONAL');
  assert.equal(origin.asked, ['/people?ids=bob', '/people?ids=ann']);
  assert.is(filterOf(await plan('ann', 'edit')), 'KIND_CONDITIONAL');
  assert.is(origin.asked.length, 2);
  const { status, text } = await plan('nobody', 'view');
  assert.is(status, 503, text);
  assert.match(text, /`principal.attr.level` from `people`/);
});

test('facts that the caller sends are used, replaced or refused', async () => {
  const sent: Question = { ...question('ann', '2', 'view'), attr: { blocked: false, owner: 'ann' } };
  for (const [caller, outcome] of [
    ['use', 'allow'],
    ['ignore', 'deny'],
    ['refuse', 'error'],
  ] as const) {
    const own = await startFactsServer(bundle, { sources: sourcesOf(origin.url, { caller }) });
    try {
      for (const protocol of PROTOCOLS.filter(({ sends }) => sends))
        assert.is((await protocol.ask(own, sent)).replace(/:.*/, ''), outcome, `${caller}: ${protocol.name}`);
    } finally {
      await own.close();
    }
  }
});

test('with `onFailure: deny`, what lacks a fact is denied, and says so', async () => {
  const denying = await startFactsServer(bundle, { sources: sourcesOf(origin.url, { onFailure: 'deny' }) });
  try {
    fault = (response) => response.writeHead(500).end();
    for (const protocol of PROTOCOLS) {
      // Explanations and searches are whole.
      const isWhole = protocol.name === 'ExplainDecision' || protocol.name === 'AuthZEN action search';
      const expected = isWhole ? 'unavailable' : 'deny';
      assert.is(await protocol.ask(denying, question('ann', '1', 'view')), expected, protocol.name);
    }
    const check = async (includeMeta: boolean) => {
      const body = JSON.stringify({
        includeMeta,
        principal: { id: 'ann', roles: ['user'] },
        resources: [{ resource: { kind: 'doc', id: '1' }, actions: ['view', 'edit', 'print'] }],
      });
      const answer = await send(denying.httpAddress, 'POST', '/api/check/resources', body, asJson);
      const { results } = JSON.parse(answer.text) as {
        readonly results: readonly { readonly actions: object; readonly meta?: object }[];
      };
      return { header: answer.headers['authz-facts'], ...results[0] };
    };
    // Nobody may print, whatever there is.
    const { header, actions } = await check(false);
    assert.is(header, 'unknown');
    assert.equal(actions, { view: 'EFFECT_DENY', edit: 'EFFECT_DENY', print: 'EFFECT_DENY' });
    const { meta } = await check(true);
    assert.equal((meta as { readonly unknown: object }).unknown, {
      view: { facts: ['resource.attr.blocked'] },
      edit: { facts: ['resource.attr.owner'] },
    });
    fault = undefined;
    assert.is((await check(false)).header, undefined);
  } finally {
    await denying.close();
  }
});

test('clients tell which facts a denied action lacked, with every transport', async () => {
  const denying = await startFactsServer(bundle, { sources: sourcesOf(origin.url, { onFailure: 'deny' }) });
  const url = `http://${denying.httpAddress}`;
  const clients = [restClient({ url }), connectClient({ url }), grpcClient({ address: denying.grpcAddress })];
  const request = {
    principal: { id: 'ann', roles: ['user'] },
    resource: { kind: 'doc', id: '1' },
    actions: ['view', 'edit', 'print'],
    includeMeta: true,
  };
  try {
    for (const client of clients) {
      fault = undefined;
      assert.equal((await client.check(request)).meta?.unknown, {});
      fault = (response) => response.writeHead(500).end();
      const { allowed, meta } = await client.check(request);
      assert.equal(allowed, { view: false, edit: false, print: false });
      assert.equal(meta?.unknown, { view: ['resource.attr.blocked'], edit: ['resource.attr.owner'] });
    }
  } finally {
    for (const client of clients) await client.close();
    await denying.close();
  }
});

test('where a schema is enforced, an exempt action beside others needs the facts of the schema as well', async () => {
  const policy = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  schemas:
    resourceSchema: {ref: "authz:///doc.json", ignoreWhen: {actions: [view]}}
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user]}
`;
  // No document satisfies it that has an owner.
  const schema = JSON.stringify({ type: 'object', properties: { owner: { type: 'null' } } });
  const own = await startFactsServer(await factsBundle({ 'doc.yaml': policy }, new Map([['doc.json', schema]])), {
    schema: { enforcement: 'reject' },
    sources: sourcesOf(origin.url, { onFailure: 'deny' }),
  });
  try {
    const check = async (actions: readonly string[]): Promise<unknown> => {
      const body = JSON.stringify({
        principal: { id: 'ann', roles: ['user'] },
        resources: [{ resource: { kind: 'doc', id: '1' }, actions }],
      });
      const { text } = await send(own.httpAddress, 'POST', '/api/check/resources', body, asJson);
      return (JSON.parse(text) as { readonly results: readonly { readonly actions: object }[] }).results[0]?.actions;
    };
    assert.equal(await check(['view']), { view: 'EFFECT_ALLOW' });
    assert.equal(await check(['view', 'edit']), { view: 'EFFECT_DENY', edit: 'EFFECT_DENY' });
    fault = (response) => response.writeHead(500).end();
    assert.equal(await check(['view']), { view: 'EFFECT_ALLOW' });
    assert.equal(await check(['view', 'edit']), { view: 'EFFECT_DENY', edit: 'EFFECT_DENY' });
  } finally {
    await own.close();
  }
});

test('what is decided without a source does not ask it', async () => {
  fault = (response) => response.writeHead(500).end();
  for (const protocol of PROTOCOLS.filter(({ name }) => name !== 'ExplainDecision' && name !== 'AuthZEN action search'))
    assert.is(await protocol.ask(server, question('ann', '1', 'edit', ['admin'])), 'allow', protocol.name);
  assert.equal(origin.asked, []);
});

test('a fact of the principal that may not be sent is refused beside a resource whose facts are to be fetched', async () => {
  const sent = { ...question('ann', '1', 'view'), principal: { id: 'ann', roles: ['user'], attr: { level: 9 } } };
  const own = await startFactsServer(bundle, { sources: sourcesOf(origin.url, { caller: 'refuse' }) });
  try {
    for (const protocol of PROTOCOLS.filter(({ sends }) => sends))
      assert.match(await protocol.ask(own, sent), /^error: .*`principal\.attr\.level` was sent/, protocol.name);
  } finally {
    await own.close();
  }
});

test('facts that the caller sends of the resources of a plan are used, replaced or refused as in a check', async () => {
  const body = JSON.stringify({
    action: 'edit',
    principal: { id: 'ann', roles: ['user'] },
    resource: { kind: 'doc', attr: { owner: 'ann' } },
  });
  const sources = sourcesOf(origin.url) as { readonly from: { readonly docs: object; readonly people: object } };
  // Without facts of principals, there is nothing to fetch for a plan.
  for (const from of [sources.from, { docs: sources.from.docs }])
    for (const [caller, expected] of [
      ['use', [200, 'KIND_ALWAYS_ALLOWED']],
      ['ignore', [200, 'KIND_CONDITIONAL']],
      ['refuse', [400, undefined]],
    ] as const) {
      const own = await startFactsServer(bundle, { sources: { ...sources, from, caller } });
      try {
        const { status, text } = await send(own.httpAddress, 'POST', '/api/plan/resources', body, asJson);
        const { filter } = JSON.parse(text) as { readonly filter?: { readonly kind: string } };
        assert.equal([status, filter?.kind], expected, `${caller}, ${Object.keys(from).join()}: ${text}`);
      } finally {
        await own.close();
      }
    }
});

/** Ids that could lead elsewhere, or mean several. */
const HOSTILE_IDS = [
  '.',
  '..',
  '../people',
  '%2e%2e',
  '%2F..%2Fpeople',
  '1/../2',
  '1\\..\\2',
  '1?ids=2',
  '1#2',
  '1&ids=2',
  '1,2',
  ',',
  '1;2',
  '//evil.example/1',
  'https://evil.example/1',
  '@evil.example',
  '1\r\nX-Injected: 1',
  '1\n',
  '\u0000',
  '1\u0000',
  '\u007f',
  '\u0085',
  '\ud800',
  '{ids}',
  '{id}',
  '${PATH}',
  "1' OR '1'='1",
  '"><script>',
  '__proto__',
  'constructor',
  'é',
  '\u202e1',
  '１',
  ' 1',
  '1 ',
  '+',
  '%',
  '%%',
  '%zz',
  'x'.repeat(1025),
  // Placeholders, templates and commands of other programs.
  '{{ids}}',
  '${ids}',
  '#{id}',
  '<%= id %>',
  '$(id)',
  '`id`',
  // Paths and authorities in other spellings.
  '...',
  './1',
  '..;/people',
  '%252e%252e%252f',
  '%c0%ae%c0%ae',
  '\\\\evil.example\\1',
  'http:1',
  ':80',
  '@127.0.0.1:1/',
  '1%00',
  '1%0d%0aX-Injected: 1',
  '1\tX-Injected: 1',
  '\u2028',
  '\u2025',
  '\uff0f\uff0e\uff0e',
  '\ufeff1',
  '[1]',
  '*',
  '1 OR 1=1',
  'null',
];

test('ids lead nowhere else, and credentials go nowhere else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-facts-token-'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, 'first\n');
  const other = await startOrigin();
  const kinds = ['query', 'path'];
  const from = {
    query: {
      of: 'query',
      provides: { owner: 'string' },
      http: { url: `${origin.url}/docs?ids={ids}&of=all`, tokenFile },
    },
    path: {
      of: 'path',
      provides: { owner: 'string' },
      http: { url: `${origin.url}/docs/{id}/facts?of=all`, tokenFile, notFound: 404 },
    },
  };
  const policies = Object.fromEntries(
    kinds.map((kind) => [`${kind}.yaml`, POLICY.replace('resource: doc', `resource: ${kind}`)]),
  );
  const own = await startFactsServer(await factsBundle(policies), { sources: { deadline: '60s', from } });
  const ask = (kind: string, id: string) =>
    (PROTOCOLS[0] as (typeof PROTOCOLS)[number]).ask(own, { ...question('ann', id, 'edit'), kind });
  const before = origin.answer;
  origin.requests.length = 0;
  try {
    for (const id of HOSTILE_IDS)
      for (const kind of kinds) {
        origin.answer = (_, response) =>
          answerJson(response, kind === 'path' ? { id, owner: 'ann' } : [{ id, owner: 'ann' }]);
        const asked = origin.requests.length;
        const outcome = await ask(kind, id);
        const sent = origin.requests.slice(asked);
        if (sent.length === 0) {
          assert.ok(outcome === 'unavailable' || outcome.startsWith('error'), `${kind} ${id}: ${outcome}`);
          continue;
        }
        assert.is(sent.length, 1);
        assert.is(outcome, 'allow', `${kind} ${id}`);
        const { pathname, searchParams } = new URL(sent[0]?.url ?? '', origin.url);
        assert.equal([...searchParams.keys()], kind === 'path' ? ['of'] : ['ids', 'of'], id);
        const segments = pathname.split('/').map(decodeURIComponent);
        assert.equal(segments, kind === 'path' ? ['', 'docs', id, 'facts'] : ['', 'docs'], id);
        if (kind === 'query') assert.is(searchParams.get('ids'), id);
        assert.is(sent[0]?.headers['x-injected'], undefined);
      }
    assert.ok(origin.requests.length > HOSTILE_IDS.length / 2);
    assert.ok(origin.requests.every(({ headers }) => headers.authorization === 'Bearer first'));
    // A token is read for each request, and stays with its origin.
    writeFileSync(tokenFile, 'second');
    origin.answer = (_, response) => response.writeHead(307, { location: `${other.url}/docs?ids=1` }).end();
    other.answer = (_, response) => answerJson(response, [{ id: '1', owner: 'ann' }]);
    assert.is(await ask('query', '1'), 'unavailable');
    assert.is(origin.requests.at(-1)?.headers.authorization, 'Bearer second');
    assert.equal(other.asked, []);
    rmSync(tokenFile);
    const asked = origin.requests.length;
    assert.is(await ask('query', '1'), 'unavailable');
    assert.is(origin.requests.length, asked);
    // That there is no row is an answer, if the configuration says so.
    writeFileSync(tokenFile, 'third');
    origin.answer = (_, response) => response.writeHead(404).end();
    assert.is(await ask('path', '1'), 'unavailable');
  } finally {
    origin.answer = before;
    await own.close();
    await other.close();
    rmSync(folder, { recursive: true });
  }
});

test('messages do not tell whether there is a row, unless the configuration says so', async () => {
  const message = async (of: RunningServer): Promise<string> => {
    const body = JSON.stringify({
      principal: { id: 'ann', roles: ['user'] },
      resources: [{ resource: { kind: 'doc', id: '9' }, actions: ['edit'] }],
    });
    const { text } = await send(of.httpAddress, 'POST', '/api/check/resources', body, asJson);
    return (JSON.parse(text) as { readonly message: string }).message;
  };
  const told = 'facts are not available: `resource.attr.owner` from `docs`';
  assert.is(await message(server), told);
  fault = (response) => response.writeHead(500).end();
  assert.is(await message(server), told);
  fault = undefined;
  const telling = await startFactsServer(bundle, { sources: sourcesOf(origin.url, { tellNotFound: true }) });
  try {
    assert.is(await message(telling), `${told}: not found`);
  } finally {
    await telling.close();
  }
});

test('facts of a decision that were fetched further apart than `maxSkew` are fetched once more', async () => {
  const { from } = sourcesOf(origin.url) as { readonly from: { readonly [name: string]: object } };
  const keeping = (cache: object) =>
    Object.fromEntries(Object.entries(from).map(([name, own]) => [name, { ...own, cache }]));
  const effects = async (
    own: RunningServer,
    ids: readonly string[],
    id = 'ann',
  ): Promise<number | readonly string[]> => {
    const resources = ids.map((id) => ({ resource: { kind: 'doc', id }, actions: ['view'] }));
    const body = JSON.stringify({ principal: { id, roles: ['user'] }, resources });
    const { status, text } = await send(own.httpAddress, 'POST', '/api/check/resources', body, asJson);
    if (status !== 200) return status;
    const { results } = JSON.parse(text) as { results: readonly { readonly actions: { readonly view: string } }[] };
    return results.map(({ actions }) => actions.view);
  };
  const realNow = Date.now;
  let later = 0;
  Date.now = () => realNow() + later;
  /** Asks about a document, and some time later about both; returns what sources were asked the second time. */
  const askTwice = async (maxSkew: string | undefined, cache: object, other = '3', isAway = false) => {
    fault = undefined;
    const own = await startFactsServer(bundle, {
      sources: { ...sourcesOf(origin.url), from: keeping(cache), ...(maxSkew !== undefined && { maxSkew }) },
    });
    try {
      assert.equal(await effects(own, ['1']), ['EFFECT_ALLOW']);
      later += 5000;
      origin.asked.length = 0;
      if (isAway)
        fault = (response, ids) => {
          if (ids.includes('1')) response.writeHead(500).end();
          else rightly(ids, response, '/docs');
        };
      return [await effects(own, ['1', other]), [...origin.asked].sort()];
    } finally {
      await own.close();
    }
  };
  try {
    const kept = { maxAge: '60s' };
    const both = ['EFFECT_ALLOW', 'EFFECT_ALLOW'];
    assert.equal(await askTwice(undefined, kept), [both, ['/docs?ids=3']]);
    assert.equal(await askTwice('10s', kept), [both, ['/docs?ids=3']]);
    // The principal is renewed for the other document, and then the first one for the principal.
    assert.equal(await askTwice('1s', kept), [both, ['/docs?ids=1', '/docs?ids=3', '/people?ids=ann']]);
    // What is decided without a fact that is too old does not need it.
    assert.equal(await askTwice('1s', kept, '2'), [['EFFECT_ALLOW', 'EFFECT_DENY'], ['/docs?ids=2']]);
    // The first document cannot be renewed.
    assert.is((await askTwice('1s', kept, '3', true))[0], 503);
    // The principal is too old for the second document, whose own facts decide; the first one still needs it.
    fault = undefined;
    const keepers = keeping(kept);
    const own = await startFactsServer(bundle, {
      sources: { ...sourcesOf(origin.url), from: { ...keepers, docs: { ...keepers['docs'], cost: 1 } }, maxSkew: '1s' },
    });
    try {
      assert.equal(await effects(own, ['1'], 'bob'), ['EFFECT_DENY']);
      later += 5000;
      assert.equal(await effects(own, ['1', '2'], 'bob'), ['EFFECT_DENY', 'EFFECT_DENY']);
    } finally {
      await own.close();
    }
  } finally {
    Date.now = realNow;
    fault = undefined;
  }
});

test.run();
