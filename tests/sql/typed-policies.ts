import type { Document, Match } from '../oracle/documents.js';
import type { Random } from '../oracle/random.js';
import { NUMBERS, TEXTS } from './hostile-rows.js';

/** The kind of resource that these policies are about. */
export const KIND = 'thing';

/** A store whose conditions read columns of every type as they may be read, and sometimes as they may not. */
export function typedPolicies(random: Random): readonly Document[] {
  const rule = (): object => (random.chance(0.9) ? { condition: { match: randomMatch(random, 2) } } : {});
  return [
    { derivedRoles: { name: 'roles', definitions: [{ name: 'owner', parentRoles: ['user'], condition: { match: { expr: 'R.attr.owner == P.id' } } }] } },
    {
      resourcePolicy: {
        resource: KIND,
        version: 'default',
        importDerivedRoles: ['roles'],
        rules: random.times(1, 4, (index) => ({
          actions: ['view'],
          effect: index === 0 || random.chance(0.6) ? 'EFFECT_ALLOW' : 'EFFECT_DENY',
          ...(random.chance(0.2) ? { derivedRoles: ['owner'] } : { roles: random.pick([['user'], ['admin'], ['*'], ['user', 'admin']]) }),
          ...rule(),
        })),
      },
    },
    ...(random.chance(0.2)
      ? [{ principalPolicy: { principal: 'u1', version: 'default', rules: [{ resource: KIND, actions: [{ action: 'view', effect: random.pick(['EFFECT_ALLOW', 'EFFECT_DENY']), ...rule() }] }] } }]
      : []),
  ];
}

function randomMatch(random: Random, depth: number): Match {
  if (depth === 0 || random.chance(0.6)) return { expr: condition(random, 2, []) };
  const of = random.times(1, 3, () => randomMatch(random, depth - 1));
  return random.pick([{ all: { of } }, { any: { of } }, { none: { of } }] satisfies Match[]);
}

/** @param bound the variables of the macros around. */
function condition(random: Random, depth: number, bound: readonly string[]): string {
  if (depth === 0 || random.chance(0.5)) return atom(random, bound);
  const inner = (): string => `(${condition(random, depth - 1, bound)})`;
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => macro(random, depth - 1, bound),
  ])();
}

function macro(random: Random, depth: number, bound: readonly string[]): string {
  const range = random.pick(['R.attr.list', 'R.attr.items', 'R.attr.map', 'R.attr.any', 'P.attr.teams', 'R.attr.a', ...bound]);
  const name = `t${bound.length}`;
  const body = condition(random, depth, [...bound, name]);
  if (random.chance(0.15)) return `${range}.${random.pick(['exists', 'all'])}(i${name}, ${name}, ${body})`;
  return `${range}.${random.pick(['exists', 'all', 'exists_one'])}(${name}, ${body})`;
}

function atom(random: Random, bound: readonly string[]): string {
  const elements = bound.flatMap((name) => [name, name, `${name}.a`, `${name}.n`]);
  const text = (): string => random.pick(['R.attr.a', 'R.attr.b', 'R.attr.s', 'R.attr.owner', 'R.attr.place.city', 'R.id', ...elements]);
  const number = (): string => random.pick(['R.attr.n', 'R.attr.m', 'R.attr.big', ...elements]);
  const flag = (): string => random.pick(['R.attr.flag', 'R.attr.maybe', ...elements]);
  const dynamic = (): string => random.pick(['R.attr.map.a', 'R.attr.any', 'R.attr.map', 'R.attr.map.a.n', 'R.attr.list[0]', 'R.attr.map["a.b"]', 'R.attr.any.a', ...elements]);
  const any = (): string => random.pick([text, number, flag, dynamic, () => 'R.attr.list', () => (random.chance(0.1) ? 'R.attr.missing' : 'R.attr.items')])();
  const textConstant = (): string => random.pick([() => JSON.stringify(random.pick(PLAIN_TEXTS)), () => 'P.attr.s', () => 'P.id', () => '"x"', () => '"x\\u0000y"'])();
  const numberConstant = (): string => random.pick([() => literal(random.pick(NUMBERS)), () => 'P.attr.n', () => String(random.below(6)), () => '2.5', () => '9007199254740992.0'])();
  const double = (): string => random.pick([() => literal(random.pick(NUMBERS)), () => 'P.attr.n', () => '100.0'])();
  const constant = (): string => random.pick([textConstant, numberConstant, () => 'null', () => 'true', () => 'false', () => '["x"]'])();
  const order = (): string => random.pick(['<', '<=', '>', '>=']);
  const compare = (): string => random.pick(['<', '<=', '>', '>=', '==', '!=']);
  const time = (): string => `timestamp("${random.pick(['2020-01-01T00:00:00Z', '2020-01-01T01:00:00.0005+01:00', '2020-01-01T00:00:00.001Z', '2024-02-29T12:00:00.5Z', '1969-12-31T00:00:00.123456789Z'])}")`;
  const shifted = (): string => random.pick([
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
    () => `${random.pick(['R.attr.flag', 'R.attr.maybe'])} ${compare()} ${random.pick(['R.attr.flag', 'R.attr.maybe'])}`,
    any,
    () => `has(${random.pick(['R.attr.a', 'R.attr.b', 'R.attr.map', 'R.attr.map.a', 'R.attr.any.a', 'R.attr.list', 'R.attr.items', 'R.attr.place.city', 'R.attr.map.a.n'])})`,
    () => `${text()} in ${random.pick(['["x", "y"]', 'P.attr.teams', 'P.attr.mixed', '["x", null, 1]', '[]', '["u1", R.attr.a]', 'R.attr.list', 'R.attr.map', 'R.attr.any'])}`,
    () => `${number()} in ${random.pick(['[1, 2, 8]', '[2.5, 1.0, 9007199254740992.0]', 'P.attr.mixed', '[1, "x", null]', 'R.attr.list'])}`,
    () => `${any()} in ${random.pick(['["x", "y"]', '[1, "x", null]', 'P.attr.mixed', '[true, "x"]', 'R.attr.list', 'R.attr.items'])}`,
    () => `${constant()} in ${random.pick(['R.attr.list', 'R.attr.map', 'R.attr.items', 'R.attr.any'])}`,
    () => `${random.pick([text, dynamic])()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${textConstant()})`,
    () => `${text()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `${textConstant()}.${random.pick(['startsWith', 'endsWith', 'contains'])}(${text()})`,
    () => `size(${random.pick([text, dynamic, () => 'R.attr.list'])()}) ${compare()} ${random.below(4)}`,
    () => `${random.below(4)} ${order()} size(${any()})`,
    () => `${shifted()} ${compare()} ${double()}`,
    () => `${double()} ${order()} ${shifted()}`,
    () => `R.attr.n ${random.pick(['+', '-', '*'])} R.attr.big ${compare()} ${random.pick([double, number])()}`,
    () => `timestamp(R.attr.at) ${compare()} ${time()}`,
    () => `${time()} ${compare()} timestamp(R.attr.at)`,
    () => `${text()} + ${JSON.stringify(random.pick(PLAIN_TEXTS))} == ${random.pick([text, textConstant])()}`,
    () => `(${condition(random, 0, bound)} ? ${text()} : ${any()}) == ${constant()}`,
    () => `(${text()} == "x") == ${random.pick(['true', 'R.attr.flag', `has(R.attr.a)`])}`,
    () => `hasIntersection(R.attr.list, ${random.pick(['P.attr.teams', '[1, "x"]', 'P.attr.mixed'])})`,
    () => `["x"].isSubset(R.attr.list)`,
    () => `R.attr.list.isSubset(${random.pick(['P.attr.teams', 'P.attr.mixed'])})`,
    () => `${text()}.${random.pick(['lowerAscii', 'upperAscii'])}() == ${textConstant()}`,
  ])();
}

/** As CEL and JSON spell them alike. */
const PLAIN_TEXTS = TEXTS.filter((text) => !text.includes('\0'));

/** A double. */
function literal(number: number): string {
  const text = Object.is(number, -0) ? '-0' : String(number);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
