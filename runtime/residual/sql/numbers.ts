import { allOf, anyOf, compared, NEVER, sql, type Sql } from './fragment.js';
import { Refusal } from './refusal.js';
import type { Scope } from './scope.js';
import type { JsonValue } from '../operand.js';
import { ROUNDINGS } from '../idioms/index.js';
import { lastThat } from '../solutions.js';
import { type Scalar, scalar, type Shifted, type SqlValue } from './value.js';

export type Order = '<' | '<=' | '>' | '>=';

/**
 * A numeric column compared with a constant: an integer column with an integer if that is equivalent, so that an index
 * can be used.
 */
export function compareNumber(
  { dialect }: Scope,
  { type, sql: column, null: absence }: Scalar,
  operator: Order | '=' | '<>',
  constant: number,
): Sql {
  const mayBeNull = absence !== 'never';
  if (type !== 'integer') return compared(column, operator, dialect.constant(constant, 'number'), mayBeNull);
  // Check receives the nearest double: from here on several integers are equal.
  if (Math.abs(constant) >= 2 ** 53)
    return sql`${dialect.real(column)} ${operator} ${dialect.constant(constant, 'number')}`;
  if (Number.isInteger(constant)) return compared(column, operator, dialect.constant(constant, 'integer'), mayBeNull);
  switch (operator) {
    case '=':
      return NEVER;
    case '<>':
      return sql`${column} IS NOT NULL`;
    case '<':
    case '<=':
      return sql`${column} <= ${dialect.constant(Math.floor(constant), 'integer')}`;
    case '>':
    case '>=':
      return sql`${column} >= ${dialect.constant(Math.ceil(constant), 'integer')}`;
  }
}

/** Two numeric expressions. */
export function compareNumbers({ dialect }: Scope, a: Scalar, operator: Order | '=' | '<>', b: Scalar): Sql {
  return sql`${asDouble(a, dialect.real)} ${operator} ${asDouble(b, dialect.real)}`;
}

/** A numeric expression as a double. */
export function asDouble({ type, sql: expression }: Scalar, real: (integer: Sql) => Sql): Sql {
  return type === 'integer' ? real(expression) : expression;
}

/**
 * Arithmetic. With a constant it stays a function of its column, which comparisons are solved for: `x * 1.2 < 100.0`
 * selects every `x` below a bound, exact to the last bit, and an index can be used. With two columns only integers are
 * supported: sums of doubles may overflow, which makes a statement fail, but not a condition.
 */
export function arithmetic(scope: Scope, operator: 'add' | 'sub' | 'mult' | 'div', a: SqlValue, b: SqlValue): SqlValue {
  if (a.kind === 'constant' && b.kind !== 'constant') return shifted(operator, b, a.value, true);
  if (b.kind === 'constant' && a.kind !== 'constant') return shifted(operator, a, b.value, false);
  return ofColumns(scope, operator, a, b);
}

/** A number that is rounded, as a function of its column. */
export function rounded(operator: string, value: SqlValue): SqlValue {
  const round = ROUNDINGS[operator] as (x: number) => number;
  const { of, apply, falls } = asShifted(operator, value);
  return { kind: 'shifted', of, falls, apply: (x) => round(apply(x)) };
}

/** A comparison of the result of arithmetic with a constant, as bounds of the column. */
export function compareShifted(scope: Scope, value: Shifted, operator: Order | '=' | '<>', constant: number): Sql {
  const { of } = value;
  const below = (passes: (result: number) => boolean): Sql => bound(scope, value, passes);
  switch (operator) {
    case '<':
      return below((result) => result < constant);
    case '<=':
      return below((result) => result <= constant);
    case '>':
      return above(scope, value, (result) => result <= constant);
    case '>=':
      return above(scope, value, (result) => result < constant);
    case '=':
      return allOf(
        sql`${of.sql} IS NOT NULL`,
        above(scope, value, (result) => result < constant),
        below((result) => result <= constant),
      );
    case '<>':
      return anyOf(
        below((result) => result < constant),
        above(scope, value, (result) => result <= constant),
      );
  }
}

function shifted(
  operator: 'add' | 'sub' | 'mult' | 'div',
  value: SqlValue,
  constant: JsonValue,
  isFirst: boolean,
): SqlValue {
  if (typeof constant !== 'number') throw new Refusal(operator, 'of a value that is not a number');
  const { of, apply, falls } = asShifted(operator, value);
  switch (operator) {
    case 'add':
      return { kind: 'shifted', of, falls, apply: (x) => apply(x) + constant };
    case 'sub':
      if (isFirst) return { kind: 'shifted', of, falls: !falls, apply: (x) => constant - apply(x) };
      return { kind: 'shifted', of, falls, apply: (x) => apply(x) - constant };
    case 'mult':
      if (constant === 0) throw new Refusal(operator, 'a multiplication by zero');
      return { kind: 'shifted', of, falls: constant < 0 ? !falls : falls, apply: (x) => apply(x) * constant };
    case 'div':
      if (isFirst) throw new Refusal(operator, 'a column as the divisor, which may be zero');
      if (constant === 0) throw new Refusal(operator, 'a division by zero');
      return { kind: 'shifted', of, falls: constant < 0 ? !falls : falls, apply: (x) => apply(x) / constant };
  }
}

/** A column as a function of itself, or a function of a column. */
function asShifted(operator: string, value: SqlValue): Omit<Shifted, 'kind'> {
  if (value.kind !== 'shifted' && value.kind !== 'scalar')
    throw new Refusal(operator, 'of a value that is not a column');
  const of = value.kind === 'shifted' ? value.of : value;
  if (of.type !== 'number' && of.type !== 'integer') throw new Refusal(operator, `of a ${of.type} and a number`);
  if (of.bits !== undefined) throw new Refusal(operator, 'of a constant and of several columns');
  if (of.isInt === true) throw new Refusal(operator, 'arithmetic of ints');
  return value.kind === 'shifted' ? value : { of, apply: (x) => x, falls: false };
}

function ofColumns({ dialect }: Scope, operator: 'add' | 'sub' | 'mult' | 'div', a: SqlValue, b: SqlValue): SqlValue {
  const areIntegers = [a, b].every(
    (value) =>
      value.kind === 'scalar' && value.isInt !== true && (value.type === 'integer' || value.bits !== undefined),
  );
  if (a.kind !== 'scalar' || b.kind !== 'scalar' || !areIntegers)
    throw new Refusal(operator, 'of two columns that are not both integers: it may overflow');
  if (operator === 'div') throw new Refusal(operator, 'a column as the divisor, which may be zero');
  const [left, right] = [a.bits ?? 63, b.bits ?? 63];
  const bits = operator === 'mult' ? left + right : Math.max(left, right) + 1;
  if (bits > 1000) throw new Refusal(operator, 'of too many columns: it may overflow');
  const symbol = operator === 'add' ? '+' : operator === 'sub' ? '-' : '*';
  return scalar(
    'number',
    sql`(${asDouble(a, dialect.real)} ${symbol} ${asDouble(b, dialect.real)})`,
    dialect.computed,
    { bits },
  );
}

/**
 * Where results pass, if only the smaller results do: up to the last column value whose result passes (or from the
 * first, if the function decreases).
 */
function bound(scope: Scope, value: Shifted, passes: (result: number) => boolean): Sql {
  const last = value.falls ? undefined : lastThat((x) => passes(value.apply(x)));
  if (!value.falls) return last === undefined ? NEVER : limit(scope, value.of, '<=', last);
  const first = lastThat((x) => passes(value.apply(-x)));
  return first === undefined ? NEVER : limit(scope, value.of, '>=', -first);
}

/** The complement of `bound`. */
function above(scope: Scope, value: Shifted, fails: (result: number) => boolean): Sql {
  const last = lastThat((x) => fails(value.apply(value.falls ? -x : x)));
  if (last === undefined) return sql`${value.of.sql} IS NOT NULL`;
  return limit(scope, value.of, value.falls ? '<' : '>', value.falls ? -last : last);
}

/** Not every database takes an infinite number as a parameter. */
function limit(scope: Scope, column: Scalar, operator: Order, constant: number): Sql {
  if (Number.isFinite(constant)) return compareNumber(scope, column, operator, constant);
  const largest = constant > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
  const isInside = constant > 0 ? operator === '<' || operator === '<=' : operator === '>' || operator === '>=';
  const hasEnd = operator === '<=' || operator === '>=';
  if (isInside)
    return hasEnd ? sql`${column.sql} IS NOT NULL` : compareNumber(scope, column, constant > 0 ? '<=' : '>=', largest);
  return hasEnd ? compareNumber(scope, column, constant > 0 ? '>' : '<', largest) : NEVER;
}
