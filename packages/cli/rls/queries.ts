/*
 * The queries over the catalogue of PostgreSQL, from version 13. `$1` has the tables and the roles that are asked about.
 * They run with an empty search path, so `regclass` is written with its schema.
 */

/** The version of the server, and whether it is a replica. */
export const SERVER = `
SELECT current_setting('server_version_num')::int AS version, pg_is_in_recovery() AS replica`;

const ASKED = `
WITH RECURSIVE asked AS (
  SELECT t.name, to_regclass(t.quoted)::oid AS oid
  FROM jsonb_to_recordset($1::jsonb -> 'tables') AS t(name text, quoted text)
  WHERE to_regclass(t.quoted) IS NOT NULL
), role AS (
  SELECT r.oid, r.rolname FROM pg_roles AS r WHERE $1::jsonb -> 'roles' ? r.rolname::text
), grantee AS (
  SELECT rolname AS name, rolname::text AS role FROM role WHERE $1::jsonb -> 'grantees' ? rolname::text
  UNION ALL
  SELECT 'public', 'PUBLIC' WHERE $1::jsonb -> 'grantees' ? 'PUBLIC'
), below AS (
  SELECT a.name, i.inhrelid AS oid FROM asked AS a JOIN pg_inherits AS i ON i.inhparent = a.oid
  UNION SELECT b.name, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid
), above AS (
  SELECT a.name, i.inhparent AS oid FROM asked AS a JOIN pg_inherits AS i ON i.inhrelid = a.oid
  UNION SELECT b.name, i.inhparent FROM above AS b JOIN pg_inherits AS i ON i.inhrelid = b.oid
), stored AS (
  -- The rows of a table are in its partitions and children, too.
  SELECT name, oid FROM asked UNION SELECT name, oid FROM below
)`;

/** Whether policies of the table `c` do not apply to a role. */
const isExempt = (role: string): string => `EXISTS (
  SELECT FROM pg_roles AS r WHERE r.oid = ${role}
    AND (r.rolsuper OR r.rolbypassrls OR (pg_has_role(r.oid, c.relowner, 'USAGE') AND NOT c.relforcerowsecurity)))`;

export const TABLES = `${ASKED}
SELECT a.name, c.relkind AS kind, pg_get_userbyid(c.relowner) AS owner,
  c.relrowsecurity AS "isSecured", c.relforcerowsecurity AS "isForced"
FROM asked AS a JOIN pg_class AS c ON c.oid = a.oid ORDER BY a.name`;

export const POLICIES = `${ASKED}
SELECT a.name AS table, p.polname AS name, p.polcmd AS command, p.polpermissive AS permissive,
  ARRAY(SELECT CASE each WHEN 0 THEN NULL ELSE pg_get_userbyid(each) END FROM unnest(p.polroles) AS each ORDER BY 1) AS roles,
  ARRAY(SELECT g.role FROM grantee AS g LEFT JOIN role AS r ON r.rolname = g.name
    -- A policy for one role is one for a part of PUBLIC.
    WHERE r.oid IS NULL OR EXISTS (
      SELECT FROM unnest(p.polroles) AS each WHERE each = 0 OR pg_has_role(r.oid, each, 'USAGE'))
    ORDER BY 1) AS "appliesTo",
  pg_get_expr(p.polqual, p.polrelid) AS using, pg_get_expr(p.polwithcheck, p.polrelid) AS check,
  obj_description(p.oid, 'pg_policy') AS comment
FROM asked AS a JOIN pg_policy AS p ON p.polrelid = a.oid ORDER BY a.name, p.polname`;

/** Tables that policies of others read, and whether policies hide rows of them from the reader. */
export const RELATED = `${ASKED}
SELECT a.name, c.relkind AS kind, c.relrowsecurity AS "isSecured",
  EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('r', '*')
    AND pg_get_expr(p.polqual, p.polrelid) = 'true'
    AND EXISTS (SELECT FROM unnest(p.polroles) AS each WHERE each = 0 OR each = r.oid)) AS "isShown",
  EXISTS (SELECT FROM pg_policy AS p WHERE p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd IN ('r', '*')
    AND EXISTS (SELECT FROM unnest(p.polroles) AS each WHERE each = 0 OR pg_has_role(r.oid, each, 'USAGE'))) AS "isRestricted"
FROM asked AS a JOIN pg_class AS c ON c.oid = a.oid LEFT JOIN pg_roles AS r ON r.rolname = $1::jsonb ->> 'reader'
ORDER BY a.name`;

export const COLUMNS = `${ASKED}, base AS (
  SELECT a.name, t.attnum, t.atttypid AS type, false AS checked
  FROM asked AS a JOIN pg_attribute AS t ON t.attrelid = a.oid WHERE t.attnum > 0 AND NOT t.attisdropped
  UNION ALL
  SELECT b.name, b.attnum, t.typbasetype, b.checked OR t.typnotnull
  FROM base AS b JOIN pg_type AS t ON t.oid = b.type WHERE t.typtype = 'd'
)
SELECT a.name AS table, t.attname AS name, format_type(b.type, NULL) AS type, y.typtype AS "typeKind",
  NOT (b.checked OR t.attnotnull AND NOT EXISTS (
    -- PostgreSQL 18 has NOT NULL that is not validated.
    SELECT FROM pg_constraint AS n
    WHERE n.conrelid = a.oid AND n.contype = 'n' AND NOT n.convalidated AND n.conkey = ARRAY[t.attnum])) AS nullable,
  CASE WHEN l.collname IS DISTINCT FROM 'default' THEN l.collname
    -- An ICU database has a locale of its own, beside which datcollate may be C.
    WHEN coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') = 'c' THEN d.datcollate
    ELSE coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') END AS collation,
  l.collisdeterministic AS deterministic
FROM asked AS a
JOIN pg_attribute AS t ON t.attrelid = a.oid
JOIN base AS b ON b.name = a.name AND b.attnum = t.attnum
JOIN pg_type AS y ON y.oid = b.type AND y.typtype <> 'd'
JOIN pg_database AS d ON d.datname = current_database()
LEFT JOIN pg_collation AS l ON l.oid = t.attcollation`;

export const PRIVILEGES = `${ASKED}
SELECT a.name AS table, g.role,
  ARRAY(SELECT p FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS p
      WHERE has_any_column_privilege(g.name, a.oid, p)
    UNION SELECT p FROM unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER']) AS p WHERE has_table_privilege(g.name, a.oid, p)
    ORDER BY 1) AS privileges,
  ARRAY(SELECT t.attname FROM pg_attribute AS t WHERE t.attrelid = a.oid AND t.attnum > 0 AND NOT t.attisdropped
    AND has_column_privilege(g.name, a.oid, t.attnum, 'UPDATE') ORDER BY 1) AS updatable
FROM asked AS a CROSS JOIN grantee AS g ORDER BY 1, 2`;

const RELATIVE_COLUMNS = `c.oid::regclass::text AS name, c.relrowsecurity AS "isSecured",
  (SELECT count(*)::int FROM pg_policy AS p WHERE p.polrelid = c.oid) AS policies,
  ARRAY(SELECT g.role FROM grantee AS g
    WHERE has_any_column_privilege(g.name, c.oid, 'SELECT, INSERT, UPDATE')
      OR has_table_privilege(g.name, c.oid, 'DELETE, TRUNCATE') ORDER BY 1) AS roles`;

export const RELATIVES = `${ASKED}
SELECT b.name AS table, 'child' AS relation, ${RELATIVE_COLUMNS}
FROM below AS b JOIN pg_class AS c ON c.oid = b.oid WHERE c.oid NOT IN (SELECT oid FROM asked)
UNION ALL
SELECT b.name, 'parent', ${RELATIVE_COLUMNS}
FROM above AS b JOIN pg_class AS c ON c.oid = b.oid WHERE c.oid NOT IN (SELECT oid FROM asked)`;

export const VIEWS = `${ASKED}, rule AS (
  SELECT r.ev_class AS view, d.refobjid AS source FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> d.refobjid
), reading AS (
  SELECT s.name, r.view, s.oid AS stored FROM stored AS s JOIN rule AS r ON r.source = s.oid
  UNION SELECT e.name, r.view, e.stored FROM reading AS e JOIN rule AS r ON r.source = e.view
)
SELECT e.name AS table, v.oid::regclass::text AS name, v.relkind = 'm' AS "isMaterialized",
  coalesce((SELECT option_value::boolean FROM pg_options_to_table(v.reloptions)
    WHERE option_name = 'security_invoker'), false) AS "isInvoker",
  pg_get_userbyid(v.relowner) AS owner, bool_or(${isExempt('v.relowner')}) AS "isOwnerExempt",
  ARRAY(SELECT g.role FROM grantee AS g
    WHERE has_any_column_privilege(g.name, v.oid, 'SELECT, INSERT, UPDATE')
      OR has_table_privilege(g.name, v.oid, 'DELETE') ORDER BY 1) AS roles
FROM reading AS e JOIN pg_class AS v ON v.oid = e.view AND v.relkind IN ('v', 'm') JOIN pg_class AS c ON c.oid = e.stored
GROUP BY e.name, v.oid, v.relkind, v.reloptions, v.relowner ORDER BY 1, 2`;

export const DEFINER_FUNCTIONS = `${ASKED}
SELECT s.name AS table, f.oid::regprocedure::text AS name, pg_get_userbyid(f.proowner) AS owner,
  bool_or(${isExempt('f.proowner')}) AS "isOwnerExempt",
  ARRAY(SELECT g.role FROM grantee AS g WHERE has_function_privilege(g.name, f.oid, 'EXECUTE') ORDER BY 1) AS roles
FROM stored AS s JOIN pg_class AS c ON c.oid = s.oid
JOIN pg_proc AS f ON f.prosecdef AND f.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
JOIN pg_namespace AS n ON n.oid = f.pronamespace AND n.nspname NOT IN ('pg_catalog', 'information_schema')
WHERE concat_ws(' ', f.prosrc, CASE WHEN f.prokind IN ('f', 'p') THEN pg_get_functiondef(f.oid) END)
  ~* ('\\m' || regexp_replace(c.relname, '([^[:alnum:]_])', '\\\\\\1', 'g') || '\\M')
GROUP BY s.name, f.oid, f.proowner ORDER BY 1, 2`;

export const UNIQUES = `${ASKED}
SELECT a.name AS table, c.relname AS name, i.indisprimary AS primary,
  i.indpred IS NULL AND i.indexprs IS NULL AND i.indisvalid AS "isWhole",
  ARRAY(SELECT t.attname FROM unnest(i.indkey::int2[]) AS k(n) JOIN pg_attribute AS t ON t.attrelid = a.oid AND t.attnum = k.n) AS columns
FROM asked AS a JOIN pg_index AS i ON i.indrelid = a.oid AND i.indisunique JOIN pg_class AS c ON c.oid = i.indexrelid
ORDER BY 1, 2`;

export const CASCADES = `${ASKED}
SELECT a.name AS table, k.conname AS name, k.confrelid::regclass::text AS parent,
  CASE WHEN k.confdeltype = 'c' THEN 'ON DELETE CASCADE' WHEN k.confdeltype = 'n' THEN 'ON DELETE SET NULL'
    WHEN k.confdeltype = 'd' THEN 'ON DELETE SET DEFAULT' ELSE 'ON UPDATE' END AS action
FROM asked AS a JOIN pg_constraint AS k ON k.conrelid = a.oid AND k.contype = 'f'
WHERE k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd') ORDER BY 1, 2`;

export const PUBLICATIONS = `${ASKED}
SELECT DISTINCT s.name AS table, p.pubname AS name FROM stored AS s JOIN pg_class AS c ON c.oid = s.oid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_publication_tables AS p ON p.schemaname = n.nspname AND p.tablename = c.relname ORDER BY 1, 2`;

export const ROLES = `${ASKED}
SELECT me.rolname AS role, r.rolname AS as, r.rolsuper AS "isSuperuser", r.rolbypassrls AS "isExempt",
  r.rolcanlogin AS "canLogin",
  r.rolcreaterole AND current_setting('server_version_num')::int < 160000 AS "createsRoles"
FROM role AS w JOIN pg_roles AS me ON me.oid = w.oid
JOIN pg_roles AS r ON r.oid = me.oid OR (NOT me.rolsuper AND (pg_has_role(me.oid, r.oid, 'USAGE')
  OR pg_has_role(me.oid, r.oid, CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)))
ORDER BY 1, me.oid <> r.oid, 2`;

export const ROLE_NAMES = `SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1 LIMIT 2000`;

export const READER = `
SELECT r.rolname AS role, r.rolcanlogin AS "canLogin", r.rolsuper OR r.rolbypassrls AS "isExempt",
  ARRAY(SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relowner = r.oid ORDER BY 1) AS owns,
  ARRAY(SELECT m.rolname FROM pg_roles AS m WHERE $1::jsonb -> 'roles' ? m.rolname::text AND NOT m.rolsuper
    AND pg_has_role(m.oid, r.oid, 'MEMBER') ORDER BY 1) AS members
FROM pg_roles AS r WHERE r.rolname = $1::jsonb ->> 'reader'`;

export const FUNCTIONS = `
SELECT p.proname AS name, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
  l.lanname AS language, p.prosrc AS body, p.provolatile AS volatility, p.prosecdef AS "isDefiner",
  p.proconfig AS settings, pg_get_userbyid(p.proowner) AS owner
FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace AND n.nspname = 'authz'
JOIN pg_language AS l ON l.oid = p.prolang ORDER BY 1, 2`;

export const SCHEMA = `${ASKED}
SELECT pg_get_userbyid(n.nspowner) AS owner,
  ARRAY(SELECT g.role FROM grantee AS g WHERE has_schema_privilege(g.name, n.oid, 'CREATE') ORDER BY 1) AS creators
FROM pg_namespace AS n WHERE n.nspname = 'authz'`;

/** The settings that name a principal, where a role or the database has a default of them. */
export const DEFAULTS = `
SELECT o.option_name AS setting, r.rolname AS role, d.datname AS database
FROM pg_db_role_setting AS s CROSS JOIN LATERAL pg_options_to_table(s.setconfig) AS o
LEFT JOIN pg_roles AS r ON r.oid = s.setrole LEFT JOIN pg_database AS d ON d.oid = s.setdatabase
WHERE o.option_name IN ('authz.principal', 'request.jwt.claims') AND o.option_value <> ''
  AND (s.setdatabase = 0 OR d.datname = current_database()) ORDER BY 1, 2, 3`;

/** The keys of signatures, and the roles that may read or change them. */
export const KEYS = `${ASKED}
SELECT pg_get_userbyid(k.relowner) AS owner,
  ARRAY(SELECT g.role FROM grantee AS g WHERE has_schema_privilege(g.name, n.oid, 'USAGE')
    AND (has_any_column_privilege(g.name, k.oid, 'SELECT, INSERT, UPDATE')
      OR has_table_privilege(g.name, k.oid, 'DELETE, TRUNCATE, TRIGGER')) ORDER BY 1) AS users
FROM pg_class AS k JOIN pg_namespace AS n ON n.oid = k.relnamespace WHERE n.nspname = 'authz_keys' AND k.relname = 'key'`;

/** Whether there is a version that the role may read. */
export const HAS_VERSION = `
SELECT true AS found FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = 'authz' AND c.relname = 'version' AND has_table_privilege(c.oid, 'SELECT')`;

export const VERSION = `SELECT version FROM authz.version`;
