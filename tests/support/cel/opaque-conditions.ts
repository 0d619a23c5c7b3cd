import type { Random } from '../oracle/random.js';
import type { Family } from './condition-stores.js';

/*
 * Conditions that compare values whose kinds matter: hierarchies, SPIFFE IDs and trust domains, whose `==` depends on
 * the side; times, durations, optionals, types, numbers of every kind, NaN, and lists and maps of these.
 */

interface Theme {
  /** Strings that the conversions accept, as a rule. */
  readonly texts: readonly string[];
  readonly conversions: readonly string[];
}

/** By the name of the attributes that have the strings. */
const THEMES: { readonly [attribute: string]: Theme } = {
  h: { texts: ['a', 'b', 'a.b'], conversions: ['hierarchy'] },
  s: {
    texts: ['spiffe://a.b/c', 'spiffe://a.b', 'a.b'],
    conversions: ['spiffeID', 'spiffeTrustDomain', 'spiffeMatchExact'],
  },
  t: {
    texts: ['2024-05-06T07:08:09Z', '2024-05-06T09:08:09+02:00', '2025-01-01T00:00:00Z'],
    conversions: ['timestamp'],
  },
  d: { texts: ['1h', '60m', '61m'], conversions: ['duration'] },
  i: { texts: ['10.0.0.1', '10.0.0.0/8', '::1'], conversions: ['ip', 'cidr'] },
  n: { texts: ['1', '2', 'NaN'], conversions: ['int', 'uint', 'double', 'string', 'bytes'] },
};

const NAMES = [...'hhsss', ...Object.keys(THEMES)];

const OTHERS = [
  '1',
  '1u',
  '1.0',
  '-0.0',
  '0.0',
  'double("NaN")',
  '9007199254740993',
  '9007199254740992.0',
  'null',
  'true',
  'b"1"',
  'C.word',
  'G.env',
  'R.attr.b',
  'R.attr.l',
  'R.attr.l[0]',
];

const VARIABLES: { readonly [name: string]: string } = {
  h: 'hierarchy(R.attr.h)',
  s: 'spiffeID(R.attr.s)',
  hs: '[hierarchy(R.attr.h)]',
  o: 'R.attr.?h',
  raw: 'R.attr.h',
  any: 'dyn(R.attr.b == true ? dyn([spiffeTrustDomain(P.attr.s)]) : dyn(R.attr.s))',
  t: 'timestamp(R.attr.t)',
};

/** Conditions that compare opaque values, and requests for which their conversions mostly succeed. */
export const OPAQUE: Family = {
  condition: (random) => condition(random, random.pick([0, 0, 1, 1, 2])),
  variables: () => VARIABLES,
  constants: { word: 'a', words: ['a', 'a.b', 1] },
  principal: (random) => texts(random, 0.95),
  row: (random) => {
    const any = (): unknown =>
      random.pick<unknown>([1, 0, 9007199254740992, 1.5, null, true, ['a', 'b'], ['a'], {}, { k: 'a' }]);
    const text = (): string => random.pick((THEMES[random.pick(NAMES)] as Theme).texts);
    const row = {
      ...texts(random, 0.9),
      b: random.pick<unknown>([true, false, 'a', 1]),
      m: { k: random.chance(0.8) ? text() : any() },
      l: random.times(0, 2, () => (random.chance(0.8) ? text() : any())),
    };
    return Object.fromEntries(Object.entries(row).filter(() => random.chance(0.95)));
  },
};

/** An equality or a membership of an opaque value, which means something else the other way round. */
export function opaqueEquality(random: Random): string {
  const name = random.pick(['h', 's']);
  const { conversions, texts: own } = THEMES[name] as Theme;
  const opaque = `dyn(${random.pick(conversions)}(R.attr.${name}))`;
  const text = (): string =>
    random.pick([`R.attr.${name}`, `P.attr.${name}`, 'P.id', JSON.stringify(random.pick(own))]);
  return random.pick([
    () => `${opaque} == ${text()}`,
    () => `${text()} == ${opaque}`,
    () => `${opaque} != ${text()}`,
    () => `${opaque} in [${own.map((each) => JSON.stringify(each)).join(', ')}]`,
    () => `[${opaque}] == [${text()}]`,
  ])();
}

/** Strings that fit, or other values. */
function texts(random: Random, fitting: number): { readonly [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(THEMES).map(([name, theme]) => [
      name,
      random.chance(fitting) ? random.pick(theme.texts) : random.pick<unknown>(['a', 1, null, ['a', 'b'], { k: 1 }]),
    ]),
  );
}

function condition(random: Random, depth: number): string {
  if (depth > 0) {
    const inner = (): string => condition(random, depth - 1);
    return random.pick([
      () => `!(${inner()})`,
      () => `!(${inner()})`,
      () => `(${inner()} && ${inner()})`,
      () => `(${inner()} || ${inner()})`,
      () => `(${inner()} ? ${inner()} : ${inner()})`,
    ])();
  }
  const name = random.pick(NAMES);
  const one = operand(random, name, 1);
  const other = (level: number): string => operand(random, name, level);
  return random.pick([
    () => `${one} ${sign(random)} ${other(1)}`,
    () => `${one} ${sign(random)} ${other(1)}`,
    () => `${one} ${sign(random)} ${other(1)}`,
    () => `${one} in [${random.times(1, 3, () => literal(random, name)).join(', ')}]`,
    () => `${one} in [${random.times(1, 3, () => other(0)).join(', ')}]`,
    () => `${one} in ${random.pick(['C.words', 'R.attr.l', 'R.attr.m', '{"a": 1}', '{1: 2}', 'dyn({1.0: 2})'])}`,
    () => `[${other(0)}, ${other(0)}].${random.pick(['exists', 'all'])}(e, e ${sign(random)} ${one})`,
    () => `R.attr.l.${random.pick(['exists', 'all', 'exists_one'])}(e, ${one} ${sign(random)} e)`,
    () => `has(R.attr.${random.pick(['h', 'b', 'm', 'm.k'])})`,
    () => `"${random.pick(['user', 'admin'])}" in P.roles`,
  ])();
}

function sign(random: Random): string {
  return random.pick(['==', '==', '==', '==', '!=', '!=', '<', '<=', '>', '>=']);
}

function literal(random: Random, name: string): string {
  return random.chance(0.85) ? JSON.stringify(random.pick((THEMES[name] as Theme).texts)) : random.pick(OTHERS);
}

function operand(random: Random, name: string, depth: number): string {
  const { conversions } = THEMES[name] as Theme;
  const source = (): string => random.pick([`R.attr.${name}`, `R.attr.${name}`, `P.attr.${name}`]);
  const plain = random.pick([
    () => literal(random, name),
    source,
    () => `${random.pick(conversions)}(${source()})`,
    () => `${random.pick(conversions)}(${source()})`,
    () => `${random.pick(conversions)}(${source()})`,
    () => `V.${random.pick(Object.keys(VARIABLES))}`,
    () => (depth > 0 ? composed(random, name, depth) : `R.attr.?${name}`),
  ])();
  return random.chance(0.6) ? `dyn(${plain})` : plain;
}

function composed(random: Random, name: string, depth: number): string {
  const inner = (): string => operand(random, name, depth - 1);
  return random.pick([
    () => `[${random.times(1, 2, inner).join(', ')}]`,
    () => `{${random.pick(['"k"', '1', '1u', 'dyn(1.0)'])}: ${inner()}}`,
    () => `optional.of(${inner()})`,
    () => `R.attr.?${name}.orValue(${inner()})`,
    () => `(R.attr.b == true ? ${inner()} : ${inner()})`,
    () => `[${inner()}, ${inner()}][0]`,
    () => `${inner()} + ${inner()}`,
    () => `type(${inner()})`,
    () => 'spiffeID(R.attr.s).trustDomain()',
  ])();
}
