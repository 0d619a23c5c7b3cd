import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, delegation } from '../../runtime/engine/index.js';
import { absent, createFactsEngine, type FactSource } from '../../runtime/facts/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

/*
 * Requests whose members are getters that return another value when they are read again: a decision is that of the first
 * values, each of which is read once.
 */

const test = suite('requests that change');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: R.attr.place.city == P.attr.team}}}
    - {actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.locked}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "P.id in R.attr.owners && T.level > 1"}}}
    - {actions: [edit], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.fetched == 2}}}
`;
const { policies } = await loaded(
  compileTexts({ 'p.yaml': POLICY.replace('T.level', 'request.auxData.jwt.level') }, { facts: true }),
);
const OPTIONS = { use: [delegation()] };
const engine = createEngine(policies, OPTIONS);

const TYPES = { locked: 'boolean', owners: 'list', fetched: 'number', team: 'string', groups: 'list' } as const;

/** An object or a list with getters: the first read of a member returns its value, and later ones return another one. */
function changing(value: unknown, other: unknown, reads: Map<string, number>, path = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const made: object = Array.isArray(value) ? [] : {};
  for (const [name, member] of Object.entries(value)) {
    const at = `${path}.${name}`;
    const first = changing(member, other, reads, at);
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const count = (reads.get(at) ?? 0) + 1;
        reads.set(at, count);
        return count === 1 ? first : other;
      },
    });
  }
  return made;
}

const request = (locked: boolean, city: string) => ({
  principal: {
    id: 'ann',
    roles: ['user'],
    attr: { team: 'rome' },
    actors: [{ id: 'bot', roles: ['user'], attr: { team: 'rome' } }],
  },
  resource: { kind: 'doc', id: '1', attr: { place: { city }, locked, owners: ['ann', 'bot'] } },
  auxData: { jwt: { level: 2 } },
});
type Asked = ReturnType<typeof request>;

const source = (of: string, provides: readonly (keyof typeof TYPES)[], row: object, more: object = {}): FactSource => ({
  of,
  provides: [...provides],
  types: TYPES,
  load: async (keys) => new Map(keys.map((key) => [key, row])),
  ...more,
});

/** What callers send is all that sources provide, or is fetched in part. */
const SOURCES: { readonly [name: string]: readonly FactSource[] } = {
  'with sources of what is sent': [source('doc', ['locked', 'owners'], {}), source('principal', ['team'], {})],
  'with a source of another fact': [source('doc', ['fetched'], { fetched: 1 })],
  'with roles from a source': [
    source('doc', ['fetched'], { fetched: 1 }),
    source('principal', [], { groups: ['user'] }, { selects: { roles: 'groups' } }),
  ],
};

const WAYS: {
  readonly [name: string]: (
    authz: ReturnType<typeof createFactsEngine>,
    asked: Asked,
    action: string,
  ) => Promise<boolean>;
} = {
  decide: async (authz, asked, action) => (await authz.decide({ ...asked, action })).allowed,
  decideMany: async (authz, { principal, resource, auxData }, action) =>
    (await authz.decideMany({ principal, auxData, resources: [resource], actions: [action] })).get(0)?.get(action)
      ?.allowed === true,
  session: async (authz, { principal, resource, auxData }, action) =>
    authz.for(principal, { auxData }).can(action, resource),
};

for (const [name, sources] of Object.entries(SOURCES))
  for (const [way, ask] of Object.entries(WAYS))
    test(`${way} ${name}: each member is read once`, async () => {
      const authz = createFactsEngine(policies, { sources, engine: OPTIONS });
      for (const other of [undefined, absent, null, true, 'rome', {}, ['ann']])
        for (const locked of [true, false])
          for (const city of ['rome', 'oslo'])
            for (const action of ['view', 'edit']) {
              const whole = request(locked, city);
              const expected = engine.isAllowed({ ...whole, action });
              const reads = new Map<string, number>();
              const asked = Object.fromEntries(
                Object.entries(whole).map(([part, value]) => [part, changing(value, other, reads, part)]),
              ) as Asked;
              const at = `${action} ${JSON.stringify({ locked, city, other })}`;
              assert.is(await ask(authz, asked, action), expected, at);
              const again = [...reads].filter(([, count]) => count > 1);
              assert.equal(again, [], at);
            }
    });

test.run();
