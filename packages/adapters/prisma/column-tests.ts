import { type Comparison, FIRST_TIME, LAST_TIME, Refusal, type Scalar } from '../translation.js';
import { ALWAYS, type IntegerBits, type NamedColumn, type Where } from './mapping.js';

/** Prisma rounds larger numbers up to infinity. */
export const LARGEST = 1e308;
export const TYPES = {
  text: 'string',
  uuid: 'string',
  integer: 'number',
  'integer-as-text': 'string',
  number: 'number',
  boolean: 'boolean',
  timestamp: 'string',
  list: 'object',
} as const;
export const NAMES = {
  text: 'string',
  uuid: 'string',
  integer: 'double',
  'integer-as-text': 'string',
  number: 'double',
  boolean: 'bool',
  timestamp: 'string',
  list: 'list',
} as const;
export const OPPOSITES = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' } as const;

/** A test of a column. It is false for NULL, as Prisma does not negate what SQL cannot tell. */
export function test({ field, null: absence }: NamedColumn, filter: Where): Where {
  if (absence === 'never') return { [field]: filter };
  if ('not' in filter) return { AND: [{ [field]: filter }, { [field]: { not: null } }] };
  return { [field]: { ...filter, not: null } };
}

/** The value itself, where NULL is none. */
export function isNotNull({ field, null: absence }: NamedColumn): Where {
  return absence === 'never' ? ALWAYS : { [field]: { not: null } };
}

/** The value of a column that is a constant for check; none if no value is. */
export function storedValue(
  { type, values, bits }: NamedColumn,
  constant: Scalar,
): string | number | bigint | boolean | undefined {
  if (constant === null || typeof constant !== TYPES[type]) return undefined;
  switch (type) {
    case 'integer':
      return Number.isInteger(constant) && fits(constant as number, bits) ? (constant as number) : undefined;
    case 'integer-as-text':
      return /^(0|-?[1-9]\d{0,18})$/.test(constant as string) ? writtenInteger(constant as string, bits) : undefined;
    case 'uuid':
      return UUID.test(constant as string) ? (constant as string) : undefined;
    default:
      return values === undefined || values.includes(constant as string) ? constant : undefined;
  }
}

/** The strings that check receives of a column of UUIDs. */
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/**
 * Whether a column can have an integer.
 * @throws {Refusal} if it is not known, or if several integers of 64 bits are this number for check.
 */
function fits(whole: number, bits: IntegerBits | undefined): boolean {
  if (bits === 64 && !Number.isSafeInteger(whole))
    throw new Refusal('value', `an integer of more than 53 bits: ${whole}`);
  const isIn = Math.abs(whole + 0.5) < 2 ** ((bits ?? 32) - 1);
  if (!isIn && bits === undefined) throw new Refusal('value', UNKNOWN_BITS);
  return isIn;
}

const UNKNOWN_BITS =
  'an integer of more than 32 bits, of a field that may be an `Int` or a `BigInt`: pass the client to `prismaAdapter`';

/** An integer that check receives as a string. Prisma takes numbers for fields of both sizes, up to 53 bits. */
function writtenInteger(digits: string, bits: IntegerBits | undefined): number | bigint | undefined {
  const whole = BigInt(digits);
  if (whole !== BigInt.asIntN(bits ?? 32, whole)) {
    if (bits === undefined) throw new Refusal('value', UNKNOWN_BITS);
    return undefined;
  }
  return Number.isSafeInteger(Number(digits)) ? Number(digits) : whole;
}

/** Prisma passes numbers on as decimals of at most 16 digits. */
export function checkDigits(constant: number): void {
  if (!isExact(constant)) throw new Refusal('value', `a number that Prisma rounds: ${constant}`);
}

function isExact(constant: number): boolean {
  return Number(constant.toPrecision(15)) === constant && Math.abs(constant) <= LARGEST;
}

/** The same order with the next number, if Prisma rounds this one: `> 97.99999999999999` is `>= 98`. */
function exactOrder(comparison: Order, constant: number): readonly [Order, number] {
  if (isExact(constant)) return [comparison, constant];
  const isUp = comparison === 'gt' || comparison === 'le';
  const next = nextNumber(constant, isUp);
  return isExact(next)
    ? [({ lt: 'le', le: 'lt', gt: 'ge', ge: 'gt' } as const)[comparison], next]
    : [comparison, constant];
}

function nextNumber(constant: number, isUp: boolean): number {
  if (constant === 0) return isUp ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const [bits = 0n] = new BigInt64Array(new Float64Array([constant]).buffer);
  const next = bits + (constant > 0 === isUp ? 1n : -1n);
  return new Float64Array(new BigInt64Array([next]).buffer)[0] as number;
}

type Order = Exclude<Comparison, 'eq'>;

/** An order with numbers is one of finite numbers. */
export function writeOrder(comparison: Order, constant: Scalar): Where {
  if (typeof constant !== 'number') return { [OPERATORS[comparison]]: constant };
  const [order, number] = exactOrder(comparison, constant);
  checkDigits(number);
  const bound = { [OPERATORS[order]]: number };
  return order === 'lt' || order === 'le' ? { gte: -LARGEST, ...bound } : { ...bound, lte: LARGEST };
}

const OPERATORS = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' } as const;

/** Prisma only accepts integers that the column can have: a bound that it cannot have is true or false for all. */
export function orderOfIntegers(
  comparison: Exclude<Comparison, 'eq'>,
  constant: number,
  bits: IntegerBits | undefined,
): Where | boolean {
  // `< 2.5` is `<= 2`, and `< 2` is `<= 1`.
  const isUpper = comparison === 'lt' || comparison === 'le';
  const whole = isUpper ? Math.floor(constant) : Math.ceil(constant);
  const isStrict = (comparison === 'lt' || comparison === 'gt') && whole === constant;
  const bound = isStrict ? (isUpper ? whole - 1 : whole + 1) : whole;
  if (fits(bound, bits)) return isUpper ? { lte: bound } : { gte: bound };
  return isUpper === bound > 0;
}

/**
 * The order of a column of times. Check receives milliseconds, cut off from what the column has; and no time before the year
 * 1 or after 9999.
 */
export function orderOfTimes(comparison: Comparison, at: number): Where {
  const [from, to] = [new Date(at), new Date(at + 1)];
  switch (comparison) {
    case 'eq':
      return { gte: from, lt: to };
    case 'lt':
      return { gte: new Date(FIRST_TIME), lt: from };
    case 'le':
      return { gte: new Date(FIRST_TIME), lt: to };
    case 'gt':
      return { gte: to, lte: new Date(LAST_TIME) };
    case 'ge':
      return { gte: from, lte: new Date(LAST_TIME) };
  }
}

export function compareNumbers(a: number, comparison: Comparison, b: number): boolean {
  return { eq: a === b, lt: a < b, le: a <= b, gt: a > b, ge: a >= b }[comparison];
}

/** The first string after all that start with a prefix, in the order of bytes; undefined if there is none. */
export function nextText(prefix: string): string | undefined {
  const points = [...prefix].map((one) => one.codePointAt(0) as number);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1);
}
