import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod';
import { inProcessClient, restClient } from '../../packages/client/index.js';
import {
  type Claims,
  DENIED,
  type DecisionPoint,
  decideOverAuthZen,
  decideWith,
  mcpGuard,
  protect,
  UNVERIFIED,
} from '../../packages/mcp-guard/index.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { loopbackConfig } from '../support/server/start.js';

/** Servers of the protocol's SDK behind the guard, asked by clients of both versions of the protocol. */
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - actions: [read]
      effect: EFFECT_ALLOW
      roles: [employee]
    - actions: [delete]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition:
        match:
          all:
            of:
              - expr: R.attr.owner == P.id
              - expr: R.attr["authz.context"].agent == "trusted"
`;
const SERVER_POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: mcp_server
  version: default
  rules:
    - actions: ["*"]
      effect: EFFECT_ALLOW
      roles: [employee]
`;
const INPUT = z.object({ id: z.string(), owner: z.string() });
const mappingTo = (name: string) => ({
  evaluation: {
    action: { name },
    resource: {
      type: 'document',
      id: '$params.arguments.id',
      properties: { owner: '$params.arguments.owner' },
    },
  },
});
const ANN: Claims = { sub: 'ann', aud: 'files', client_id: 'trusted', roles: ['employee'] };
const STRANGER: Claims = { sub: 'eve', aud: 'files', client_id: 'trusted', roles: [] };
const OTHER_AGENT: Claims = { ...ANN, client_id: 'unknown' };

const calls: string[] = [];
let claims: Claims | undefined = ANN;

const inputSchema = (action: string) => ({ ...z.toJSONSchema(INPUT), 'x-authzen-mapping': mappingTo(action) });
const tools = ['read', 'delete'].map((name) => ({ name, inputSchema: inputSchema(name) }));

function serverWith(decisionPoint: DecisionPoint): McpServer {
  const server = new McpServer({ name: 'files', version: '1' });
  for (const { name } of tools)
    server.registerTool(name, { description: name, inputSchema: INPUT }, ({ id }) => {
      calls.push(`${name} ${id}`);
      return { content: [{ type: 'text', text: `${name} ${id}` }] };
    });
  return protect(server, mcpGuard({ tools, server: 'files', decisionPoint }), () => claims);
}

interface Session {
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  callTool(call: { readonly name: string; readonly arguments: { readonly [name: string]: unknown } }): Promise<unknown>;
  close(): Promise<void>;
}
type Connect = (decisionPoint: DecisionPoint) => Promise<Session>;

/** Over HTTP, without a socket: the handler of the server is the client's `fetch`. */
const fetchOf = (decisionPoint: DecisionPoint) => {
  const handler = createMcpHandler(() => serverWith(decisionPoint));
  return (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
};
const ADDRESS = new URL('http://files.example/mcp');
const CONNECTIONS: { readonly [how: string]: Connect } = {
  'over HTTP': async (decisionPoint) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new StreamableHTTPClientTransport(ADDRESS, { fetch: fetchOf(decisionPoint) }));
    return client as Session;
  },
  'over HTTP, with the earlier protocol': async (decisionPoint) => {
    const client = new EarlierClient({ name: 'test', version: '1' });
    await client.connect(new EarlierTransport(ADDRESS, { fetch: fetchOf(decisionPoint) }) as never);
    return client as Session;
  },
  'over one channel': async (decisionPoint) => {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await serverWith(decisionPoint).connect(theirs as never);
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(ours);
    return client as Session;
  },
};

let server: RunningServer;
let points: { readonly [name: string]: DecisionPoint };
const sessions: Session[] = [];
test.before(async () => {
  const bundle = await loaded(compileTexts({ 'document.yaml': POLICY, 'server.yaml': SERVER_POLICY }));
  const config = loopbackConfig();
  server = await startServer(config, bundle);
  const principalOf = ({ roles }: Claims) => ({ roles: (roles as readonly string[]).concat('everybody') });
  points = {
    'in process': decideWith(inProcessClient(bundle.policies), principalOf),
    'by a server': decideWith(restClient({ url: `http://${server.httpAddress}` }), principalOf),
  };
});
test.before.each(() => {
  calls.length = 0;
  claims = ANN;
});
test.after.each(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
});
test.after(() => server.close());

async function open(connect: Connect, point: DecisionPoint): Promise<Session> {
  const session = await connect(point);
  sessions.push(session);
  return session;
}

/** The text of a result, and whether it is an error; of a protocol error, the code. */
async function called(session: Session, name: string, args: { readonly [name: string]: unknown }): Promise<unknown> {
  try {
    const { isError, content } = (await session.callTool({ name, arguments: args })) as {
      readonly isError?: boolean;
      readonly content: readonly { readonly text: string }[];
    };
    return isError === true ? { error: content[0]?.text } : content[0]?.text;
  } catch (error) {
    return (error as { readonly code: unknown }).code;
  }
}

const DENIAL = { error: 'the request is not allowed' };

for (const [how, connect] of Object.entries(CONNECTIONS)) {
  for (const where of ['in process', 'by a server'])
    test(`calls ${how} are decided ${where} by their arguments, the user and the agent`, async () => {
      const session = await open(connect, points[where] as DecisionPoint);
      assert.equal(
        (await session.listTools()).tools.map(({ name }) => name),
        ['read', 'delete'],
      );
      assert.is(await called(session, 'read', { id: 'd1', owner: 'bob' }), 'read d1');
      assert.is(await called(session, 'delete', { id: 'd2', owner: 'ann' }), 'delete d2');
      assert.equal(await called(session, 'delete', { id: 'd3', owner: 'bob' }), DENIAL);
      claims = OTHER_AGENT;
      assert.equal(await called(session, 'delete', { id: 'd4', owner: 'ann' }), DENIAL);
      claims = STRANGER;
      assert.equal(await called(session, 'read', { id: 'd5', owner: 'eve' }), DENIAL);
      assert.equal(calls, ['read d1', 'delete d2']);
    });

  test(`what cannot be decided ${how} does not reach the server`, async () => {
    const session = await open(connect, points['in process'] as DecisionPoint);
    claims = undefined;
    assert.is(await called(session, 'read', { id: 'd1', owner: 'ann' }), UNVERIFIED);
    claims = ANN;
    assert.is(await called(session, 'read', { id: ['d1'], owner: 'ann' }), -32602);
    assert.is(await called(session, 'write', { id: 'd1', owner: 'ann' }), -32602);
    const lost = await open(connect, decideOverAuthZen({ endpoint: 'http://127.0.0.1:9/access/v1/evaluation' }));
    assert.is(await called(lost, 'read', { id: 'd1', owner: 'ann' }), -32603);
    assert.equal(calls, []);
  });

  test(`a denied list ${how} is an error of the protocol`, async () => {
    const session = await open(connect, async () => false);
    const code = await session.listTools().then(
      () => 'listed',
      (error: { readonly code: unknown }) => error.code,
    );
    assert.is(code, DENIED);
  });
}

test('an AuthZEN server decides, and what is no decision is none', async () => {
  const endpoint = `http://${server.httpAddress}/access/v1/evaluation`;
  const evaluation = {
    subject: { type: 'identity', id: 'ann', properties: { 'authz.roles': ['employee'] } },
    action: { name: 'read' },
    resource: { type: 'document', id: 'd1' },
  };
  const decide = decideOverAuthZen({ endpoint });
  assert.is(await decide(evaluation, ANN), true);
  assert.is(await decide({ ...evaluation, action: { name: 'write' } }, ANN), false);
  for (const path of ['/access/v1/nowhere', '/access/v1/evaluations', '/api/server_info']) {
    const wrong = decideOverAuthZen({ endpoint: `http://${server.httpAddress}${path}` });
    assert.is(
      await wrong({ ...evaluation, subject: { type: '', id: '' } }, ANN).then(
        () => 'decided',
        () => 'rejected',
      ),
      'rejected',
      path,
    );
  }
});

test('a call that its client cancels while it is decided is not run', async () => {
  let release: (isAllowed: boolean) => void = () => {};
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const pending = serverWith(({ action }) => {
    return action.name === 'read' ? new Promise((resolve) => (release = resolve)) : Promise.resolve(true);
  });
  await pending.connect(theirs as never);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(ours);
  sessions.push(client as Session);
  const controller = new AbortController();
  const cancelled = client
    .callTool({ name: 'read', arguments: { id: 'd1', owner: 'ann' } }, { signal: controller.signal })
    .catch(() => 'cancelled');
  await new Promise((resolve) => setTimeout(resolve, 20));
  controller.abort();
  assert.is(await cancelled, 'cancelled');
  release(true);
  assert.is(await called(client as Session, 'delete', { id: 'd2', owner: 'ann' }), 'delete d2');
  assert.equal(calls, ['delete d2']);
});

test.run();
