import type { Document, Match } from '../oracle/documents.js';
import type { Random } from '../oracle/random.js';
import { NUMBERS, TEXTS } from './hostile-rows.js';

/** The resource kind of these policies. */
export const KIND = 'thing';

/**
 * A store whose conditions cover what a filter can contain: strings, numbers, lists, maps, macros, and every way to
 * negate them.
 */
export function randomPolicies(random: Random): readonly Document[] {
  const rule = (): object => (random.chance(0.85) ? { condition: { match: randomMatch(random, 2) } } : {});
  return [
    {
      derivedRoles: {
        name: 'roles',
        definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: randomMatch(random, 1) } }],
      },
    },
    {
      resourcePolicy: {
        resource: KIND,
        version: 'default',
        importDerivedRoles: ['roles'],
        rules: random.times(1, 4, (index) => ({
          actions: ['view'],
          effect: index === 0 || random.chance(0.6) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
          ...(random.chance(0.3)
            ? { derivedRoles: ['owner'] }
            : { roles: random.pick([['user'], ['admin'], ['*'], ['user', 'admin']]) }),
          ...rule(),
        })),
      },
    },
    ...(random.chance(0.25)
      ? [
          {
            principalPolicy: {
              principal: 'u1',
              version: 'default',
              rules: [
                {
                  resource: KIND,
                  actions: [{ action: 'view', effect: random.pick(['EFFECT_ALLOW', 'EFFECT_DENY']), ...rule() }],
                },
              ],
            },
          },
        ]
      : []),
  ];
}

/** A principal of such a store. */
export function randomPrincipal(random: Random): {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [name: string]: unknown };
} {
  return {
    id: random.pick(['u1', 'u2']),
    roles: random.pick([['user'], ['admin'], ['user', 'admin'], ['user']]),
    attr: {
      s: random.pick(TEXTS),
      n: random.pick(NUMBERS),
      teams: random.some(['x', 'y', 'z', '', 'é'], 0, 4),
      mixed: random.some(['x', 1, 2, null, true, 'é'], 0, 4),
      nested: random.pick([[], [1], ['x', null], [[1], { a: 1 }], { a: 'x' }, {}]),
    },
  };
}

function randomMatch(random: Random, depth: number): Match {
  if (depth === 0 || random.chance(0.55)) return { expr: randomCondition(random, 2, []) };
  const of = random.times(1, 3, () => randomMatch(random, depth - 1));
  return random.pick([{ all: { of } }, { any: { of } }, { none: { of } }] satisfies Match[]);
}

/** @param bound the macro variables in scope. */
function randomCondition(random: Random, depth: number, bound: readonly string[]): string {
  if (depth === 0 || random.chance(0.5)) return atom(random, bound);
  const inner = (): string => `(${randomCondition(random, depth - 1, bound)})`;
  return random.pick([
    () => `!${inner()}`,
    () => (random.chance(0.1) ? 'R.attr.s.matches("^x")' : `!${inner()}`),
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => macro(random, depth - 1, bound),
    () => macro(random, depth - 1, bound),
  ])();
}

function macro(random: Random, depth: number, bound: readonly string[]): string {
  const range = random.pick([
    'R.attr.list',
    'R.attr.items',
    'R.attr.map',
    'R.attr.s',
    'P.attr.teams',
    'P.attr.mixed',
    ...bound,
  ]);
  const name = `t${bound.length}`;
  const isPair = random.chance(0.2);
  const body = randomCondition(random, depth, [...bound, name]);
  if (isPair) return `${range}.${random.pick(['exists', 'all'])}(i${name}, ${name}, ${body})`;
  return `${range}.${random.pick(['exists', 'all', 'exists_one'])}(${name}, ${body})`;
}

function atom(random: Random, bound: readonly string[]): string {
  const any = (): string => random.pick([...PATHS, ...bound, ...bound, ...bound.map((name) => `${name}.a`)]);
  const text = (): string =>
    random.pick([() => JSON.stringify(random.pick(PLAIN_TEXTS)), () => 'P.attr.s', () => any(), () => 'P.id'])();
  const number = (): string =>
    random.pick([() => literal(random.pick(NUMBERS)), () => 'P.attr.n', () => any(), () => String(random.below(5))])();
  const constant = (): string =>
    random.pick([
      text,
      number,
      () => 'null',
      () => 'true',
      () => 'P.attr.nested',
      () => '[1, "x"]',
      () => '{"a": "x"}',
      () => '[]',
    ])();
  const order = (): string => random.pick(['<', '<=', '>', '>=']);
  return random.pick([
    () => `${any()} ${random.pick(['==', '!='])} ${constant()}`,
    () => `${constant()} ${random.pick(['==', '!='])} ${any()}`,
    () => `${any()} ${random.pick(['==', '!='])} ${any()}`,
    () => `${any()} ${order()} ${random.pick([text, number])()}`,
    () => `${random.pick([text, number])()} ${order()} ${any()}`,
    () => any(),
    () => `has(${random.pick(SELECTIONS)})`,
    () =>
      `${any()} in ${random.pick(['["x", "y"]', '[1, "x", null]', 'P.attr.teams', 'P.attr.mixed', 'R.attr.list', 'R.attr.map', '[]', '["z"]', '[[1], {"a": 1}]'])}`,
    () => `${constant()} in ${random.pick(['R.attr.list', 'R.attr.map', 'R.attr.s', 'R.attr.items'])}`,
    () => `${any()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `${text()}.${random.pick(['startsWith', 'contains'])}(${any()})`,
    () => `size(${any()}) ${random.pick(['==', '!=', '<', '>='])} ${random.below(4)}`,
    () => `${random.below(4)} ${order()} size(${any()})`,
    () =>
      `${any()} ${random.pick(['+', '-', '*', '/'])} ${random.pick(['1.0', '2.5', '3.0', '1e308'])} ${order()} ${literal(random.pick(NUMBERS))}`,
    () => `${any()} + ${JSON.stringify(random.pick(PLAIN_TEXTS))} == ${text()}`,
    () => `(${any()} ? ${any()} : ${any()}) == ${constant()}`,
    () =>
      `hasIntersection(${random.pick(['R.attr.list', 'P.attr.mixed'])}, ${random.pick(['P.attr.teams', 'R.attr.list', 'R.attr.items', '[1, "x"]'])})`,
    () => `R.attr.list[${random.below(2)}] == ${constant()}`,
    () => `R.attr.map["a.b"] == ${constant()}`,
    () => `R.id == ${text()}`,
    () => `${any()}.lowerAscii() == ${text()}`,
  ])();
}

const PATHS = [
  'R.attr.a',
  'R.attr.b',
  'R.attr.n',
  'R.attr.m',
  'R.attr.s',
  'R.attr.owner',
  'R.attr.flag',
  'R.attr.flag',
  'R.attr.list',
  'R.attr.map',
  'R.attr.map.a',
  'R.attr.map.n',
  'R.attr.missing',
  'R.attr.items',
];
const SELECTIONS = [
  'R.attr.a',
  'R.attr.map',
  'R.attr.map.a',
  'R.attr.map.a.n',
  'R.attr.list.a',
  'R.attr.missing',
  'R.attr.missing.a',
];
/** Strings with equal spelling in CEL and JSON. */
const PLAIN_TEXTS = TEXTS.filter((text) => !text.includes('\0'));

/** A double. */
function literal(number: number): string {
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
