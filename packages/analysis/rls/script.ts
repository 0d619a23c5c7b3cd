import { quotedText } from '../../../runtime/residual/sql/policy-condition.js';
import { quotedName, quotedPart } from '../sql-names.js';
import { roleName } from './names.js';
import { LOCAL_SEARCH_PATH, READS_ALL, SETS_SEARCH_PATH } from './search-path.js';
import { SIGNATURES } from './signatures.js';
import type {
  Helper,
  KeyFunction,
  Protection,
  Reader,
  ReadTable,
  RowFunction,
  TablePolicy,
  TableProtection,
} from './protection.js';

/**
 * What a database enforces as one transaction for PostgreSQL: helpers, the reader of related tables, and for each table its
 * grants and policies. It can be run again, over any script of before.
 */
export function securityScript(protection: Protection): string {
  const { tables, version, isWhole } = protection;
  return transaction(protection, [
    dropPolicies(isWhole ? undefined : tables),
    ...(isWhole ? [DROP_KEY_FUNCTIONS] : []),
    ...supportStatements(protection),
    ...tables.flatMap((table) => [...tableStatements(table, true), ...policyStatements(table)]),
    ...(isWhole ? [versionStatements(version)] : []),
  ]);
}

/**
 * What a library that makes the policies itself does not make: helpers, the reader of related tables, and the grants of each
 * table. It drops nothing that such policies use.
 */
export function supportScript(protection: Protection): string {
  return transaction(protection, [
    ...supportStatements(protection),
    ...protection.tables.flatMap((table) => tableStatements(table, false)),
  ]);
}

/**
 * The statements that drop the policies of tables, so that the types of columns can be changed. Row level security stays
 * on: nobody sees a row until the script is run again.
 */
export function dropScript({ tables, isWhole }: Protection): string {
  return script([
    '-- Drops the policies of authzc rls, and leaves row level security on: nobody sees a row until they are made again.',
    'BEGIN;',
    "SET LOCAL lock_timeout = '5s';",
    `${LOCAL_SEARCH_PATH};`,
    dropPolicies(isWhole ? undefined : tables),
    ...(isWhole ? [DROP_KEY_FUNCTIONS] : []),
    'COMMIT;',
  ]);
}

/** The statement that creates a policy, on its own table or on another one. */
export function policyStatement(policy: TablePolicy, table: string, roles: readonly string[]): string {
  const { name, command, using, check } = policy;
  const to = roles.map(roleName).join(', ');
  return `CREATE POLICY ${name} ON ${table} AS PERMISSIVE FOR ${command.toUpperCase()} TO ${to}${clause('USING', using)}${clause('WITH CHECK', check)};`;
}

/** The statement that creates a helper, or replaces it. */
export function helperStatement({ signature, type, body }: Helper): string {
  return [
    `CREATE OR REPLACE FUNCTION authz.${signature} RETURNS ${type}`,
    `LANGUAGE plpgsql STABLE PARALLEL SAFE ${SETS_SEARCH_PATH} AS $authz$`,
    body,
    '$authz$;',
  ].join('\n');
}

const HEADER =
  '-- Row level security, made by authzc rls. Do not edit: change the policies or the tables, and make it again.';

const OF_SETTINGS = `-- The principal of a session is what a setting says. Whoever can run any SQL can change it: this protects against
-- queries that forget a condition, not against statements that are injected.`;

const OF_SIGNATURES = `-- The principal of a session is a value with a signature: whoever can run any SQL can send the value of another one again
-- until it expires, and cannot make one. Add the key once: SELECT authz_keys.add('k1', decode('...', 'hex')).`;

/** Statements in a transaction that has the schema `authz` and its functions. */
function transaction({ isSigned, helpers, roles, reader }: Protection, statements: readonly string[]): string {
  return script([
    isSigned ? `${HEADER}\n${OF_SIGNATURES}` : `${HEADER}\n${OF_SETTINGS}`,
    'BEGIN;',
    "SET LOCAL lock_timeout = '5s';",
    'CREATE SCHEMA IF NOT EXISTS authz;',
    ...(reader === undefined ? [] : [createRole(reader.role)]),
    `REVOKE ALL ON SCHEMA authz FROM PUBLIC;\nGRANT USAGE ON SCHEMA authz TO ${listUsers({ roles, reader })};`,
    ...(isSigned ? SIGNATURES : []),
    ...helpers.map(helperStatement),
    `${LOCAL_SEARCH_PATH};`,
    ...statements,
    'COMMIT;',
  ]);
}

function supportStatements({ roles, reader }: Protection): readonly string[] {
  return [
    ...(reader === undefined ? [] : readerStatements(reader)),
    `REVOKE ALL ON ALL FUNCTIONS IN SCHEMA authz FROM PUBLIC;\nGRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA authz TO ${listUsers({ roles, reader })};`,
  ];
}

function listUsers({ roles, reader }: Pick<Protection, 'roles'> & { readonly reader: Reader | undefined }): string {
  return [...roles, ...(reader === undefined ? [] : [reader.role])].map(roleName).join(', ');
}

function script(statements: readonly string[]): string {
  return `${statements.join('\n\n')}\n`;
}

/** Drops what an earlier script made: policies are known by their comments. */
function dropPolicies(tables: readonly TableProtection[] | undefined): string {
  const own =
    tables === undefined
      ? ''
      : ` AND polrelid = ANY (ARRAY[${tables.map(({ name }) => quotedText(quotedName(name))).join(', ')}]::regclass[])`;
  return run([
    'DECLARE',
    '  each record;',
    'BEGIN',
    '  FOR each IN SELECT polname, polrelid::regclass AS own FROM pg_policy',
    `    WHERE obj_description(oid, 'pg_policy') LIKE 'authz 1 %'${own} LOOP`,
    "    EXECUTE format('DROP POLICY %I ON %s', each.polname, each.own);",
    '  END LOOP;',
    'END',
  ]);
}

/**
 * Drops the functions that read related tables, as PostgreSQL does not replace one whose type has changed. Only a member of
 * their owner may.
 */
const DROP_KEY_FUNCTIONS = run([
  'DECLARE',
  '  each record;',
  'BEGIN',
  "  FOR each IN SELECT oid::regprocedure AS own, proowner::regrole AS owner FROM pg_proc WHERE pronamespace = 'authz'::regnamespace",
  "    AND (obj_description(oid, 'pg_proc') LIKE 'authz keys of %' OR obj_description(oid, 'pg_proc') LIKE 'authz row of %') LOOP",
  "    EXECUTE format('GRANT %s TO CURRENT_USER', each.owner);",
  "    EXECUTE format('DROP FUNCTION %s', each.own);",
  '  END LOOP;',
  'END',
]);

function createRole(role: string): string {
  return run([
    'BEGIN',
    `  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = ${quotedText(role)}) THEN`,
    `    CREATE ROLE ${quotedPart(role)} NOLOGIN NOINHERIT;`,
    '  END IF;',
    'END',
  ]);
}

/** A role may only give a function to one whose member it is, and that may create in the schema. */
function readerStatements({ role, tables, functions, rowFunctions }: Reader): readonly string[] {
  const reader = quotedPart(role);
  return [
    `GRANT ${reader} TO CURRENT_USER;\nGRANT CREATE ON SCHEMA authz TO ${reader};`,
    ...tables.map((table) => readTableStatements(table, reader)),
    ...functions.map((each) => keyFunctionStatements(each, reader)),
    ...rowFunctions.map((each) => rowFunctionStatements(each, reader)),
    `REVOKE CREATE ON SCHEMA authz FROM ${reader};`,
  ];
}

function readTableStatements({ name, columns }: ReadTable, reader: string): string {
  const table = quotedName(name);
  return [
    `GRANT USAGE ON SCHEMA ${quotedPart(name.split('.')[0] as string)} TO ${reader};`,
    `GRANT SELECT (${columns.map(quotedPart).join(', ')}) ON ${table} TO ${reader};`,
    `DROP POLICY IF EXISTS authz_reader ON ${table};`,
    `CREATE POLICY authz_reader ON ${table} AS PERMISSIVE FOR SELECT TO ${reader} USING (true);`,
    `COMMENT ON POLICY authz_reader ON ${table} IS 'authz 1 reader';`,
  ].join('\n');
}

function keyFunctionStatements({ name, table, columns, query }: KeyFunction, reader: string): string {
  const typeOf = (column: string): string => `${quotedName(table)}.${quotedPart(column)}%TYPE`;
  const [only, ...others] = columns;
  const type =
    only !== undefined && others.length === 0
      ? `SETOF ${typeOf(only)}`
      : `TABLE (${columns.map((column, position) => `key${position + 1} ${typeOf(column)}`).join(', ')})`;
  return [
    `CREATE OR REPLACE FUNCTION authz.${name}() RETURNS ${type}`,
    `LANGUAGE sql STABLE SECURITY DEFINER ${READS_ALL} AS ${quotedText(query)};`,
    `ALTER FUNCTION authz.${name}() OWNER TO ${reader};`,
    `COMMENT ON FUNCTION authz.${name}() IS ${quotedText(`authz keys of ${table}`)};`,
  ].join('\n');
}

function rowFunctionStatements({ name, table, columns, query }: RowFunction, reader: string): string {
  const types = columns.map((column) => `${quotedName(table)}.${quotedPart(column)}%TYPE`).join(', ');
  return [
    `CREATE OR REPLACE FUNCTION authz.${name}(${types}) RETURNS boolean`,
    `LANGUAGE sql STABLE SECURITY DEFINER ${READS_ALL} AS ${quotedText(query)};`,
    `ALTER FUNCTION authz.${name} OWNER TO ${reader};`,
    `COMMENT ON FUNCTION authz.${name} IS ${quotedText(`authz row of ${table}`)};`,
  ].join('\n');
}

function tableStatements(
  { name, roles, frozen, policies, plain = [] }: TableProtection,
  ownsPolicies: boolean,
): readonly string[] {
  const table = quotedName(name);
  const to = roles.map(roleName).join(', ');
  const granted = policies
    .map(({ command }) => command)
    .filter((command) => command !== 'update' || frozen.length === 0);
  return [
    ...plain.map(requirePlain),
    [
      `REVOKE ALL ON ${table} FROM ${to};`,
      // Of what every role may do, policies say nothing about these.
      `REVOKE ${['TRUNCATE', 'REFERENCES', 'TRIGGER', ...(frozen.length > 0 ? ['UPDATE'] : [])].join(', ')} ON ${table} FROM PUBLIC;`,
      ...(granted.length > 0 ? [`GRANT ${granted.join(', ').toUpperCase()} ON ${table} TO ${to};`] : []),
      ...(policies.some(({ command }) => command === 'update') && frozen.length > 0
        ? [grantUpdates(table, to, frozen)]
        : []),
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`,
      ...(ownsPolicies ? policies.map(({ name: policy }) => `DROP POLICY IF EXISTS ${policy} ON ${table};`) : []),
    ].join('\n'),
  ];
}

function policyStatements({ name, roles, policies }: TableProtection): readonly string[] {
  const table = quotedName(name);
  return policies.map((policy) =>
    [
      ...policy.rules.map((rule) => `-- ${rule}`),
      policyStatement(policy, table, roles),
      `COMMENT ON POLICY ${policy.name} ON ${table} IS ${quotedText(policy.comment)};`,
    ].join('\n'),
  );
}

/** Fails if policies hide rows of a table that policies of others read themselves. */
function requirePlain(related: string): string {
  return run([
    'BEGIN',
    `  IF EXISTS (SELECT FROM pg_class WHERE oid = ${quotedText(quotedName(related))}::regclass AND (relrowsecurity OR relkind = 'v')) THEN`,
    `    RAISE '% is a view or has row level security, so no relation to it can have trust: plain', ${quotedText(related)};`,
    '  END IF;',
    'END',
  ]);
}

/** Grants UPDATE of all columns but those that stay as they are, and takes it back from those of an earlier script. */
function grantUpdates(table: string, to: string, frozen: readonly string[]): string {
  const own = quotedText(table);
  return run([
    'DECLARE',
    '  each text;',
    'BEGIN',
    '  FOR each IN SELECT attname FROM pg_attribute',
    `    WHERE attrelid = ${own}::regclass AND attnum > 0 AND NOT attisdropped`,
    `      AND attname NOT IN (${frozen.map(quotedText).join(', ')}) LOOP`,
    `    EXECUTE format('GRANT UPDATE (%I) ON %s TO %s', each, ${own}, ${quotedText(to)});`,
    '  END LOOP;',
    'END',
  ]);
}

/** What says which script was run last. */
function versionStatements(version: string): string {
  return [
    'CREATE TABLE IF NOT EXISTS authz.version (version text NOT NULL);',
    'REVOKE ALL ON authz.version FROM PUBLIC;',
    'DELETE FROM authz.version;',
    `INSERT INTO authz.version VALUES (${quotedText(version)});`,
  ].join('\n');
}

/** A block that is run at once. Its text is quoted, as names within it may contain any text. */
function run(lines: readonly string[]): string {
  return `DO ${quotedText(lines.join('\n'))};`;
}

/** A clause of a policy; empty without a condition. */
function clause(word: string, condition: string | undefined): string {
  return condition === undefined ? '' : ` ${word} (\n  ${condition}\n)`;
}
