import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Manifest } from '../../packages/bundle/index.js';
import {
  type AuthzClient,
  AuthzError,
  connectClient,
  inProcessClient,
  restClient,
} from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import { type ActorInput, createEngine, delegation } from '../../runtime/engine/index.js';
import { policies } from '../../generated/index.js';
import type { Policies } from '../../generated/types.js';
import { type ListeningServer, startServer } from '../../server/main.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { loadRepositoryBundle } from '../support/repository-bundle.js';
import { loopbackConfig } from '../support/server/start.js';

/** All transports behave alike: the same questions have the same results and the same errors. */
const test = suite('clients');

let server: ListeningServer;
const clients = new Map<string, AuthzClient<Policies>>();
test.before(async () => {
  server = await startServer(loopbackConfig(), await loadRepositoryBundle());
  const url = `http://${server.httpAddress}`;
  clients.set('in process', inProcessClient<Policies>(policies));
  clients.set('rest', restClient<Policies>({ url }));
  clients.set('connect', connectClient<Policies>({ url: `${url}/` }));
  clients.set('grpc', grpcClient<Policies>({ address: server.grpcAddress }));
});
test.after(async () => {
  for (const client of clients.values()) await client.close();
  await server.close();
});

/** The result of each client, errors as `code: message`. Call ids are left out because they always differ. */
async function fromAll(ask: (client: AuthzClient<Policies>) => Promise<unknown>): Promise<readonly unknown[]> {
  return Promise.all(
    [...clients.values()].map(async (client) => {
      try {
        return withoutCallId(await ask(client));
      } catch (error) {
        assert.instance(error, AuthzError);
        return `${(error as AuthzError).code}: ${(error as AuthzError).message}`;
      }
    }),
  );
}

/** Only servers have calls with ids, and bundles that may change. */
function withoutCallId(answer: unknown): unknown {
  return typeof answer === 'object'
    ? { ...answer, callId: '', ...('callId' in (answer as object) && { bundleHash: '' }) }
    : answer;
}

async function same(ask: (client: AuthzClient<Policies>) => Promise<unknown>): Promise<unknown> {
  const [first, ...others] = await fromAll(ask);
  assert.is(others.length, 3);
  for (const other of others) assert.equal(other, first);
  return first;
}

const anna = { id: 'anna', roles: ['user'], attr: { team: 'a' } };
const album = {
  kind: 'album',
  id: '1',
  attr: { owner: 'anna', visibility: 'public', status: 'LOCKED', lockedBy: 'bert', friends: ['carl'] },
} as const;

test('an action is allowed or not', async () => {
  assert.is(await same((client) => client.isAllowed({ principal: anna, resource: album, action: 'view' })), true);
  assert.is(await same((client) => client.isAllowed({ principal: anna, resource: album, action: 'edit' })), false);
  assert.is(
    await same((client) =>
      client.isAllowed({ principal: { id: 'x', roles: ['nobody'] }, resource: album, action: 'view' }),
    ),
    false,
  );
});

test('a prepared principal may do what it may do otherwise', async () => {
  assert.is(await same((client) => client.for(anna).can('view', album)), true);
  assert.is(await same((client) => client.for(anna).can('edit', album)), false);
  assert.is(await same((client) => client.for(anna).can('delete', { kind: 'contact', id: 'c' })), false);
  assert.is(await same((client) => client.for({ id: 'x', roles: ['nobody'] }).can('view', album)), false);
});

test('what actors do for a principal is allowed if all of them may do it', async () => {
  const actors = (...roles: readonly string[]) => ({
    ...anna,
    actors: roles.map((role, index) => ({ id: `actor ${index}`, roles: [role] as never, attr: { n: index } })),
  });
  const ask = (principal: ReturnType<typeof actors>) =>
    same((client) => client.isAllowed({ principal, resource: album, action: 'view' }));
  assert.is(await ask(actors()), true);
  assert.is(await ask(actors('user', 'guest:x')), true);
  assert.is(await ask(actors('user', 'nobody')), false);
  assert.is(await same((client) => client.for(actors('user')).can('view', album)), true);
  assert.is(await same((client) => client.for(actors('nobody')).can('view', album)), false);

  const planned = await same((client) =>
    client.plan({ principal: actors('user'), resource: { kind: 'album' }, actions: ['view'] }),
  );
  const { filter } = planned as Awaited<ReturnType<AuthzClient<Policies>['plan']>>;
  assert.is(filter.kind, 'KIND_CONDITIONAL');
  assert.is(await ask(actors(...Array.from({ length: 8 }, () => 'user'))), true);
  assert.match(
    String(await ask(actors(...Array.from({ length: 9 }, () => 'user')))),
    /^invalid_argument: .*principal\.actors/,
  );
  assert.match(String(await ask(actors('user', ''))), /^invalid_argument: .*principal\.actors\[1\]\.roles\[0\]/);
  const [actor] = actors('user').actors;
  const nested = { ...anna, actors: [{ ...actor, actors: [actor] }] } as unknown as ReturnType<typeof actors>;
  assert.match(String(await ask(nested)), /^invalid_argument: principal\.actors\[0\] has actors/);
  assert.match(
    String(await ask({ ...anna, actors: 'user' as never })),
    /^invalid_argument: principal\.actors is not an array/,
  );
});

test('a prepared principal is read once', async () => {
  const roles: 'user'[] = ['user'];
  const attr: { team: string; since?: bigint } = { team: 'a' };
  const annotations: { why: unknown } = { why: 'test' };
  for (const client of clients.values()) {
    const prepared = client.for({ id: 'anna', roles, attr }, { requestId: 'r1', annotations });
    roles.pop();
    attr.since = 1n;
    annotations.why = 1n;
    assert.is(await prepared.can('view', album), true);
    assert.is(await prepared.can('edit', album), false);
    roles.push('user');
    delete attr.since;
    annotations.why = 'test';
  }
});

test('a prepared principal that cannot be sent, or is refused, fails each of its calls', async () => {
  const ask = (principal: unknown, options?: unknown, action: unknown = 'view', resource: unknown = album) => {
    return (client: AuthzClient<Policies>): Promise<boolean> => {
      const untyped = client as unknown as {
        for(...args: readonly unknown[]): { can(...args: readonly unknown[]): Promise<boolean> };
      };
      return untyped.for(principal, options).can(action, resource);
    };
  };
  assert.is(
    await same(ask({ ...anna, attr: { x: 1n } })),
    'invalid_argument: principal.attr.x is of type bigint, which JSON cannot represent',
  );
  assert.match(String(await same(ask({ id: '', roles: [] }))), /principal\.id: value is required/);
  assert.is(await same(ask(anna, { auxData: { jwt: { token: 'no token' } } })), 'invalid_argument: invalid auxData');
  for (const nonsense of [null, 3, [], { id: 1, roles: 'x' }]) {
    assert.match(String(await same(ask(nonsense))), /^invalid_argument/);
    assert.match(String(await same(ask(anna, undefined, 'view', nonsense))), /^invalid_argument/);
    if (nonsense !== null) assert.match(String(await same(ask(anna, undefined, nonsense))), /^invalid_argument/);
  }
});

test('a call of a prepared principal can be aborted', async () => {
  const signal = AbortSignal.abort('enough');
  assert.is(await same((client) => client.for(anna).can('view', album, { signal })), 'canceled: the call was aborted');
});

test('a check returns the allowed actions and the outputs of policies', async () => {
  const answer = await same((client) =>
    client.check({
      principal: anna,
      resource: album,
      actions: ['view', 'edit', 'comment:add'],
      includeMeta: true,
      requestId: 'r1',
    }),
  );
  const matched = { matchedPolicy: 'resource.album.vdefault', matchedScope: '' };
  assert.equal(answer, {
    allowed: { view: true, edit: false, 'comment:add': false },
    outputs: [
      { src: 'resource.album.vdefault#locked', action: 'edit', val: { reason: 'locked', by: 'bert' } },
      { src: 'resource.album.vdefault#locked', action: 'comment:add', val: { reason: 'locked', by: 'bert' } },
    ],
    validationErrors: [],
    meta: {
      actions: { view: matched, edit: matched, 'comment:add': matched },
      effectiveDerivedRoles: ['owner'],
      unknown: {},
    },
    callId: '',
    requestId: 'r1',
    bundleHash: '',
  });
});

test('several resources are answered in order', async () => {
  const answer = await same((client) =>
    client.checkAll({
      principal: anna,
      resources: [
        { resource: album, actions: ['view'] },
        { resource: { kind: 'contact', id: 'c' }, actions: ['read', 'delete'] },
      ],
      annotations: { why: 'test' },
    }),
  );
  assert.equal(
    (answer as { results: readonly { resource: object; allowed: object }[] }).results.map(({ resource, allowed }) => [
      resource,
      allowed,
    ]),
    [
      [{ kind: 'album', id: '1' }, { view: true }],
      [
        { kind: 'contact', id: 'c' },
        { read: true, delete: false },
      ],
    ],
  );
});

test('a plan returns a filter', async () => {
  const answer = (await same((client) =>
    client.plan({
      principal: anna,
      resource: { kind: 'album', attr: { status: 'OPEN' } },
      actions: ['edit', 'view'],
      includeMeta: true,
    }),
  )) as { filter: { kind: string } };
  assert.is(answer.filter.kind, 'KIND_CONDITIONAL');
  assert.equal(
    await same((client) =>
      client.plan({ principal: { id: 'x', roles: ['curator'] }, resource: { kind: 'contact' }, actions: ['read'] }),
    ),
    {
      filter: { kind: 'KIND_ALWAYS_DENIED' },
      validationErrors: [],
      meta: undefined,
      callId: '',
      requestId: '',
      bundleHash: '',
    },
  );
});

test('attributes arrive unchanged: dates as strings, undefined members omitted, any member name allowed', async () => {
  const attr = {
    owner: 'anna',
    visibility: 'friends',
    friends: ['anna'],
    since: new Date(0),
    nothing: undefined,
    deep: [[{ a: [null, -0, 1.5, '\u{1F600}'] }]],
    ['__proto__']: 1,
    constructor: 'x',
  };
  await same((client) =>
    client.check({
      principal: { ...anna, attr },
      resource: { kind: 'album', id: 'ü', attr },
      actions: ['view'],
      includeMeta: true,
    }),
  );
});

test('values that no transport can carry are rejected before sending', async () => {
  const cycle: unknown[] = [];
  cycle.push(cycle);
  for (const [value, message] of [
    [1n, 'resource.attr.x is of type bigint, which JSON cannot represent'],
    [Number.NaN, 'resource.attr.x is NaN, which JSON cannot represent'],
    [() => 1, 'resource.attr.x is of type function, which JSON cannot represent'],
    [new Map(), 'resource.attr.x is an object of a class without toJSON'],
    ['\ud800', 'resource.attr.x is not well-formed Unicode'],
  ] as const) {
    assert.is(
      await same((client) =>
        client.isAllowed({ principal: anna, resource: { kind: 'album', id: '1', attr: { x: value } }, action: 'view' }),
      ),
      `invalid_argument: resources[0].${message}`,
    );
  }
  assert.match(
    String(
      await same((client) =>
        client.isAllowed({ principal: anna, resource: { kind: 'album', id: '1', attr: { cycle } }, action: 'view' }),
      ),
    ),
    'is nested more than 1000 levels',
  );
});

test('an error of the PDP keeps its code and message', async () => {
  const refused = await same((client) =>
    client.check({ principal: { id: '', roles: [] }, resource: { kind: 'album', id: '' }, actions: [] }),
  );
  assert.match(String(refused), /^invalid_argument: validation errors:\n - principal\.id: value is required/);
  assert.match(
    String(await same((client) => client.checkAll({ principal: anna, resources: [] }))),
    /^invalid_argument: validation error/,
  );
  assert.match(
    String(
      await same((client) => client.plan({ principal: anna, resource: { kind: 'album' }, actions: ['view', 'view'] })),
    ),
    /unique/,
  );
  assert.is(
    await same((client) =>
      client.isAllowed({ principal: anna, resource: album, action: 'view', auxData: { jwt: { token: 'no token' } } }),
    ),
    'invalid_argument: invalid auxData',
  );
});

test('a malformed call fails like any other', async () => {
  for (const nonsense of [
    undefined,
    null,
    3,
    {},
    { principal: 3, resource: [], actions: 'view' },
    { principal: { id: 1, roles: 'x' } },
  ]) {
    for (const client of clients.values()) {
      for (const call of [
        client.check,
        client.checkAll,
        client.isAllowed,
        client.plan,
      ] as readonly unknown[] as readonly ((request: unknown) => Promise<unknown>)[]) {
        const error = await call(nonsense).then(
          () => 'an answer',
          (thrown: unknown) => thrown,
        );
        assert.instance(error, AuthzError);
      }
    }
  }
});

/** Fields that a server takes, refuses as empty, and refuses as of another type. */
const IDS: readonly unknown[] = [...Array.from({ length: 12 }, () => 'anna'), 'bert', ' ', '', 3, null];
const NAMES: readonly unknown[] = ['user', 'user', 'user', 'admin', 'view', 'edit', '*', ' '];
const NO_NAMES: readonly unknown[] = ['', 3, null, undefined];

test('an engine decides a request as clients do, and throws a TypeError if these refuse it', async () => {
  const engine = createEngine(policies, { use: [delegation()] });
  let decided = 0;
  const requests = rounds(200);
  for (let seed = SEED; seed < SEED + requests; seed += 1) {
    const random = new Random(seed);
    const names = (): readonly string[] =>
      random.times(random.chance(0.1) ? 0 : 1, random.pick([1, 2, 2, 3, 20]), (index) =>
        random.chance(0.04)
          ? random.pick(NO_NAMES)
          : random.chance(0.9)
            ? `${random.pick(NAMES)}${index > 1 ? index : ''}`
            : random.pick(NAMES),
      ) as readonly string[];
    const person = (): ActorInput => ({ id: random.pick(IDS) as string, roles: names(), attr: {} });
    const principal = random.chance(0.3) ? { ...person(), actors: random.times(0, 2, person) } : person();
    const resource = { ...album, id: random.pick(IDS) as string };
    const actions = names();
    const detail = `seed ${seed}: ${JSON.stringify({ principal, resource, actions })}`;
    const byEngine = (ask: () => unknown): unknown => {
      try {
        return ask();
      } catch (error) {
        assert.instance(error, TypeError, detail);
        return 'refused';
      }
    };
    const byClients = async (ask: (client: AuthzClient) => Promise<unknown>): Promise<unknown> => {
      const answer = await same(ask as unknown as Parameters<typeof same>[0]);
      if (typeof answer !== 'string') return answer;
      assert.match(answer, /^invalid_argument: /, detail);
      return 'refused';
    };
    const [action = ''] = actions;
    const check = { principal, resources: [{ resource, actions }] };
    const plan = { principal, resource: { kind: 'album', attr: {} }, actions };
    const question = { principal, resource, action };
    const allowed = (): unknown => engine.check(check)[0]?.actions.map((one) => [one.action, one.allowed]);
    const pairs = [
      [
        byEngine(() => Object.fromEntries(allowed() as readonly (readonly [string, boolean])[])),
        await byClients(async (client) => ({ of: (await client.check({ principal, resource, actions })).allowed })),
      ],
      [byEngine(() => engine.isAllowed(question)), await byClients((client) => client.isAllowed(question))],
      [
        byEngine(() => engine.for(principal).can(action, resource)),
        await byClients((client) => client.for(principal).can(action, resource)),
      ],
      // A server limits the number of actions.
      actions.length > 20
        ? []
        : [
            byEngine(() => engine.plan(plan).filter),
            await byClients(async (client) => ({ of: (await client.plan(plan)).filter })),
          ],
    ];
    for (const [index, [here, there]] of pairs.entries()) {
      assert.equal(here, typeof there === 'object' ? (there as { of: unknown }).of : there, `call ${index}, ${detail}`);
      if (here !== 'refused') decided += 1;
    }
  }
  console.log(`  ${decided} of the calls of ${requests} requests are decided`);
  assert.ok(decided > requests / 4 && decided < requests * 3, 'they say too little');
});

test('a call that was aborted before it started is canceled', async () => {
  const aborted = AbortSignal.abort('enough');
  assert.is(
    await same((client) => client.isAllowed({ principal: anna, resource: album, action: 'view' }, { signal: aborted })),
    'canceled: the call was aborted',
  );
});

test('clients return the version of the server', async () => {
  const [inProcess, ...served] = await fromAll((client) => client.serverInfo());
  assert.is(inProcess, 'unimplemented: there is no server: the policies run in this process');
  const hashes = served.map((info) => (info as { bundleHash: string }).bundleHash);
  // The REST response has three fields, and this is not one of them.
  assert.equal(hashes, ['', policies.hash, policies.hash]);
});

test('clients return what the archive of the bundle says, except over REST', async () => {
  const manifest: Manifest = {
    format: 1,
    hash: policies.hash,
    files: {},
    compiler: '0.1.0',
    engine: '0.1.0',
    sequence: 7,
    source: { repository: 'https://example.com/shop', revision: 'abc' },
  };
  const archived = await startServer(loopbackConfig(), {
    ...(await loadRepositoryBundle()),
    provenance: { digest: 'd1', manifest },
  });
  const url = `http://${archived.httpAddress}`;
  const served = [restClient({ url }), connectClient({ url }), grpcClient({ address: archived.grpcAddress })];
  try {
    const infos = await Promise.all(served.map((client) => client.serverInfo()));
    assert.equal(
      infos.map(({ bundleProvenance: from }) => from && [from.digest, from.revision, from.sequence]),
      [undefined, ['d1', 'abc', '7'], ['d1', 'abc', '7']],
    );
  } finally {
    for (const client of served) await client.close();
    await archived.close();
  }
});

test.run();
