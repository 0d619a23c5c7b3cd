import type { Statement } from './statement.js';
import { item, type SqlValue, type Type } from './value.js';

/**
 * `a = b`: 1, 0, or NULL where an operand fails. Values of different types are unequal; numbers compare by value, lists
 * and maps by content.
 */
export function equal(a: SqlValue, b: SqlValue): string {
  const common = a.types.filter((type) => b.types.includes(type));
  const cases = [
    ...(common.includes('real') ? [`WHEN 'real' THEN ${numbers(a, '=', b)}`] : []),
    ...(common.includes('text') ? [`WHEN 'text' THEN ${a.value} = ${b.value}`] : []),
    ...(common.includes('array') ? [`WHEN 'array' THEN ${sameContent(a, b)}`] : []),
    ...(common.includes('object') ? [`WHEN 'object' THEN ${sameContent(a, b)}`] : []),
  ];
  const ofOneType = cases.length === 0 ? '1' : `CASE ${a.type} ${cases.join(' ')} ELSE 1 END`;
  return `CASE ${a.type} = ${b.type} WHEN 1 THEN ${ofOneType} WHEN 0 THEN 0 END`;
}

/**
 * `a < b` and the other orderings: only two numbers, two strings (by code point, which is UTF-8 order) or two booleans
 * have one.
 */
export function ordered(a: SqlValue, operator: '<' | '<=' | '>' | '>=', b: SqlValue): string {
  const cases = [
    ...(both(a, b, ['real']) ? [`WHEN ${a.type} = 'real' AND ${b.type} = 'real' THEN ${numbers(a, operator, b)}`] : []),
    ...(both(a, b, ['text'])
      ? [`WHEN ${a.type} = 'text' AND ${b.type} = 'text' THEN ${a.value} ${operator} ${b.value}`]
      : []),
    ...(both(a, b, BOOLEANS)
      ? [
          `WHEN ${a.type} IN ('true', 'false') AND ${b.type} IN ('true', 'false') THEN (${a.type} = 'true') ${operator} (${b.type} = 'true')`,
        ]
      : []),
  ];
  return cases.length === 0 ? 'NULL' : `CASE ${cases.join(' ')} END`;
}

/** `x in collection`: an equal element of a list, a key of a map. */
export function membership(statement: Statement, x: SqlValue, collection: SqlValue): string {
  const alias = statement.alias();
  const isElement = `EXISTS (SELECT 1 FROM json_each(${collection.value}) AS ${alias} WHERE ${equal(x, item(alias))})`;
  const isKey = `${x.type} = 'text' AND EXISTS (SELECT 1 FROM json_each(${collection.value}) AS ${alias} WHERE ${alias}.key = ${x.value})`;
  const cases = [
    ...(collection.types.includes('array') ? [`WHEN 'array' THEN ${isElement}`] : []),
    ...(collection.types.includes('object') ? [`WHEN 'object' THEN (${isKey})`] : []),
  ];
  return cases.length === 0
    ? 'NULL'
    : `CASE WHEN ${x.type} IS NOT NULL THEN CASE ${collection.type} ${cases.join(' ')} END END`;
}

/** Whether two lists have a common element. */
export function intersection(statement: Statement, a: SqlValue, b: SqlValue): string {
  const [left, right] = [statement.alias(), statement.alias()];
  const common = `SELECT 1 FROM json_each(${a.value}) AS ${left}, json_each(${b.value}) AS ${right} WHERE ${equal(item(left), item(right))}`;
  return ofLists(a, b, `EXISTS (${common})`);
}

/** Whether a list contains all elements of another. */
export function subset(statement: Statement, some: SqlValue, all: SqlValue): string {
  const [left, right] = [statement.alias(), statement.alias()];
  const found = `SELECT 1 FROM json_each(${all.value}) AS ${right} WHERE ${equal(item(left), item(right))}`;
  return ofLists(
    some,
    all,
    `NOT EXISTS (SELECT 1 FROM json_each(${some.value}) AS ${left} WHERE NOT EXISTS (${found}))`,
  );
}

const BOOLEANS: readonly Type[] = ['true', 'false'];

function both(a: SqlValue, b: SqlValue, types: readonly Type[]): boolean {
  return types.some((type) => a.types.includes(type)) && types.some((type) => b.types.includes(type));
}

/** NaN compares with nothing, and that is not a failure. SQL's integers would not be rounded like doubles. */
function numbers(a: SqlValue, operator: string, b: SqlValue): string {
  return `ifnull(CAST(${a.value} AS REAL) ${operator} CAST(${b.value} AS REAL), 0)`;
}

/** Two documents have the same content if they have the same leaves in the same positions. */
function sameContent(a: SqlValue, b: SqlValue): string {
  const [left, right] = [leaves(a), leaves(b)];
  return `(NOT EXISTS (${left} EXCEPT ${right}) AND NOT EXISTS (${right} EXCEPT ${left}))`;
}

function leaves({ value }: SqlValue): string {
  return `SELECT fullkey, replace(type, 'integer', 'real'), CASE WHEN type IN ('integer', 'real') THEN CAST(atom AS REAL) ELSE atom END FROM json_tree(${value})`;
}

function ofLists(a: SqlValue, b: SqlValue, condition: string): string {
  return both(a, b, ['array']) ? `CASE WHEN ${a.type} = 'array' AND ${b.type} = 'array' THEN ${condition} END` : 'NULL';
}
