import type { Command } from '../../../compiler/tables/row-security.js';
import { quotedText } from '../../../runtime/residual/sql/policy-condition.js';
import { quotedName, quotedPart } from '../../analysis/sql-names.js';
import type { CatalogueTable } from './catalogue.js';
import { type Connection, selectJson } from './database.js';
import { ROW_KEY } from './stored-rows.js';

/** A statement that changes rows. */
export type WritingCommand = Exclude<Command, 'select'>;

/** What became of a statement on each of some rows. */
export interface Tried {
  /** The places of the rows that it changed, or would have changed but for a constraint. */
  readonly reached: ReadonlySet<string>;
  /** The places of rows on which it failed for another reason than a policy, such as a trigger. */
  readonly failed: ReadonlySet<string>;
}

/**
 * Tries a statement on each of some rows as the principal of a session: an UPDATE that changes nothing, a DELETE, or an INSERT
 * of a copy. Each is rolled back at once. Policies are asked before constraints, so a violation of one tells that the
 * policies allow the row.
 *
 * @param keys the places of the rows.
 * @returns undefined if the statement cannot be written, as no column may be updated.
 */
export async function tryStatement(
  connection: Connection,
  table: CatalogueTable,
  { session, command, role }: { readonly session: string; readonly command: WritingCommand; readonly role: string },
  keys: readonly string[],
): Promise<Tried | undefined> {
  const statement = await makeStatement(connection, table, command, role);
  if (statement === undefined) return undefined;
  const rows =
    command === 'insert'
      ? await selectJson<{ readonly key: string }>(
          connection,
          `SELECT ${ROW_KEY} AS key, to_jsonb(stored) AS stored FROM ${quotedName(table.name)} AS stored WHERE ${ROW_KEY} IN (SELECT jsonb_array_elements_text($1::jsonb))`,
          keys,
        )
      : keys.map((key) => ({ key }));
  await connection.query('SAVEPOINT tried');
  try {
    await connection.query(
      "SELECT set_config('authz_verify.rows', $1, true), set_config('authz.principal', $2, true), set_config('role', $3, true), set_config('row_security', 'on', true)",
      [JSON.stringify(rows), session, role],
    );
    await connection.query(`DO ${quotedText(makeBlock(statement))}`);
    const [found] = await selectJson<{ readonly reached: string; readonly failed: string }>(
      connection,
      "SELECT current_setting('authz_verify.reached') AS reached, current_setting('authz_verify.failed') AS failed",
    );
    const keysIn = (text = '[]'): ReadonlySet<string> => new Set(JSON.parse(text) as string[]);
    return { reached: keysIn(found?.reached), failed: keysIn(found?.failed) };
  } finally {
    await connection.query('ROLLBACK TO tried');
  }
}

/** A statement about the row `each ->> 'key'`; undefined if the role may update no column. */
async function makeStatement(
  connection: Connection,
  { name, privileges }: CatalogueTable,
  command: WritingCommand,
  role: string,
): Promise<string | undefined> {
  const table = quotedName(name);
  const own =
    "tableoid = substring(each ->> 'key' from '^[0-9]+')::oid AND ctid = substring(each ->> 'key' from '[(].*$')::tid";
  switch (command) {
    case 'update': {
      const [column] = privileges.find((each) => each.role === role)?.updatable ?? [];
      return column && `UPDATE ${table} SET ${quotedPart(column)} = ${quotedPart(column)} WHERE ${own}`;
    }
    case 'delete':
      return `DELETE FROM ${table} WHERE ${own}`;
    case 'insert': {
      const columns = await selectJson<{ readonly name: string }>(
        connection,
        `SELECT attname AS name FROM pg_attribute WHERE attrelid = ${quotedText(table)}::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
      );
      const list = columns.map((column) => quotedPart(column.name)).join(', ');
      return `INSERT INTO ${table} (${list}) OVERRIDING SYSTEM VALUE SELECT ${list} FROM jsonb_populate_record(NULL::${table}, each -> 'stored')`;
    }
  }
}

/** Runs a statement for each row, and takes it back by an error of its own. */
function makeBlock(statement: string): string {
  return `DECLARE
  each jsonb;
  changed bigint;
  reached jsonb := '[]';
  failed jsonb := '[]';
BEGIN
  FOR each IN SELECT jsonb_array_elements(current_setting('authz_verify.rows')::jsonb) LOOP
    changed := 0;
    BEGIN
      ${statement};
      GET DIAGNOSTICS changed = ROW_COUNT;
      RAISE SQLSTATE 'AZ000';
    EXCEPTION
      WHEN SQLSTATE 'AZ000' THEN
        IF changed > 0 THEN
          reached := reached || jsonb_build_array(each -> 'key');
        END IF;
      WHEN insufficient_privilege THEN
        NULL;
      WHEN integrity_constraint_violation THEN
        reached := reached || jsonb_build_array(each -> 'key');
      WHEN OTHERS THEN
        failed := failed || jsonb_build_array(each -> 'key');
    END;
  END LOOP;
  PERFORM set_config('authz_verify.reached', reached::text, true), set_config('authz_verify.failed', failed::text, true);
END`;
}
