/** Sources of facts that read the rows of a table, for clients without a query builder, or ask a server. */
import type { FactSource, RowLock } from '../../runtime/facts/index.js';
import type { SqlDialect, SqlTable } from '../../runtime/residual/sql/index.js';
import { columnSource, type FactsOf, mappedReaders, requireId } from './column-source.js';
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
  const { name, dialect, columns, id } = table;
  const mapping: Mapping<string> = { dialect, attributes: columns as Mapping<string>['attributes'], ...(id && { id }) };
  const stored = tableNamed(name, 'SQL');
  const readers = mappedReaders(mapping, stored, (other) => tableNamed(other, 'SQL'));
  return columnSource(options, readers, requireId(mapping, name), async (names, key, keys, tx, lock) => {
    const list = names.map((column) => quote(column, dialect)).join(', ');
    const where = `${quote(key, dialect)} ${dialect === 'postgresql' ? '= ANY($1)' : `IN (${keys.map(() => '?').join(', ')})`}`;
    const text = `SELECT ${list} FROM ${name
      .split('.')
      .map((part) => quote(part, dialect))
      .join('.')} WHERE ${where}${lockText(lock, quote(key, dialect), dialect)}`;
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

function quote(name: string, dialect: SqlDialect): string {
  const mark = dialect === 'mysql' ? '`' : '"';
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;
}
