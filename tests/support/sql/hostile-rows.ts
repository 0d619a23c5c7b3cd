import type { Attributes } from '../../../runtime/policy/index.js';
import type { Random } from '../oracle/random.js';

/** Attributes that conditions read, each often missing, null or of an unexpected type. */
export function hostileAttributes(random: Random): Attributes {
  const attr: { [name: string]: unknown } = {};
  for (const [name, wanted] of Object.entries(WANTED)) {
    if (random.chance(0.15)) continue;
    attr[name] = random.chance(0.6) ? wanted(random) : anyValue(random, 2);
  }
  return attr;
}

/** JSON as a database may hold it: negative zero keeps its sign. */
export function documentOf(value: unknown): string {
  if (Object.is(value, -0)) return '-0.0';
  if (Array.isArray(value)) return `[${value.map(documentOf).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, part]) => `${JSON.stringify(name)}:${documentOf(part)}`)
    .join(',')}}`;
}

export const TEXTS: readonly string[] = [
  '',
  'x',
  'y',
  'z',
  'X',
  'xy',
  'x%',
  '%',
  '_',
  'x_y',
  '\\',
  "'",
  '"',
  'null',
  'true',
  '1',
  '{"a":1}',
  '[1]',
  'é',
  'e\u0301',
  'ß',
  '😀',
  'x😀y',
  '\uffff',
  'x\0y',
  '\0',
  ' x',
  'u1',
  'someone',
];
export const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  3,
  4,
  8,
  -1,
  0.1,
  0.3,
  1.5,
  2 ** 31,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 60,
  2 ** 63,
  1e21,
  1e23,
  5e-324,
  1.7976931348623157e308,
  -1.7976931348623157e308,
];

const WANTED: { readonly [name: string]: (random: Random) => unknown } = {
  a: (random) => random.pick(['x', 'y', 'z', '', 'X']),
  b: (random) => random.pick(['x', 'y', 'x%']),
  n: (random) => random.pick([1, 4, 8, 2.5, 0]),
  m: (random) => random.pick(NUMBERS),
  s: (random) => random.pick(TEXTS),
  owner: (random) => random.pick(['u1', 'u2', 'someone']),
  flag: (random) => random.chance(0.5),
  list: (random) =>
    random.times(0, 3, () => (random.chance(0.7) ? random.pick(['x', 'y', 1, null]) : anyValue(random, 1))),
  items: (random) => random.times(0, 3, () => (random.chance(0.8) ? randomMap(random, 1) : anyValue(random, 1))),
  map: (random) => randomMap(random, 2),
};

function anyValue(random: Random, depth: number): unknown {
  const scalars = [
    (): unknown => null,
    (): unknown => random.chance(0.5),
    (): unknown => random.pick(TEXTS),
    (): unknown => random.pick(NUMBERS),
  ];
  const containers = [
    (): unknown => random.times(0, 3, () => anyValue(random, depth - 1)),
    (): unknown => randomMap(random, depth),
  ];
  return random.pick(depth === 0 ? scalars : [...scalars, ...containers])();
}

function randomMap(random: Random, depth: number): Attributes {
  const names = random.some(['a', 'n', 'list', '', 'a.b', 'é', '__proto__', 'constructor', '0', 'say "x"'], 0, 4);
  return Object.fromEntries(names.map((name) => [name, anyValue(random, depth - 1)]));
}
