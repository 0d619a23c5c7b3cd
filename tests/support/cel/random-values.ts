import type { Attributes } from '../../../runtime/policy/index.js';
import type { Random } from '../oracle/random.js';

/*
 * Conditions in which the value of a partly known expression matters, and not only whether it is true: logic,
 * membership and ternaries as operands, elements and bodies; durations and timestamps to the nanosecond; numbers and
 * strings at the limits of their ranges.
 */

/** A random condition. Most compare a value that depends on the resource. */
export function randomCondition(random: Random): string {
  return bool(random, random.pick([1, 2, 2, 3]), []);
}

/** Variables for a policy. Each may read the previous ones. */
export function randomVariables(random: Random): { readonly [name: string]: string } {
  return {
    v1: bool(random, 2, []),
    v2: random.pick([string, number, list])(random, 1, []),
    v3: `V.v1 || ${bool(random, 1, [])}`,
  };
}

/** A principal. Each attribute may be missing or of another type. */
export function randomPrincipal(random: Random): Attributes {
  return present(random, 0.1, {
    yes: random.pick<unknown>([true, true, 'x', null]),
    no: random.pick<unknown>([false, false, 'x', 0]),
    s: random.pick(STRINGS),
    n: random.pick(NUMBERS),
    l: random.times(0, 3, () => random.pick<unknown>([...STRINGS, ...NUMBERS, true, false])),
    m: { x: random.pick<unknown>([true, false, 1, 'x']), y: random.pick<unknown>([true, 'y', 2, null]) },
    d: random.pick(DURATIONS),
    t: random.pick(TIMES),
  });
}

/** A resource. Each attribute may be missing, and often has another type than conditions expect. */
export function randomRow(random: Random): Attributes {
  const anything = (): unknown =>
    random.pick<unknown>([
      true,
      false,
      null,
      random.pick(STRINGS),
      random.pick(NUMBERS),
      [],
      [true],
      { x: true },
      random.pick(DURATIONS),
      random.pick(TIMES),
    ]);
  const or = (wanted: unknown): unknown => (random.chance(0.75) ? wanted : anything());
  return present(random, 0.15, {
    f: or(random.chance(0.5)),
    g: or(random.chance(0.5)),
    h: anything(),
    s: or(random.pick(STRINGS)),
    r: or(random.pick(STRINGS)),
    n: or(random.pick(NUMBERS)),
    k: or(random.pick(NUMBERS)),
    l: or(random.times(0, 3, anything)),
    m: or({ x: anything(), y: anything() }),
    d: or(random.pick(DURATIONS)),
    t: or(random.pick(TIMES)),
  });
}

/** Macro variables in scope, with the kind of their values. */
type Locals = readonly string[];

function bool(random: Random, depth: number, locals: Locals): string {
  if (depth <= 0)
    return random.pick([
      () => flag(random, locals),
      () => flag(random, locals),
      () => known(random),
      () => comparison(random, 0, locals),
    ])();
  const inner = (): string => bool(random, depth - 1, locals);
  return random.pick([
    () => comparison(random, depth - 1, locals),
    () => comparison(random, depth - 1, locals),
    () => comparison(random, depth - 1, locals),
    () => `(${known(random)} || ${inner()})`,
    () => `(${inner()} && ${known(random)})`,
    () => `(${inner()} || ${inner()})`,
    () => `(${inner()} && ${inner()})`,
    () => `!(${inner()})`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `(${any(random, depth - 1, locals)} in [])`,
    () => `(${any(random, 0, locals)} in ${random.pick(['{}', 'P.attr.l', 'P.attr.m', 'R.attr.l', 'R.attr.m'])})`,
    () => quantified(random, depth - 1, locals),
    () => `has(${random.pick(['R.attr.f', 'R.attr.m.x', 'R.attr.h.x', 'V.v1', 'V.v2', 'P.attr.yes'])})`,
    () => `cel.bind(b, ${any(random, depth - 1, locals)}, ${bool(random, depth - 1, [...locals, 'b'])})`,
    () => `R.attr.?${random.pick(['f', 'h', 's'])}.orValue(${any(random, depth - 1, locals)})`,
    () => random.pick(['V.v1', 'V.v3']),
  ])();
}

/** An attribute that conditions use as a boolean. */
function flag(random: Random, locals: Locals): string {
  if (locals.length > 0 && random.chance(0.4)) return random.pick(locals);
  return random.pick(['R.attr.f', 'R.attr.f', 'R.attr["f"]', 'R.attr.g', 'R.attr.h', 'R.attr.m.x', 'R.attr.l[0]']);
}

/** An operand that is decided without a resource. It may fail. */
function known(random: Random): string {
  return random.pick([
    'P.attr.yes',
    'P.attr.no',
    'P.attr.yes',
    'P.attr.no',
    'P.attr.nope',
    'true',
    'false',
    'P.attr.s == "x"',
    '"user" in P.roles',
    'P.attr.m.x',
    'P.attr.n > 1.0',
  ]);
}

function comparison(random: Random, depth: number, locals: Locals): string {
  const equality = random.pick(['==', '!=']);
  const order = random.pick(['<', '<=', '>', '>=', '==', '!=']);
  return random.pick([
    () => `(${any(random, depth, locals)} ${equality} ${bool(random, depth, locals)})`,
    () => `(${bool(random, depth, locals)} ${equality} ${any(random, depth, locals)})`,
    () => `(${any(random, depth, locals)} ${equality} ${any(random, depth, locals)})`,
    () => `(${number(random, depth, locals)} ${order} ${number(random, depth, locals)})`,
    () => `(${number(random, depth, locals)} ${order} ${number(random, depth, locals)})`,
    () => `(${string(random, depth, locals)} ${order} ${string(random, depth, locals)})`,
    () => `(${span(random, depth)} ${order} ${span(random, depth)})`,
    () => `(${time(random, depth)} ${order} ${time(random, depth)})`,
    () => `(${any(random, depth, locals)} in ${list(random, depth, locals)})`,
    () => `(${bool(random, depth, locals)} in ${list(random, depth, locals)})`,
    () => `(${list(random, depth, locals)} ${equality} ${list(random, depth, locals)})`,
    () => `(${map(random, depth, locals)} ${equality} ${random.pick(['R.attr.m', map(random, depth, locals)])})`,
    () =>
      `(${map(random, depth, locals)}${random.pick(['.x', '["y"]', '[R.attr.s]'])} ${equality} ${any(random, 0, locals)})`,
    () => `(type(${any(random, depth, locals)}) == ${random.pick(['bool', 'string', 'double', 'int'])})`,
    () => `(P.attr.m[R.attr.s] ${equality} ${any(random, depth, locals)})`,
  ])();
}

function any(random: Random, depth: number, locals: Locals): string {
  if (locals.length > 0 && random.chance(0.3)) return random.pick(locals);
  const kinds = [bool, bool, string, number, list, map] as const;
  return random.pick([
    () =>
      random.pick([
        'R.attr.f',
        'R.attr.h',
        'R.attr.s',
        'R.attr.n',
        'R.attr.m.x',
        'R.attr.l',
        'R.attr.m',
        'R.id',
        'V.v1',
        'V.v2',
      ]),
    () => random.pick(['P.attr.s', 'P.attr.n', 'P.attr.yes', 'P.attr.m.y', 'true', 'false', 'null', '"x"', '1.0']),
    () => (depth > 0 ? random.pick(kinds)(random, depth - 1, locals) : flag(random, locals)),
    () =>
      depth > 0
        ? `(${bool(random, depth - 1, locals)} ? ${any(random, depth - 1, locals)} : ${any(random, depth - 1, locals)})`
        : flag(random, locals),
  ])();
}

function string(random: Random, depth: number, locals: Locals): string {
  const literal = (): string => JSON.stringify(random.pick(LITERALS));
  if (depth <= 0) return random.pick(['R.attr.s', 'R.attr.r', 'P.attr.s', 'R.id', literal()]);
  return random.pick([
    () =>
      `(${bool(random, depth - 1, locals)} ? ${string(random, depth - 1, locals)} : ${string(random, depth - 1, locals)})`,
    () => `(${string(random, depth - 1, locals)} + ${string(random, depth - 1, locals)})`,
    () => `string(${any(random, depth - 1, locals)})`,
    () => `R.attr.?s.orValue(${string(random, depth - 1, locals)})`,
    () => string(random, 0, locals),
  ])();
}

function number(random: Random, depth: number, locals: Locals): string {
  const literal = (): string =>
    random.pick([
      '0',
      '1',
      '2',
      '-1',
      '1u',
      '0.0',
      '-0.0',
      '1.5',
      '2.0',
      '1e300',
      '9007199254740993',
      '9007199254740992.0',
      '9223372036854775807',
      '18446744073709551615u',
    ]);
  if (depth <= 0) return random.pick(['R.attr.n', 'R.attr.n', 'R.attr.k', 'P.attr.n', literal(), literal()]);
  return random.pick([
    () =>
      `(${bool(random, depth - 1, locals)} ? ${number(random, depth - 1, locals)} : ${number(random, depth - 1, locals)})`,
    () =>
      `(${bool(random, depth - 1, locals)} ? ${number(random, depth - 1, locals)} : ${number(random, depth - 1, locals)})`,
    () => `(R.attr.n ${random.pick(['+', '-', '*', '/', '%'])} ${number(random, depth - 1, locals)})`,
    () => `(${number(random, depth - 1, locals)} ${random.pick(['+', '-', '*', '/'])} R.attr.k)`,
    () => `-(${number(random, depth - 1, locals)})`,
    () => `size(${random.pick([string, list])(random, depth - 1, locals)})`,
    () => `${random.pick(['int', 'uint', 'double'])}(${random.pick([number, string])(random, depth - 1, locals)})`,
    () =>
      `math.${random.pick(['greatest', 'least'])}(${number(random, depth - 1, locals)}, ${number(random, depth - 1, locals)})`,
    () => `${span(random, depth - 1)}.${random.pick(['getSeconds', 'getMilliseconds', 'getHours'])}()`,
    () => `${time(random, depth - 1)}.${random.pick(['getFullYear', 'getMilliseconds', 'getHours'])}()`,
    () => number(random, 0, locals),
  ])();
}

function list(random: Random, depth: number, locals: Locals): string {
  if (depth <= 0)
    return random.pick(['R.attr.l', 'P.attr.l', '[]', '["x", "y"]', '[true, false]', '[1, 2.0]', '[true]', '["x"]']);
  return random.pick([
    () => `[${random.times(0, 3, () => any(random, depth - 1, locals)).join(', ')}]`,
    () => `[${bool(random, depth - 1, locals)}]`,
    () => `${list(random, depth - 1, locals)}.map(i, ${any(random, depth - 1, [...locals, 'i'])})`,
    () => `${list(random, depth - 1, locals)}.filter(i, ${bool(random, depth - 1, [...locals, 'i'])})`,
    () =>
      `(${bool(random, depth - 1, locals)} ? ${list(random, depth - 1, locals)} : ${list(random, depth - 1, locals)})`,
    () => `(${list(random, depth - 1, locals)} + ${list(random, depth - 1, locals)})`,
    () => list(random, 0, locals),
  ])();
}

function map(random: Random, depth: number, locals: Locals): string {
  if (depth <= 0)
    return random.pick(['{}', '{"x": true}', '{"x": 1, "y": 2}', '{true: "x"}', '{1: "x", 2u: true}', 'P.attr.m']);
  return `{"x": ${any(random, depth - 1, locals)}, "y": ${bool(random, depth - 1, locals)}}`;
}

function quantified(random: Random, depth: number, locals: Locals): string {
  const macro = random.pick(['exists', 'exists', 'all', 'exists_one']);
  const range = random.pick([
    () => list(random, depth, locals),
    () => '["x"]',
    () => '[true, false]',
    () => 'P.attr.l',
    () => map(random, depth, locals),
    () => 'P.attr.m',
  ])();
  const isOfTwo = random.chance(0.2);
  if (isOfTwo)
    return `${range}.${macro === 'exists_one' ? 'existsOne' : macro}(i, e, ${bool(random, depth, [...locals, 'i', 'e'])})`;
  return `${range}.${macro}(e, ${bool(random, depth, [...locals, 'e'])})`;
}

function span(random: Random, depth: number): string {
  const literal = (): string => `duration(${JSON.stringify(random.pick(DURATIONS))})`;
  if (depth <= 0)
    return random.pick(['duration(R.attr.d)', 'duration(R.attr.d)', 'duration(P.attr.d)', literal(), literal()]);
  return random.pick([
    () => `(${span(random, depth - 1)} ${random.pick(['+', '-'])} ${span(random, depth - 1)})`,
    () => `(${time(random, depth - 1)} - ${time(random, depth - 1)})`,
    () => `(${bool(random, depth - 1, [])} ? ${span(random, depth - 1)} : ${span(random, depth - 1)})`,
    () => `-(${span(random, depth - 1)})`,
    () => `timeSince(${time(random, depth - 1)})`,
    () => span(random, 0),
  ])();
}

function time(random: Random, depth: number): string {
  const literal = (): string => `timestamp(${JSON.stringify(random.pick(TIMES))})`;
  if (depth <= 0)
    return random.pick(['timestamp(R.attr.t)', 'timestamp(R.attr.t)', 'timestamp(P.attr.t)', literal(), 'now()']);
  return random.pick([
    () => `(${time(random, depth - 1)} ${random.pick(['+', '-'])} ${span(random, depth - 1)})`,
    () => `(${bool(random, depth - 1, [])} ? ${time(random, depth - 1)} : ${time(random, depth - 1)})`,
    () => `timestamp(${time(random, depth - 1)})`,
    () => time(random, 0),
  ])();
}

function present(random: Random, missing: number, attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(() => !random.chance(missing)));
}

/** Strings that an author may write: no lone surrogates. */
const LITERALS: readonly string[] = ['', 'x', 'y', 'xy', 'true', '1', '😀', '\uffff', '\u0000', '1h'];
const STRINGS: readonly string[] = [...LITERALS, 'x', 'x', 'y', '\ud83d', '\ude00', '\ufffd'];
const NUMBERS: readonly number[] = [
  0,
  -0,
  1,
  2,
  -1,
  1.5,
  2 ** 53,
  2 ** 53 + 2,
  2 ** 63,
  -(2 ** 63),
  2 ** 64,
  1e300,
  -1e300,
  5e-324,
];
/** The limits of the range, and values around a second that no double holds to the nanosecond. */
const DURATIONS: readonly string[] = [
  '0s',
  '1ns',
  '-1ns',
  '1s',
  '1h',
  '1.5s',
  '90000000.000000001s',
  '90000000s',
  '89999999.999999999s',
  '2562047h47m16.854775807s',
  '-2562047h47m16.854775808s',
  '2562047h47m16.854775806s',
  '9007199.254740993s',
  '-9007199.254740993s',
];
const TIMES: readonly string[] = [
  '2024-05-06T07:08:09Z',
  '2024-05-06T07:08:09.000000001Z',
  '2024-05-06T09:08:09+02:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '2023-11-14T22:13:20.123Z',
  '2023-11-14T22:13:20.123456789Z',
  '1970-01-01T00:00:00-14:00',
];
