import type { Items } from './dialect.js';
import { allOf, ALWAYS, listed, NEVER, sql, type Sql, unless } from './fragment.js';
import { Refusal } from './refusal.js';
import { columnName, columnValue, identifier, type Joins, type Scope } from './scope.js';
import { isRelation, type SqlColumn, type SqlColumns, type SqlRelation } from './table.js';
import type { RelatedRow, RelatedRows, SqlValue } from './value.js';

/**
 * A condition and the related rows that it reads. Where one does not exist, the attribute is missing, and the condition
 * is neither true nor false; so each part of a logical operator has its own.
 */
export function whereRelated(scope: Scope, render: (inner: Scope) => Sql): Sql {
  const joins: Joins = { outer: scope.joins, own: [] };
  const condition = render({ ...scope, joins });
  if (joins.own.length === 0) return condition;
  const tables = joins.own.map(({ relation, alias }) => related(scope, relation, alias));
  const matches = joins.own.map(({ relation, owner, alias }) => matching(scope, relation, owner, alias));
  const areSingle = joins.own.map(({ relation, owner }) => isSingle(scope, relation, owner));
  return scope.dialect.exists(listed(tables), allOf(...matches, ...areSingle, condition));
}

/** The value of an attribute or a field that has a column or a relation. */
export function attributeValue(scope: Scope, stored: SqlColumn | SqlRelation, owner: string | undefined): SqlValue {
  if (!isRelation(stored)) return columnValue(scope, stored, owner);
  if (stored.relation === 'many') return { kind: 'rows', relation: stored, owner };
  return { kind: 'row', alias: joined(scope, stored, owner), columns: stored.columns ?? {}, path: '' };
}

/** A field of a related row. */
export function fieldOfRow(scope: Scope, operator: string, row: RelatedRow, name: string): SqlValue {
  const { columns, path } = fieldAt(operator, row, name);
  const stored = columnAt(columns, path);
  return stored === undefined ? { ...row, path } : attributeValue(scope, stored, row.alias);
}

/** Where a related row has a field, or where it has none. */
export function fieldPresence(
  scope: Scope,
  row: RelatedRow,
  name: string,
  outcome: boolean,
  ofColumn: (column: SqlValue) => Sql,
): Sql {
  const { columns, path } = fieldAt('has', row, name);
  const stored = columnAt(columns, path);
  if (stored === undefined) return outcome ? ALWAYS : NEVER;
  return isRelation(stored)
    ? relationPresence(scope, stored, row.alias, outcome)
    : ofColumn(columnValue(scope, stored, row.alias));
}

/** Where an attribute of a related table is present, or where it is missing. A list is always present. */
export function relationPresence(
  scope: Scope,
  relation: SqlRelation,
  owner: string | undefined,
  outcome: boolean,
): Sql {
  if (relation.relation === 'many') return outcome ? ALWAYS : NEVER;
  const alias = scope.statement.alias();
  const isThere = scope.dialect.exists(related(scope, relation, alias), matching(scope, relation, owner, alias));
  return outcome ? allOf(isThere, isSingle(scope, relation, owner)) : unless(isThere);
}

/** The elements of a list of related rows. */
export function itemsOfRows(scope: Scope, { relation, owner }: RelatedRows): RelatedItems {
  const alias = scope.statement.alias();
  const { value, columns = {} } = relation;
  const element: SqlValue =
    value === undefined ? { kind: 'row', alias, columns, path: '' } : columnValue(scope, value, alias);
  const matches = matching(scope, relation, owner, alias);
  return {
    from: related(scope, relation, alias),
    where:
      value !== undefined && (value.null ?? 'missing') === 'missing'
        ? allOf(matches, sql`${columnName(scope, value.column, alias)} IS NOT NULL`)
        : matches,
    element,
  };
}

/** Like the items of a document, of a table. */
export interface RelatedItems extends Pick<Items, 'from'> {
  /** Which of its rows. */
  readonly where: Sql;
  readonly element: SqlValue;
}

/** The number of related rows. */
export function countOfRows(scope: Scope, rows: RelatedRows): Sql {
  const { from, where } = itemsOfRows(scope, rows);
  return sql`(SELECT count(*) FROM ${from} WHERE ${where})`;
}

function columnAt(columns: SqlColumns, path: string): SqlColumn | SqlRelation | undefined {
  return Object.hasOwn(columns, path) ? columns[path] : undefined;
}

/** The path of a field. Refuses a field without a column, and one with a column whose own fields have columns too. */
function fieldAt(
  operator: string,
  { columns, path: before }: RelatedRow,
  name: string,
): Pick<RelatedRow, 'columns' | 'path'> {
  const path = before === '' ? name : `${before}.${name}`;
  const isObject = Object.keys(columns).some((other) => other.startsWith(`${path}.`));
  if (isObject === Object.hasOwn(columns, path))
    throw new Refusal(
      operator,
      `${isObject ? 'several columns are' : 'no column is'} mapped for ${path} of a related row`,
    );
  return { columns, path };
}

/** The alias of a related row, which the condition or one around it reads. */
function joined(scope: Scope, relation: SqlRelation, owner: string | undefined): string {
  for (let joins: Joins | undefined = scope.joins; joins !== undefined; joins = joins.outer) {
    const before = joins.own.find((join) => join.relation === relation && join.owner === owner);
    if (before !== undefined) return before.alias;
  }
  const alias = scope.statement.alias();
  scope.joins?.own.push({ relation, owner, alias });
  return alias;
}

function related({ dialect }: Scope, { table }: SqlRelation, alias: string): Sql {
  return sql`${identifier(table, dialect.quote)} AS ${alias}`;
}

function matching(scope: Scope, { on }: SqlRelation, owner: string | undefined, alias: string): Sql {
  const pairs = Object.entries(on);
  if (pairs.length === 0) throw new TypeError('a relation needs a column in `on`');
  return allOf(
    ...pairs.map(([theirs, ours]) => sql`${columnName(scope, theirs, alias)} = ${columnName(scope, ours, owner)}`),
    scope.dialect.perRow,
  );
}

/**
 * Whether only one row is related. Check may receive any of several: then nothing is selected. As a part of a denial,
 * a condition that holds for one of them counts.
 */
function isSingle(scope: Scope, relation: SqlRelation, owner: string | undefined): Sql {
  if (relation.unique === true) return ALWAYS;
  if (scope.isNegated === true) {
    scope.statement.guesses += 1;
    return ALWAYS;
  }
  return sql`${countOfRows(scope, { kind: 'rows', relation, owner })} = 1`;
}
