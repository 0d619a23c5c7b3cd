import type { Json } from '../../../../packages/cel/runtime/index.js';
import type { Request } from '../../../../runtime/policy/index.js';
import type { Random } from '../../oracle/random.js';

/**
 * Attributes by the type of value that they usually have. In a request, any of them may be missing, null or of another
 * type.
 */
export const ATTRIBUTES = {
  bool: ['b1', 'b2'],
  double: ['n1', 'n2', 'n3'],
  string: ['s1', 's2', 'id-x'],
  time: ['t1'],
  span: ['d1'],
  list: ['l1', 'ln', 'ls', 'lm'],
  map: ['m1', 'm2'],
  other: ['x', 'nul', 'missing', 'constructor', 'length', '__proto__'],
} as const;

/** Requests whose attributes have the usual types in about half of the cases, and any type in the others. */
export function randomRequest(random: Random): Request {
  const attributes = (): { readonly [name: string]: Json } => {
    const disorder = random.pick([0, 0.1, 0.5]);
    const entries: [string, Json][] = [];
    for (const [sort, names] of Object.entries(ATTRIBUTES)) {
      for (const name of names) {
        if (random.chance(name === 'missing' ? 0.95 : sort === 'other' ? 0.3 : 0.06)) continue;
        const kind = sort === 'other' || random.chance(disorder) ? random.pick(SORTS) : (sort as Sort);
        entries.push([name, named(name, kind, random)]);
      }
    }
    return Object.fromEntries(entries);
  };
  return {
    principal: {
      id: random.pick(['alice', 'bob']),
      roles: random.pick([['user'], ['user', 'admin'], []]),
      attr: attributes(),
      policyVersion: random.pick(['', 'v1']),
      scope: random.pick(['', 'acme.hr']),
    },
    resource: {
      kind: 'doc',
      id: random.pick(['alice', 'r1', '']),
      attr: attributes(),
      policyVersion: '',
      scope: random.pick(['', 'acme']),
    },
    auxData: random.pick([
      { jwt: {}, jwts: {} },
      { jwt: { sub: 'alice', aud: ['a', 'b'], n: 5, nested: { k: null } }, jwts: {} },
      { jwt: {}, jwts: { one: { claims: { sub: 'bob' } }, two: { claims: {} } } },
    ]),
    effectiveDerivedRoles: random.pick([[], ['owner'], ['owner', 'reader']]),
    failedDerivedRoles: [],
    globals: { limit: 10n, env: 'test', ratio: 1.5, tags: ['a', 1n], nested: { deep: 2n }, on: true, nothing: null },
    now: { seconds: 1_700_000_000, nanos: 123_456_789, offset: 120 },
  };
}

const SORTS = ['bool', 'double', 'string', 'time', 'span', 'list', 'map', 'null'] as const;
type Sort = (typeof SORTS)[number];

export const STRINGS = [
  '',
  'a',
  'ab',
  'alice',
  '10.0.0.1',
  'a.b.c',
  '2024-05-06T07:08:09.5+02:00',
  '1h30m',
  '5',
  '\u{1f600}z',
  '\uffff',
  'Zebra',
  'constructor',
];
const NUMBERS = [0, -0, 1, 2, 3, 5, -1, 1.5, 0.1, 1e6, 9007199254740992, 1e19, -1e300];

function named(name: string, sort: Sort, random: Random): Json {
  if (name === 'ln' && sort === 'list') return random.times(0, 3, () => random.pick(NUMBERS));
  if (name === 'ls' && sort === 'list') return random.times(0, 3, () => random.pick(STRINGS));
  if (name === 'lm' && sort === 'list') return random.times(0, 3, () => json('map', random, 1));
  return json(sort, random, 0);
}

function json(sort: Sort, random: Random, depth: number): Json {
  switch (sort) {
    case 'bool':
      return random.chance(0.5);
    case 'double':
      return random.pick(NUMBERS);
    case 'string':
      return random.pick(STRINGS);
    case 'time':
      return random.pick([
        '2024-05-06T07:08:09Z',
        '2023-11-14T22:13:20.123456789Z',
        '0001-01-01T00:00:00Z',
        '2024-02-29T23:59:59-08:00',
        'soon',
      ]);
    case 'span':
      return random.pick(['1h', '90m', '-1.5s', '0', '2562047h', 'long']);
    case 'list':
      return random.times(0, depth > 1 ? 1 : 3, () => json(random.pick(SORTS), random, depth + 1));
    case 'map': {
      const keys = random.some(['a', 'b', 'k', '5', 'length', '__proto__', 'constructor'], 0, depth > 1 ? 1 : 3);
      return Object.fromEntries(keys.map((key) => [key, json(random.pick(SORTS), random, depth + 1)]));
    }
    case 'null':
      return null;
  }
}
