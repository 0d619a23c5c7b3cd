import { isRelation, type SqlColumn, type SqlTable } from '../../../runtime/residual/sql/table.js';
import { quotedName } from '../../analysis/sql-names.js';
import { type Connection, selectJson } from './database.js';

/** A row as a check receives it. */
export interface StoredRow {
  /** Where the row is stored, which identifies it within a transaction. */
  readonly key: string;
  readonly id: string;
  readonly attr: { readonly [name: string]: unknown };
  /** What its column of the scope has; empty without one. */
  readonly scope: string;
}

/**
 * Rows of a table as checks receive them. Rows with a value that JSON does not have, such as NaN, are left out.
 *
 * @param scope the column with the scope of each row; a row without one is left out.
 * @returns undefined for a table with attributes in other tables, which are not read.
 */
export async function readRows(
  connection: Connection,
  { name, id, columns }: SqlTable,
  limit: number,
  scope?: string,
): Promise<readonly StoredRow[] | undefined> {
  const stored = Object.entries(columns);
  const own = stored.flatMap(([path, column]) => (isRelation(column) ? [] : [{ path, column }]));
  if (own.length < stored.length) return undefined;
  const read = [...own.map(({ column }) => column), ...(id === undefined ? [] : [id])];
  const expressions = [...read.map(formatExpression), ...(scope === undefined ? [] : [`${quotedName(scope)}::text`])];
  const list = expressions.map((expression, position) => `to_jsonb(${expression}) AS c${position}`).join(', ');
  const rows = await selectJson<{ readonly [name: string]: unknown; readonly key: string }>(
    connection,
    `SELECT ${ROW_KEY} AS key${list === '' ? '' : `, ${list}`} FROM ${quotedName(name)} LIMIT ${limit}`,
  );
  return rows.flatMap((row) => {
    const attr: { [name: string]: unknown } = {};
    for (const [position, { path, column }] of own.entries()) {
      const value = readValue(column, row[`c${position}`]);
      if (value === UNREADABLE) return [];
      if (value !== undefined) assign(attr, path.split('.'), value);
    }
    const place = scope === undefined ? '' : row[`c${read.length}`];
    if (typeof place !== 'string') return [];
    return [{ key: row.key, id: id === undefined ? row.key : String(row[`c${own.length}`]), attr, scope: place }];
  });
}

/** The place of a row; partitions have places of their own. */
export const ROW_KEY = `tableoid::text || ctid::text`;

const UNREADABLE = Symbol('unreadable');

function formatExpression({ column, type }: SqlColumn): string {
  const name = quotedName(column.split('.').at(-1) as string);
  return type === 'integer-as-text' || type === 'text' ? `${name}::text` : name;
}

function readValue({ type, null: nulls, precision }: SqlColumn, value: unknown): unknown {
  if (value === null || value === undefined) return nulls === 'null' ? null : undefined;
  switch (type) {
    case 'integer':
    case 'number':
    case 'decimal':
      return typeof value === 'number' ? value : UNREADABLE;
    case 'epoch-seconds':
      return new Date(Number(value) * 1000).toISOString();
    case 'epoch-milliseconds':
      return new Date(Number(value)).toISOString();
    case 'timestamp':
      return readTime(String(value), precision);
    default:
      return value;
  }
}

/** RFC 3339 of a timestamp as JSON has it in UTC. */
function readTime(text: string, precision: SqlColumn['precision']): unknown {
  const [, time = '', fraction = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(?:\+00:00)?$/.exec(text) ?? [];
  return time === '' ? UNREADABLE : `${time}${precision === 3 ? fraction.slice(0, 4) : fraction}Z`;
}

function assign(target: { [name: string]: unknown }, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[name] = value;
  else {
    target[name] ??= {};
    assign(target[name] as { [name: string]: unknown }, rest, value);
  }
}
