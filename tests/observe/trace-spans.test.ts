import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { restClient } from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import type { AuthzClient } from '../../packages/client/authz-client.js';
import type { RunningServer } from '../../server/main.js';
import type { ReceivedSpan } from '../support/server/otlp-receiver.js';
import { answerJson, startOrigin } from '../support/facts/served.js';
import { loadRepositoryBundle } from '../support/repository-bundle.js';
import { validToken, spansOf, type Tree, treeOf } from './traced-server.js';

const ALWAYS = { OTEL_TRACES_SAMPLER: 'always_on' };
const SERVICE = 'authz.svc.v1.AuthzService';

test('the trace of a check has spans for its token, each resource with its schema, the response and the audit entries, over REST and gRPC', async () => {
  const token = await validToken({ tenant: 'acme' });
  const ask = async (client: AuthzClient): Promise<void> => {
    const answer = await client.check({
      requestId: 'r1',
      principal: USER,
      resource: album('a1'),
      actions: ['view'],
      auxData: { jwt: { token } },
    });
    assert.is(answer.allowed['view'], true);
    await client.close();
  };
  const overRest = await spansOf(ALWAYS, (server) => ask(restClient({ url: `http://${server.httpAddress}` })));
  const overGrpc = await spansOf(ALWAYS, (server) => ask(grpcClient({ address: server.grpcAddress })));

  const rpc: Tree = [
    `${SERVICE}/CheckResources`,
    ['aux_data.Extract', ['aux_data.ExtractJWT']],
    ['engine.Check', ['engine.CheckSerial', ['engine.Evaluate', ['schema.Validate']]]],
    ['assemble_response'],
    ['audit.WriteDecisionLog'],
    ['audit.WriteAccessLog'],
  ];
  assert.equal(treeOf(overRest, rootOf(overRest)), ['/api', rpc]);
  assert.equal(treeOf(overGrpc, rootOf(overGrpc)), rpc);
  for (const spans of [overRest, overGrpc]) {
    assert.is(new Set(spans.map(({ traceId }) => traceId)).size, 1);
    assertNested(spans);
    assert.equal(named(spans, 'engine.Evaluate')[0]?.attributes, {
      'authz.request_id': 'r1',
      'authz.kind': 'album',
      'authz.resource.id': 'a1',
      'authz.policy.name': 'resource.album.vdefault',
    });
    assert.equal(named(spans, 'schema.Validate')[0]?.attributes, { 'authz.validation_error.count': 0 });
    assert.equal(named(spans, 'aux_data.Extract')[0]?.attributes, { 'authz.token.count': 1 });
  }
});

test('no span contains data of a token, attributes or claims, whether the token is valid or not', async () => {
  const token = await validToken({ tenant: 'secret-claim' });
  const spans = await spansOf(ALWAYS, async (server) => {
    const attr = { owner: 'secret-owner', 'secret-key': 7 };
    await post(
      server,
      check([{ resource: { ...album('a1'), attr }, actions: ['view'] }], {
        attr: { team: 'secret-team' },
        auxData: { jwt: { token } },
      }),
    );
    await post(
      server,
      check([{ resource: album('a2'), actions: ['view'] }], {
        auxData: { jwts: new Map([['secret-name', { token: `${token.slice(0, -6)}AAAAAA` }]]) },
      }),
    );
    await post(
      server,
      check([{ resource: album('a3'), actions: ['view'] }], { auxData: { jwt: { token: 'secret.token.text' } } }),
    );
  });
  const text = JSON.stringify(spans.map(({ name, attributes, message }) => ({ name, attributes, message })));
  assert.not.match(text, 'secret');
  assert.not.match(text, token.slice(0, 20));
  assert.not.match(text, token.slice(-20, -6));
  assert.equal(
    named(spans, 'aux_data.ExtractJWT').map(({ status, message }) => [status, message]),
    [
      [0, ''],
      [2, 'no key verifies the token'],
      [2, 'the token cannot be parsed'],
    ],
  );
  assert.equal(
    named(spans, 'aux_data.Extract').map(({ status, message }) => [status, message]),
    [
      [0, ''],
      [2, 'a token was refused'],
      [2, 'a token was refused'],
    ],
  );
  // A mistake of the caller is not an error of the server.
  assert.equal(
    named(spans, '/api').map(({ status }) => status),
    [0, 0, 0],
  );
});

test('each resource of a batch has its own evaluation span, in order; only resources with an enforced schema have a schema span', async () => {
  const spans = await spansOf(ALWAYS, async (server) => {
    await post(
      server,
      check([
        { resource: album('a1'), actions: ['view'] },
        { resource: { kind: 'note', id: 'n1' }, actions: ['view'] },
        { resource: { kind: 'album', id: 'a2' }, actions: ['create', 'view'] },
      ]),
    );
  });
  const all = named(spans, 'engine.CheckSerial')[0] as ReceivedSpan;
  assert.equal(treeOf(spans, all), [
    'engine.CheckSerial',
    ['engine.Evaluate', ['schema.Validate']],
    ['engine.Evaluate'],
    ['engine.Evaluate', ['schema.Validate']],
  ]);
  const evaluations = named(spans, 'engine.Evaluate');
  assert.equal(
    evaluations.map(({ attributes }) => attributes['authz.resource.id']),
    ['a1', 'n1', 'a2'],
  );
  assert.equal(
    named(spans, 'schema.Validate').map(({ attributes }) => attributes['authz.validation_error.count']),
    [0, 1],
  );
  for (const [index, next] of evaluations.slice(1).entries())
    assert.ok((evaluations[index] as ReceivedSpan).end <= next.start);
  assertNested(spans);
});

test('a check of five resources has the span name that dashboards use', async () => {
  const spans = await spansOf(ALWAYS, async (server) => {
    await post(server, check(['a', 'b', 'c', 'd', 'e'].map((id) => ({ resource: album(id), actions: ['view'] }))));
  });
  const all = named(spans, 'engine.CheckParallel')[0] as ReceivedSpan;
  assert.is(all.parentSpanId, named(spans, 'engine.Check')[0]?.spanId);
  assert.is(treeOf(spans, all).length, 6);
});

test('without schema enforcement, tokens or an audit log there are no spans for them', async () => {
  const run = async (server: RunningServer): Promise<void> =>
    post(server, check([{ resource: album('a1'), actions: ['view'] }]));
  const spans = await spansOf(ALWAYS, run, [
    'schema.enforcement=none',
    'audit.decisionLogsEnabled=false',
    'audit.accessLogsEnabled=false',
  ]);
  assert.equal(treeOf(spans, rootOf(spans)), [
    '/api',
    [`${SERVICE}/CheckResources`, ['engine.Check', ['engine.CheckSerial', ['engine.Evaluate']]], ['assemble_response']],
  ]);
});

test('a decision that filters exclude from the audit log has no entry span', async () => {
  const run = async (server: RunningServer): Promise<void> =>
    post(server, check([{ resource: album('a1'), actions: ['view'] }]));
  const spans = await spansOf(ALWAYS, run, ['audit.decisionLogFilters.checkResources.ignoreAllowAll=true']);
  assert.is(named(spans, 'audit.WriteDecisionLog').length, 0);
  assert.is(named(spans, 'audit.WriteAccessLog').length, 1);
});

test('the trace of a plan has spans for its token, the schema and the audit entries', async () => {
  const token = await validToken({ tenant: 'acme' });
  const spans = await spansOf(ALWAYS, async (server) => {
    const client = restClient({ url: `http://${server.httpAddress}` });
    await client.plan({ principal: USER, resource: { kind: 'album' }, actions: ['view'], auxData: { jwt: { token } } });
  });
  assert.equal(treeOf(spans, rootOf(spans)), [
    '/api',
    [
      `${SERVICE}/PlanResources`,
      ['aux_data.Extract', ['aux_data.ExtractJWT']],
      ['engine.Plan', ['schema.Validate']],
      ['audit.WriteDecisionLog'],
      ['audit.WriteAccessLog'],
    ],
  ]);
  assertNested(spans);
});

test('each request to a source has a span below the RPC, with its outcome and without keys and values', async () => {
  const origin = await startOrigin();
  origin.answer = (ids, response) => {
    if (ids.includes('secret-lost')) response.writeHead(500).end();
    else answerJson(response, ids[0] === 'secret-none' ? [] : ids.map((id) => ({ id, owner: 'u1', state: 'secret' })));
  };
  const sets = [
    'schema.enforcement=none',
    'sources.from.albums.of=album',
    'sources.from.albums.provides.owner=string',
    `sources.from.albums.http.url=${origin.url}/secret?ids={ids}`,
    'sources.deadline=60s',
  ];
  const ids = [['secret-1', 'secret-2'], ['secret-none'], ['secret-lost']];
  const ask = async (client: AuthzClient, own: readonly string[]): Promise<void> => {
    const resources = own.map((id) => ({ resource: { kind: 'album', id }, actions: ['view'] }));
    await client.checkAll({ principal: USER, resources }).catch(() => {});
    await client.close();
  };
  const run = async (server: RunningServer): Promise<void> => {
    for (const own of ids) await ask(restClient({ url: `http://${server.httpAddress}` }), own);
    await ask(grpcClient({ address: server.grpcAddress }), ['secret-3']);
  };
  try {
    const spans = await spansOf(ALWAYS, run, sets);
    const rpc: Tree = [
      `${SERVICE}/CheckResources`,
      ['facts.Fetch'],
      ['engine.Check', ['engine.CheckSerial', ['engine.Evaluate'], ['engine.Evaluate']]],
      ['assemble_response'],
      ['audit.WriteDecisionLog'],
      ['audit.WriteAccessLog'],
    ];
    const first = named(spans, '/api')[0] as ReceivedSpan;
    assert.equal(treeOf(spans, first), ['/api', rpc]);
    assertNested(spans.filter(({ traceId }) => traceId === first.traceId));
    const fetches = named(spans, 'facts.Fetch');
    const fixed = { 'authz.source': 'albums', 'authz.kind': 'album' };
    assert.equal(
      fetches.map(({ attributes, status, message }) => [attributes, status, message]),
      [
        [{ ...fixed, 'authz.key.count': 2, 'authz.row.count': 2, 'authz.outcome': 'fetched' }, 0, ''],
        [{ ...fixed, 'authz.key.count': 1, 'authz.row.count': 0, 'authz.outcome': 'not found' }, 0, ''],
        [{ ...fixed, 'authz.key.count': 1, 'authz.row.count': 0, 'authz.outcome': 'failed' }, 2, 'failed'],
        [{ ...fixed, 'authz.key.count': 1, 'authz.row.count': 1, 'authz.outcome': 'fetched' }, 0, ''],
      ],
    );
    assert.not.match(JSON.stringify(fetches.map(({ attributes, message }) => [attributes, message])), 'secret');
    assert.is((await spansOf({}, run, sets)).length, 0);
  } finally {
    await origin.close();
  }
});

test('an unsampled call has no spans', async () => {
  const spans = await spansOf({}, async (server) => {
    const token = await validToken({ tenant: 'acme' });
    const body = check([{ resource: album('a1'), actions: ['view'] }], { auxData: { jwt: { token } } });
    await post(server, body);
    await post(server, body, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` });
    await post(server, body, { traceparent: `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01` });
  });
  assert.equal(new Set(spans.map(({ traceId }) => traceId)), new Set(['c'.repeat(32)]));
  assert.is(spans.length, 11);
});

test('concurrent calls keep their own spans, and unsampled calls have none', async () => {
  const traceOf = (index: number): string => index.toString(16).padStart(32, 'f');
  const token = await validToken({ tenant: 'acme' });
  const spans = await spansOf({}, async (server) => {
    const calls = Array.from({ length: 40 }, (_, index) => {
      const kind = index % 2 === 0 ? 'album' : 'note';
      // Half of them wait for a token while the others are answered.
      const auxData = index % 4 < 2 ? { auxData: { jwt: { token } } } : {};
      const body = check(
        [{ resource: { kind, id: `id-${index}`, attr: { owner: 'u1' } }, actions: ['view'] }],
        auxData,
      );
      return post(server, body, {
        traceparent: `00-${traceOf(index)}-${'b'.repeat(16)}-${index % 3 === 0 ? '00' : '01'}`,
      });
    });
    await Promise.all(calls);
  });
  for (let index = 0; index < 40; index++) {
    const own = spans.filter(({ traceId }) => traceId === traceOf(index));
    if (index % 3 === 0) {
      assert.is(own.length, 0, String(index));
      continue;
    }
    assert.equal(
      named(own, 'engine.Evaluate').map(({ attributes }) => attributes['authz.resource.id']),
      [`id-${index}`],
    );
    const tokens: readonly Tree[] = index % 4 < 2 ? [['aux_data.Extract', ['aux_data.ExtractJWT']]] : [];
    const evaluate: Tree = index % 2 === 0 ? ['engine.Evaluate', ['schema.Validate']] : ['engine.Evaluate'];
    const rpc: Tree = [
      `${SERVICE}/CheckResources`,
      ...tokens,
      ['engine.Check', ['engine.CheckSerial', evaluate]],
      ['assemble_response'],
      ['audit.WriteDecisionLog'],
      ['audit.WriteAccessLog'],
    ];
    assert.equal(treeOf(own, named(own, '/api')[0] as ReceivedSpan), ['/api', rpc], String(index));
    assertNested(own);
  }
});

test('calls are traced alike after another bundle is loaded', async () => {
  const bundle = await loadRepositoryBundle();
  const spans = await spansOf(ALWAYS, async (server) => {
    await server.swap(bundle);
    await post(server, check([{ resource: { kind: 'album', id: 'x' }, actions: ['view'] }]));
  });
  assert.is(named(spans, 'engine.Evaluate').length, 1);
});

test.run();

const USER = { id: 'u1', roles: ['user'] };

function album(id: string): {
  readonly kind: string;
  readonly id: string;
  readonly attr: Readonly<Record<string, unknown>>;
} {
  return { kind: 'album', id, attr: { owner: 'u1' } };
}

interface Extras {
  readonly attr?: object;
  readonly auxData?: { readonly jwt?: object; readonly jwts?: ReadonlyMap<string, object> };
}

function check(resources: readonly object[], { attr = {}, auxData }: Extras = {}): object {
  const tokens =
    auxData === undefined
      ? {}
      : {
          auxData: {
            ...(auxData.jwt && { jwt: auxData.jwt }),
            ...(auxData.jwts && { jwts: Object.fromEntries(auxData.jwts) }),
          },
        };
  return { requestId: 'r1', principal: { ...USER, attr }, resources, ...tokens };
}

async function post(
  server: RunningServer,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const response = await fetch(`http://${server.httpAddress}/api/check/resources`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
}

/** In the order of their start. */
function named(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name).toSorted((a, b) => (a.start < b.start ? -1 : 1));
}

function rootOf(spans: readonly ReceivedSpan[]): ReceivedSpan {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '');
  assert.is(roots.length, 1);
  return roots[0] as ReceivedSpan;
}

/** A child is within its parent; only audit entries are written after the response. */
function assertNested(spans: readonly ReceivedSpan[]): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  for (const span of spans) {
    assert.ok(span.start <= span.end, span.name);
    const parent = byId.get(span.parentSpanId);
    if (parent === undefined) continue;
    assert.ok(parent.start <= span.start, `${span.name} begins before ${parent.name}`);
    if (!span.name.startsWith('audit.')) assert.ok(span.end <= parent.end, `${span.name} ends after ${parent.name}`);
  }
}
