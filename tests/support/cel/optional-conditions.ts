import type { Random } from '../oracle/random.js';
import type { Family } from './condition-stores.js';

/** Conditions about optionals, and requests in which parts of them are missing or of other kinds. */
export const OPTIONAL: Family = {
  condition: (random) => condition(random, random.pick([0, 0, 1])),
  variables: () => ({
    o: 'R.attr.?x',
    deep: 'R.attr.?m.?k',
    has: 'R.attr.?x.hasValue()',
    h: 'optional.of(hierarchy("a"))',
  }),
  constants: {},
  principal: (random) => members(random, 1),
  row: (random) => members(random, 2),
};

function members(random: Random, depth: number): { readonly [name: string]: unknown } {
  const value = (): unknown =>
    random.pick<() => unknown>([
      () => random.pick(['a', 'b']),
      () => random.pick<unknown>([1, 0, true, false, null]),
      () => random.pick([['a'], ['b', 'a'], []]),
      () => (depth > 0 ? members(random, depth - 1) : {}),
    ])();
  const all = {
    x: value(),
    k: value(),
    l: random.chance(0.7) ? ['a', 'b'] : value(),
    m: depth > 0 ? members(random, depth - 1) : 1,
  };
  return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.75)));
}

function condition(random: Random, depth: number): string {
  if (depth > 0) {
    const inner = (): string => condition(random, depth - 1);
    return random.pick([
      () => `!(${inner()})`,
      () => `(${inner()} && ${inner()})`,
      () => `(${inner()} || ${inner()})`,
    ])();
  }
  const one = optional(random, random.pick([1, 1, 2, 3]));
  return random.pick([
    () => `${one}.hasValue()`,
    () => `${one}.orValue(${plain(random)}) ${sign(random)} ${plain(random)}`,
    () => `${one}.orValue(${plain(random)}) == true`,
    () => `dyn(${one}.value()) ${sign(random)} ${plain(random)}`,
    () => `dyn(${one}) ${sign(random)} dyn(${optional(random, 1)})`,
    () => `dyn(${one}) ${sign(random)} ${plain(random)}`,
    () => `${plain(random)} ${sign(random)} dyn(${one})`,
    () => `has(${one}.k)`,
    () => `${plain(random)} in ${one}.orValue(${random.pick(['[]', '["a"]', '{}', 'R.attr.l'])})`,
    () => `${one}.orValue(R.attr.l).${random.pick(['exists', 'all'])}(e, e ${sign(random)} ${plain(random)})`,
    () => `V.${random.pick(['o', 'deep', 'h'])} ${sign(random)} ${plain(random)}`,
    () => 'V.has',
  ])();
}

function sign(random: Random): string {
  return random.pick(['==', '==', '!=']);
}

function plain(random: Random): string {
  return random.pick([
    '"a"',
    '"b"',
    'dyn(1)',
    'dyn(1.0)',
    'dyn(null)',
    'dyn(true)',
    'R.attr.x',
    'P.attr.k',
    'dyn(["a"])',
    'dyn(hierarchy("a"))',
  ]);
}

function optional(random: Random, depth: number): string {
  if (depth <= 0)
    return random.pick([
      'R.attr.?x',
      'R.attr.?l',
      'R.attr.?m',
      'P.attr.?x',
      'G.?env',
      'request.auxData.jwt.?sub',
      'optional.none()',
      'optional.of(R.attr.x)',
      'optional.of(dyn(hierarchy("a")))',
      'optional.ofNonZeroValue(R.attr.x)',
    ]);
  const inner = (): string => optional(random, depth - 1);
  return random.pick([
    () => `${inner()}.?${random.pick(['k', 'm', 'x'])}`,
    () => `${inner()}.${random.pick(['k', 'm', 'x'])}`,
    () => `${inner()}[?${random.pick(['"k"', '0', '1', '-1', 'dyn(1.0)', 'dyn(1.5)', 'R.attr.k', 'dyn(true)'])}]`,
    () => `${inner()}[${random.pick(['"k"', '0', '1.0', 'R.attr.k'])}]`,
    () => `R.attr.m[?${random.pick(['"k"', 'R.attr.x', '0'])}]`,
    () => `R.attr.l[?${random.pick(['0', '1', '7', 'R.attr.x', '1u', '18446744073709551615u'])}]`,
    () => `${inner()}.or(${inner()})`,
    () => `${inner()}.optMap(e, ${random.pick(['e', 'e == "a"', 'e.k', '[e]', 'dyn(e) == dyn(R.attr.x)'])})`,
    () => `${inner()}.optFlatMap(e, ${random.pick(['e.?k', 'optional.none()', 'R.attr.?x', 'optional.of(e)'])})`,
    () => `(R.attr.x == "a" ? ${inner()} : ${inner()})`,
    () => `cel.bind(o, ${inner()}, o)`,
  ])();
}
