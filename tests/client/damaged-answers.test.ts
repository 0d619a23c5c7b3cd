import { Server, ServerCredentials } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { grpcClient } from '../../packages/client/grpc.js';
import {
  type AuthzClient,
  AuthzError,
  type CheckAllAnswer,
  connectClient,
  type PlanAnswer,
  restClient,
} from '../../packages/client/index.js';
import { rounds } from '../support/effort.js';
import { damaged, type MessageType, messageType, randomNumbers } from '../support/protobuf.js';
import { LAST_RESORT } from '../support/timeout.js';

/** Damaged responses must give either an AuthzError or the result that an independent reader finds in them. */
const test = suite('damaged responses');

const CHECK = messageType('authz.response.v1.CheckResourcesResponse');
const PLAN = messageType('authz.response.v1.PlanResourcesResponse');

const principal = { id: 'anna', roles: ['user'] };
const checkQuestion = {
  principal,
  resources: [
    { resource: { kind: 'album', id: '1' }, actions: ['view', 'edit'] },
    { resource: { kind: 'album', id: '2' }, actions: ['view'] },
  ],
  includeMeta: true,
};
const planQuestion = { principal, resource: { kind: 'album' }, actions: ['view', 'edit'], includeMeta: true };

const checkAnswer = {
  requestId: 'r1',
  results: [
    {
      resource: { id: '1', kind: 'album', policyVersion: 'default', scope: 'a.b' },
      actions: { view: 'EFFECT_ALLOW', edit: 'EFFECT_DENY' },
      validationErrors: [{ path: '/a', message: 'is wrong', source: 'SOURCE_PRINCIPAL' }],
      meta: {
        actions: { view: { matchedPolicy: 'resource.album.vdefault', matchedScope: 'a' } },
        effectiveDerivedRoles: ['owner'],
      },
      outputs: [
        { src: 's', action: 'view', val: { deep: [1, null, 'é', { a: true }] } },
        { src: 't', error: 'broken' },
      ],
    },
    { resource: { id: '2', kind: 'album' }, actions: { view: 'EFFECT_DENY' } },
  ],
  authzCallId: '01HZ',
};
const variable = { variable: 'request.resource.attr.owner' };
const planOf = (filter: object): object => ({
  requestId: 'r1',
  resourceKind: 'album',
  policyVersion: 'default',
  filter,
  meta: { filterDebug: '(x)', matchedScopes: { view: 'a' } },
  authzCallId: '01HZ',
  actions: ['view', 'edit'],
});
const planAnswers = [
  planOf({ kind: 'KIND_ALWAYS_DENIED' }),
  planOf({ kind: 'KIND_ALWAYS_ALLOWED' }),
  planOf({
    kind: 'KIND_CONDITIONAL',
    condition: {
      expression: {
        operator: 'and',
        operands: [
          { expression: { operator: 'eq', operands: [variable, { value: 'anna' }] } },
          { expression: { operator: 'in', operands: [variable, { value: ['a', 1, null] }] } },
        ],
      },
    },
  }),
];

/** The body of the next response. */
let body: Buffer | ReadableStream<Uint8Array> = Buffer.alloc(0);
const options = {
  url: 'http://server',
  fetch: async () => new Response(typeof body === 'object' && Buffer.isBuffer(body) ? new Uint8Array(body) : body),
  timeout: LAST_RESORT,
};
const overHttp: readonly AuthzClient[] = [restClient(options), connectClient(options)];
const server = new Server();
let overGrpc: AuthzClient;

test.before(async () => {
  const pass = (bytes: Buffer): Buffer => bytes;
  const method = (name: string) =>
    ({
      path: `/authz.svc.v1.AuthzService/${name}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: pass,
      requestDeserialize: pass,
      responseSerialize: pass,
      responseDeserialize: pass,
    }) as const;
  const answer = (_call: unknown, done: (error: null, bytes: Buffer) => void): void => done(null, body as Buffer);
  server.addService(
    { check: method('CheckResources'), plan: method('PlanResources'), info: method('ServerInfo') },
    { check: answer, plan: answer, info: answer },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  overGrpc = grpcClient({ address: `127.0.0.1:${port}`, timeout: LAST_RESORT });
});
test.after(async () => {
  await Promise.all([...overHttp, overGrpc].map((client) => client.close()));
  server.forceShutdown();
});

/** The outcome of a call. Anything other than a result or an AuthzError fails the test. */
async function outcomeOf<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    assert.instance(error, AuthzError, String(error));
    assert.ok(!(error as AuthzError).message.includes('call stack'), 'the stack overflowed');
    assert.is.not((error as AuthzError).code, 'deadline_exceeded');
    return undefined;
  }
}

/** Whether an independent reader finds every allowed action in the same bytes. */
function confirmsAllowed(read: unknown, { results }: CheckAllAnswer): boolean {
  const found = (read as typeof checkAnswer).results as readonly {
    readonly resource: { readonly id: string; readonly kind: string };
    readonly actions: { readonly [action: string]: string };
  }[];
  return results.every(({ allowed }, index) => {
    const asked = checkQuestion.resources[index];
    const { resource, actions } = found[index] ?? {};
    return (
      found.length === checkQuestion.resources.length &&
      resource?.id === asked?.resource.id &&
      resource?.kind === asked?.resource.kind &&
      Object.keys(allowed).join() === asked?.actions.join() &&
      Object.entries(allowed).every(
        ([action, is]) =>
          !is || (actions !== undefined && Object.hasOwn(actions, action) && actions[action] === 'EFFECT_ALLOW'),
      )
    );
  });
}

/** Whether an independent reader finds the same filter for the question. */
function confirmsPlan(read: unknown, { filter }: PlanAnswer): boolean {
  const {
    resourceKind,
    actions,
    filter: found,
  } = read as {
    readonly resourceKind: string;
    readonly actions: readonly string[];
    readonly filter: { readonly kind: string; readonly condition?: unknown };
  };
  return (
    resourceKind === 'album' &&
    actions.join() === 'view,edit' &&
    found.kind === filter.kind &&
    (filter.kind !== 'KIND_CONDITIONAL' || JSON.stringify(plain(found.condition)) === JSON.stringify(plain(filter)))
  );
}

/** The value with sorted members and without empty lists, which either reader may omit. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
  if (Array.isArray(value)) return value.map(plain);
  const { kind: _, condition, ...rest } = value as { readonly [name: string]: unknown };
  if (condition !== undefined) return plain(condition);
  const entries = Object.entries(rest).filter(
    ([name, member]) =>
      !(name === 'operands' && Array.isArray(member) && member.length === 0) && !(name === 'operator' && member === ''),
  );
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, plain(member)]),
  );
}

const ROUNDS = rounds(1200);

test('truncated, modified, repeated or spliced JSON is accepted only if an independent reader agrees', async () => {
  const wholes = [checkAnswer, ...planAnswers].map((json) => Buffer.from(JSON.stringify(json)));
  const next = randomNumbers(11);
  const counts = { answered: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, whole] of wholes.entries()) {
      body =
        next(3) === 0
          ? spliced(whole, wholes[next(wholes.length)] as Buffer, next)
          : next(2) === 0
            ? damagedJson(whole, next)
            : damaged(whole, next);
      const client = overHttp[round % 2] as AuthzClient;
      const text = body.toString('utf8');
      if (index === 0) {
        const answer = await outcomeOf(client.checkAll(checkQuestion));
        if (answer !== undefined) assert.ok(confirmsAllowed(JSON.parse(text), answer), text);
        counts[answer === undefined ? 'refused' : 'answered']++;
      } else {
        const answer = await outcomeOf(client.plan(planQuestion));
        if (answer !== undefined) assert.ok(confirmsPlan(JSON.parse(text), answer), text);
        counts[answer === undefined ? 'refused' : 'answered']++;
      }
    }
  }
  assert.ok(counts.answered > ROUNDS / 12 && counts.refused > ROUNDS / 12, JSON.stringify(counts));
});

test('modified protobuf bytes are accepted only if an independent reader agrees', async () => {
  const rows: readonly (readonly [MessageType, Buffer])[] = [
    [CHECK, CHECK.encode(checkAnswer as never)],
    ...planAnswers.map((answer) => [PLAN, PLAN.encode(answer as never)] as const),
  ];
  const next = randomNumbers(12);
  const counts = { answered: 0, refused: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    for (const [type, whole] of rows) {
      const bytes =
        next(3) === 0
          ? spliced(whole, (rows[next(rows.length)] as (typeof rows)[number])[1], next)
          : next(4) === 0
            ? retyped(whole, next)
            : damaged(whole, next);
      body = bytes;
      if (type === CHECK) {
        const answer = await outcomeOf(overGrpc.checkAll(checkQuestion));
        if (answer !== undefined)
          assert.ok(confirmsAllowed(readIndependently(type, bytes, {}), answer), bytes.toString('hex'));
        counts[answer === undefined ? 'refused' : 'answered']++;
      } else {
        const answer = await outcomeOf(overGrpc.plan(planQuestion));
        if (answer !== undefined)
          assert.ok(confirmsPlan(readIndependently(type, bytes, answer), answer), bytes.toString('hex'));
        counts[answer === undefined ? 'refused' : 'answered']++;
      }
    }
  }
  assert.ok(counts.answered > ROUNDS / 12 && counts.refused > ROUNDS / 12, JSON.stringify(counts));
});

test('absurd lengths are rejected without allocating that much memory', async () => {
  const before = process.memoryUsage().rss;
  for (const field of [1, 2, 3, 5, 9]) {
    for (const length of [
      [0xff, 0xff, 0xff, 0xff, 0x0f],
      [0xff, 0xff, 0xff, 0xff, 0x07],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
      Array<number>(11).fill(0xff),
    ]) {
      body = Buffer.concat([Buffer.from([(field << 3) | 2, ...length]), Buffer.alloc(50, 0x0a)]);
      assert.is(await outcomeOf(overGrpc.checkAll(checkQuestion)), undefined);
      assert.is(await outcomeOf(overGrpc.plan(planQuestion)), undefined);
    }
  }
  assert.ok(process.memoryUsage().rss - before < 200e6);
});

test('endless nesting is rejected, or the value is reported as an error, and no stack overflows', async () => {
  const deep = 200_000;
  const around = (open: string, inner: string, close: string): string => open.repeat(deep) + inner + close.repeat(deep);
  const operands = around('{"expression":{"operator":"not","operands":[', '{"variable":"request.resource.id"}', ']}}');
  const conditional = (condition: string): string =>
    JSON.stringify(planOf({ kind: 'KIND_CONDITIONAL', condition: 0 })).replace(
      '"condition":0',
      `"condition":${condition}`,
    );
  for (const text of [
    conditional(operands),
    conditional(`{"value":${around('[', '', ']')}}`),
    conditional(`{"value":${around('{"a":', '1', '}')}}`),
    around('[', '', ']'),
    around('{"results":', '1', '}'),
  ]) {
    body = Buffer.from(text);
    for (const client of overHttp) {
      assert.is(await outcomeOf(client.plan(planQuestion)), undefined);
      assert.is(await outcomeOf(client.checkAll(checkQuestion)), undefined);
    }
  }
  body = Buffer.from(JSON.stringify(checkAnswer).replace('"deep":[', `"deep":[${around('[', '', ']')},`));
  for (const client of overHttp) {
    const answer = await outcomeOf(client.checkAll(checkQuestion));
    assert.match(String(answer?.results[0]?.outputs[0]?.error), 'too deep');
  }
  for (const tag of [0x0a, 0x12, 0x2a, 0x0b]) {
    body = Buffer.alloc(300_000, Buffer.from([tag, 0xf0, 0xff, 0x0f]));
    await outcomeOf(overGrpc.plan(planQuestion));
    assert.is(await outcomeOf(overGrpc.checkAll(checkQuestion)), undefined);
  }
});

test('an endless response is rejected once it exceeds the size limit, and is read no further', async () => {
  let sent = 0;
  let isCancelled = false;
  const chunk = new Uint8Array(1024 * 1024).fill(0x20);
  body = new ReadableStream({
    pull: (controller) => {
      sent++;
      controller.enqueue(chunk);
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const error = await (overHttp[0] as AuthzClient)
    .checkAll(checkQuestion)
    .then(String, (thrown: AuthzError) => thrown.code);
  assert.is(error, 'resource_exhausted');
  assert.ok(isCancelled && sent < 70, String(sent));
});

test('a plan about another resource or another action is rejected', async () => {
  for (const other of [
    { resourceKind: 'letter' },
    { resourceKind: '' },
    { actions: ['view'] },
    { actions: ['edit', 'view'] },
    { actions: [] },
    { actions: ['view', 'delete'] },
  ]) {
    const answer = { ...(planAnswers[1] as object), ...other };
    body = Buffer.from(JSON.stringify(answer));
    for (const client of overHttp) assert.is(await outcomeOf(client.plan(planQuestion)), undefined);
    body = PLAN.encode(answer as never);
    assert.is(await outcomeOf(overGrpc.plan(planQuestion)), undefined);
  }
});

test('contradictory entries are rejected', async () => {
  const twice = CHECK.encode({ results: [{ resource: { id: '1', kind: 'album' }, actions: { view: 'EFFECT_DENY' } }] });
  // The map entry repeated with the other effect.
  const again = Buffer.from([0x12, 8, 0x0a, 4, ...Buffer.from('view'), 0x10, 1]);
  body = Buffer.concat([Buffer.from([0x12, twice.length - 2 + again.length]), twice.subarray(2), again]);
  assert.is(
    await outcomeOf(
      overGrpc.checkAll({ principal, resources: [{ resource: { kind: 'album', id: '1' }, actions: ['view'] }] }),
    ),
    undefined,
  );
  body = Buffer.concat([
    PLAN.encode(planAnswers[0] as never),
    PLAN.encode({ filter: { kind: 'KIND_ALWAYS_ALLOWED' } }),
  ]);
  assert.is(await outcomeOf(overGrpc.plan(planQuestion)), undefined);
  body = Buffer.from(JSON.stringify(planOf({ kind: 'KIND_CONDITIONAL', condition: { value: true, variable: 'x' } })));
  for (const client of overHttp) assert.is(await outcomeOf(client.plan(planQuestion)), undefined);
});

/**
 * The message as an independent reader has it. It reads a value without a kind, which is null to us
 * (docs/spec/server.md#json-mapping), and cannot print it; the filter then counts as ours.
 */
function readIndependently(
  type: MessageType,
  bytes: Buffer,
  ours: { readonly filter?: PlanAnswer['filter'] },
): unknown {
  const nothing = { results: [], actions: [], resourceKind: '', filter: {} };
  try {
    return { ...nothing, ...(type.decode(bytes) as object) };
  } catch (error) {
    if (/Value must have a value/.test((error as Error).message) && ours.filter?.kind === 'KIND_CONDITIONAL')
      return { ...planAnswers[2], filter: { kind: 'KIND_CONDITIONAL', condition: ours.filter.condition } };
    return nothing;
  }
}

/** The start of one and the end of the other. */
function spliced(left: Buffer, right: Buffer, next: (bound: number) => number): Buffer {
  return Buffer.concat([left.subarray(0, next(left.length + 1)), right.subarray(next(right.length + 1))]);
}

/** Changes the wire type of a tag, sometimes. */
function retyped(bytes: Buffer, next: (bound: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  const at = next(copy.length);
  copy[at] = ((copy[at] ?? 0) & ~7) | next(8);
  return copy;
}

const TOKENS = [
  'null',
  '0',
  '"EFFECT_ALLOW"',
  '"EFFECT_DENY"',
  '[]',
  '{}',
  'true',
  '1e999',
  '"KIND_ALWAYS_ALLOWED"',
  '"view"',
  '"__proto__"',
  '""',
];

/** Replaces a value or a name of the text with another one. The result is often still valid JSON. */
function damagedJson(bytes: Buffer, next: (bound: number) => number): Buffer {
  const tokens = bytes.toString('utf8').match(/"[^"]*"|[^"]/g) ?? [];
  const at = next(tokens.length);
  const texts = tokens.flatMap((token, index) => (token.startsWith('"') ? [index] : []));
  const where = next(2) === 0 ? at : (texts[next(texts.length)] ?? at);
  tokens[where] =
    next(2) === 0 ? (TOKENS[next(TOKENS.length)] as string) : (tokens[texts[next(texts.length)] ?? at] as string);
  return Buffer.from(tokens.join(''));
}

test.run();
