import * as cel from '../../../packages/cel/runtime/index.js';
import { type Operand, matchOperands, sameOperand } from '../operand.js';
import { isNull, notNull, readable } from './comparisons.js';
import { ALWAYS, allOf, anyOf, NEVER, sql, type Sql, unless } from './fragment.js';
import { Refusal } from './refusal.js';
import { jsonAs, type Scope } from './scope.js';
import type { JsonType, Scalar, SqlValue } from './value.js';

/** A test of a value's type: `type(x) == string`, or `x - math.floor(x) == 0` for an integer. */
export interface TypeTest {
  readonly of: Operand;
  /** A type of CEL, or `integer`. */
  readonly type: string;
}

/** The type test that an equality expresses; undefined for any other equality. */
export function readTypeTest(a: Operand, b: Operand): TypeTest | undefined {
  const [typed] = matchOperands(a, 'type') ?? [];
  if (typed !== undefined && 'variable' in b && Object.hasOwn(TYPES, b.variable))
    return { of: typed, type: b.variable };
  const [value, floor] = matchOperands(a, 'sub') ?? [];
  const [floored] = floor === undefined ? [] : (matchOperands(floor, 'math.floor') ?? []);
  const isWhole =
    value !== undefined && floored !== undefined && sameOperand(value, floored) && 'value' in b && b.value === 0;
  return isWhole ? { of: value, type: 'integer' } : undefined;
}

/**
 * Where a value has a type, or where it is present and has another. The type of a column determines it, except for
 * NULL.
 */
export function hasType(scope: Scope, value: SqlValue, type: string, outcome: boolean): Sql {
  if (type === 'integer') return isInteger(scope, value, outcome);
  switch (value.kind) {
    case 'constant':
      return (cel.equals(cel.typeOf(value.value as cel.Value), cel.typeValue(type)) === true) === outcome
        ? ALWAYS
        : NEVER;
    case 'scalar':
      return scalarHasType(scope, value, type, outcome);
    case 'json': {
      const named = TYPES[type] as JsonType;
      return outcome ? scope.dialect.hasType(value, named) : scope.dialect.isOtherThan(value, named);
    }
    case 'row':
    case 'rows':
      return (TYPES[type] === (value.kind === 'row' ? 'object' : 'array')) === outcome ? ALWAYS : NEVER;
    case 'failed':
      return NEVER;
    case 'moment':
    case 'shifted':
      throw new Refusal('type', 'of a computed value');
  }
}

/** The types of attributes, and their names in documents. */
const TYPES: { readonly [type: string]: JsonType } = {
  string: 'text',
  double: 'number',
  bool: 'boolean',
  null_type: 'null',
  list: 'array',
  map: 'object',
};

function scalarHasType(scope: Scope, value: Scalar, type: string, outcome: boolean): Sql {
  if (value.isInt === true || value.isUnread === false) throw new Refusal('type', 'of a computed value');
  const isOfNull = isNull(scope, value);
  const isOther = allOf(readable(scope, value), notNull(scope, value));
  if (type === 'null_type') return outcome ? isOfNull : isOther;
  const isOfType = TYPES[type] === JSON_TYPES[value.type];
  if (outcome) return isOfType ? isOther : NEVER;
  return isOfType ? isOfNull : readable(scope, value);
}

const JSON_TYPES: { readonly [type in Scalar['type']]: JsonType } = {
  text: 'text',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  timestamp: 'text',
};

/** Only numbers have a floor. */
function isInteger(scope: Scope, value: SqlValue, outcome: boolean): Sql {
  switch (value.kind) {
    case 'constant':
      return typeof value.value === 'number' && Number.isInteger(value.value) === outcome ? ALWAYS : NEVER;
    case 'scalar': {
      const isOther = allOf(readable(scope, value), notNull(scope, value));
      if (value.type === 'integer') return outcome ? isOther : NEVER;
      if (value.type !== 'number') return NEVER;
      return outcome ? isWhole(scope, value.sql) : allOf(isOther, unless(isWhole(scope, value.sql)));
    }
    case 'json':
      return isInteger(scope, jsonAs(scope, value, 'number'), outcome);
    case 'moment':
    case 'row':
    case 'rows':
    case 'failed':
      return NEVER;
    case 'shifted':
      throw new Refusal('math.floor', 'of a computed value');
  }
}

/**
 * Beyond 2^53 every double is an integer, but SQLite integers cannot hold all of them; infinity and NaN are not
 * integers.
 */
function isWhole({ dialect }: Scope, number: Sql): Sql {
  switch (dialect.name) {
    case 'mysql':
      return sql`${number} = floor(${number})`;
    case 'postgresql':
      return allOf(sql`${number} = floor(${number})`, sql`abs(${number}) < 'Infinity'`);
    case 'sqlite':
      return allOf(
        anyOf(sql`${number} = CAST(${number} AS INTEGER)`, sql`abs(${number}) >= 9007199254740992.0`),
        sql`abs(${number}) < 9e999`,
      );
  }
}
