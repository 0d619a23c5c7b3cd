import { type Comparison, Refusal, type Scalar } from '../translation.js';
import { ALWAYS, type PrismaColumn, type Where } from './mapping.js';

/** Prisma rounds larger numbers up to infinity. */
export const LARGEST = 1e308;
export const TYPES = {
  text: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  list: 'object',
} as const;
export const NAMES = { text: 'string', integer: 'double', number: 'double', boolean: 'bool', list: 'list' } as const;
export const OPPOSITES = { lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' } as const;

/** A test of a column. It is false for NULL, as Prisma does not negate what SQL cannot tell. */
export function test({ field, null: absence }: PrismaColumn<string>, filter: Where): Where {
  if (absence === 'never') return { [field]: filter };
  if ('not' in filter) return { AND: [{ [field]: filter }, { [field]: { not: null } }] };
  return { [field]: { ...filter, not: null } };
}

/** The value itself, where NULL is none. */
export function isNotNull({ field, null: absence }: PrismaColumn<string>): Where {
  return absence === 'never' ? ALWAYS : { [field]: { not: null } };
}

export function isValueOf({ type, values }: PrismaColumn<string>, constant: Scalar): boolean {
  if (constant === null || typeof constant !== TYPES[type]) return false;
  if (type === 'integer') return Number.isInteger(constant) && Math.abs((constant as number) + 0.5) < 2 ** 31;
  return values === undefined || values.includes(constant as string);
}

/** Prisma passes numbers on as decimals of at most 16 digits. */
export function checkDigits(constant: number): void {
  if (Number(constant.toPrecision(15)) !== constant || Math.abs(constant) > LARGEST)
    throw new Refusal('value', `a number that Prisma rounds: ${constant}`);
}

/** An order with numbers is one of finite numbers. */
export function orderOf(comparison: Exclude<Comparison, 'eq'>, constant: Scalar): Where {
  const operator = { lt: 'lt', le: 'lte', gt: 'gt', ge: 'gte' }[comparison];
  if (typeof constant !== 'number') return { [operator]: constant };
  checkDigits(constant);
  return comparison === 'lt' || comparison === 'le'
    ? { gte: -LARGEST, [operator]: constant }
    : { [operator]: constant, lte: LARGEST };
}

/** Prisma only accepts integers of 32 bits; undefined bounds are those of all. */
export function orderOfIntegers(comparison: Exclude<Comparison, 'eq'>, constant: number): Where | boolean {
  // `< 2.5` is `<= 2`, and `< 2` is `<= 1`.
  const isUpper = comparison === 'lt' || comparison === 'le';
  const whole = isUpper ? Math.floor(constant) : Math.ceil(constant);
  const isStrict = (comparison === 'lt' || comparison === 'gt') && whole === constant;
  const bound = isStrict ? (isUpper ? whole - 1 : whole + 1) : whole;
  if (isUpper) return bound >= 2 ** 31 - 1 ? true : bound < -(2 ** 31) ? false : { lte: bound };
  return bound <= -(2 ** 31) ? true : bound >= 2 ** 31 ? false : { gte: bound };
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
