import * as cel from '../../../packages/cel/runtime/index.js';
import type { Dialect } from './dialect.js';
import { allOf, ALWAYS, anyOf, compared, NEVER, sql, type Sql, unless } from './fragment.js';
import { compareMoment, isMoment, sameFormat } from './moments.js';
import { compareNumber, compareNumbers, compareShifted, type Order } from './numbers.js';
import { Refusal } from './refusal.js';
import { booleanConstant, jsonAs, negated, type Scope, textConstant } from './scope.js';
import type {
  Constant,
  Json,
  JsonType,
  RelatedRow,
  RelatedRows,
  Scalar,
  ScalarType,
  SqlValue,
  Stored,
} from './value.js';

/** Where a value is present. */
export function readable(scope: Scope, value: SqlValue): Sql {
  switch (value.kind) {
    case 'constant':
    case 'moment':
    case 'row':
    case 'rows':
      return ALWAYS;
    case 'scalar':
      if (isReadTime(value)) return orGuess(scope, [value], isMoment(scope, value));
      return value.null === 'missing' ? sql`${value.sql} IS NOT NULL` : ALWAYS;
    case 'shifted':
      // Arithmetic with null fails.
      if (value.of.mayBeNan === true && scope.isNegated !== true) return sql`${value.of.sql} < 'NaN'`;
      return value.of.null === 'never' ? ALWAYS : sql`${value.of.sql} IS NOT NULL`;
    case 'json':
      return value.isThere === true ? ALWAYS : sql`${presenceOf(value)} IS NOT NULL`;
    case 'failed':
      return NEVER;
  }
}

/** What is NULL where a document is missing. */
export function presenceOf({ type, list, column }: Json): Sql {
  return column === undefined ? (list ?? type) : type;
}

/** Where two values are equal, or where both are present and differ. Values of different types differ. */
export function equality(scope: Scope, a: SqlValue, b: SqlValue, isEqual: boolean): Sql {
  return orGuess(scope, [a, b], exactEquality(scope, a, b, isEqual));
}

function exactEquality(scope: Scope, a: SqlValue, b: SqlValue, isEqual: boolean): Sql {
  if (a.kind === 'failed' || b.kind === 'failed') return NEVER;
  if (isRelated(a) || isRelated(b)) return withRelated(scope, isRelated(a) ? b : a, isEqual);
  if (a.kind === 'constant' || a.kind === 'moment')
    return b.kind === 'constant' || b.kind === 'moment' ? ofConstants(a, b, isEqual) : equality(scope, b, a, isEqual);
  if (b.kind === 'moment') return withMoment(scope, a, b.at, isEqual);
  if (b.kind === 'constant') return withConstant(scope, a, b, isEqual);
  if (a.kind === 'json' && b.kind === 'json')
    throw new Refusal('eq', 'two values of JSON documents, whose types are not known');
  if (a.kind === 'json') return equality(scope, b, a, isEqual);
  if (a.kind === 'shifted' || b.kind === 'shifted')
    throw new Refusal('eq', 'arithmetic with a constant on one side and a column on the other');
  if (b.kind === 'json') return scalarWithJson(scope, a, b, isEqual);
  return ofScalars(scope, a, b, isEqual);
}

/**
 * Where two values have the order. Only numbers, strings, booleans and timestamps can be ordered, each among
 * themselves.
 * @param isAsked whether the filter requires this order, or requires that the opposite order does not hold, as with NaN
 * none does.
 */
export function ordering(scope: Scope, a: SqlValue, operator: Order, b: SqlValue, isAsked: boolean): Sql {
  return orGuess(scope, [a, b], exactOrdering(scope, a, operator, b, isAsked));
}

function exactOrdering(scope: Scope, a: SqlValue, operator: Order, b: SqlValue, isAsked: boolean): Sql {
  const isOrdered = renderOrder(scope, a, operator, b);
  const columns = isOrdered === NEVER ? [] : [a, b].flatMap(nanColumn);
  if (columns.length === 0) return isOrdered;
  // An application may send NaN or null to check, and null cannot be ordered: where the two results differ, the row is
  // not selected.
  if (scope.isNegated === true && !isAsked) {
    scope.statement.guesses += 1;
    return anyOf(isOrdered, ...columns.map((column) => sql`${column} = 'NaN'`));
  }
  const isBelow = a.kind === 'scalar' && b.kind === 'constant' && (operator === '<' || operator === '<=');
  return isBelow ? isOrdered : allOf(isOrdered, ...columns.map((column) => sql`${column} < 'NaN'`));
}

function nanColumn(value: SqlValue): readonly Sql[] {
  const number = value.kind === 'shifted' ? value.of : value;
  return number.kind === 'scalar' && number.mayBeNan === true ? [number.sql] : [];
}

function renderOrder(scope: Scope, a: SqlValue, operator: Order, b: SqlValue): Sql {
  if (a.kind === 'failed' || b.kind === 'failed' || isRelated(a) || isRelated(b)) return NEVER;
  if (a.kind === 'constant' || a.kind === 'moment')
    return b.kind === 'constant' || b.kind === 'moment'
      ? orderOfConstants(a, operator, b)
      : renderOrder(scope, b, MIRRORED[operator], a);
  if (b.kind === 'moment') {
    if (a.kind === 'json') return NEVER;
    return a.kind === 'scalar' && isTime(a, operator) ? compareMoment(scope, a, operator, b.at) : NEVER;
  }
  if (b.kind === 'constant') return orderWithConstant(scope, a, operator, b);
  if (a.kind === 'shifted' || b.kind === 'shifted')
    throw new Refusal(NAMES[operator], 'arithmetic with a constant on one side and a column on the other');
  if (a.kind === 'json' && b.kind === 'json')
    throw new Refusal(NAMES[operator], 'two values of JSON documents, whose types are not known');
  if (a.kind === 'json') return renderOrder(scope, b, MIRRORED[operator], a);
  const right = b.kind === 'json' ? jsonAs(scope, b, a.type) : b;
  return orderOfScalars(scope, a as Scalar, operator, right);
}

/**
 * A condition on values. Where check may read one of them and the dialect does not, a row must not be selected: there
 * the condition is true if it is negated.
 */
function orGuess(scope: Scope, values: readonly SqlValue[], condition: Sql): Sql {
  if (scope.isNegated !== true) return condition;
  const unknown = values.flatMap((value) => (value.kind === 'scalar' ? (value.isOnlyForCheck ?? []) : []));
  scope.statement.guesses += unknown.length;
  return anyOf(condition, ...unknown);
}

/** Where a value is null; as a part of a denial, also where it is NaN, which an application may send as null. */
export function isNull(scope: Scope, value: SqlValue): Sql {
  switch (value.kind) {
    case 'constant':
      return value.value === null ? ALWAYS : NEVER;
    case 'scalar': {
      const isNullColumn = value.null === 'null' ? sql`${value.sql} IS NULL` : NEVER;
      if (value.mayBeNan !== true || scope.isNegated !== true) return isNullColumn;
      scope.statement.guesses += 1;
      return anyOf(isNullColumn, sql`${value.sql} = 'NaN'`);
    }
    case 'json':
      return scope.dialect.hasType(value, 'null');
    case 'moment':
    case 'shifted':
    case 'row':
    case 'rows':
    case 'failed':
      return NEVER;
  }
}

function isRelated(value: SqlValue): value is RelatedRow | RelatedRows {
  return value.kind === 'row' || value.kind === 'rows';
}

/** Related rows compared with a value, from which they differ if it can be neither a list nor a map. */
function withRelated(scope: Scope, value: SqlValue, isEqual: boolean): Sql {
  const mayBeEqual =
    isRelated(value) ||
    value.kind === 'json' ||
    (value.kind === 'constant' && typeof value.value === 'object' && value.value !== null);
  if (mayBeEqual) throw new Refusal('eq', 'related rows compared with a list or a map');
  return isEqual ? NEVER : readable(scope, value);
}

const MIRRORED: { readonly [operator in Order]: Order } = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };
const NAMES: { readonly [operator in Order]: string } = { '<': 'lt', '<=': 'le', '>': 'gt', '>=': 'ge' };

function toCel(value: SqlValue): cel.Value {
  return value.kind === 'moment' ? value.at : ((value as Constant).value as cel.Value);
}

function ofConstants(a: SqlValue, b: SqlValue, isEqual: boolean): Sql {
  return (cel.equals(toCel(a), toCel(b)) === true) === isEqual ? ALWAYS : NEVER;
}

function orderOfConstants(a: SqlValue, operator: Order, b: SqlValue): Sql {
  const run = { '<': cel.lessThan, '<=': cel.atMost, '>': cel.greaterThan, '>=': cel.atLeast }[operator];
  return run(toCel(a), toCel(b)) === true ? ALWAYS : NEVER;
}

function withMoment(scope: Scope, a: SqlValue, at: cel.Timestamp, isEqual: boolean): Sql {
  const isRead = a.kind === 'scalar' && isTime(a, 'eq');
  if (isRead) return compareMoment(scope, a, isEqual ? '=' : '<>', at);
  return isEqual ? NEVER : readable(scope, a);
}

/**
 * Policies compare timestamps after `timestamp(...)`. A string that contains a timestamp does not equal a timestamp.
 */
function isTime({ type, isUnread }: Scalar, operator: string): boolean {
  if (type === 'timestamp' && isUnread === true)
    throw new Refusal(operator, 'a timestamp column as a string: compare it with timestamp(...)');
  return type === 'timestamp';
}

function withConstant(scope: Scope, a: SqlValue, { value }: Constant, isEqual: boolean): Sql {
  if (value === null) return isEqual ? isNull(scope, a) : allOf(readable(scope, a), notNull(scope, a));
  if (a.kind === 'json') return jsonWithConstant(scope, a, value, isEqual);
  if (a.kind === 'shifted') {
    if (typeof value !== 'number') return isEqual ? NEVER : readable(scope, a);
    const compared = compareShifted(scope, a, isEqual ? '=' : '<>', value);
    const isKnown = isEqual || scope.isNegated === true || a.of.mayBeNan !== true;
    return isKnown ? compared : allOf(compared, sql`${a.of.sql} < 'NaN'`);
  }
  return a.kind === 'scalar' ? scalarWithConstant(scope, a, value, isEqual) : NEVER;
}

/** Where a value that is present is not null. */
export function notNull(scope: Scope, value: SqlValue): Sql {
  if (value.kind === 'json') return scope.dialect.isOtherThan(value, 'null');
  if (value.kind !== 'scalar') return ALWAYS;
  if (value.mayBeNan === true && scope.isNegated !== true) return sql`${value.sql} < 'NaN'`;
  return value.null === 'null' ? sql`${value.sql} IS NOT NULL` : ALWAYS;
}

function scalarWithConstant(scope: Scope, a: Scalar, value: Constant['value'], isEqual: boolean): Sql {
  const { dialect } = scope;
  const type = typeOf(value);
  if (a.type === 'timestamp') isTime(a, 'eq');
  const isOfType = type === a.type || (type === 'number' && a.type === 'integer');
  if (!isOfType) return isEqual ? NEVER : readable(scope, a);
  const orNull = (differs: Sql): Sql => (a.null === 'null' ? anyOf(sql`${a.sql} IS NULL`, differs) : differs);
  switch (typeof value) {
    case 'string': {
      const constant = textConstant(scope, 'eq', value);
      if (constant === undefined) return isEqual ? NEVER : readable(scope, a);
      const stored = a.stored?.constant(value);
      const column = stored === undefined ? undefined : { sql: (a.stored as Stored).column, constant: stored };
      return isEqual ? sameText(scope, a, constant, column) : orNull(otherText(scope, a, constant, column));
    }
    case 'number':
      return isEqual ? compareNumber(scope, a, '=', value) : orNull(compareNumber(scope, a, '<>', value));
    default: {
      const holds = value === isEqual ? dialect.isTrue(a.sql) : dialect.isFalse(a.sql);
      return isEqual ? holds : orNull(holds);
    }
  }
}

/** A collation may treat more strings as equal than are identical, but never fewer: an index can test that first. */
function sameText(
  { dialect }: Scope,
  { sql: text, collation, null: absence }: Scalar,
  constant: Sql,
  column: Compared = { sql: text, constant },
): Sql {
  const same = compared(column.sql, '=', column.constant, absence !== 'never');
  return collation === 'other'
    ? allOf(same, sql`${dialect.byBytes(text)} = ${constantBytes(dialect, constant)}`)
    : same;
}

function otherText(
  { dialect }: Scope,
  { sql: text, collation, null: absence }: Scalar,
  constant: Sql,
  column: Compared = { sql: text, constant },
): Sql {
  if (collation !== 'other') return compared(column.sql, '<>', column.constant, absence !== 'never');
  return sql`${dialect.byBytes(text)} <> ${constantBytes(dialect, constant)}`;
}

/** What an index answers: an expression, and the constant that it is compared with. */
interface Compared {
  readonly sql: Sql;
  readonly constant: Sql;
}

/** A constant that is compared by bytes with a string. */
export function constantBytes({ name, byBytes }: Dialect, constant: Sql): Sql {
  return name === 'mysql' ? byBytes(constant) : constant;
}

function jsonWithConstant(scope: Scope, a: Json, value: Exclude<Constant['value'], null>, isEqual: boolean): Sql {
  const { dialect } = scope;
  const type = typeOf(value);
  if (typeof value === 'object') throw new Refusal('eq', 'a value of a JSON document compared with a list or a map');
  if (typeof value === 'string' && textConstant(scope, 'eq', value) === undefined)
    return isEqual ? NEVER : readable(scope, a);
  const whole = dialect.equals(a, isEqual ? '=' : '<>', value);
  if (whole !== undefined) return whole;
  const typed = jsonAs(scope, a, type as ScalarType);
  if (isEqual) return scalarWithConstant(scope, typed, value, true);
  return anyOf(dialect.isOtherThan(a, type), scalarWithConstant(scope, typed, value, false));
}

function typeOf(value: Constant['value']): JsonType {
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'array' : 'object';
  return typeof value === 'string' ? 'text' : (typeof value as 'number' | 'boolean');
}

function scalarWithJson(scope: Scope, a: Scalar, b: Json, isEqual: boolean): Sql {
  if (a.type === 'timestamp') throw new Refusal('eq', 'a timestamp compared with a value of a JSON document');
  const same = (inner: Scope): Sql =>
    anyOf(sameScalars(inner, a, jsonAs(inner, b, a.type)), allOf(isNull(inner, a), isNull(inner, b)));
  return isEqual ? same(scope) : allOf(readable(scope, a), readable(scope, b), unless(same(negated(scope))));
}

function ofScalars(scope: Scope, a: Scalar, b: Scalar, isEqual: boolean): Sql {
  const { dialect } = scope;
  if (a.type === 'timestamp' || b.type === 'timestamp')
    for (const side of [a, b])
      if (side.type === 'timestamp' && (a.type !== b.type || side.isUnread === true)) isTime(side, 'eq');
  const areComparable = a.type === b.type || (isNumber(a) && isNumber(b));
  const areSame = (inner: Scope): Sql =>
    anyOf(areComparable ? sameScalars(inner, a, b) : NEVER, allOf(isNull(inner, a), isNull(inner, b)));
  if (isEqual) return areSame(scope);
  const mayBeNull = a.null === 'null' || b.null === 'null';
  if (areComparable && !mayBeNull) return differentScalars(scope, a, b);
  // NaN and NULL are two values, but an application may send both as null.
  if (!areComparable || a.mayBeNan === true || b.mayBeNan === true)
    return allOf(readable(scope, a), readable(scope, b), unless(areSame(negated(scope))));
  const [left, right] = isNumber(a)
    ? [a.type === 'integer' ? dialect.real(a.sql) : a.sql, b.type === 'integer' ? dialect.real(b.sql) : b.sql]
    : a.type === 'text'
      ? sameBytes(scope, a, b)
      : [a.sql, b.sql];
  return allOf(readable(scope, a), readable(scope, b), dialect.differ(left, right));
}

function sameScalars(scope: Scope, a: Scalar, b: Scalar): Sql {
  if (isNumber(a) && isNumber(b)) {
    const isSame = compareNumbers(scope, a, '=', b);
    return a.mayBeNan === true && b.mayBeNan === true && scope.isNegated !== true
      ? allOf(isSame, sql`${a.sql} < 'NaN'`)
      : isSame;
  }
  if (isReadTime(a) && isReadTime(b)) {
    const [left, right] = sameFormat(scope, 'eq', a, b);
    return allOf(sql`${left} = ${right}`, readable(scope, a));
  }
  const [left, right] = a.type === 'text' ? sameBytes(scope, a, b) : [a.sql, b.sql];
  return sql`${left} = ${right}`;
}

function differentScalars(scope: Scope, a: Scalar, b: Scalar): Sql {
  if (isNumber(a) && isNumber(b)) {
    const differ = compareNumbers(scope, a, '<>', b);
    const areNan = allOf(sql`${a.sql} = 'NaN'`, sql`${b.sql} = 'NaN'`);
    return a.mayBeNan === true && b.mayBeNan === true && scope.isNegated === true ? anyOf(differ, areNan) : differ;
  }
  if (isReadTime(a) && isReadTime(b)) {
    const [left, right] = sameFormat(scope, 'ne', a, b);
    return allOf(sql`${left} <> ${right}`, readable(scope, a), readable(scope, b));
  }
  const [left, right] = a.type === 'text' ? sameBytes(scope, a, b) : [a.sql, b.sql];
  return sql`${left} <> ${right}`;
}

function isNumber({ type }: Scalar): boolean {
  return type === 'number' || type === 'integer';
}

/** Two strings, by bytes: a statement fails if their columns have different collations. */
function toBytes({ dialect }: Scope, a: Scalar, b: Scalar): readonly [Sql, Sql] {
  const isPlain = dialect.name === 'sqlite' && a.collation === 'binary' && b.collation === 'binary';
  return isPlain ? [a.sql, b.sql] : [dialect.byBytes(a.sql), dialect.byBytes(b.sql)];
}

/**
 * Two strings that are tested for equality, by bytes. A column that is compared with a value of the statement stays as
 * it is, so that its index is used: only collations that are declared as `other` treat different strings as equal.
 */
function sameBytes(scope: Scope, a: Scalar, b: Scalar): readonly [Sql, Sql] {
  const column = a.isOfStatement === true ? b : a;
  const isPlain = (a.isOfStatement === true || b.isOfStatement === true) && column.collation !== 'other';
  return isPlain ? [a.sql, b.sql] : toBytes(scope, a, b);
}

/** Whether it is a column that `timestamp(...)` has read. */
function isReadTime({ type, isUnread }: Scalar): boolean {
  return type === 'timestamp' && isUnread !== true;
}

function orderWithConstant(scope: Scope, a: SqlValue, operator: Order, { value }: Constant): Sql {
  const { dialect } = scope;
  const type = typeOf(value);
  if (type === 'null' || type === 'array' || type === 'object') return NEVER;
  if (a.kind === 'shifted') return typeof value === 'number' ? compareShifted(scope, a, operator, value) : NEVER;
  const column = a.kind === 'json' ? jsonAs(scope, a, type as ScalarType) : (a as Scalar);
  if (column.type === 'timestamp') isTime(column, NAMES[operator]);
  if (column.type !== type && !(column.type === 'integer' && type === 'number')) return NEVER;
  switch (typeof value) {
    case 'string': {
      const constant = textConstant(scope, NAMES[operator], value);
      if (constant === undefined)
        throw new Refusal(NAMES[operator], 'a string with a NUL character, which PostgreSQL does not support');
      if (column.collation === 'binary') return compared(column.sql, operator, constant, column.null !== 'never');
      return sql`${dialect.byBytes(column.sql)} ${operator} ${constantBytes(dialect, constant)}`;
    }
    case 'number':
      return compareNumber(scope, column, operator, value);
    default:
      return sql`${column.sql} ${operator} ${booleanConstant(scope, value === true)}`;
  }
}

function orderOfScalars(scope: Scope, a: Scalar, operator: Order, b: Scalar): Sql {
  for (const side of [a, b]) if (side.type === 'timestamp') isTime(side, NAMES[operator]);
  if (isNumber(a) && isNumber(b)) return compareNumbers(scope, a, operator, b);
  if (a.type !== b.type) return NEVER;
  if (isReadTime(a)) {
    const [left, right] = sameFormat(scope, NAMES[operator], a, b);
    return allOf(sql`${left} ${operator} ${right}`, readable(scope, a), readable(scope, b));
  }
  const [left, right] = a.type === 'text' ? toBytes(scope, a, b) : [a.sql, b.sql];
  return sql`${left} ${operator} ${right}`;
}
