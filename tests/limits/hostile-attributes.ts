import type { AccessRequest } from '../../runtime/engine/index.js';
import type { Random } from '../support/oracle/random.js';
import { ATTRIBUTES_OF_A_KIND } from './random-conditions.js';

/** The largest request that the server reads by default, in bytes. */
const MAX_REQUEST = 4 * 1024 * 1024;

/** The maximum nesting that the server's JSON readers accept. */
const MAX_LEVELS = 10_000;

/**
 * A random request of at most `MAX_REQUEST` bytes, most of them in one or two attributes, and a description of these.
 */
export function hostileRequest(
  random: Random,
  action: string,
): { readonly request: AccessRequest; readonly told: string } {
  const told: string[] = [];
  const attr: { [name: string]: unknown } = {};
  const kinds = Object.keys(SHAPES);
  const all = kinds.flatMap((kind) =>
    Array.from({ length: ATTRIBUTES_OF_A_KIND }, (_, index) => [kind, `${kind}${index}`] as const),
  );
  // A few attributes share the bytes; the others are short.
  const large = new Set(random.some(all, 1, 4).map(([, name]) => name));
  const roles = random.chance(0.15) ? Array.from({ length: 50_000 }, (_, index) => `role-${index}`) : ['user'];
  for (const [kind, name] of all) {
    const size = large.has(name)
      ? Math.floor((MAX_REQUEST - 200_000) / large.size)
      : random.pick([0, 1, 20, 300, 3000]);
    const [shape, make] = random.pick(SHAPES[kind] as readonly Shape[]);
    attr[name] = make(size);
    if (large.has(name)) told.push(`${name}: ${size} bytes of ${shape}`);
  }
  return {
    request: {
      principal: { id: 'alice', roles, attr: {} },
      resource: { kind: 'item', id: 'i', attr },
      action,
    } as AccessRequest,
    told: told.join('; '),
  };
}

type Shape = readonly [name: string, make: (size: number) => unknown];

const filled =
  (unit: string, head = '', tail = '') =>
  (size: number): string =>
    `${head}${unit.repeat(Math.max(0, Math.floor((size - head.length - tail.length) / unit.length)))}${tail}`;
const listed =
  (bytes: number, make: (index: number) => unknown) =>
  (size: number): unknown =>
    Array.from({ length: Math.floor(size / bytes) }, (_, index) => make(index));
const nested =
  (open: (inner: unknown) => unknown) =>
  (size: number): unknown => {
    let value: unknown = 'x';
    for (let level = 0; level < Math.min(size, MAX_LEVELS); level++) value = open(value);
    return value;
  };

const STRINGS: readonly Shape[] = [
  ['a', filled('a')],
  ['b and a', filled('a', 'b')],
  ['a around b', (size) => `${'a'.repeat(size / 2)}b${'a'.repeat(size / 2)}`],
  ['words', filled('alpha beta.')],
  ['dots', filled('a.')],
  ['paths', filled('a/')],
  ['ways up', filled('../')],
  ['Windows paths', filled('a\\', 'C:\\')],
  ['astral', filled('😀')],
  ['lone surrogates', filled('\ud800')],
  ['controls', filled('\u0001')],
  ['quotes', filled('"\\')],
  ['spaces', filled(' ')],
  ['letters of both cases', filled('aB')],
  ['digits', filled('1')],
  ['base64', filled('QUJD')],
  ['line ends', filled('QQ==\n')],
  ['an ID', filled('b/', 'spiffe://a/', 'c')],
  ['an address', filled('1', '10.0.0.')],
  ['a zone', filled('z', 'fe80::1%')],
  ['a network', filled('0', '10.0.0.0/', '8')],
];

const PATTERNS: readonly Shape[] = [
  ['(a|b)*', filled('(a|b)*')],
  ['.*', filled('.*')],
  ['a(.*b)?', () => 'a(.*b)?'],
  ['nothing', () => '(?:)'],
  ['a class', filled('a-z', '[', ']')],
  ['repetitions', () => '((a{0,10}){10}){10}b'],
  ['parentheses', filled('(')],
  ['clauses', filled('%s%x%.50f%e%b')],
  ['globs', filled('*a')],
  ['a class of a glob', filled('b', '*[', ']*c')],
  ['group references', filled('\\0')],
  ['alternatives', (size) => Array.from({ length: size / 8 }, (_, index) => `w${index}`).join('|')],
];

const TIMES: readonly Shape[] = [
  ['a fraction', filled('1', '2024-05-06T07:08:09.', 'Z')],
  ['terms', filled('1ns')],
  ['zeros', filled('0', '', 's')],
  ['an offset', filled('0', '+', ':1')],
  ['a zone', () => 'America/New_York'],
  ['a time', () => '2024-05-06T07:08:09.123Z'],
];

const LISTS: readonly Shape[] = [
  ['numbers', listed(7, (index) => index)],
  ['fractions', listed(7, (index) => 1 / (index + 1))],
  ['zeros', listed(2, () => 0)],
  ['empty lists', listed(3, () => [])],
  ['empty maps', listed(3, () => ({}))],
  ['empty strings', listed(3, () => '')],
  ['short strings', listed(10, (index) => `e${index}`)],
  ['equal strings', listed(40, () => 'a'.repeat(36))],
  ['long strings', listed(40_000, (index) => `${'a'.repeat(39_000)}${index}`)],
  ['strings of 300', listed(303, (index) => `${'a'.repeat(290)}${index}`)],
  ['maps', listed(30, (index) => ({ id: index, tags: ['a', index] }))],
  ['pairs', listed(12, (index) => [index, 'a'])],
  ['mixed', listed(6, (index) => [index, 'a', null, true, [index]][index % 5])],
  ['patterns', listed(20, (index) => `(a|b)*x${index}`)],
  ['paths', listed(20, (index) => `../a/${index}/*`)],
  ['addresses', listed(16, (index) => `10.${index % 256}.${(index >> 8) % 256}.1`)],
  ['times', listed(24, (index) => `2024-05-06T07:08:${10 + (index % 50)}Z`)],
  ['zones', listed(16, (index) => ['Europe/Berlin', 'Asia/Tokyo', '+01:30', `Nowhere/${index}`][index % 4])],
  ['IDs', listed(20, (index) => `spiffe://a/b${index}`)],
];

const MAPS: readonly Shape[] = [
  ['short keys', (size) => Object.fromEntries(Array.from({ length: size / 12 }, (_, index) => [`key${index}`, index]))],
  [
    'long keys',
    (size) =>
      Object.fromEntries(Array.from({ length: size / 20_000 }, (_, index) => [`${'k'.repeat(19_900)}${index}`, index])),
  ],
  [
    'numbers as keys',
    (size) => Object.fromEntries(Array.from({ length: size / 12 }, (_, index) => [`${index}`, index])),
  ],
  [
    'lists',
    (size) => Object.fromEntries(Array.from({ length: size / 30 }, (_, index) => [`key${index}`, ['a', index]])),
  ],
];

/** By the kinds of attributes that conditions use. */
const SHAPES: { readonly [kind: string]: readonly Shape[] } = {
  s: STRINGS,
  p: PATTERNS,
  t: TIMES,
  l: LISTS,
  m: MAPS,
  o: [['maps', nested((a) => ({ a }))], ...MAPS],
  d: [
    ['nested lists', nested((inner) => [inner])],
    ['nested maps', nested((a) => ({ a }))],
    ['wide and deep lists', (size) => Array.from({ length: size / 600 }, () => nested((inner) => [inner])(200))],
  ],
  n: [
    ['a number', () => 1.5],
    ['a large number', () => 1e308],
    ['a small number', () => 5e-324],
    ['a count', (size) => size],
  ],
};
