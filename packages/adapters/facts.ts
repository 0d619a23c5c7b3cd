/** Sources of facts that read the rows of a table, for clients without a query builder, or ask a server. */
import type { FactSource, RowLock } from '../../runtime/facts/index.js';
import type { SqlDialect, SqlTable } from '../../runtime/residual/sql/index.js';
import { columnSource, type FactsOf, mappedReaders, quoteName, quotePath, requireId } from './column-source.js';
import { type Mapping, tableNamed } from './condition.js';

export type { FactsOf } from './column-source.js';
export { httpFacts, type HttpFactsOptions } from './facts-http.js';

/** Runs a statement, in the transaction of the caller if there is one. */
export type RunQuery = (
  text: string,
  parameters: readonly unknown[],
  tx: unknown,
) => PromiseLike<readonly object[] | { readonly rows: readonly object[] }>;

/**
 * Creates a source of facts from a table of a file of tables, for a client without a query builder.
 *
 * @example
 * import { sqlFacts } from 'authz/adapters/facts';
 * import { createFactsEngine } from 'authz/facts';
 * import { policies } from './dist/policies.js';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * await pool.query("CREATE TABLE pg_albums AS SELECT 'a1' AS id, 'ann' AS owner_id, 'OPEN' AS status");
 *
 * const source = sqlFacts(
 *   (text, parameters, tx) => ((tx ?? pool) as typeof pool).query(text, [...parameters]),
 *   {
 *     name: 'pg_albums',
 *     dialect: 'postgresql',
 *     id: { column: 'id', type: 'text' },
 *     columns: { owner: { column: 'owner_id', type: 'text' }, status: { column: 'status', type: 'text' } },
 *   },
 *   { of: 'album' },
 * );
 * const authz = createFactsEngine(policies, { sources: [source] });
 * const principal = { id: 'ann', roles: ['user'] };
 * const { allowed } = await authz.decide({ principal, resource: { kind: 'album', id: 'a1' }, action: 'edit' });
 * console.log(allowed); // => true
 * await pool.end();
 *
 * @param run runs a statement and returns its rows: `(text, parameters, tx) => (tx ?? pool).query(text, parameters)`.
 */
export function sqlFacts(
  run: RunQuery,
  table: SqlTable & { readonly dialect: SqlDialect },
  options: FactsOf,
): FactSource {
  const { name, dialect } = table;
  const own = name.split('.').at(-1) as string;
  const columns = Object.fromEntries(
    Object.entries(table.columns).map(([path, column]) => [
      path,
      'relation' in column ? column : { ...column, column: ownColumn(column.column, name) },
    ]),
  );
  const id = table.id && { ...table.id, column: ownColumn(table.id.column, name) };
  const mapping: Mapping<string> = { dialect, attributes: columns as Mapping<string>['attributes'], ...(id && { id }) };
  const stored = tableNamed(name, 'SQL');
  const readers = mappedReaders(mapping, stored, (other) => tableNamed(other, 'SQL'));
  return columnSource(options, readers, requireId(mapping, name), async (names, key, keys, tx, lock) => {
    // With the table: SQLite takes the quoted name of a column that it does not know for a string.
    const columnOf = (column: string): string => `${quoteName(own, dialect)}.${quoteName(column, dialect)}`;
    const list = names.map(columnOf).join(', ');
    const where = `${columnOf(key)} ${dialect === 'postgresql' ? '= ANY($1)' : `IN (${keys.map(() => '?').join(', ')})`}`;
    const text = `SELECT ${list} FROM ${quotePath(name, dialect)} WHERE ${where}${lockText(lock, columnOf(key), dialect)}`;
    const answer = await run(text, dialect === 'postgresql' ? [keys] : keys, tx);
    return 'rows' in answer ? answer.rows : answer;
  });
}

/**
 * Every version of MySQL and MariaDB knows `LOCK IN SHARE MODE`. In SQLite a transaction cannot write if another one has
 * written since it read.
 */
function lockText(lock: RowLock | undefined, key: string, dialect: SqlDialect): string {
  if (lock === undefined || dialect === 'sqlite') return '';
  const share = dialect === 'mysql' ? 'LOCK IN SHARE MODE' : 'FOR SHARE';
  return ` ORDER BY ${key} ${lock === 'share' ? share : 'FOR UPDATE'}`;
}

/** The name of a column without that of its table. */
function ownColumn(column: string, table: string): string {
  const end = column.lastIndexOf('.');
  const of = column.slice(0, Math.max(0, end));
  if (end === -1 || of === table || table.endsWith(`.${of}`)) return column.slice(end + 1);
  throw new TypeError(`\`${column}\` is not a column of \`${table}\``);
}
