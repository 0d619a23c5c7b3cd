import { quotedName, quotedPart } from '../../analysis/sql-names.js';
import type { TablePolicy, TableProtection } from '../../analysis/rls/protection.js';
import { LOCAL_SEARCH_PATH } from '../../analysis/rls/search-path.js';
import type { CatalogueTable } from './catalogue.js';
import { isConstantText } from './constant-text.js';
import { type Connection, INSUFFICIENT_PRIVILEGE, rolledBack, selectJson } from './database.js';
import { RUN_SCRIPT } from './finding.js';

/** The conditions of a policy as PostgreSQL prints them; null if there is none. */
export interface PolicyTexts {
  readonly using: string | null;
  readonly check: string | null;
}

/** Why a policy cannot be created to print it. */
export interface Unprinted {
  readonly reason: string;
  /** What has to be done first; undefined if the policy itself is the reason. */
  readonly fix?: string;
}

/** What policies should be in a database, as PostgreSQL prints it. */
export interface ExpectedTexts {
  /** The texts by table and policy. */
  readonly policies: ReadonlyMap<string, PolicyTexts | Unprinted>;
  /** Whether a condition is true; absent for conditions that read anything. */
  readonly constants: ReadonlyMap<string, boolean>;
}

/** The key of a policy in `ExpectedTexts.policies`. */
export function policyKey(table: string, policy: string): string {
  return `${policy} on ${table}`;
}

/**
 * Has PostgreSQL print the expected policies as it prints those that it has: they are created on a temporary table with
 * the same name and columns, in a transaction that is rolled back. Also evaluates the conditions that are constants.
 *
 * @param tables those that exist.
 */
export function expectedTexts(
  connection: Connection,
  protections: readonly TableProtection[],
  tables: readonly CatalogueTable[],
): Promise<ExpectedTexts> {
  return rolledBack(connection, 'BEGIN', async () => {
    await connection.query(LOCAL_SEARCH_PATH);
    const policies = new Map<string, PolicyTexts | Unprinted>();
    for (const protection of protections)
      if (tables.some(({ name }) => name === protection.name)) await printTable(connection, protection, policies);
    return { policies, constants: await evaluateConstants(connection, tables) };
  });
}

async function printTable(
  connection: Connection,
  { name, policies }: TableProtection,
  texts: Map<string, PolicyTexts | Unprinted>,
): Promise<void> {
  // Sub-selects name the columns of the table by its name.
  const copy = `pg_temp.${quotedName(name.split('.').at(-1) as string)}`;
  await connection.query('SAVEPOINT tried');
  try {
    await connection.query(`CREATE TEMP TABLE ${copy} (LIKE ${quotedName(name)})`);
    for (const policy of policies)
      texts.set(policyKey(name, policy.name), await printPolicy(connection, copy, name, policy));
  } catch (error) {
    await connection.query('ROLLBACK TO tried');
    const unprinted = await explainFailure(connection, error, name);
    for (const policy of policies) texts.set(policyKey(name, policy.name), unprinted);
  }
  await connection.query('ROLLBACK TO tried');
}

async function printPolicy(
  connection: Connection,
  copy: string,
  table: string,
  { name, command, using, check }: TablePolicy,
): Promise<PolicyTexts | Unprinted> {
  await connection.query('SAVEPOINT each');
  try {
    const clauses = `${using === undefined ? '' : ` USING (${using})`}${check === undefined ? '' : ` WITH CHECK (${check})`}`;
    await connection.query(`CREATE POLICY ${quotedPart(name)} ON ${copy} FOR ${command.toUpperCase()}${clauses}`);
    const [printed] = await selectJson<PolicyTexts>(
      connection,
      `SELECT pg_get_expr(polqual, polrelid) AS using, pg_get_expr(polwithcheck, polrelid) AS check
       FROM pg_policy WHERE polrelid = '${copy.replaceAll("'", "''")}'::regclass AND polname = $1::jsonb ->> 0`,
      [name],
    );
    return printed ?? { reason: 'it was not created' };
  } catch (error) {
    await connection.query('ROLLBACK TO each');
    return explainFailure(connection, error, table);
  }
}

/** The privileges that printing a policy takes, as statements that grant those that the role lacks. */
const MISSING_GRANTS = `
SELECT CASE WHEN NOT has_database_privilege(current_database(), 'TEMPORARY')
    THEN format('GRANT TEMPORARY ON DATABASE %I TO %I;', current_database(), current_user) END AS temporary,
  CASE WHEN NOT has_table_privilege($1::jsonb ->> 0, 'SELECT')
    THEN format('GRANT SELECT ON %s TO %I;', $1::jsonb ->> 0, current_user) END AS read,
  CASE WHEN NOT has_schema_privilege(to_regnamespace('authz')::oid, 'USAGE')
    THEN format('GRANT USAGE ON SCHEMA authz TO %I;', current_user) END AS functions`;

/** Says why a policy cannot be created: often nothing is wrong with the one that the database has. */
async function explainFailure(connection: Connection, error: unknown, table: string): Promise<Unprinted> {
  const { message: reason, code = '' } = error as Error & { readonly code?: string };
  if (UNDEFINED.has(code)) return { reason, fix: RUN_SCRIPT };
  if (code !== INSUFFICIENT_PRIVILEGE) return { reason };
  const [lacking = {}] = await selectJson<{ readonly [what: string]: string | null }>(connection, MISSING_GRANTS, [
    quotedName(table),
  ]);
  const grants = Object.values(lacking).filter((grant) => grant !== null);
  return { reason, ...(grants.length > 0 && { fix: grants.join('\n') }) };
}

/** An undefined schema or function: the script has not been run, or is another one. */
const UNDEFINED: ReadonlySet<string> = new Set(['3F000', '42883']);

async function evaluateConstants(
  connection: Connection,
  tables: readonly CatalogueTable[],
): Promise<ReadonlyMap<string, boolean>> {
  const texts = tables.flatMap(({ policies }) => policies.flatMap(({ using, check }) => [using, check]));
  const values = new Map<string, boolean>();
  for (const text of new Set(texts)) {
    if (text === null || !isConstantText(text)) continue;
    await connection.query('SAVEPOINT tried');
    try {
      const [row] = await selectJson<{ readonly value: boolean }>(connection, `SELECT (${text}) IS TRUE AS value`);
      if (row !== undefined) values.set(text, row.value);
    } catch {
      // A constant that fails to be evaluated fails the statements that the policy is for.
    }
    await connection.query('ROLLBACK TO tried');
  }
  return values;
}
