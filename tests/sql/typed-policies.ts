import type { Document, Match } from '../support/oracle/documents.js';
import type { Random } from '../support/oracle/random.js';
import { NUMBERS, TEXTS } from '../support/sql/hostile-rows.js';

/** Roles that the policies of every kind import. */
export const DERIVED_ROLES: Document = {
  derivedRoles: {
    name: 'roles',
    definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.owner == P.id' } } }],
  },
};

/** Policies of a kind whose conditions read columns of every type, mostly correctly and sometimes not. */
export function typedPolicies(random: Random, kind: string, hasJson: boolean): readonly Document[] {
  const rule = (): object => (random.chance(0.9) ? { condition: { match: randomMatch(random, 2, hasJson) } } : {});
  return [
    {
      resourcePolicy: {
        resource: kind,
        version: kind,
        importDerivedRoles: ['roles'],
        rules: random.times(1, 4, (index) => ({
          actions: ['view'],
          effect: index === 0 || random.chance(0.6) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
          ...(random.chance(0.2)
            ? { derivedRoles: ['owner'] }
            : { roles: random.pick([['user'], ['admin'], ['*'], ['user', 'admin']]) }),
          ...rule(),
        })),
      },
    },
    ...(random.chance(0.2)
      ? [
          {
            principalPolicy: {
              principal: 'u1',
              version: kind,
              rules: [
                {
                  resource: kind,
                  actions: [{ action: 'view', effect: random.pick(['EFFECT_ALLOW', 'EFFECT_DENY']), ...rule() }],
                },
              ],
            },
          },
        ]
      : []),
  ];
}

function randomMatch(random: Random, depth: number, hasJson: boolean): Match {
  if (depth === 0 || random.chance(0.6)) return { expr: condition(random, 2, [], hasJson) };
  const of = random.times(1, 3, () => randomMatch(random, depth - 1, hasJson));
  return random.pick([{ all: { of } }, { any: { of } }, { none: { of } }] satisfies Match[]);
}

/** @param bound the macro variables in scope. */
function condition(random: Random, depth: number, bound: readonly string[], hasJson: boolean): string {
  if (depth === 0 || random.chance(0.5)) return atom(random, bound, hasJson);
  const inner = (): string => `(${condition(random, depth - 1, bound, hasJson)})`;
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => macro(random, depth - 1, bound, hasJson),
  ])();
}

function macro(random: Random, depth: number, bound: readonly string[], hasJson: boolean): string {
  const documents = hasJson
    ? ['R.attr.list', 'R.attr.list', 'R.attr.items', 'R.attr.map', 'R.attr.any', 'R.attr.list[0]', ...bound]
    : [];
  const range = random.pick([...documents, 'P.attr.teams', 'R.attr.a']);
  const name = `t${bound.length}`;
  const body = condition(random, depth, [...bound, name], hasJson);
  if (random.chance(0.15)) return `${range}.${random.pick(['exists', 'all'])}(i${name}, ${name}, ${body})`;
  return `${range}.${random.pick(['exists', 'all', 'exists_one'])}(${name}, ${body})`;
}

function atom(random: Random, bound: readonly string[], hasJson: boolean): string {
  const elements = bound.flatMap((name) => (hasJson ? [name, name, `${name}.a`, `${name}.n`, `${name}[0]`] : [name]));
  const text = (): string => random.pick([...TEXT_COLUMNS, ...elements]);
  const number = (): string => random.pick(['R.attr.n', 'R.attr.m', 'R.attr.big', ...elements]);
  const flag = (): string => random.pick(['R.attr.flag', 'R.attr.maybe', ...elements]);
  const dynamic = (): string => (hasJson ? random.pick([...DOCUMENT_PARTS, ...elements]) : text());
  const list = (): string => (hasJson ? random.pick(['R.attr.list', 'R.attr.items']) : text());
  const document = (): string =>
    hasJson ? random.pick(['R.attr.list', 'R.attr.map', 'R.attr.items', 'R.attr.any']) : 'P.attr.mixed';
  const any = (): string =>
    random.pick([text, number, flag, dynamic, list, () => (random.chance(0.1) ? 'R.attr.missing' : list())])();
  const textConstant = (): string =>
    random.pick([
      () => JSON.stringify(random.pick(PLAIN_TEXTS)),
      () => 'P.attr.s',
      () => 'P.id',
      () => '"x"',
      () => '"x\\u0000y"',
    ])();
  const numberConstant = (): string =>
    random.pick([
      () => literal(random.pick(NUMBERS)),
      () => 'P.attr.n',
      () => String(random.below(6)),
      () => '2.5',
      () => '9007199254740992.0',
    ])();
  const double = (): string => random.pick([() => literal(random.pick(NUMBERS)), () => 'P.attr.n', () => '100.0'])();
  const constant = (): string =>
    random.pick([textConstant, numberConstant, () => 'null', () => 'true', () => 'false', () => '["x"]'])();
  const order = (): string => random.pick(['<', '<=', '>', '>=']);
  const compare = (): string => random.pick(['<', '<=', '>', '>=', '==', '!=']);
  const time = (): string =>
    `timestamp("${random.pick(['2020-01-01T00:00:00Z', '2020-01-01T01:00:00.0005+01:00', '2020-01-01T00:00:00.001Z', '2024-02-29T12:00:00.5Z', '1969-12-31T00:00:00.123456789Z'])}")`;
  const at = (): string => random.pick(['R.attr.at', 'R.attr.until']);
  const shifted = (): string =>
    random.pick([
      () => `${number()} * ${literal(random.pick([1.2, -3, 0.1, 1e300, 2]))}`,
      () => `${number()} + ${literal(random.pick(NUMBERS))}`,
      () => `${literal(random.pick(NUMBERS))} - ${number()}`,
      () => `(${number()} - 0.1) / ${literal(random.pick([3, -0.7, 1e-300]))}`,
    ])();
  return random.pick([
    () => `${text()} ${random.pick(['==', '!='])} ${textConstant()}`,
    () => `${textConstant()} == ${text()}`,
    () => `${text()} ${order()} ${textConstant()}`,
    () => `${textConstant()} ${order()} ${text()}`,
    () => `${number()} ${compare()} ${numberConstant()}`,
    () => `${numberConstant()} ${compare()} ${number()}`,
    () => `${any()} ${random.pick(['==', '!='])} ${constant()}`,
    () => `${constant()} ${random.pick(['==', '!='])} ${dynamic()}`,
    () => `${dynamic()} ${order()} ${random.pick([textConstant, numberConstant])()}`,
    () => `${text()} ${compare()} ${text()}`,
    () => `${number()} ${compare()} ${number()}`,
    () => `${any()} ${random.pick(['==', '!='])} ${any()}`,
    flag,
    () => `${flag()} ${compare()} ${random.pick(['true', 'false'])}`,
    () =>
      `${random.pick(['R.attr.flag', 'R.attr.maybe'])} ${compare()} ${random.pick(['R.attr.flag', 'R.attr.maybe'])}`,
    any,
    () => `has(${random.pick(hasJson ? [...PRESENT, ...PRESENT_PARTS] : PRESENT)})`,
    () =>
      `${text()} in ${random.pick(['["x", "y"]', 'P.attr.teams', 'P.attr.mixed', '["x", null, 1]', '[]', '["u1", R.attr.a]', document()])}`,
    () =>
      `${number()} in ${random.pick(['[1, 2, 8]', '[2.5, 1.0, 9007199254740992.0]', 'P.attr.mixed', '[1, "x", null]', document()])}`,
    () => `${any()} in ${random.pick(['["x", "y"]', '[1, "x", null]', 'P.attr.mixed', '[true, "x"]', document()])}`,
    () =>
      `${dynamic()} in ${random.pick(['["x", "y"]', '["x", true]', '["x", "x\\u0000"]', 'P.attr.teams', '[1, 0.0]'])}`,
    () => `${constant()} in ${document()}`,
    () => `${random.pick([text, dynamic])()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${textConstant()})`,
    () => `${text()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `${textConstant()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `size(${random.pick([text, dynamic, list])()}) ${compare()} ${random.below(4)}`,
    () => `${random.below(4)} ${order()} size(${any()})`,
    () => `${shifted()} ${compare()} ${double()}`,
    () => `${double()} ${order()} ${shifted()}`,
    () => `R.attr.n ${random.pick(['+', '-', '*'])} R.attr.big ${compare()} ${random.pick([double, number])()}`,
    () => `timestamp(${at()}) ${compare()} ${time()}`,
    () => `${time()} ${compare()} timestamp(${at()})`,
    () => `timestamp(${at()}) ${compare()} timestamp(${at()})`,
    () => `${text()} + ${text()} ${compare()} ${random.pick([text, textConstant])()}`,
    () => `size(${text()} + ${text()}) ${compare()} ${random.below(4)}`,
    () =>
      `(${text()} + ${text()}).${random.pick(['startsWith', 'endsWith', 'contains'])}(${random.pick([text, textConstant])()})`,
    () => `${text()} + ${JSON.stringify(random.pick(PLAIN_TEXTS))} == ${random.pick([text, textConstant])()}`,
    () => `(${condition(random, 0, bound, hasJson)} ? ${text()} : ${any()}) == ${constant()}`,
    () => `(${text()} == "x") == ${random.pick(['true', 'R.attr.flag', `has(R.attr.a)`])}`,
    () =>
      `hasIntersection(${list()}, ${random.pick(['P.attr.teams', '[1, "x"]', 'P.attr.mixed', '["x", true]', '["x", "x\\u0000"]'])})`,
    () =>
      `${list()}.${random.pick(['exists(t, t == "x")', 'exists(t, "x" == t)', 'exists(t, t == true)', 'all(t, t != "x")', 'exists(t, t == 1)', 'exists(t, t in ["x", "y"])'])}`,
    () => `["x"].isSubset(${list()})`,
    () => `${list()}.isSubset(${random.pick(['P.attr.teams', 'P.attr.mixed'])})`,
    () =>
      hasJson
        ? `${text()}.${random.pick(['lowerAscii', 'upperAscii'])}() == ${textConstant()}`
        : `${text()} == ${textConstant()}`,
  ])();
}

const TEXT_COLUMNS = [
  'R.attr.a',
  'R.attr.b',
  'R.attr.s',
  'R.attr.owner',
  'R.attr.place.city',
  'R.id',
  'R.attr.nick',
  'R.attr.word',
  'R.attr.code',
  'R.attr.tag',
];
const DOCUMENT_PARTS = [
  'R.attr.map.a',
  'R.attr.any',
  'R.attr.map',
  'R.attr.map.a.n',
  'R.attr.list[0]',
  'R.attr.map["a.b"]',
  'R.attr.any.a',
  'R.attr.map[P.attr.k]',
  'R.attr.any[P.attr.k]',
  'R.attr.map.a[0]',
  'R.attr.any[0]',
  'R.attr.list[0][0]',
  'R.attr.items[0]',
  'R.attr.map.list[0]',
];
const PRESENT = ['R.attr.a', 'R.attr.b', 'R.attr.place.city', 'R.attr.nick', 'R.attr.at', 'R.attr.until', 'R.attr.m'];
const PRESENT_PARTS = [
  'R.attr.map',
  'R.attr.map.a',
  'R.attr.any.a',
  'R.attr.list',
  'R.attr.items',
  'R.attr.map.a.n',
  'R.attr.list[0].a',
];

/** Strings with equal spelling in CEL and JSON. */
const PLAIN_TEXTS = TEXTS.filter((text) => !text.includes('\0'));

/** A double. */
function literal(number: number): string {
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
