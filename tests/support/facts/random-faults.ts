import type { Random } from '../oracle/random.js';

type Row = { readonly [name: string]: unknown };

/** How often the sources of a world fail, and how often they did. */
export interface Faults {
  readonly share: number;
  count: number;
}

/** Values that no type of the world accepts: it has strings, numbers, booleans and lists. */
const NO_TYPE: readonly unknown[] = [
  // A valid one is the text of its time.
  new Date(Number.NaN),
  { a: 1 },
  Number.NaN,
  () => true,
  Symbol('a'),
  new Set(['a']),
  null,
  '\ud800',
  2n ** 70n + 1n,
];

/** What a source returns that should return some rows: these, or something that it should not have returned. */
export function faultyAnswer(
  random: Random,
  right: ReadonlyMap<string, Row>,
  provides: readonly string[],
  faults: Faults,
): unknown {
  if (!random.chance(faults.share)) return inSomeForm(random, right);
  faults.count += 1;
  const keys = [...right.keys()];
  const key = random.pick(keys);
  const changed = (row: unknown): ReadonlyMap<string, unknown> => new Map([...right, [key, row]]);
  const row = right.get(key) as Row;
  const name = random.pick(provides);
  return random.pick<() => unknown>([
    () => Promise.reject(new Error('secret')),
    () => {
      throw new Error('secret');
    },
    () => new Promise(() => {}),
    () => new Promise((done) => setTimeout(() => done(right), 6)),
    () => undefined,
    () => [...right.values()],
    () => 'rows',
    () => new Map([...right].filter(([other]) => other !== key)),
    () => changed(null),
    () => changed({}),
    () => changed([row]),
    () => changed(JSON.stringify(row)),
    () => changed({ ...row, id: `${key}x`, folder: {} }),
    () => changed(Object.fromEntries(provides.map((own) => [own, undefined]))),
    () => changed({ ...row, [name]: random.pick(NO_TYPE) }),
    () => changed({ ...row, [name]: random.pick(NO_TYPE) }),
    () => changed({ ...row, [name]: wrongType(row[name]) }),
    () => changed(Object.defineProperty({ ...row }, name, { get: () => row[name], enumerable: true })),
    () => new Map<unknown, unknown>([...right, [/^\d+$/.test(key) ? Number(key) : null, row]]),
  ])();
}

/** A value of another type that a condition could take for it. */
function wrongType(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? 'a' : Symbol('a');
}

/** Rows as a source may return them. */
function inSomeForm(random: Random, right: ReadonlyMap<string, Row>): unknown {
  return random.pick<() => unknown>([
    () => right,
    () => Promise.resolve(right),
    () => Object.fromEntries(right),
    () => new Map([...right, ['other', { flag: true, level: 9 }]]),
    () => new Map([...right].reverse().map(([key, row]) => [key, { ...row, isAdmin: true }])),
  ])();
}
