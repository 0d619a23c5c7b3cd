import type { FindingId } from '../../packages/cli/rls/finding.js';

/** Policies, tables and a database that agree, which faults and safe changes are made to. */
export const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: invoice
  version: default
  rules:
    - name: other-tenants
      actions: ["*"]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: "!(has(P.attr.tenant) && R.attr.tenant == P.attr.tenant)"}}
    - {name: accountants, actions: [view, create, edit, delete], effect: EFFECT_ALLOW, roles: [accountant]}
    - name: own
      actions: [view, edit]
      effect: EFFECT_ALLOW
      roles: [employee]
      condition: {match: {expr: "R.attr.author == P.id && R.attr.amount < 10000"}}
    - name: paid-is-final
      actions: [edit, delete]
      effect: EFFECT_DENY
      roles: ["*"]
      condition: {match: {expr: "R.attr.status == 'paid'"}}
`;

export const TABLES = `tables:
  invoice:
    name: public.invoices
    id: {column: id, type: text, nulls: never}
    columns:
      tenant: {column: tenant_id, type: text, nulls: never}
      author: {column: author_id, type: text, nulls: never}
      status: {column: status, type: text, nulls: never}
      amount: {column: amount, type: integer, nulls: never}
      note: {column: note, type: text}
    rls: {select: view, insert: create, update: {using: edit, check: view}, delete: delete, to: [app], frozen: [tenant_id]}
rls:
  attributes: {tenant: text}
`;

/** The tables, the rows and the roles, before the script of \`authzc rls\` is run. */
export const DATABASE = `
-- The schema of the user of the same name would be searched first.
SET search_path = public;
CREATE ROLE app; CREATE ROLE service; CREATE ROLE migrator; CREATE ROLE app_group; GRANT app_group TO app;
ALTER SCHEMA public OWNER TO migrator;
CREATE TABLE tenants (id text PRIMARY KEY);
CREATE TABLE invoices (id text PRIMARY KEY, tenant_id text NOT NULL, author_id text NOT NULL, status text NOT NULL, amount bigint NOT NULL, note text);
ALTER TABLE tenants OWNER TO migrator; ALTER TABLE invoices OWNER TO migrator;
INSERT INTO invoices SELECT 'i' || n, 't' || n % 3, 'u' || n % 4, (ARRAY['draft', 'open', 'paid'])[1 + n % 3], n * 2000, NULL FROM generate_series(1, 12) AS n;
`;

/** The conditions of the policies, which a fault changes. */
const GUARD = '(SELECT authz.is_set())';

/** Statements that make a database wrong, and the finding that says so. */
export const FAULTS: readonly (readonly [name: string, id: FindingId, statements: string])[] = [
  ['row level security is disabled', 'off', 'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY'],
  ['off and not forced', 'off', 'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY'],
  [
    'the role owns a table that is not forced',
    'not-forced',
    'ALTER TABLE invoices OWNER TO app; ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY',
  ],
  [
    'a group of the role owns a table that is not forced',
    'not-forced',
    'ALTER TABLE invoices OWNER TO app_group; ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY',
  ],
  [
    'the role is a member of the owner',
    'not-forced',
    'GRANT migrator TO app; ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY',
  ],
  ['the role owns a table that is forced', 'bypass', 'ALTER TABLE invoices OWNER TO app'],
  ['no policy for SELECT', 'missing-policy', 'DROP POLICY authz_select ON invoices'],
  ['no policy for DELETE', 'missing-policy', 'DROP POLICY authz_delete ON invoices'],
  [
    'no policy at all',
    'missing-policy',
    'DROP POLICY authz_select ON invoices; DROP POLICY authz_insert ON invoices; DROP POLICY authz_update ON invoices; DROP POLICY authz_delete ON invoices',
  ],
  ['a policy for another role', 'missing-policy', 'ALTER POLICY authz_select ON invoices TO service'],
  ['UPDATE with WITH CHECK (true)', 'missing-check', 'ALTER POLICY authz_update ON invoices WITH CHECK (true)'],
  [
    'UPDATE with a check that is a constant',
    'missing-check',
    'ALTER POLICY authz_update ON invoices WITH CHECK (1 = 1)',
  ],
  ['INSERT with WITH CHECK (true)', 'missing-check', 'ALTER POLICY authz_insert ON invoices WITH CHECK (true)'],
  [
    'UPDATE without WITH CHECK, where the actions differ',
    'missing-check',
    `DO $$ DECLARE stored text := (SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polname = 'authz_update'); BEGIN DROP POLICY authz_update ON invoices; EXECUTE format('CREATE POLICY authz_update ON invoices FOR UPDATE TO app USING (%s)', stored); END $$`,
  ],
  [
    'INSERT without WITH CHECK',
    'missing-check',
    'DROP POLICY authz_insert ON invoices; CREATE POLICY authz_insert ON invoices FOR INSERT TO app',
  ],
  ['USING (true) for SELECT', 'always-true', 'ALTER POLICY authz_select ON invoices USING (true)'],
  ['USING (1 = 1)', 'always-true', 'ALTER POLICY authz_select ON invoices USING (1 = 1)'],
  ['USING ((SELECT true))', 'always-true', 'ALTER POLICY authz_delete ON invoices USING ((SELECT true))'],
  ['USING (NOT false OR NULL)', 'always-true', 'ALTER POLICY authz_update ON invoices USING (NOT false OR NULL)'],
  ['the guard alone', 'differs', `ALTER POLICY authz_select ON invoices USING (${GUARD})`],
  [
    'without the guard',
    'differs',
    "ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')))",
  ],
  [
    'another column',
    'differs',
    `ALTER POLICY authz_select ON invoices USING (${GUARD} AND author_id = (SELECT authz.attr_text('tenant')))`,
  ],
  ['true for no row', 'differs', 'ALTER POLICY authz_select ON invoices USING (false)'],
  [
    'columns swapped by renaming',
    'differs',
    'ALTER TABLE invoices RENAME COLUMN author_id TO x; ALTER TABLE invoices RENAME COLUMN tenant_id TO author_id; ALTER TABLE invoices RENAME COLUMN x TO tenant_id',
  ],
  [
    'a check of another action',
    'differs',
    `ALTER POLICY authz_insert ON invoices WITH CHECK (${GUARD} AND (SELECT authz.has_role('employee')))`,
  ],
  [
    'the policy of another version',
    'differs',
    "ALTER POLICY authz_delete ON invoices USING ((SELECT authz.is_set()) AND status <> 'void')",
  ],
  [
    'a bare call of a helper',
    'differs',
    "ALTER POLICY authz_delete ON invoices USING (authz.is_set() AND authz.has_role('accountant'))",
  ],
  [
    'a second policy that is true',
    'extra-permissive',
    'CREATE POLICY everybody ON invoices FOR SELECT TO app USING (true)',
  ],
  ['a second policy for PUBLIC', 'extra-permissive', 'CREATE POLICY everybody ON invoices FOR SELECT USING (true)'],
  ['a second policy for ALL', 'extra-permissive', "CREATE POLICY drafts ON invoices TO app USING (status = 'draft')"],
  [
    'a second policy for a group of the role',
    'extra-permissive',
    "CREATE POLICY drafts ON invoices FOR UPDATE TO app_group USING (status = 'draft') WITH CHECK (true)",
  ],
  [
    'a second policy for INSERT',
    'extra-permissive',
    'CREATE POLICY import ON invoices FOR INSERT TO app WITH CHECK (note IS NOT NULL)',
  ],
  ['a policy for PUBLIC', 'to-public', 'ALTER POLICY authz_select ON invoices TO PUBLIC'],
  ['a policy for PUBLIC and the role', 'to-public', 'ALTER POLICY authz_update ON invoices TO PUBLIC, app'],
  ['BYPASSRLS', 'bypass', 'ALTER ROLE app BYPASSRLS'],
  ['a member of a role with BYPASSRLS', 'bypass', 'ALTER ROLE service BYPASSRLS; GRANT service TO app'],
  ['a member of a member', 'bypass', 'ALTER ROLE service BYPASSRLS; GRANT service TO app_group'],
  ['a superuser', 'superuser', 'ALTER ROLE app SUPERUSER'],
  ['a member of a superuser', 'superuser', 'ALTER ROLE service SUPERUSER; GRANT service TO app'],
  [
    'a view of a superuser',
    'view-definer',
    'CREATE VIEW totals AS SELECT tenant_id, sum(amount) FROM invoices GROUP BY 1; GRANT SELECT ON totals TO app',
  ],
  [
    'a view of a view',
    'view-definer',
    'CREATE VIEW inner_view WITH (security_invoker) AS SELECT * FROM invoices; CREATE VIEW outer_view AS SELECT * FROM inner_view; GRANT SELECT ON outer_view TO PUBLIC',
  ],
  [
    'a view with security_invoker off',
    'view-definer',
    'CREATE VIEW all_invoices WITH (security_invoker = off) AS SELECT * FROM invoices; GRANT SELECT ON all_invoices TO app_group',
  ],
  [
    'a view of the owner of a table that is not forced',
    'view-definer',
    'ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY; CREATE VIEW v AS SELECT * FROM invoices; ALTER VIEW v OWNER TO migrator; GRANT SELECT (id) ON v TO app',
  ],
  [
    'a materialized view',
    'materialized-view',
    'CREATE MATERIALIZED VIEW copies AS SELECT * FROM invoices; GRANT SELECT ON copies TO app',
  ],
  [
    'a materialized view of a view',
    'materialized-view',
    'CREATE VIEW v AS SELECT * FROM invoices; CREATE MATERIALIZED VIEW copies AS SELECT * FROM v; GRANT SELECT ON copies TO app',
  ],
  [
    'a definer function',
    'definer-function',
    "CREATE FUNCTION all_invoices() RETURNS SETOF invoices LANGUAGE sql SECURITY DEFINER AS 'SELECT * FROM invoices'",
  ],
  [
    'a definer function in plpgsql',
    'definer-function',
    "CREATE FUNCTION cleanup() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN DELETE FROM public.Invoices; END'",
  ],
  [
    'a definer function with a body of SQL',
    'definer-function',
    'CREATE FUNCTION total() RETURNS numeric LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT sum(amount) FROM invoices; END',
  ],
  ['a child', 'child-unprotected', 'CREATE TABLE archived () INHERITS (invoices); GRANT SELECT ON archived TO app'],
  [
    'a child of a child',
    'child-unprotected',
    'CREATE TABLE archived () INHERITS (invoices); CREATE TABLE old () INHERITS (archived); GRANT DELETE ON old TO app',
  ],
  [
    'a parent',
    'child-unprotected',
    'CREATE TABLE papers (id text); GRANT SELECT ON papers TO app; ALTER TABLE papers OWNER TO migrator; ALTER TABLE invoices INHERIT papers',
  ],
  ['TRUNCATE', 'truncate-granted', 'GRANT TRUNCATE ON invoices TO app'],
  ['everything', 'truncate-granted', 'GRANT ALL ON invoices TO app'],
  ['TRIGGER to PUBLIC', 'truncate-granted', 'GRANT TRIGGER ON invoices TO PUBLIC'],
  ['a frozen column', 'frozen-column-granted', 'GRANT UPDATE (tenant_id) ON invoices TO app'],
  ['all columns', 'frozen-column-granted', 'GRANT UPDATE ON invoices TO app_group'],
  [
    'a helper says yes',
    'helper-changed',
    "CREATE OR REPLACE FUNCTION authz.is_set() RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN true; END'",
  ],
  ['a helper without search_path', 'helper-changed', 'ALTER FUNCTION authz.id() RESET search_path'],
  ['a helper as its owner', 'helper-changed', 'ALTER FUNCTION authz.principal() SECURITY DEFINER'],
  ['a helper is gone', 'helper-changed', 'DROP FUNCTION authz.attr_list(text)'],
  ['a helper is IMMUTABLE', 'helper-immutable', 'ALTER FUNCTION authz.id() IMMUTABLE'],
  ['CREATE in the schema', 'helper-writable', 'GRANT CREATE ON SCHEMA authz TO app'],
  ['CREATE for PUBLIC', 'helper-writable', 'GRANT CREATE ON SCHEMA authz TO PUBLIC'],
  ['a helper of the role', 'helper-writable', 'ALTER FUNCTION authz.id() OWNER TO app'],
  [
    'metadata of users',
    'user-metadata',
    "CREATE POLICY admins ON invoices FOR SELECT TO app USING ((current_setting('request.jwt.claims', true)::jsonb -> 'user_metadata' ->> 'role') = 'admin')",
  ],
  [
    'metadata of users in a helper',
    'user-metadata',
    "CREATE OR REPLACE FUNCTION authz.roles() RETURNS jsonb LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN current_setting('request.jwt.claims')::jsonb -> 'user_metadata' -> 'roles'; END$$",
  ],
  ['another table', 'table-missing', 'ALTER TABLE invoices RENAME TO bills'],
  [
    'a view in its place',
    'table-missing',
    'ALTER TABLE invoices RENAME TO bills; CREATE VIEW invoices AS SELECT * FROM bills',
  ],
  ['a column is gone', 'column-missing', 'ALTER TABLE invoices RENAME COLUMN note TO remark'],
  ['a padded column', 'column-type', 'ALTER TABLE invoices ALTER COLUMN note TYPE char(20)'],
  [
    'a number as text',
    'column-type',
    'ALTER TABLE invoices DROP COLUMN note; ALTER TABLE invoices ADD COLUMN note integer',
  ],
  [
    'a domain over char',
    'column-type',
    'CREATE DOMAIN code AS char(3); ALTER TABLE invoices ALTER COLUMN note TYPE code',
  ],
  [
    'a nondeterministic collation',
    'collation',
    "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false); ALTER TABLE invoices ALTER COLUMN note TYPE text COLLATE folded",
  ],
  ['a column can be NULL', 'nulls-never', 'ALTER TABLE invoices ALTER COLUMN author_id DROP NOT NULL'],
  ['the column of the tenant can be NULL', 'nulls-never', 'ALTER TABLE invoices ALTER COLUMN tenant_id DROP NOT NULL'],
];

/** Statements after which a database still enforces what the policies say. */
export const SAFE: readonly (readonly [name: string, statements: string])[] = [
  ['nothing', 'SELECT 1'],
  [
    'a policy of a service role that sees everything',
    'CREATE POLICY service_all ON invoices TO service USING (true) WITH CHECK (true)',
  ],
  ['a policy of two other roles', 'CREATE POLICY others ON invoices FOR SELECT TO service, migrator USING (true)'],
  ['a service role with BYPASSRLS', 'ALTER ROLE service BYPASSRLS; GRANT ALL ON invoices TO service'],
  [
    'a table that is public, and not in the table file',
    'CREATE TABLE plans (id text); ALTER TABLE plans ENABLE ROW LEVEL SECURITY; CREATE POLICY read ON plans FOR SELECT USING (true); GRANT SELECT ON plans TO PUBLIC',
  ],
  ['another table without row level security', 'CREATE TABLE notes (id text); GRANT ALL ON notes TO app'],
  [
    'an extra restrictive policy',
    'CREATE POLICY office ON invoices AS RESTRICTIVE FOR SELECT TO app USING (amount > 0)',
  ],
  [
    'a restrictive policy for PUBLIC',
    'CREATE POLICY office ON invoices AS RESTRICTIVE USING (current_user IS NOT NULL)',
  ],
  ['another comment', "COMMENT ON POLICY authz_select ON invoices IS 'reviewed in March'"],
  ['no comment', 'COMMENT ON POLICY authz_update ON invoices IS NULL'],
  ['another name', 'ALTER POLICY authz_select ON invoices RENAME TO "Members read their invoices"'],
  ['not forced, and the owner is another role', 'ALTER TABLE invoices NO FORCE ROW LEVEL SECURITY'],
  ['a permissive policy that is never true', 'CREATE POLICY nobody ON invoices FOR SELECT TO app USING (false)'],
  ['a permissive policy for ALL that is never true', 'CREATE POLICY nobody ON invoices TO PUBLIC USING (NULL)'],
  [
    'a view with security_invoker',
    'CREATE VIEW mine WITH (security_invoker) AS SELECT * FROM invoices; GRANT SELECT ON mine TO app',
  ],
  [
    'a view that the role cannot read',
    'CREATE VIEW totals AS SELECT count(*) FROM invoices; GRANT SELECT ON totals TO service',
  ],
  ['a view of another table', 'CREATE VIEW names AS SELECT * FROM tenants; GRANT SELECT ON names TO app'],
  [
    'a view whose owner has no policy',
    'CREATE VIEW none AS SELECT * FROM invoices; ALTER VIEW none OWNER TO migrator; GRANT SELECT ON none TO app',
  ],
  [
    'a materialized view for a service',
    'CREATE MATERIALIZED VIEW totals AS SELECT count(*) FROM invoices; GRANT SELECT ON totals TO service',
  ],
  [
    'a definer function for a service',
    "CREATE FUNCTION all_invoices() RETURNS SETOF invoices LANGUAGE sql SECURITY DEFINER AS 'SELECT * FROM invoices'; REVOKE ALL ON FUNCTION all_invoices() FROM PUBLIC; GRANT EXECUTE ON FUNCTION all_invoices() TO service",
  ],
  [
    'an invoker function',
    "CREATE FUNCTION all_invoices() RETURNS SETOF invoices LANGUAGE sql AS 'SELECT * FROM invoices'",
  ],
  [
    'a definer function about another table',
    "CREATE FUNCTION all_tenants() RETURNS SETOF tenants LANGUAGE sql SECURITY DEFINER AS 'SELECT * FROM tenants'",
  ],
  [
    'a definer function with a similar name in it',
    "CREATE FUNCTION f() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT ''invoices_archive''::text'",
  ],
  [
    'a trigger that is a definer',
    "CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN UPDATE invoices SET note = note; RETURN NEW; END'; CREATE TRIGGER stamp AFTER UPDATE OF note ON invoices FOR EACH ROW EXECUTE FUNCTION stamp()",
  ],
  ['a child that nobody may use', 'CREATE TABLE archived () INHERITS (invoices)'],
  [
    'a child with row level security and no policy',
    'CREATE TABLE archived () INHERITS (invoices); ALTER TABLE archived ENABLE ROW LEVEL SECURITY; GRANT SELECT ON archived TO app',
  ],
  [
    'a parent that nobody may use',
    'CREATE TABLE papers (id text); ALTER TABLE papers OWNER TO migrator; ALTER TABLE invoices INHERIT papers',
  ],
  [
    'privileges of columns',
    'REVOKE SELECT ON invoices FROM app; GRANT SELECT (id, tenant_id, author_id, status, amount) ON invoices TO app',
  ],
  ['fewer privileges', 'REVOKE DELETE, INSERT ON invoices FROM app'],
  [
    'further columns',
    'ALTER TABLE invoices ADD COLUMN remark text, ADD COLUMN total numeric GENERATED ALWAYS AS (amount * 2) STORED',
  ],
  ['varchar', 'CREATE TABLE copy AS SELECT * FROM invoices; ALTER TABLE invoices ALTER COLUMN note TYPE varchar(200)'],
  ['a domain', "CREATE DOMAIN remark AS text CHECK (VALUE <> ''); ALTER TABLE invoices ALTER COLUMN note TYPE remark"],
  [
    'an enum',
    "CREATE TYPE mood AS ENUM ('good', 'bad'); ALTER TABLE invoices ALTER COLUMN note TYPE mood USING note::mood",
  ],
  ['a deterministic collation', 'ALTER TABLE invoices ALTER COLUMN note TYPE text COLLATE "C"'],
  [
    'a column that is never NULL',
    "UPDATE invoices SET note = 'x'; ALTER TABLE invoices ALTER COLUMN note SET NOT NULL",
  ],
  ['a unique constraint with the tenant', 'ALTER TABLE invoices ADD UNIQUE (tenant_id, note)'],
  ['a unique constraint without the tenant', 'ALTER TABLE invoices ADD UNIQUE (note)'],
  [
    'a foreign key that cascades',
    'INSERT INTO tenants SELECT DISTINCT tenant_id FROM invoices; ALTER TABLE invoices ADD FOREIGN KEY (tenant_id) REFERENCES tenants ON DELETE CASCADE',
  ],
  ['a publication', 'CREATE PUBLICATION changes FOR TABLE invoices'],
  [
    'further functions in the schema',
    "CREATE FUNCTION authz.greeting() RETURNS text LANGUAGE sql AS 'SELECT ''hello''::text'",
  ],
  [
    'another function of the same name',
    "CREATE FUNCTION authz.id(n integer) RETURNS text LANGUAGE sql AS 'SELECT n::text'",
  ],
  ['a role that may become app', 'CREATE ROLE web LOGIN; GRANT app TO web'],
  [
    'app may become a role without privileges',
    'CREATE ROLE reports; GRANT reports TO app; GRANT SELECT ON tenants TO reports',
  ],
  ['app can log in', 'ALTER ROLE app LOGIN'],
  ['an index', 'CREATE INDEX ON invoices (author_id)'],
  [
    'the policy made by hand, with the same meaning',
    "DO $$ DECLARE stored text := (SELECT pg_get_expr(polqual, polrelid) FROM pg_policy WHERE polname = 'authz_delete'); BEGIN DROP POLICY authz_delete ON invoices; EXECUTE format('CREATE POLICY mine ON invoices FOR DELETE TO app USING ((%s))', stored); END $$",
  ],
];

/** Statements that change which rows a principal reaches, each of which a row shows. */
export const CHANGES: readonly string[] = [
  'ALTER POLICY authz_select ON invoices USING (true)',
  'ALTER POLICY authz_select ON invoices USING ((SELECT authz.is_set()))',
  "ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')))",
  'ALTER POLICY authz_select ON invoices USING (author_id = (SELECT authz.id()))',
  "ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND (SELECT authz.has_role('accountant')))",
  "ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND ((SELECT authz.has_role('accountant')) OR (SELECT authz.has_role('employee')) AND author_id = (SELECT authz.id())))",
  "ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND ((SELECT authz.has_role('accountant')) OR (SELECT authz.has_role('employee')) AND author_id = (SELECT authz.id()) AND amount < 7000))",
  'ALTER POLICY authz_select ON invoices USING (tenant_id = (SELECT authz.id()))',
  'ALTER POLICY authz_select ON invoices USING (false)',
  'ALTER POLICY authz_insert ON invoices WITH CHECK (true)',
  "ALTER POLICY authz_insert ON invoices WITH CHECK ((SELECT authz.has_role('accountant')))",
  "ALTER POLICY authz_update ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')))",
  "ALTER POLICY authz_update ON invoices WITH CHECK (tenant_id = (SELECT authz.attr_text('tenant')) AND status <> 'paid')",
  'ALTER POLICY authz_update ON invoices WITH CHECK (true)',
  "ALTER POLICY authz_delete ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND (SELECT authz.has_role('accountant')))",
  "ALTER POLICY authz_delete ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND status <> 'paid')",
  "ALTER POLICY authz_delete ON invoices USING (tenant_id = (SELECT authz.attr_text('tenant')) AND (SELECT authz.has_role('accountant', 'employee')) AND status <> 'paid')",
  "CREATE POLICY drafts ON invoices FOR SELECT TO app USING (status = 'draft')",
  'CREATE POLICY mine ON invoices FOR DELETE TO app_group USING (author_id = (SELECT authz.id()))',
  'CREATE POLICY office ON invoices AS RESTRICTIVE FOR SELECT TO app USING (amount > 6000)',
  'ALTER TABLE invoices DISABLE ROW LEVEL SECURITY',
  "CREATE OR REPLACE FUNCTION authz.has_role(VARIADIC names text[]) RETURNS boolean LANGUAGE plpgsql STABLE AS 'BEGIN RETURN true; END'",
];
