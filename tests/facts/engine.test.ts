import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { absent, createFactsEngine, type FactSource, FactsUnavailableError } from '../../runtime/facts/index.js';
import { decideWith } from '../../packages/mcp-guard/decision-point.js';
import { decide } from '../../packages/middleware/guard.js';
import { compileTexts, loaded } from '../support/compiled.js';

/* A facts engine decides as an engine that is given all facts, and fetches only those that may still matter. */

const test = suite('facts engine');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.visibility == "public" || R.attr.owner == P.id || P.id in R.attr.friends}}
    - actions: [view, edit]
      effect: EFFECT_DENY
      roles: [user]
      condition: {match: {expr: R.attr.blocked}}
    - actions: [edit]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id && P.attr.level > 2}}
    - {actions: ['*'], effect: EFFECT_ALLOW, roles: [curator]}
`;

const { policies } = await loaded(compileTexts({ 'album.yaml': POLICY }, { facts: true }));

const ALBUMS: { readonly [id: string]: object } = {
  '1': { owner: 'ann', visibility: 'private', friends: ['bob'], blocked: false },
  '2': { owner: 'bob', visibility: 'public', friends: [], blocked: true },
  '3': { owner: 'ann', visibility: 'public', friends: [] },
};
const TYPES = { owner: 'string', visibility: 'string', friends: 'list', blocked: 'boolean' } as const;

function albums(more: Partial<FactSource> = {}): FactSource & { readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  return {
    of: 'album',
    provides: Object.keys(TYPES),
    types: TYPES,
    cost: 1,
    calls,
    load: async (ids) => {
      calls.push(ids);
      return new Map(ids.filter((id) => Object.hasOwn(ALBUMS, id)).map((id) => [id, ALBUMS[id]]));
    },
    ...more,
  };
}

const people: FactSource = {
  of: 'principal',
  provides: ['level'],
  types: { level: 'number' },
  load: async () => ({ ann: { level: 3 }, bob: { level: 1 } }),
};

const ann = { id: 'ann', roles: ['user'] };
const about = (id: string, attr?: object) => ({ kind: 'album', id, ...(attr && { attr }) });

test('decides by ids alone', async () => {
  const source = albums();
  const authz = createFactsEngine(policies, { sources: [source, people] });
  const decide = async (id: string, action: string, principal = ann) =>
    (await authz.decide({ principal, resource: about(id), action })).allowed;
  assert.ok(await decide('1', 'view'));
  assert.ok(await decide('1', 'edit'));
  assert.not(await decide('2', 'view'));
  assert.ok(await decide('3', 'view', { id: 'carl', roles: ['user'] }));
  assert.not(await decide('3', 'edit', { id: 'bob', roles: ['user'] }));
});

test('fetches nothing where the roles decide', async () => {
  const source = albums();
  const authz = createFactsEngine(policies, { sources: [source, people] });
  const decision = await authz.decide({
    principal: { id: 'c', roles: ['curator'] },
    resource: about('1'),
    action: 'edit',
  });
  assert.equal(decision, { allowed: true, facts: [] });
  assert.equal(source.calls, []);
});

test('a fact that fails stays unknown', async () => {
  const failing = albums({ load: () => Promise.reject(new Error('secret')) });
  const authz = createFactsEngine(policies, { sources: [failing, people] });
  const sent = { owner: 'ann', visibility: 'public', friends: [] };
  const decision = await authz.decide({ principal: ann, resource: about('1', sent), action: 'view' });
  assert.is(decision.allowed, false);
  assert.equal('unknown' in decision && decision.unknown, [
    { fact: 'resource.attr.blocked', source: 'album', reason: 'failed' },
  ]);
  await authz
    .for(ann)
    .can('view', about('1', sent))
    .then(
      () => assert.unreachable(),
      (error: unknown) => {
        assert.instance(error, FactsUnavailableError);
        assert.is((error as Error).message, 'facts are not available: `resource.attr.blocked` from `album` (failed)');
      },
    );
  const known = await authz.decide({
    principal: ann,
    resource: about('1', { ...sent, blocked: absent }),
    action: 'view',
  });
  assert.ok(known.allowed);
});

/** An unnamed second rule shares its result with one called `rule-002`, which no formula says. */
const SHARED = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - name: rule-002
      actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id}}
      output: {when: {ruleActivated: R.attr.visibility}}
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.owner == P.id && R.attr.blocked == false}}
    - {actions: [edit], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: size(R.attr.friends) > 1}}}
`;

test('where no formula says it, sources of what is read are asked once each, and no others', async () => {
  const shared = await loaded(compileTexts({ 'album.yaml': SHARED }, { facts: true }));
  const refuse = (): never => {
    throw new Error('nothing reads this');
  };
  const level: FactSource = { ...people, load: refuse };
  const friends = albums({ provides: ['friends'], load: refuse });
  for (const outputs of [true, false])
    for (const sent of [{}, { visibility: 'public' }]) {
      const [source, rest] = [albums(), albums({ provides: ['owner', 'visibility', 'blocked'] })];
      for (const sources of [
        [source, level],
        [friends, rest, level],
      ]) {
        const authz = createFactsEngine(shared.policies, { sources });
        const decisions = await authz.decideMany(
          { principal: ann, resources: [about('1'), about('2', sent)], actions: ['view'] },
          { outputs },
        );
        assert.is(decisions.get(0)?.get('view')?.allowed, true);
        const denied = decisions.get(1)?.get('view');
        assert.is(denied?.allowed === false && denied.why, 'policy');
      }
      assert.equal([source.calls.length, rest.calls.length], [1, 1]);
    }
});

test('asks each source once for several resources', async () => {
  const source = albums();
  const authz = createFactsEngine(policies, { sources: [source, people] });
  const many = await authz.decideMany({
    principal: ann,
    resources: [about('1'), about('2'), about('3'), about('4')],
    actions: ['view', 'edit'],
  });
  assert.equal(source.calls, [['1', '2', '3', '4']]);
  const allowed = [...many.values()].map((decisions) =>
    [...decisions].map(([action, { allowed }]) => [action, allowed]),
  );
  assert.equal(allowed, [
    [
      ['view', true],
      ['edit', true],
    ],
    [
      ['view', false],
      ['edit', false],
    ],
    [
      ['view', true],
      ['edit', true],
    ],
    [
      ['view', false],
      ['edit', false],
    ],
  ]);
  const missing = many.get(3)?.get('view');
  assert.ok(missing !== undefined && 'unknown' in missing);
});

test('a session decides what is asked in one turn together, and fetches each fact once', async () => {
  const source = albums();
  const me = createFactsEngine(policies, { sources: [source, people] }).for(ann);
  assert.equal(await Promise.all(['1', '2', '3'].map((id) => me.can('view', about(id)))), [true, false, true]);
  assert.ok(await me.can('edit', about('1')));
  assert.equal(source.calls, [['1', '2', '3']]);
});

test('decides at once what needs no fact', () => {
  const authz = createFactsEngine(policies, { sources: [albums(), people] });
  const now = (attr: object) =>
    authz.decideNow({ principal: ann, resource: about('1', attr), action: 'view' })?.allowed;
  assert.is(now({ visibility: 'public', blocked: false }), true);
  assert.is(now({ blocked: true }), false);
  assert.is(now({ visibility: 'public' }), undefined);
  const all = { owner: 'ann', visibility: 'private', friends: [], blocked: false };
  const sent = { principal: { ...ann, attr: { level: 3 } }, resource: about('1', all), action: 'edit' };
  const decision = authz.decideNow(sent);
  assert.is(decision?.allowed, true);
  assert.is(decision?.facts.length, 5);
  // What an object inherits is no attribute, and `absent` is none.
  const inherited = Object.assign(Object.create({ blocked: false }), {
    owner: 'ann',
    visibility: 'public',
    friends: [],
  });
  assert.is(now(inherited), undefined);
  assert.is(now({ ...all, visibility: 'public', blocked: absent, other: absent }), true);
});

test('what a request has by its prototype, or by `toJSON`, is not sent', async () => {
  const authz = createFactsEngine(policies, { sources: [albums(), people] });
  const sent = { owner: 'x', visibility: 'public', friends: [], blocked: false };
  class Row {
    owner = 'x';
    visibility = 'public';
    friends = [];
  }
  const rows: readonly object[] = [
    { ...sent, toJSON: () => ({}) },
    Object.defineProperty(new Row(), 'blocked', { value: false, enumerable: false }),
    Object.assign(Object.create({ blocked: false }), { ...sent, blocked: undefined }),
    new (class extends Row {
      get blocked() {
        return false;
      }
    })(),
  ];
  for (const row of rows) {
    const request = { principal: ann, resource: about('2', row), action: 'view' };
    assert.is(authz.decideNow(request), undefined);
    assert.equal((await authz.decide(request)).allowed, false);
  }
});

test('a source for a scope or a version is asked however the request names them', async () => {
  const scoped = POLICY.replace('version: default', 'version: default\n  scope: acme');
  const { policies: both } = await loaded(compileTexts({ 'a.yaml': POLICY, 'b.yaml': scoped }, { facts: true }));
  const view = async (when: FactSource['when'], place: object, engine: object = {}) =>
    createFactsEngine(both, { sources: [albums({ when })], engine }).decide({
      principal: ann,
      resource: { ...about('2'), ...place },
      action: 'view',
    });
  const byAlbum: readonly (readonly [FactSource['when'], object, object?])[] = [
    [{ scope: 'acme' }, { scope: 'acme' }],
    [{ scope: 'acme' }, { scope: '.acme' }],
    [{ scope: '.acme' }, { scope: 'acme' }],
    [{ scope: 'acme' }, {}, { defaultScope: 'acme' }],
    [{ version: 'default' }, {}],
    [{ version: 'default' }, { policyVersion: '' }],
  ];
  for (const [when, place, engine] of byAlbum)
    assert.equal(await view(when, place, engine).then(({ allowed, facts }) => [allowed, facts.length]), [false, 4]);
  // What a source provides for other requests is not known for this one: it does not count as missing.
  const other = await view({ scope: 'globex' }, { scope: 'acme' });
  assert.ok('unknown' in other && other.unknown.every(({ reason }) => reason === 'not found'), JSON.stringify(other));
  const sent = await createFactsEngine(both, { sources: [albums({ when: { scope: 'globex' } })] }).decide({
    principal: ann,
    resource: about('1', { visibility: 'public', blocked: absent }),
    action: 'view',
  });
  assert.ok(sent.allowed);
});

test('a key of a wrong type is not a key that there is not', async () => {
  const decide = async (folder: unknown) => {
    const ofFolder: FactSource = {
      of: 'album',
      provides: ['blocked'],
      types: TYPES,
      key: { fact: 'resource.attr.folder' },
      keyField: 'folder',
      notFound: 'absent',
      load: async (keys) => new Map(keys.map((key) => [key, { blocked: true }])),
    };
    const folders: FactSource = {
      of: 'album',
      provides: ['folder'],
      types: { folder: 'any' },
      load: async () => ({ '3': { folder } }),
    };
    const resource = about('3', { owner: 'ann', visibility: 'public', friends: [] });
    return createFactsEngine(policies, { sources: [ofFolder, folders] }).decide({
      principal: ann,
      resource,
      action: 'view',
    });
  };
  for (const folder of ['f', '', 7]) assert.equal((await decide(folder)).allowed, false, String(folder));
  for (const folder of [null, absent]) assert.ok((await decide(folder)).allowed);
  for (const folder of [1.5, true, {}, [], 2 ** 60]) {
    const decision = await decide(folder);
    assert.ok('unknown' in decision && decision.unknown[0]?.reason === 'type', JSON.stringify(decision));
  }
});

test('a request without an id is refused before any source is asked', async () => {
  const source = albums();
  const authz = createFactsEngine(policies, { sources: [source] });
  const resources: readonly object[] = [
    { kind: 'album' },
    { kind: 'album', id: '' },
    { kind: 'album', id: 1 },
    { id: '1' },
  ];
  for (const resource of resources)
    await authz.decide({ principal: ann, resource: resource as never, action: 'view' }).then(
      () => assert.unreachable(),
      (error: unknown) => assert.match(String(error), /^NotJsonError: resource\.(id|kind) is/),
    );
  assert.equal(source.calls, []);
});

test('a source that does not answer in time fails', async () => {
  const never = albums({ load: () => new Promise(() => {}), deadline: 5 });
  const authz = createFactsEngine(policies, { sources: [never, people] });
  const decision = await authz.decide({ principal: ann, resource: about('1'), action: 'view' });
  assert.ok('unknown' in decision && decision.unknown.every(({ reason }) => reason === 'deadline'));
});

test('answers guards and servers of the Model Context Protocol as a client does', async () => {
  const authz = createFactsEngine(policies, { sources: [albums(), people] });
  const ask = (id: string, facts = authz) =>
    decide({ facts, principal: () => ann }, { action: 'view', also: ['edit'], resource: about(id) }, undefined);
  const { decision } = await ask('1');
  assert.equal(decision?.allowed, { view: true, edit: true });
  assert.is((await ask('2')).refusal?.status, 403);
  // A row that is missing is an outage or a mistake, and no denial.
  const { refusal } = await ask('4');
  assert.is(refusal?.status, 503);
  assert.instance(refusal?.error, FactsUnavailableError);
  const guarded = decideWith(authz, () => ({ roles: ['user'] }));
  const evaluation = {
    subject: { type: 'user', id: 'ann' },
    action: { name: 'view' },
    resource: { type: 'album', id: '1' },
  };
  assert.is(await guarded(evaluation as never, {} as never), true);
  await authz.check({ principal: ann, resource: about('1'), actions: ['view'], auxData: { jwt: { token: 'x' } } }).then(
    () => assert.unreachable(),
    (error: unknown) => assert.instance(error, TypeError),
  );
});

test('the types of facts come from JSON schemas', async () => {
  const schema = {
    type: 'object',
    properties: {
      owner: { type: 'string' },
      visibility: { enum: ['public', 'private'] },
      friends: { type: 'array', items: { type: 'string' } },
      blocked: { type: ['boolean', 'null'] },
    },
  };
  const withSchemas = await loaded(
    compileTexts(
      { 'album.yaml': `${POLICY}  schemas: {resourceSchema: {ref: authz:///album.json}}\n` },
      { facts: true, schemaTexts: new Map([['album.json', JSON.stringify(schema)]]) },
    ),
  );
  const decide = async (row: object) => {
    const { types: _, ...source } = albums({ load: async () => ({ '1': row }) });
    const authz = createFactsEngine(withSchemas.policies, { sources: [source] });
    return authz.decide({ principal: ann, resource: about('1'), action: 'view' });
  };
  const row = { owner: 'x', visibility: 'public', friends: [], blocked: null };
  assert.ok((await decide(row)).allowed);
  for (const wrong of [{ blocked: 'true' }, { blocked: 1 }, { visibility: 3 }]) {
    const decision = await decide({ ...row, ...wrong });
    assert.ok(
      'unknown' in decision && decision.unknown.every(({ reason }) => reason === 'type'),
      JSON.stringify(decision),
    );
  }
});

test('sources are refused that cannot be right', () => {
  const refused = (message: RegExp, ...sources: readonly FactSource[]): void =>
    void assert.throws(() => createFactsEngine(policies, { sources }), message);
  refused(/`resource.attr.owner` has two sources: `album` and `album 2`/, albums(), albums({ provides: ['owner'] }));
  refused(/the type of `owner` is not known/, albums({ types: {} }));
  refused(/its key needs itself/, albums({ key: { fact: 'resource.attr.owner' } }));
  refused(/`provides` must list/, albums({ provides: [] }));
});

test.run();
