import { allOf, ALWAYS, NEVER, sql, type Sql } from './fragment.js';
import { columnName, columnValue, identifier, type Scope, textConstant } from './scope.js';
import type { SqlRelation, SqlRowFilter } from './table.js';
import type { SqlValue } from './value.js';

/** The element that a related row is, and whether it is one. */
export function readElement(
  scope: Scope,
  { value, columns = {} }: SqlRelation,
  alias: string,
): { readonly element: SqlValue; readonly isThere: Sql } {
  if (value === undefined) return { element: { kind: 'row', alias, columns, path: '' }, isThere: ALWAYS };
  return {
    element: columnValue(scope, value, alias),
    isThere:
      (value.null ?? 'missing') === 'missing' ? sql`${columnName(scope, value.column, alias)} IS NOT NULL` : ALWAYS,
  };
}

/** The other table. */
export function related({ dialect }: Scope, { table }: SqlRelation, alias: string): Sql {
  return sql`${identifier(table, dialect)} AS ${alias}`;
}

/** Which of its rows are related to a row. */
export function matching(scope: Scope, relation: SqlRelation, owner: string | undefined, alias: string): Sql {
  const pairs = Object.entries(relation.on);
  if (pairs.length === 0) throw new TypeError('a relation needs a column in `on`');
  return allOf(
    ...pairs.map(([theirs, ours]) => sql`${columnName(scope, theirs, alias)} = ${columnName(scope, ours, owner)}`),
    counting(scope, relation, alias),
    scope.dialect.perRow,
  );
}

/** Which rows of a table count: of another table, or of that of the statement without an alias. */
export function counting(
  scope: Scope,
  { where = {} }: { readonly where?: SqlRowFilter | undefined },
  alias: string | undefined,
): Sql {
  return allOf(
    ...Object.entries(where).map(([column, value]) => counts(scope, columnName(scope, column, alias), value)),
  );
}

/** Whether a column has the value of the rows that count. */
function counts(scope: Scope, column: Sql, value: string | number | boolean | null): Sql {
  const { dialect } = scope;
  switch (typeof value) {
    case 'string': {
      const constant = textConstant(scope, 'filter', value);
      if (constant === undefined) return NEVER;
      // A collation of MySQL treats more strings as equal.
      const isSame = sql`${column} = ${constant}`;
      return dialect.name === 'mysql'
        ? allOf(isSame, sql`${dialect.byBytes(column)} = ${dialect.byBytes(constant)}`)
        : isSame;
    }
    case 'number':
      return sql`${column} = ${dialect.constant(value, Number.isSafeInteger(value) ? 'integer' : 'number')}`;
    case 'boolean':
      return value ? dialect.isTrue(column) : dialect.isFalse(column);
    default:
      return sql`${column} IS NULL`;
  }
}
