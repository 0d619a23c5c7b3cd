import type { Items } from './dialect.js';
import { isAbove, isReached } from './closures.js';
import { allOf, ALWAYS, listed, NEVER, sql, type Sql, unless } from './fragment.js';
import { isReadByKeys, readKeys, type RelatedRange, requireAllRows } from './key-sets.js';
import { Refusal } from './refusal.js';
import { counting, readElement, matching, related } from './related-table.js';
import { columnName, columnValue, type Joins, type Scope } from './scope.js';
import { byKeys, type KeyedRows } from './semi-joins.js';
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
  if (joins.own.some(({ relation, owner }) => isReadByKeys(scope, relation, owner)))
    return joinedKeys(scope, joins, condition);
  const keyed = joinedByKey(scope, joins, condition);
  if (keyed !== undefined) return keyed;
  const tables = joins.own.map(({ relation, alias }) => related(scope, relation, alias));
  const matches = joins.own.map(({ relation, owner, alias }) => matching(scope, relation, owner, alias));
  const areSingle = joins.own.map(({ relation, owner }) => isSingle(scope, relation, owner));
  return scope.dialect.exists(listed(tables), allOf(...matches, ...areSingle, condition));
}

/** A condition on one row, which is not the one of the resource, by the keys of the rows for which it holds. */
function joinedByKey(scope: Scope, { own }: Joins, condition: Sql): Sql | undefined {
  const [join, ...others] = own;
  const [pair, ...pairs] = Object.entries(join?.relation.on ?? {});
  if (join === undefined || pair === undefined || others.length > 0 || pairs.length > 0) return undefined;
  const { relation, owner, alias } = join;
  if (owner !== undefined || relation.unique !== true) return undefined;
  const key = {
    alias,
    theirs: columnName(scope, pair[0], alias),
    ours: columnName(scope, pair[1], owner),
    where: counting(scope, relation, alias),
  };
  return byKeys(scope, { from: related(scope, relation, alias), key }, () => condition);
}

/** Such a condition, by the keys of the rows for which it holds. */
function joinedKeys(scope: Scope, { own }: Joins, condition: Sql): Sql {
  const [root, ...others] = own.filter(({ owner }) => owner === undefined);
  if (root === undefined || others.length > 0)
    throw new Refusal('relation', 'rows of several tables, of which a policy sees only some');
  const inner = own.filter((join) => join !== root);
  const range = rangeOf(scope, root.relation, root.alias);
  const tables = [range.from, ...inner.map(({ relation, alias }) => related(scope, relation, alias))];
  const matches = inner.map(({ relation, owner, alias }) => matching(scope, relation, owner, alias));
  const areSingle = own.map(({ relation, owner }) => isSingle(scope, relation, owner));
  return readKeys(scope, { ...range, from: listed(tables) }, allOf(...matches, ...areSingle, condition));
}

/** The rows of another table that are related to the resource. */
function rangeOf(scope: Scope, relation: SqlRelation, alias: string): RelatedRange {
  return {
    relation,
    alias,
    from: related(scope, relation, alias),
    pairs: Object.entries(relation.on).map(([theirs, ours]) => ({
      theirs: columnName(scope, theirs, alias),
      ours: columnName(scope, ours, undefined),
    })),
    counting: counting(scope, relation, alias),
  };
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
  const isThere = isReadByKeys(scope, relation, owner)
    ? readKeys(scope, rangeOf(scope, relation, alias), ALWAYS)
    : scope.dialect.exists(related(scope, relation, alias), matching(scope, relation, owner, alias));
  return outcome ? allOf(isThere, isSingle(scope, relation, owner)) : unless(isThere);
}

/** The elements of a list of related rows. */
export function itemsOfRows(scope: Scope, rows: RelatedRows): RelatedItems {
  const { relation, owner } = rows;
  const alias = scope.statement.alias();
  const { element, isThere } = readElement(scope, relation, alias);
  if (isReached(rows))
    return { from: related(scope, relation, alias), where: allOf(isAbove(scope, rows, alias), isThere), element };
  const [pair, ...others] = Object.entries(relation.on);
  return {
    from: related(scope, relation, alias),
    where: allOf(matching(scope, relation, owner, alias), isThere),
    element,
    ...(isReadByKeys(scope, relation, owner) && { range: rangeWhere(scope, relation, alias, isThere) }),
    ...(pair !== undefined &&
      others.length === 0 &&
      owner === undefined && {
        key: {
          alias,
          theirs: columnName(scope, pair[0], alias),
          ours: columnName(scope, pair[1], owner),
          where: allOf(counting(scope, relation, alias), isThere),
        },
      }),
  };
}

function rangeWhere(scope: Scope, relation: SqlRelation, alias: string, isThere: Sql): RelatedRange {
  const range = rangeOf(scope, relation, alias);
  return { ...range, counting: allOf(range.counting, isThere) };
}

/** Like the items of a document, of a table. */
export interface RelatedItems extends Pick<Items, 'from'>, KeyedRows {
  /** Which of its rows. */
  readonly where: Sql;
  readonly element: SqlValue;
  /** If the statement reads them by sets of keys. */
  readonly range?: RelatedRange;
}

/** The number of related rows. */
export function countOfRows(scope: Scope, rows: RelatedRows): Sql {
  requireAllRows(scope, rows, 'the number of rows');
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
