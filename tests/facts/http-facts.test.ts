import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { httpFacts, type HttpFactsOptions } from '../../packages/adapters/facts.js';
import { createFactsEngine, type FactsDecision } from '../../runtime/facts/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/*
 * Facts of a server over HTTP: hostile ids reach no other path or server, and hostile answers never allow what the facts
 * deny. Every album of the server is blocked, so that nothing may be allowed.
 */

const test = suite('facts over HTTP');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [edit], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.blocked}}}
`;
const { policies } = await loaded(compileTexts({ 'album.yaml': POLICY }, { facts: true }));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function withServer<T>(
  answer: Answer,
  use: (origin: string, asked: readonly string[]) => Promise<T>,
): Promise<T> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const json = (body: string, status = 200, type = 'application/json'): Answer => {
  return (_, response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
};

const SOURCE = { of: 'album', types: { blocked: 'boolean' } } as const;

async function decide(
  options: Omit<HttpFactsOptions, 'of' | 'types'>,
  id = '1',
  deadline = 5000,
): Promise<FactsDecision> {
  const authz = createFactsEngine(policies, { sources: [httpFacts({ ...SOURCE, ...options })], deadline });
  return authz.decide({ principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'album', id }, action: 'edit' });
}

/** `allowed`, `policy`, or why a fact is unknown. */
function outcome(decision: FactsDecision): string {
  if (decision.allowed) return 'allowed';
  return decision.why === 'policy' ? 'policy' : (decision.unknown[0]?.reason ?? 'nothing');
}

test('facts of one row, and of several, decide', async () => {
  await withServer(json('{"data": {"id": 1, "state": {"b~/": false}}}'), async (origin, asked) => {
    const one = { url: `${origin}/albums/{id}/state?x=1`, items: '/data', attributes: { blocked: '/state/b~0~1' } };
    assert.is(outcome(await decide(one)), 'allowed');
    assert.is(outcome(await decide(one, '2')), 'not found', 'the row of another id');
    assert.equal(asked, ['/albums/1/state?x=1', '/albums/2/state?x=1']);
  });
  const rows = '[{"id": "1", "blocked": false}, {"id": "2", "blocked": true}, {"id": "x", "blocked": false}]';
  await withServer(json(rows), async (origin, asked) => {
    const source = httpFacts({ ...SOURCE, url: `${origin}/albums?ids={ids}&all=1`, maxKeys: 2 });
    const authz = createFactsEngine(policies, { sources: [source] });
    const resources = ['1', '2', '3'].map((id) => ({ kind: 'album', id }));
    const request = { principal: { id: 'ann', roles: ['user'] }, resources, actions: ['edit'] };
    const decisions = await authz.decideMany(request);
    const outcomes = resources.map((_, index) => outcome(decisions.get(index)?.get('edit') as FactsDecision));
    assert.equal(outcomes, ['allowed', 'policy', 'not found']);
    assert.equal([...asked].sort(), ['/albums?ids=1,2&all=1', '/albums?ids=3&all=1']);
  });
});

test('headers are sent to the server of the URL, and read for each request', async () => {
  const seen: unknown[] = [];
  let count = 0;
  const answer: Answer = (request, response) => {
    seen.push(request.headers['authorization']);
    json('{"id": "1", "blocked": true}')(request, response);
  };
  await withServer(answer, async (origin) => {
    const headers = async () => {
      count += 1;
      return { authorization: `Bearer ${count}` };
    };
    for (let round = 0; round < 2; round += 1)
      assert.is(outcome(await decide({ url: `${origin}/{id}`, headers })), 'policy');
  });
  assert.equal(seen, ['Bearer 1', 'Bearer 2']);
});

/** Ids that are never sent. */
const REFUSED = ['.', '..', '\0', 'a\nb', 'a\rb', 'a\tb', '\x7f', '\x85', '\ud800', 'a\udc00', 'x'.repeat(1025)];
/** Ids that are sent in a query, and not in a path. */
const SLASHED = ['/', '../x', '..\\x', 'a/../..', '//evil.example', 'http://evil.example/', 'a/', '\\', '/etc/passwd'];
/** Ids that are sent everywhere. */
const ENCODED = [
  '%2e%2e', '%2F', '%00', '%', 'a b', 'a+b', 'a?b=c', '?', '#', 'a#b', '&', 'a&ids=2', '=', ';', ',', '1,2', '@', 'x@evil.example',
  ':', ':80', '*', '{id}', '{ids}', '[1]', "'", '"', '<', '\u00e4', '\u2028', '\u{1f600}', '__proto__', 'constructor', 'null',
  '-1', '1e3', '01', ' 1', '1 ', '...', '.hidden', '~', '$1', '|', '^', '`',
]; // biome-ignore format: a list

test('ids cannot lead to another server, path or parameter', async () => {
  const answer: Answer = (_, response) => json('[]')(_, response);
  await withServer(answer, async (origin, asked) => {
    const inQuery = { url: `${origin}/albums?ids={ids}&all=1` };
    const inPath = { url: `${origin}/albums/{id}/state` };
    for (const id of REFUSED) {
      assert.is(outcome(await decide(inQuery, id)), 'shape', JSON.stringify(id));
      assert.is(outcome(await decide(inPath, id)), 'shape', JSON.stringify(id));
    }
    for (const id of SLASHED) assert.is(outcome(await decide(inPath, id)), 'shape', id);
    assert.equal(asked, []);
    for (const id of [...SLASHED, ...ENCODED]) {
      assert.is(outcome(await decide(inQuery, id)), 'not found', id);
      const url = new URL(asked.at(-1) ?? '', origin);
      assert.is(url.pathname, '/albums', id);
      assert.equal(
        [...url.searchParams],
        [
          ['ids', id],
          ['all', '1'],
        ],
        id,
      );
    }
    for (const id of ENCODED) {
      assert.not.equal(outcome(await decide(inPath, id)), 'allowed', id);
      const [, albums, segment, state, ...others] = (asked.at(-1) ?? '').split('/');
      assert.equal([albums, decodeURIComponent(segment ?? ''), state, others], ['albums', id, 'state', []], id);
    }
  });
});

const ROW = '{"id": "1", "blocked": true}';
const LONG = `{"id": "1", "blocked": false, "x": "${'x'.repeat(2_097_152)}"}`;
const UNFINISHED: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"id": "1", "blocked":');
};
const CUT: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id": "1", "blocked": false}', () => response.destroy());
};

/** Answers about an album that is blocked, and what is decided. */
const HOSTILE: { readonly [name: string]: readonly [answer: Answer, outcome: string] } = {
  'status 204': [(_, response) => response.writeHead(204).end(), 'failed'],
  'status 201': [json('{"id": "1", "blocked": false}', 201), 'failed'],
  'status 206': [json('{"id": "1", "blocked": false}', 206), 'failed'],
  'status 400': [json('{"id": "1", "blocked": false}', 400), 'failed'],
  'status 401': [json('{"id": "1", "blocked": false}', 401), 'failed'],
  'status 404': [json('{"id": "1", "blocked": false}', 404), 'failed'],
  'status 500': [json('{"id": "1", "blocked": false}', 500), 'failed'],
  'status 503': [json('{}', 503), 'failed'],
  'another type': [json('{"id": "1", "blocked": false}', 200, 'text/html'), 'failed'],
  'no type': [(_, response) => response.writeHead(200).end('{"id": "1", "blocked": false}'), 'failed'],
  HTML: [json('<html></html>'), 'failed'],
  nothing: [json(''), 'failed'],
  'lines of JSON': [json(`${ROW}\n${ROW}`), 'failed'],
  'rest after JSON': [json('{"id": "1", "blocked": false} x'), 'failed'],
  'a comment': [json('{"id": "1", /* */ "blocked": false}'), 'failed'],
  NaN: [json('{"id": "1", "blocked": NaN}'), 'failed'],
  'half a text': [json('{"id": "1", "blocked": fal'), 'failed'],
  '2 MiB': [json(LONG), 'failed'],
  'invalid UTF-8': [
    (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0x7b, 0xff, 0x7d])),
    'failed',
  ],
  'a name twice': [json('{"id": "1", "blocked": true, "blocked": false}'), 'failed'],
  'a name twice, escaped': [json('{"id": "1", "blocked": true, "\\u0062locked": false}'), 'failed'],
  'a name twice, deeper': [json('{"id": "1", "blocked": false, "x": [{"a": 1, "a": 2}]}'), 'failed'],
  'no id': [json('{"blocked": false}'), 'failed'],
  'an error object': [json('{"error": "busy"}'), 'failed'],
  'an id of null': [json('{"id": null, "blocked": false}'), 'failed'],
  'an id of true': [json('{"id": true, "blocked": false}'), 'failed'],
  'an id of 1.5': [json('{"id": 1.5, "blocked": false}'), 'failed'],
  'another id': [json('{"id": "2", "blocked": false}'), 'not found'],
  null: [json('null'), 'failed'],
  'a text': [json('"blocked"'), 'failed'],
  'a list': [json(`[${ROW}]`), 'failed'],
  'a text for a boolean': [json('{"id": "1", "blocked": "false"}'), 'type'],
  'a number for a boolean': [json('{"id": "1", "blocked": 0}'), 'type'],
  'null for a boolean': [json('{"id": "1", "blocked": null}'), 'type'],
  'a list for a boolean': [json('{"id": "1", "blocked": []}'), 'type'],
  'an id of another object': [json('{"__proto__": {"id": "1", "blocked": false}}'), 'failed'],
  'a cut connection': [CUT, 'failed'],
  'a closed connection': [(request) => request.socket.destroy(), 'failed'],
  'a slow server': [() => {}, 'deadline'],
  'a slow body': [UNFINISHED, 'deadline'],
};

for (const [name, [answer, expected]] of Object.entries(HOSTILE))
  test(`${name}: nothing is allowed`, () =>
    withServer(answer, async (origin) => {
      const isSlow = expected === 'deadline';
      const decision = await decide({ url: `${origin}/{id}` }, '1', isSlow ? 50 : 5000);
      assert.is(outcome(decision), expected);
    }));

test('two rows of one id, a row in place of a list, and rows that are no objects are refused', async () => {
  for (const [body, expected] of [
    ['[{"id": "1", "blocked": false}, {"id": 1, "blocked": true}]', 'shape'],
    ['{"id": "1", "blocked": false}', 'failed'],
    ['[null]', 'failed'],
    ['[["1", false]]', 'failed'],
    ['{"1": {"blocked": false}}', 'failed'],
  ] as const)
    await withServer(json(body), async (origin) => {
      assert.is(outcome(await decide({ url: `${origin}/?ids={ids}` })), expected, body);
    });
});

test('redirects are not followed', async () => {
  const target: string[] = [];
  const other: Answer = (request, response) => {
    target.push(request.url ?? '');
    json('{"id": "1", "blocked": false}')(request, response);
  };
  await withServer(other, (elsewhere) =>
    Promise.all(
      [301, 302, 303, 307, 308].map((status) => {
        const redirect: Answer = (_, response) => {
          response.writeHead(status, { location: `${elsewhere}/1`, 'content-type': 'application/json' });
          response.end('{"id": "1", "blocked": false}');
        };
        return withServer(redirect, async (origin) => {
          const headers = () => ({ authorization: 'secret' });
          assert.is(outcome(await decide({ url: `${origin}/{id}`, headers })), 'failed');
        });
      }),
    ),
  );
  assert.equal(target, []);
});

test('a status says that there is no row only where the source says so', () =>
  withServer(json('', 404), async (origin) => {
    const missing = { url: `${origin}/{id}`, missingStatus: 404 } as const;
    assert.is(outcome(await decide(missing)), 'not found');
    // The absence is the information.
    assert.is(outcome(await decide({ ...missing, notFound: 'absent' })), 'allowed');
    assert.is(outcome(await decide({ ...missing, missingStatus: 410, notFound: 'absent' })), 'failed');
  }));

test('URLs that are not safe are refused', () => {
  for (const url of [
    'https://host/albums', 'https://host/{id}/{id}', '{id}', '/albums/{id}', 'https://{id}/albums', 'https://{id}.host/a',
    'https://host:{id}/a', 'https://host/a{id}', 'https://host/{id}.json', 'https://host/{ids}', 'https://host/a?{id}',
    'https://host/a?{id}=1', 'https://host/a#{id}', 'https://host/{id}#x', 'https://user:pass@host/{id}', 'ftp://host/{id}',
    'file:///{id}', 'http://host/{id}', 'http://127.evil.example/{id}', 'http://localhost.evil.example/{id}', 'http://[::2]/{id}',
  ]) // biome-ignore format: a list
    assert.throws(() => httpFacts({ ...SOURCE, url }), /`url`/, url);
  for (const url of [
    'https://host/{id}',
    'http://localhost:80/{id}',
    'http://[::1]/a?x={id}',
    'https://host/a?q=x:{ids},y',
  ])
    assert.not.throws(() => httpFacts({ ...SOURCE, url }), url);
  assert.not.throws(() => httpFacts({ ...SOURCE, url: 'http://host/{id}', plainHttp: true }));
  assert.throws(() => httpFacts({ ...SOURCE, url: 'https://host/{id}', items: 'x' }), /JSON pointer/);
});

test.run();
