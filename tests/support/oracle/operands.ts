import { ModelError } from './context.js';

/** An operand of a filter as it goes over the wire (docs/spec/plans.md#operands). */
export type WireOperand =
  | { readonly value: unknown }
  | { readonly variable: string }
  | { readonly expression: WireExpression };

interface WireExpression {
  readonly operator: string;
  /** Omitted when there are none. */
  readonly operands?: readonly WireOperand[];
}

/** The value of the first name of a variable, such as `request`; undefined when there is no such name. */
export type Roots = (name: string) => unknown;

/** Thrown for what this interpreter does not know. It says nothing about the value of the expression. */
export class NotJudged extends Error {}

/**
 * The interpreter of expressions for tests: evaluates an operand by the rules of docs/spec/conditions.md. Written from
 * that text alone, for comparison with the product: it works on JSON values and imports nothing of the runtime.
 *
 * A number of an attribute is a double, a bigint an int. A number that a filter writes may be either
 * (docs/spec/plans.md#values): beside an int it is one.
 *
 * @throws ModelError when the evaluation fails, as where an attribute is missing.
 * @throws NotJudged for operators and values that it does not know.
 */
export function evaluate(operand: WireOperand, roots: Roots): unknown {
  if ('value' in operand) return operand.value;
  if ('variable' in operand) return read(operand.variable, roots);
  const { operator, operands = [] } = operand.expression;
  const special = SPECIAL[operator];
  if (special !== undefined) return special(operands, roots);
  const macro = MACROS[operator];
  if (macro !== undefined) return macro(lambdaOf(operands, roots));
  const numeric = ARITHMETIC[operator];
  const apply = FUNCTIONS[operator];
  if (numeric === undefined && apply === undefined) throw new NotJudged(`operator ${operator}`);
  const values = operands.map((each) => evaluate(each, roots));
  return numeric === undefined ? apply?.(...values) : arithmetic(numeric, operands, values);
}

/** Nanoseconds since 1970, in the years 1 to 9999. */
class Moment {
  constructor(readonly nanoseconds: bigint) {}
}

class Span {
  constructor(readonly nanoseconds: bigint) {}
}

class Hierarchy {
  constructor(readonly levels: readonly string[]) {}
}

class TypeName {
  constructor(readonly name: string) {}
}

type Fields = { readonly [name: string]: unknown };

function isMap(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function fail(message = 'no such overload'): never {
  throw new ModelError(message);
}

// Operators that do not evaluate every operand first, or whose operands are names.

type Special = (operands: readonly WireOperand[], roots: Roots) => unknown;

const SPECIAL: { readonly [operator: string]: Special } = {
  and: (operands, roots) => joined(operands, (operand) => evaluate(operand, roots), false),
  or: (operands, roots) => joined(operands, (operand) => evaluate(operand, roots), true),
  unless: ([operand], roots) => !holds(() => evaluate(operand as WireOperand, roots)),
  if: ([condition, whenTrue, whenFalse], roots) =>
    evaluate((truth(evaluate(condition as WireOperand, roots)) ? whenTrue : whenFalse) as WireOperand, roots),
  has: ([operand], roots) => {
    const [object, name] = selectionOf(operand as WireOperand, roots);
    if (Array.isArray(object)) return fail("unsupported index type 'string' in list");
    return isMap(object) && Object.hasOwn(object, name);
  },
  'get-field': ([object, name], roots) => field(evaluate(object as WireOperand, roots), nameOf(name)),
  struct: (operands, roots) => Object.fromEntries(operands.map((operand) => entryOf(operand, roots))),
  type: ([operand], roots) => {
    const value = evaluate(operand as WireOperand, roots);
    if ('value' in (operand as WireOperand) && typeof value === 'number')
      throw new NotJudged('the type of a number that JSON writes');
    return new TypeName(typeOf(value));
  },
};

/** Whether a condition is exactly true. */
export function holds(condition: () => unknown): boolean {
  try {
    return condition() === true;
  } catch (error) {
    if (error instanceof ModelError) return false;
    throw error;
  }
}

/** `||` when the end is true, `&&` when it is false: the end absorbs failures, otherwise the first failure remains. */
function joined<T>(items: readonly T[], valueOf: (item: T) => unknown, end: boolean): boolean {
  let failure: ModelError | undefined;
  for (const item of items) {
    try {
      if (truth(valueOf(item)) === end) return end;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !end;
}

function truth(value: unknown): boolean {
  return typeof value === 'boolean' ? value : fail();
}

function read(name: string, roots: Roots): unknown {
  if (TYPES.has(name)) return new TypeName(name);
  const [root, ...fields] = name.split('.') as [string, ...string[]];
  const value = roots(root);
  if (value === undefined) throw new NotJudged(`variable ${name}`);
  const [first] = fields;
  if (MESSAGES.has(root) && first !== undefined && isMap(value) && !Object.hasOwn(value, first))
    return fail(`undefined field '${first}'`);
  return fields.reduce(field, value);
}

/** Definitions and globals: they miss fields, not keys. */
const MESSAGES: ReadonlySet<string> = new Set(['V', 'variables', 'C', 'constants', 'G', 'globals']);

function field(object: unknown, name: string): unknown {
  if (Array.isArray(object)) return fail("unsupported index type 'string' in list");
  return isMap(object) && Object.hasOwn(object, name) ? object[name] : fail(`no such key: ${name}`);
}

/** What `has` looks into, and for which name. */
function selectionOf(operand: WireOperand, roots: Roots): readonly [object: unknown, name: string] {
  if ('variable' in operand) {
    const dot = operand.variable.lastIndexOf('.');
    return [read(operand.variable.slice(0, dot), roots), operand.variable.slice(dot + 1)];
  }
  if ('value' in operand || !['get-field', 'index'].includes(operand.expression.operator))
    throw new NotJudged('has of what is not a selection');
  const [object, name] = operand.expression.operands as [WireOperand, WireOperand];
  return [evaluate(object, roots), nameOf(name)];
}

function nameOf(operand: WireOperand | undefined): string {
  if (operand !== undefined && 'variable' in operand) return operand.variable;
  if (operand !== undefined && 'value' in operand && typeof operand.value === 'string') return operand.value;
  throw new NotJudged('the name of a field is not a constant');
}

function entryOf(operand: WireOperand, roots: Roots): readonly [name: string, value: unknown] {
  if (!('expression' in operand) || operand.expression.operator !== 'set-field')
    throw new NotJudged('struct of what is not a field');
  const [key, value] = (operand.expression.operands ?? []).map((each) => evaluate(each, roots));
  if (typeof key !== 'string') throw new NotJudged('a key that is not a string');
  return [key, value];
}

// Macros (docs/spec/conditions.md#comprehensions).

interface Lambda {
  /** The values that the variables take, for each element. */
  readonly steps: readonly (readonly unknown[])[];
  readonly passes: (step: readonly unknown[]) => boolean;
  readonly body: (step: readonly unknown[]) => unknown;
  readonly isOverList: boolean;
}

const MACROS: { readonly [operator: string]: (lambda: Lambda) => unknown } = {
  exists: ({ steps, body }) => joined(steps, body, true),
  all: ({ steps, body }) => joined(steps, body, false),
  exists_one: ({ steps, body }) => steps.filter((step) => truth(body(step))).length === 1,
  filter: ({ steps, body }) => steps.filter((step) => truth(body(step))).map(([item]) => item),
  map: ({ steps, body }) => steps.map(body),
  transformList: ({ steps, passes, body }) => steps.filter(passes).map(body),
  transformMap: ({ steps, passes, body, isOverList }) => {
    if (isOverList) throw new NotJudged('a map whose keys are ints');
    return Object.fromEntries(steps.filter(passes).map((step) => [step[0] as string, body(step)]));
  },
};

/**
 * The operands of a lambda are the bodies, then the variables. Of three, the middle one is a variable unless it is
 * bound already or a selection (docs/spec/plans.md#operands).
 */
function lambdaOf([range, lambda]: readonly WireOperand[], roots: Roots): Lambda {
  if (lambda === undefined || !('expression' in lambda) || lambda.expression.operator !== 'lambda')
    throw new NotJudged('a macro without a lambda');
  const operands = lambda.expression.operands ?? [];
  const middle = operands.length === 3 ? operands[1] : undefined;
  const isVariable =
    middle !== undefined &&
    'variable' in middle &&
    !middle.variable.includes('.') &&
    roots(middle.variable) === undefined;
  const bodies = operands.slice(0, operands.length === 4 || (operands.length === 3 && !isVariable) ? 2 : 1);
  const variables = operands.slice(bodies.length).map(nameOf);
  const elements = evaluate(range as WireOperand, roots);
  const steps = stepsOf(elements, variables.length === 2);
  const inside =
    (body: WireOperand) =>
    (step: readonly unknown[]): unknown =>
      evaluate(body, (name) => (variables.includes(name) ? step[variables.indexOf(name)] : roots(name)));
  const [first, last] = [bodies[0] as WireOperand, bodies.at(-1) as WireOperand];
  return {
    steps,
    passes: bodies.length === 2 ? (step) => truth(inside(first)(step)) : () => true,
    body: inside(last),
    isOverList: Array.isArray(elements),
  };
}

function stepsOf(range: unknown, isPairs: boolean): readonly (readonly unknown[])[] {
  if (Array.isArray(range)) return range.map((item, position) => (isPairs ? [BigInt(position), item] : [item]));
  if (isMap(range)) return Object.entries(range).map(([key, item]) => (isPairs ? [key, item] : [key]));
  return fail('expected iterable type');
}

// Arithmetic (docs/spec/conditions.md#arithmetic).

interface Arithmetic {
  readonly int: (a: bigint, b: bigint) => bigint;
  readonly double: ((a: number, b: number) => number) | undefined;
  readonly other?: (a: unknown, b: unknown) => unknown;
}

const ARITHMETIC: { readonly [operator: string]: Arithmetic } = {
  add: { int: (a, b) => a + b, double: (a, b) => a + b, other: sum },
  sub: { int: (a, b) => a - b, double: (a, b) => a - b, other: difference },
  mult: { int: (a, b) => a * b, double: (a, b) => a * b },
  div: { int: (a, b) => (b === 0n ? fail('division by zero') : a / b), double: (a, b) => a / b },
  mod: { int: (a, b) => (b === 0n ? fail('modulus by zero') : a % b), double: undefined },
};

function arithmetic(
  { int, double, other }: Arithmetic,
  operands: readonly WireOperand[],
  values: readonly unknown[],
): unknown {
  const [a, b] = values.map((value, position) => {
    const isConstant = 'value' in (operands[position] as WireOperand);
    const beside = values[1 - position];
    if (typeof value !== 'number' || typeof beside !== 'bigint') return value;
    if (isConstant) return Number.isInteger(value) ? BigInt(value) : fail();
    throw new NotJudged('an int beside a number that may be a constant');
  });
  if (typeof a === 'bigint' && typeof b === 'bigint') return int64(int(a, b));
  if (typeof a === 'number' && typeof b === 'number' && double !== undefined) return double(a, b);
  return other === undefined ? fail() : other(a, b);
}

function sum(a: unknown, b: unknown): unknown {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  if (a instanceof Span && b instanceof Span) return new Span(int64(a.nanoseconds + b.nanoseconds));
  if (a instanceof Moment && b instanceof Span) return momentAt(a.nanoseconds + b.nanoseconds);
  return a instanceof Span && b instanceof Moment ? momentAt(a.nanoseconds + b.nanoseconds) : fail();
}

function difference(a: unknown, b: unknown): unknown {
  if (a instanceof Span && b instanceof Span) return new Span(int64(a.nanoseconds - b.nanoseconds));
  if (a instanceof Moment && b instanceof Moment) return new Span(int64(a.nanoseconds - b.nanoseconds));
  return a instanceof Moment && b instanceof Span ? momentAt(a.nanoseconds - b.nanoseconds) : fail();
}

function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}

function double(name: string, apply: (value: number) => number) {
  return (value: unknown): number => (typeof value === 'number' ? apply(value) : fail(`no such overload: ${name}`));
}

/** By truncation; a text has decimal digits and an optional sign. */
function intOf(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  // The smallest int is not converted from a double.
  if (typeof value === 'number') return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : fail();
  if (typeof value === 'string') return /^[+-]?\d+$/.test(value) ? int64(BigInt(value.replace('+', ''))) : fail();
  if (value instanceof Span) return value.nanoseconds;
  return value instanceof Moment ? floored(value.nanoseconds, 1_000_000_000n) : fail();
}

// Equality and order (docs/spec/conditions.md#equality, docs/spec/conditions.md#ordering).

function isEqual(a: unknown, b: unknown): boolean {
  if (a instanceof Hierarchy) {
    if (b === null) return false;
    return b instanceof Hierarchy ? isEqual(a.levels, b.levels) : fail();
  }
  if (isNumber(a) && isNumber(b)) return orderOf(a, b) === 0;
  if (a instanceof Moment || a instanceof Span)
    return b instanceof a.constructor && a.nanoseconds === (b as Moment | Span).nanoseconds;
  if (a instanceof TypeName) return b instanceof TypeName && a.name === b.name;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, position) => isEqual(item, b[position]));
  if (!isMap(a)) return a === b;
  return (
    isMap(b) &&
    Object.keys(a).length === Object.keys(b).length &&
    Object.keys(a).every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}

/** Equality where a failure counts as unequal: of `!=` and of members. */
function isSurelyEqual(a: unknown, b: unknown): boolean {
  return holds(() => isEqual(a, b));
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Negative, 0, positive, or NaN beside NaN. */
function orderOf(a: unknown, b: unknown): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : Number(a > b);
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [Number(a), Number(b)];
    return x === y ? 0 : x < y ? -1 : x > y ? 1 : Number.NaN;
  }
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if ((a instanceof Moment || a instanceof Span) && b instanceof a.constructor)
    return orderOf(a.nanoseconds, (b as Moment | Span).nanoseconds);
  return fail();
}

// Functions that evaluate their operands first.

const FUNCTIONS: { readonly [operator: string]: (...values: readonly unknown[]) => unknown } = {
  list: (...values) => values,
  not: (value) => !truth(value),
  eq: (a, b) => isEqual(a, b),
  ne: (a, b) => !isSurelyEqual(a, b),
  lt: (a, b) => orderOf(a, b) < 0,
  le: (a, b) => orderOf(a, b) <= 0,
  gt: (a, b) => orderOf(a, b) > 0,
  ge: (a, b) => orderOf(a, b) >= 0,
  in: (item, collection) => {
    if (Array.isArray(collection)) return has(collection, item);
    return isMap(collection) ? typeof item === 'string' && Object.hasOwn(collection, item) : fail();
  },
  index: (collection, key) => {
    if (collection instanceof Hierarchy) return isNumber(key) ? elementOf(collection.levels, key) : fail();
    if (!Array.isArray(collection))
      return typeof key === 'string' ? field(collection, key) : fail(`no such key: ${key}`);
    return isNumber(key) ? elementOf(collection, key) : fail("unsupported index type 'string' in list");
  },
  size: (value) => {
    if (value instanceof Hierarchy) return BigInt(value.levels.length);
    if (typeof value === 'string' || Array.isArray(value)) return BigInt([...value].length);
    return isMap(value) ? BigInt(Object.keys(value).length) : fail('no such overload: size');
  },
  int: intOf,
  dyn: (value) => value,
  id: (value) => value,

  startsWith: texts((text, part) => text.startsWith(part)),
  endsWith: texts((text, part) => text.endsWith(part)),
  contains: texts((text, part) => text.includes(part)),
  matches: texts((text, pattern) => expressionOf(pattern).test(text)),
  lowerAscii: text((value) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())),
  upperAscii: text((value) => value.replace(/[a-z]/g, (letter) => letter.toUpperCase())),

  'math.floor': double('math.floor', Math.floor),
  'math.ceil': double('math.ceil', Math.ceil),
  'math.trunc': double('math.trunc', Math.trunc),
  'math.@max': (...values) => extreme('math.@max', values, (order) => order > 0),
  'math.@min': (...values) => extreme('math.@min', values, (order) => order < 0),

  distinct: (list) =>
    Array.isArray(list) ? list.filter((item, position) => !has(list.slice(0, position), item)) : fail(),
  hasIntersection: lists((a, b) => a.some((item) => has(b, item))),
  has_intersection: lists((a, b) => a.some((item) => has(b, item))),
  isSubset: lists((a, b) => a.every((item) => has(b, item))),
  is_subset: lists((a, b) => a.every((item) => has(b, item))),
  intersect: lists((a, b) =>
    b.length < a.length ? b.filter((item) => has(a, item)) : a.filter((item) => has(b, item)),
  ),
  except: lists((a, b) => a.filter((item) => !has(b, item))),

  timestamp: (value) => {
    if (value instanceof Moment) return value;
    if (typeof value === 'bigint') return momentAt(value * 1_000_000_000n);
    return typeof value === 'string' ? momentOf(value) : fail();
  },
  duration: (value) => (value instanceof Span ? value : typeof value === 'string' ? spanOf(value) : fail()),
  getFullYear: inUtc((date) => date.getUTCFullYear()),
  getMonth: inUtc((date) => date.getUTCMonth()),
  getDate: inUtc((date) => date.getUTCDate()),
  getDayOfMonth: inUtc((date) => date.getUTCDate() - 1),
  getDayOfWeek: inUtc((date) => date.getUTCDay()),
  getHours: inUtc((date) => date.getUTCHours(), 3_600_000_000_000n),
  getMinutes: inUtc((date) => date.getUTCMinutes(), 60_000_000_000n),
  getSeconds: inUtc((date) => date.getUTCSeconds(), 1_000_000_000n),
  getMilliseconds: inUtc((date) => date.getUTCMilliseconds(), 1_000_000n),

  hierarchy: (levels, separator = '.') => {
    if (typeof levels === 'string' && typeof separator === 'string')
      return new Hierarchy(separator === '' ? [...levels] : levels.split(separator));
    return Array.isArray(levels) && levels.every((level) => typeof level === 'string') ? new Hierarchy(levels) : fail();
  },
  ancestorOf: hierarchies(isAncestor),
  descendentOf: hierarchies((a, b) => isAncestor(b, a)),
  immediateParentOf: hierarchies((a, b) => isAncestor(a, b) && a.length === b.length - 1),
  immediateChildOf: hierarchies((a, b) => isAncestor(b, a) && b.length === a.length - 1),
  overlaps: hierarchies((a, b) => commonLength(a, b) === Math.min(a.length, b.length)),
  siblingOf: hierarchies((a, b) => a.length === b.length && commonLength(a, b) >= a.length - 1),
  commonAncestors: hierarchies((a, b) => {
    if (a.length === 0 && b.length === 0) return fail();
    const longest = a.length === b.length ? a.length - 1 : Math.min(a.length, b.length);
    return new Hierarchy(a.slice(0, Math.min(longest, commonLength(a, b))));
  }),
};

function text(apply: (value: string) => unknown) {
  return (value: unknown): unknown => (typeof value === 'string' ? apply(value) : fail());
}

function texts(apply: (a: string, b: string) => unknown) {
  return (a: unknown, b: unknown): unknown => (typeof a === 'string' && typeof b === 'string' ? apply(a, b) : fail());
}

function lists(apply: (a: readonly unknown[], b: readonly unknown[]) => unknown) {
  return (a: unknown, b: unknown): unknown => (Array.isArray(a) && Array.isArray(b) ? apply(a, b) : fail());
}

function hierarchies(apply: (a: readonly string[], b: readonly string[]) => unknown) {
  return (a: unknown, b: unknown): unknown =>
    a instanceof Hierarchy && b instanceof Hierarchy ? apply(a.levels, b.levels) : fail();
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const different = a.findIndex((level, position) => level !== b[position]);
  return different === -1 ? a.length : different;
}

function isAncestor(a: readonly string[], b: readonly string[]): boolean {
  return a.length < b.length && commonLength(a, b) === a.length;
}

function has(list: readonly unknown[], item: unknown): boolean {
  return list.some((each) => isSurelyEqual(item, each));
}

function elementOf(list: readonly unknown[], position: number | bigint): unknown {
  const at = Number(position);
  if (!Number.isInteger(at)) return fail(`unsupported index value ${at} in list`);
  return at >= 0 && at < list.length ? list[at] : fail(`index out of bounds: ${at}`);
}

/** RE2's syntax, where it is that of ECMAScript. */
function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    throw new NotJudged(`pattern ${pattern}`);
  }
}

function extreme(name: string, values: readonly unknown[], isBetter: (order: number) => boolean): unknown {
  const numbers = values.length === 1 && Array.isArray(values[0]) ? (values[0] as readonly unknown[]) : values;
  if (numbers.length === 0) return fail(`${name}(list) argument must not be empty`);
  if (!numbers.every(isNumber)) return fail(`no such overload: ${name}`);
  return numbers.reduce((best, next) => (isBetter(orderOf(next, best)) ? next : best));
}

/** The names of types that a filter may have as variables. */
const TYPES: ReadonlySet<string> = new Set([
  ...['bool', 'int', 'uint', 'double', 'string', 'bytes', 'null_type', 'list', 'map', 'type'],
  ...['google.protobuf.Timestamp', 'google.protobuf.Duration'],
]);

function typeOf(value: unknown): string {
  if (value === null) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Moment) return 'google.protobuf.Timestamp';
  if (value instanceof Span) return 'google.protobuf.Duration';
  if (value instanceof Hierarchy) return 'authz.lib.hierarchy';
  if (value instanceof TypeName) return 'type';
  if (isMap(value)) return 'map';
  return { string: 'string', number: 'double', bigint: 'int', boolean: 'bool' }[
    typeof value as 'string' | 'number' | 'bigint' | 'boolean'
  ];
}

// Time (docs/spec/conditions.md#parsing-timestamps, docs/spec/conditions.md#durations).

function momentOf(value: string): Moment {
  const [, date, time, fraction = '', sign, hours = '0', minutes = '0'] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/.exec(value) ?? [];
  const milliseconds = Date.parse(`${date}T${time}Z`);
  // A day that the month does not have, or the hour 24.
  if (
    Number.isNaN(milliseconds) ||
    !new Date(milliseconds).toISOString().startsWith(`${date}T${time}`) ||
    Number(hours) > 23 ||
    Number(minutes) > 59
  )
    return fail(`invalid RFC 3339 timestamp "${value}"`);
  const offset = (sign === '-' ? -60_000 : 60_000) * (60 * Number(hours) + Number(minutes));
  return momentAt(BigInt(milliseconds - offset) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0')));
}

const FIRST = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1_000_000n;
const END = BigInt(Date.parse('9999-12-31T23:59:59Z') + 1000) * 1_000_000n;

function momentAt(nanoseconds: bigint): Moment {
  return nanoseconds >= FIRST && nanoseconds < END ? new Moment(nanoseconds) : fail('timestamp overflow');
}

const UNITS: { readonly [unit: string]: bigint } = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Digits below a nanosecond are cut off, number by number. */
function spanOf(value: string): Span {
  if (/^[+-]?0$/.test(value)) return new Span(0n);
  if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[nuµμm]s|[smh]))+$/.test(value)) return fail('type conversion error');
  const total = [...value.matchAll(/(\d*)\.?(\d*)([nuµμm]s|[smh])/g)].reduce((before, [, whole, fraction, unit]) => {
    const factor = UNITS[unit as string] as bigint;
    return before + (BigInt(`0${whole}${fraction}`) * factor) / 10n ** BigInt((fraction as string).length);
  }, 0n);
  return new Span(int64(value.startsWith('-') ? -total : total));
}

/** An accessor of timestamps, and of durations where it counts a unit. */
function inUtc(part: (date: Date) => number, unit?: bigint) {
  return (...[value, zone]: readonly unknown[]): bigint => {
    if (zone !== undefined) throw new NotJudged('a time in a zone');
    if (value instanceof Span && unit !== undefined) return value.nanoseconds / unit;
    if (!(value instanceof Moment)) return fail();
    return BigInt(part(new Date(Number(floored(value.nanoseconds, 1_000_000n)))));
  };
}

function floored(a: bigint, b: bigint): bigint {
  return (a - (((a % b) + b) % b)) / b;
}
