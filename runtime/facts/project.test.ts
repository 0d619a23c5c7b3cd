import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Leaf, ReadSet } from '../policy/index.js';
import { project } from './project.js';

function readSet(...paths: readonly (readonly [path: string, leaf?: Leaf])[]): ReadSet {
  return {
    paths: paths.map(([path, leaf = 'value']) => ({ path: path === '' ? [] : path.split('.'), leaf, lines: [] })),
    facts: new Set(),
    now: false,
    whole: [],
  };
}

function kept(attr: object, set: ReadSet): unknown {
  const request = { principal: { id: 'u', roles: ['user'] }, resource: { kind: 'album', id: '1', attr } };
  return project(request, set).resource.attr;
}

const ATTRIBUTES = { z: 1, owner: 'u', list: [{ a: 1, b: 2 }, 'x', [1]], map: { q: { r: 1, s: 2 }, p: 0 }, none: null };

test('only the paths of a read set stay, in the order of the request', () => {
  assert.equal(kept(ATTRIBUTES, readSet()), {});
  assert.equal(
    JSON.stringify(kept(ATTRIBUTES, readSet(['resource.attr.owner'], ['resource.attr.z']))),
    '{"z":1,"owner":"u"}',
  );
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.map.q.r'])), { map: { q: { r: 1 } } });
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.none.a'], ['resource.attr.gone'])), { none: null });
});

test('lists keep their length, and elements their type, where elements are read', () => {
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.list.*.a'])), { list: [{ a: 1 }, 'x', []] });
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.list', 'shape'])), { list: [{}, 'x', []] });
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.list', 'has'])), { list: [] });
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.map', 'shape'])), { map: { q: {}, p: 0 } });
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.map', 'has'])), { map: {} });
});

test('a computed name keeps all names of a side, and a whole side everything', () => {
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr.*'])), ATTRIBUTES);
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr'])), ATTRIBUTES);
  assert.equal(kept(ATTRIBUTES, readSet([''])), ATTRIBUTES);
  assert.equal(kept(ATTRIBUTES, readSet(['resource.attr', 'shape'])), {
    z: 1,
    owner: 'u',
    list: [],
    map: {},
    none: null,
  });
});

test('values are converted as the engine does, and each is read once', () => {
  let reads = 0;
  const attr = {
    get at() {
      reads += 1;
      return new Date(0);
    },
    gone: undefined,
    nested: { gone: undefined, zero: -0 },
    unread: 1n,
  };
  const set = readSet(['resource.attr.at'], ['resource.attr.gone'], ['resource.attr.nested']);
  assert.equal(kept(attr, set), { at: '1970-01-01T00:00:00.000Z', nested: { zero: 0 } });
  assert.is(reads, 1);
  assert.throws(() => kept(attr, readSet(['resource.attr'])), 'resource.attr.unread is of type bigint');
  assert.ok(Object.is((kept({ zero: -0 }, readSet(['resource.attr.zero'])) as { zero: number }).zero, -0));
});

test('names of prototypes are names like others', () => {
  const attr = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}');
  assert.equal(JSON.stringify(kept(attr, readSet(['resource.attr']))), JSON.stringify(attr));
  assert.equal(JSON.stringify(kept(attr, readSet(['resource.attr.__proto__.a']))), '{"__proto__":{"a":1}}');
});

test('actors and claims are projected like the principal', () => {
  const request = {
    principal: {
      id: 'u',
      roles: ['user'],
      attr: { a: 1, b: 2 },
      actors: [{ id: 'v', roles: ['bot'], attr: { a: 3, b: 4 } }],
    },
    resource: { kind: 'album', id: '1' },
    auxData: { jwt: { aud: 'x', sub: 'y' }, jwts: { main: { claims: { aud: 'x', sub: 'y' } } } },
  };
  const set = readSet(['principal.attr.a'], ['auxData.jwt.aud'], ['auxData.jwts.main.claims.sub']);
  assert.equal(project(request, set), {
    principal: { id: 'u', roles: ['user'], attr: { a: 1 }, actors: [{ id: 'v', roles: ['bot'], attr: { a: 3 } }] },
    resource: { kind: 'album', id: '1', attr: {} },
    auxData: { jwt: { aud: 'x' }, jwts: { main: { claims: { sub: 'y' } } } },
  });
});

test.run();
