import type { FailureReason } from '../../../runtime/facts/accept.js';
import type { FactSource } from '../../../runtime/facts/index.js';

type Row = { readonly [name: string]: unknown };

/** How a source misbehaves. */
export interface FaultScript {
  readonly name: string;
  /** What the source returns for some keys, given what it should return. */
  readonly answer: (rows: ReadonlyMap<string, Row>, keys: readonly string[], signal: AbortSignal) => unknown;
  /** Why facts may then be unknown; none if the answer is right after all. */
  readonly reasons: readonly FailureReason[];
  readonly source?: Partial<FactSource>;
  /** Whether the caller gives up. */
  readonly aborts?: boolean;
}

const copy = (rows: ReadonlyMap<string, Row>, change: (row: Row, key: string) => unknown): Map<string, unknown> =>
  new Map([...rows].map(([key, row]) => [key, change(row, key)]));

/** Values that are not of a type. */
const WRONG: readonly (readonly [type: string, attribute: string, values: readonly unknown[]])[] = [
  ['boolean', 'flag', ['true', 1, 0, [], {}, Number.NaN, null]],
  ['number', 'n', ['3', '', true, Number.NaN, Number.POSITIVE_INFINITY, [3], { n: 3 }, 2n ** 64n + 1n, null]],
  ['string', 's', [1, true, ['a'], { a: 1 }, '\ud800', 'x'.repeat(70_000), null, new String('a')]],
  ['list', 'l', ['a', { 0: 'a' }, new Set(['a']), [() => 'a'], [Symbol('a')], null, new Uint8Array(1)]],
  ['map', 'm', [[], 'a', new Map([['a', 1]]), Object.create({ a: 1 }), { a: { toJSON: () => 1 } }, null]],
  ['timestamp', 't', ['yesterday', 0, new Date(Number.NaN), '2020-01-01', null, {}]],
];

class Entity {
  readonly own = 1;
}

function nested(levels: number): unknown {
  let value: unknown = 'a';
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

const wrongTypes: readonly FaultScript[] = WRONG.flatMap(([type, attribute, values]) =>
  values.flatMap((value, index) =>
    ['all', 'first', 'last'].map(
      (which): FaultScript => ({
        name: `${type} ${attribute} is wrong (${index}) in ${which}`,
        answer: (rows, keys) =>
          copy(rows, (row, key) =>
            which === 'all' || key === keys.at(which === 'last' ? -1 : 0) ? { ...row, [attribute]: value } : row,
          ),
        reasons: ['type'],
      }),
    ),
  ),
);

const shapes: readonly (readonly [name: string, answer: (rows: ReadonlyMap<string, Row>) => unknown])[] = [
  ['text', () => 'oops'],
  ['number', () => 1],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a function', () => () => 1],
  ['a Set', () => new Set([1])],
  ['a Response', () => new Response('{}')],
  ['an instance', () => new Entity()],
  ['a list in order', (rows) => [...rows.values()]],
  ['a list with holes', () => Array.from({ length: 3 })],
  ['a list with a row without a key', (rows) => [...[...rows].map(([id, row]) => ({ id, ...row })), { flag: false }]],
  ['a list of text', () => ['a', 'b']],
  ['rows as lists', (rows) => copy(rows, (row) => [row])],
  ['rows as text', (rows) => copy(rows, (row) => JSON.stringify(row))],
  ['rows as instances', (rows) => copy(rows, (row) => Object.assign(new Entity(), row))],
  ['rows as Maps', (rows) => copy(rows, (row) => new Map(Object.entries(row)))],
  ['rows of other keys', (rows) => copy(rows, (row, key) => ({ ...row, id: `${key}x` }))],
  [
    'getters by key',
    (rows) =>
      Object.defineProperties(
        {},
        Object.fromEntries([...rows].map(([key, row]) => [key, { get: () => row, enumerable: true }])),
      ),
  ],
  [
    'a proxy that throws',
    () =>
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap');
          },
        },
      ),
  ],
  ['a fake Map', () => ({ [Symbol.toStringTag]: 'Map', entries: () => [] })],
];

/** Every way in which a source goes wrong that it could not know of. */
export const FAULT_SCRIPTS: readonly FaultScript[] = [
  { name: 'none', answer: (rows) => rows, reasons: [] },
  {
    name: 'throws',
    answer: () => {
      throw new Error('secret');
    },
    reasons: ['failed'],
  },
  { name: 'rejects', answer: () => Promise.reject(new Error('secret')), reasons: ['failed'] },
  { name: 'rejects with nothing', answer: () => Promise.reject(), reasons: ['failed'] },
  {
    name: 'rejects later',
    answer: async () => {
      await tick(1);
      throw new Error('secret');
    },
    reasons: ['failed'],
  },
  {
    name: 'a thenable that throws',
    answer: () => ({
      get then() {
        throw new Error('secret');
      },
    }),
    reasons: ['failed'],
  },
  {
    name: 'a thenable that rejects twice',
    answer: () => ({
      then: (_: unknown, no: (e: unknown) => void) => {
        no(1);
        no(2);
      },
    }),
    reasons: ['failed'],
  },
  { name: 'late', answer: (rows) => tick(25).then(() => rows), reasons: ['deadline'], source: { deadline: 2 } },
  {
    name: 'late failure',
    answer: () => tick(25).then(() => Promise.reject(new Error('late'))),
    reasons: ['deadline'],
    source: { deadline: 2 },
  },
  { name: 'never', answer: () => new Promise(() => {}), reasons: ['deadline'], source: { deadline: 2 } },
  {
    name: 'ends when aborted',
    answer: (rows, _, signal) => new Promise((done) => signal.addEventListener('abort', () => done(rows))),
    reasons: ['deadline'],
    source: { deadline: 2 },
  },
  { name: 'the caller gives up', answer: () => new Promise(() => {}), reasons: ['aborted'], aborts: true },
  { name: 'nothing found', answer: () => new Map(), reasons: ['not found'] },
  { name: 'an empty object', answer: () => ({}), reasons: ['not found'] },
  { name: 'an empty list', answer: () => [], reasons: ['not found'] },
  {
    name: 'the last row left out',
    answer: (rows, keys) => new Map([...rows].filter(([key]) => key !== keys.at(-1))),
    reasons: ['not found'],
  },
  {
    name: 'the last row null',
    answer: (rows, keys) => copy(rows, (row, key) => (key === keys.at(-1) ? null : row)),
    reasons: ['not found'],
  },
  {
    name: 'rows twice',
    answer: (rows) => [...rows, ...rows].map(([id, row]) => ({ id, ...row })),
    reasons: ['ambiguous'],
  },
  {
    name: 'rows twice with other values',
    answer: (rows) => [...rows, ...rows].map(([id, row], at) => ({ id, ...row, flag: at > 0 })),
    reasons: ['ambiguous'],
  },
  {
    name: 'the same key as a number and as text',
    answer: (rows) =>
      new Map<unknown, unknown>([
        ...rows,
        ...[...rows].map(([key, row]) => [/^\d+$/.test(key) ? Number(key) : `${key} `, row] as const),
      ]),
    reasons: ['ambiguous'],
  },
  {
    name: 'every value undefined',
    answer: (rows) => copy(rows, (row) => Object.fromEntries(Object.keys(row).map((name) => [name, undefined]))),
    reasons: ['shape'],
  },
  { name: 'rows without attributes', answer: (rows) => copy(rows, () => ({})), reasons: ['shape'] },
  {
    name: 'rows with nothing but their key',
    answer: (rows) => [...rows.keys()].map((id) => ({ id })),
    reasons: ['shape'],
  },
  {
    name: 'rows with attributes of others alone',
    answer: (rows) => copy(rows, () => ({ isAdmin: true, level: 9 })),
    reasons: ['shape'],
  },
  {
    name: 'takes the keys away',
    answer: (rows, keys) => {
      (keys as string[]).length = 0;
      return rows;
    },
    reasons: [],
  },
  {
    name: 'sorts the keys, and adds some',
    answer: (rows, keys) => {
      (keys as string[]).sort().push('other');
      return rows;
    },
    reasons: [],
  },
  {
    name: 'proxies with other properties each time',
    answer: (rows) =>
      copy(rows, (row) => {
        let reads = 0;
        const property = (value: unknown) => ({ value, enumerable: true, configurable: true, writable: true });
        return new Proxy(
          {},
          {
            getOwnPropertyDescriptor: (_, name) => {
              reads += 1;
              const value = row[String(name)];
              return reads > 8 || value === undefined ? undefined : property(value);
            },
            ownKeys: () => Object.keys(row),
          },
        );
      }),
    reasons: ['shape', 'type'],
  },
  {
    name: 'getters',
    answer: (rows) =>
      copy(rows, (row) =>
        Object.defineProperties(
          {},
          Object.fromEntries(Object.keys(row).map((name) => [name, { get: () => row[name], enumerable: true }])),
        ),
      ),
    reasons: ['type'],
  },
  {
    name: 'proxies with other values each time',
    answer: (rows) =>
      copy(rows, (row) => {
        let reads = 0;
        return new Proxy(
          { ...row },
          {
            get: (target, name) => {
              reads += 1;
              return reads > 1 ? undefined : Reflect.get(target, name);
            },
          },
        );
      }),
    reasons: ['type'],
  },
  {
    name: 'deeper than anyone reads',
    answer: (rows) => copy(rows, (row) => ({ ...row, l: nested(70) })),
    reasons: ['type'],
  },
  {
    name: 'a cycle',
    answer: (rows) =>
      copy(rows, (row) => {
        const l: unknown[] = [];
        l.push(l);
        return { ...row, l };
      }),
    reasons: ['type'],
  },
  {
    name: 'a list with a hole',
    answer: (rows) => copy(rows, (row) => ({ ...row, l: Array.from({ length: 2 }) })),
    reasons: ['type'],
  },
  {
    name: 'rows of other keys as well',
    answer: (rows) => new Map([...rows, ['other', { flag: true, n: 9 }]]),
    reasons: [],
  },
  {
    name: 'further attributes',
    answer: (rows) => copy(rows, (row) => ({ ...row, isAdmin: true, __proto__: { flag: false } })),
    reasons: ['shape'],
  },
  {
    name: 'attributes of other sources',
    answer: (rows) => copy(rows, (row) => ({ ...row, isAdmin: true, level: 99 })),
    reasons: [],
  },
  {
    name: 'an own __proto__',
    answer: (rows) => copy(rows, (row) => JSON.parse(`{"__proto__": {"flag": false}, ${JSON.stringify(row).slice(1)}`)),
    reasons: [],
  },
  {
    name: 'rows without a prototype',
    answer: (rows) => copy(rows, (row) => Object.assign(Object.create(null), row)),
    reasons: [],
  },
  { name: 'rows by key in an object', answer: (rows) => Object.fromEntries(rows), reasons: [] },
  {
    name: 'rows in another order',
    answer: (rows) => [...rows].reverse().map(([id, row]) => ({ id, ...row })),
    reasons: [],
  },
  {
    name: 'rows swapped',
    answer: (rows) => {
      const keys = [...rows.keys()];
      return new Map(
        keys.map((key, at) => [
          key,
          { ...rows.get(keys[keys.length - 1 - at] as string), id: keys[keys.length - 1 - at] },
        ]),
      );
    },
    reasons: ['shape'],
  },
  {
    name: 'changed after it was returned',
    answer: (rows) => {
      const given = copy(rows, (row) => ({ ...row }));
      void tick(0).then(() => {
        for (const row of given.values()) Object.assign(row as object, { flag: false, s: 'a' });
      });
      return given;
    },
    reasons: [],
  },
  ...shapes.map(([name, answer]): FaultScript => ({ name: `returns ${name}`, answer, reasons: ['shape'] })),
  ...shapes.map(
    ([name, answer]): FaultScript => ({
      name: `returns ${name}, with a cache`,
      answer,
      reasons: ['shape'],
      source: { cache: { maxAge: 1000, maxStale: 2000 } },
    }),
  ),
  ...wrongTypes,
];

function tick(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
