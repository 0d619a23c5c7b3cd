import { mkdtempSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grpcClient } from '../../packages/client/grpc.js';
import { type AuthzClient, connectClient, restClient } from '../../packages/client/index.js';
import { createFactsEngine, type FactSource } from '../../runtime/facts/index.js';
import type { RunningServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { ADMIN, answerJson, factsBundle, type Origin, startFactsServer, startOrigin } from '../support/facts/served.js';
import { send } from '../support/server/http-client.js';
import { until } from '../support/timeout.js';

/* A caller that goes away ends what is fetched for it, and nothing that another one waits for. */

const test = suite('abandoned calls');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;

const question = { principal: { id: 'ann', roles: ['user'] }, resource: { kind: 'doc', id: '1' }, action: 'view' };

/** No test waits so long: what has ended by then was ended by its caller. */
const NEVER = '600s';

const folder = mkdtempSync(join(tmpdir(), 'authz-abandoned-'));
const LOG = join(folder, 'log');
const file = openSync(LOG, 'a');
const log = openLog({ output: file, errors: file, environment: {} });

let origin: Origin;
/** The answers that the origin has begun and not ended, and how many were closed by the server. */
const held: ServerResponse[] = [];
let closed = 0;

test.before(async () => {
  origin = await startOrigin();
  origin.answer = (_, response) => {
    held.push(response);
    response.once('close', () => {
      if (!response.writableEnded) closed += 1;
    });
  };
});
test.after(async () => {
  await origin.close();
  rmSync(folder, { recursive: true });
});
test.before.each(() => {
  held.length = 0;
  closed = 0;
  truncateSync(LOG);
});

const CLIENTS: readonly (readonly [string, (server: RunningServer) => AuthzClient])[] = [
  ['REST', ({ httpAddress }) => restClient({ url: `http://${httpAddress}` })],
  ['Connect', ({ httpAddress }) => connectClient({ url: `http://${httpAddress}` })],
  ['gRPC', ({ grpcAddress }) => grpcClient({ address: grpcAddress })],
];

async function startServer(cache?: object): Promise<RunningServer> {
  const docs = { of: 'doc', provides: { owner: 'string' }, http: { url: `${origin.url}/docs?ids={ids}` }, cache };
  const bundle = await factsBundle({ 'doc.yaml': POLICY });
  return startFactsServer(bundle, { sources: { deadline: NEVER, from: { docs } } }, { log });
}

async function stateOf(server: RunningServer): Promise<{ readonly [name: string]: string }> {
  const { text } = await send(server.httpAddress, 'GET', '/admin/sources', undefined, { authorization: ADMIN });
  return (JSON.parse(text) as { readonly sources: readonly { readonly [name: string]: string }[] }).sources[0] ?? {};
}

for (const cache of [undefined, { maxAge: '60s' }])
  for (const [name, connect] of CLIENTS)
    test(`${name}: a caller that goes away ends its request to a source${cache ? ' with a cache' : ''}`, async () => {
      const server = await startServer(cache);
      const client = connect(server);
      try {
        const gone = new AbortController();
        const answer = client.isAllowed(question, { signal: gone.signal }).then(
          () => 'answered',
          () => 'aborted',
        );
        await until(() => held.length === 1);
        gone.abort();
        assert.is(await answer, 'aborted');
        await until(() => closed === 1);
        // The source has not failed, and the call was not unavailable.
        await until(async () => (await stateOf(server))['requests'] === '1');
        const { failures, unknown, lastError } = await stateOf(server);
        assert.equal([failures, unknown, lastError], [undefined, undefined, undefined]);
        await until(() => readFileSync(LOG, 'utf8').includes('Canceled'));
        // The next caller is not told of it.
        const next = client.isAllowed(question);
        await until(() => held.length === 2);
        answerJson(held[1] as ServerResponse, [{ id: '1', owner: 'ann' }]);
        assert.is(await next, true);
      } finally {
        await client.close();
        await server.close();
      }
    });

test('a request to a source that another caller waits for goes on', async () => {
  const server = await startServer({ maxAge: '60s' });
  const client = restClient({ url: `http://${server.httpAddress}` });
  try {
    const gone = new AbortController();
    const first = client.isAllowed(question, { signal: gone.signal }).catch(() => 'aborted');
    await until(() => held.length === 1);
    const other = { ...question, resource: { kind: 'doc', id: '2' } };
    // The second caller waits for the first row, and for one of its own.
    const second = client.checkAll({
      principal: question.principal,
      resources: [question, other].map(({ resource }) => ({ resource, actions: ['view'] })),
    });
    await until(() => held.length === 2);
    gone.abort();
    assert.is(await first, 'aborted');
    answerJson(held[1] as ServerResponse, [{ id: '2', owner: 'bob' }]);
    answerJson(held[0] as ServerResponse, [{ id: '1', owner: 'ann' }]);
    const { results } = await second;
    assert.equal(
      results.map(({ allowed }) => allowed['view']),
      [true, false],
    );
    assert.is(closed, 0);
  } finally {
    await client.close();
    await server.close();
  }
});

test('in process, one call of a source ends when all that wait for it are aborted, and not before', async () => {
  const { policies } = await factsBundle({ 'doc.yaml': POLICY });
  const calls: {
    readonly keys: readonly string[];
    readonly signal: AbortSignal;
    readonly answer: (rows: object) => void;
  }[] = [];
  const source: FactSource = {
    of: 'doc',
    provides: ['owner'],
    types: { owner: 'string' },
    cache: { maxAge: 60_000 },
    load: (keys, { signal }) =>
      new Promise((resolve) => {
        calls.push({ keys, signal, answer: resolve as (rows: object) => void });
      }),
  };
  const authz = createFactsEngine(policies, { sources: [source], deadline: 600_000 });
  const ask = (signal?: AbortSignal) => authz.decide(question, signal === undefined ? {} : { signal });
  const [one, two] = [new AbortController(), new AbortController()];
  const [first, second] = [ask(one.signal), ask(two.signal)];
  assert.is(calls.length, 1);
  one.abort();
  const lacking = {
    allowed: false,
    why: 'unknown',
    unknown: [{ fact: 'resource.attr.owner', source: 'doc', reason: 'aborted' }],
  };
  assert.equal(await first, { ...lacking, facts: [] });
  assert.not(calls[0]?.signal.aborted);
  two.abort();
  // One that asks while the call is given up gets a call of its own.
  const third = ask();
  assert.equal(await second, { ...lacking, facts: [] });
  assert.ok(calls[0]?.signal.aborted);
  await until(() => calls.length === 2);
  calls[1]?.answer({ 1: { owner: 'ann' } });
  assert.is((await third).allowed, true);
  // Nobody is asked for a caller that has gone before.
  assert.is(((await ask(one.signal)) as { readonly allowed: boolean }).allowed, false);
  assert.is(calls.length, 2);
});

test.run();
