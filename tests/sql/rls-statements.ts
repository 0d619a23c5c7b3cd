import type { Random } from '../support/oracle/random.js';

/** A row of the table `docs`, with the columns that policies read. */
export interface Row {
  readonly place: number;
  readonly id: string;
  readonly a: string | null;
  readonly b: string | null;
  readonly n: number | null;
  readonly flag: boolean | null;
  readonly owner: string | null;
}

/** The row a statement finds, and the one that it leaves. */
export type Asked = 'select' | 'insert' | 'using' | 'check' | 'delete';

/** What the policies allow about a row. */
export type Allows = (asked: Asked, row: Row) => boolean;

/** The rows that a statement returns, leaves changed or new, or deletes; `denied` if it fails. */
export type Expected = { readonly [of in 'returned' | 'left' | 'gone']?: readonly Row[] } | 'denied';

/** A statement, and what it does exactly if that is simple to say. What others do is only compared with check, row by row. */
export interface Statement {
  readonly text: string;
  readonly expected?: (stored: readonly Row[], allows: Allows) => Expected;
}

/** The part of a row that statements write. */
export type Written = Omit<Row, 'place'>;

const COLUMNS = ['id', 'a', 'b', 'n', 'flag', 'owner'] as const;

export function randomRow(random: Random): Written {
  return {
    id: random.pick(['r1', 'r2', 'u1']),
    a: random.pick(['x', 'y', 'u1', '', null]),
    b: random.pick(['x', 'y', null]),
    n: random.pick([0, 3, 5, 9.5, null]),
    flag: random.pick([true, false, null]),
    owner: random.pick(['u1', 'u1', 'u2', null]),
  };
}

/** A row as a check receives it: a value of `b` and `owner` may be null, others are missing. */
export function attributesOf(row: Written): { readonly [name: string]: unknown } {
  const { a, b, n, flag, owner } = row;
  return { b, owner, ...(a !== null && { a }), ...(n !== null && { n }), ...(flag !== null && { flag }) };
}

const CONDITIONS = [
  'R.attr.owner == P.id',
  'R.attr.owner != P.id',
  'R.attr.a == P.attr.k',
  'R.attr.b != P.attr.k',
  'R.attr.n < 5.0',
  'R.attr.n >= P.attr.level',
  'R.attr.flag',
  '!R.attr.flag',
  'has(R.attr.a)',
  'R.attr.b == null',
  'R.attr.b in ["x", P.attr.k]',
  '!(R.attr.a in P.attr.names)',
  'R.id == "r1"',
  'R.id == P.id',
  '"admin" in P.roles',
  'R.attr.a.startsWith("x") || R.attr.owner == P.id',
  'R.attr.flag && R.attr.n > 2.0',
  'R.attr.flag ? R.attr.owner == P.id : R.attr.b == "x"',
];

export const ACTIONS = ['view', 'audit', 'create', 'edit', 'remove'];

/** Policies that allow much, so that statements do something. */
export function randomPolicy(random: Random): string {
  const condition = (): object => ({ condition: { match: { expr: random.pick(CONDITIONS) } } });
  const rule = (action: string, isDenial: boolean): object => ({
    actions: random.chance(0.1) ? ['*'] : [action],
    effect: isDenial ? 'EFFECT_DENY' : 'EFFECT_ALLOW',
    roles: random.pick([['*'], ['user'], ['user'], ['admin'], ['user', 'admin'], ['u*']]),
    ...(isDenial || random.chance(0.7) ? condition() : {}),
  });
  return JSON.stringify({
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: {
      resource: 'doc',
      version: 'default',
      rules: ACTIONS.flatMap((action) => [
        ...random.times(1, 3, () => rule(action, false)),
        ...random.times(0, 1, () => rule(action, true)),
      ]),
    },
  });
}

const TYPES: Readonly<Record<string, string>> = { n: 'double precision', flag: 'boolean' };

function literal(column: keyof Written, row: Partial<Written>): string {
  const value = row[column] ?? null;
  const text = typeof value === 'string' ? `'${value}'` : String(value);
  return `${text}::${TYPES[column] ?? 'text'}`;
}

/** A condition of a user on stored rows, which reads columns. */
function randomFilter(random: Random): string {
  return random.pick([
    'id IS NOT NULL',
    'n > 2',
    "owner = 'u1'",
    "a LIKE 'x%' OR b IS NULL",
    'place % 2 = 0',
    'NOT flag',
    '(place IN (SELECT place FROM docs))',
  ]);
}

/** One to three columns and the values that a statement writes to them. */
function randomChange(random: Random): Partial<Written> {
  const row = randomRow(random);
  return Object.fromEntries(random.some(COLUMNS, 1, 3).map((column) => [column, row[column]]));
}

function assignments(change: Partial<Written>): string {
  return (Object.keys(change) as (keyof Written)[])
    .map((column) => `${column} = ${literal(column, change)}`)
    .join(', ');
}

function values(place: number | string, row: Written): string {
  return `(${[place, ...COLUMNS.map((column) => literal(column, row))].join(', ')})`;
}

const LIST = 'place, id, a, b, n, flag, owner';
const INSERT = `INSERT INTO docs (${LIST}) VALUES`;

/** A place that no row has. */
const FREE = 1_000;

/** Names of the table for statements: through a view of its own privileges, everything is as without it. */
const SOURCES = ['docs', 'docs', 'docs_view'];

/**
 * Statements of a client that may run any SQL. `place` is of a stored row, which the client may not see.
 *
 * @param version the major version of the server.
 */
export function randomStatements(random: Random, place: number, version: number): readonly Statement[] {
  const row = randomRow(random);
  const change = randomChange(random);
  const filter = randomFilter(random);
  const source = random.pick(SOURCES);
  const set = assignments(change);
  const inserted = { place: FREE, ...row };
  const updated = (each: Row): Row => ({ ...each, ...change });
  const lock = random.pick(['UPDATE', 'NO KEY UPDATE', 'SHARE', 'KEY SHARE']);
  /** The rows that an update leaves, if it may leave all of them. */
  const updates =
    (reads: boolean) =>
    (stored: readonly Row[], allows: Allows): Expected => {
      const left = stored.filter((each) => allows('using', each) && (!reads || allows('select', each))).map(updated);
      return left.every((each) => allows('check', each) && (!reads || allows('select', each))) ? { left } : 'denied';
    };
  const deletes =
    (reads: boolean) =>
    (stored: readonly Row[], allows: Allows): Expected => ({
      gone: stored.filter((each) => allows('delete', each) && (!reads || allows('select', each))),
    });
  const inserts =
    (reads: boolean) =>
    (_: readonly Row[], allows: Allows): Expected =>
      allows('insert', inserted) && (!reads || allows('select', inserted)) ? { left: [inserted] } : 'denied';
  const selects = (stored: readonly Row[], allows: Allows): Expected => ({
    returned: stored.filter((each) => allows('select', each)),
  });
  const merge = `MERGE INTO docs USING (VALUES ${values(place, row)}, ${values(FREE, row)}) AS new (${LIST}) ON docs.place = new.place`;
  const returning = version >= 17 ? ` RETURNING ${LIST.replaceAll(/\w+/g, (name) => `docs.${name}`)}` : '';
  const mergeInsert = `WHEN NOT MATCHED THEN INSERT (${LIST}) VALUES (new.place, new.id, new.a, new.b, new.n, new.flag, new.owner)`;
  return [
    { text: `SELECT ${LIST} FROM ${source}`, expected: selects },
    {
      text: `SELECT ${LIST} FROM docs FOR ${lock}`,
      expected: (stored, allows) => selects(stored, (asked, each) => allows(asked, each) && allows('using', each)),
    },
    { text: `SELECT ${LIST} FROM ${source} WHERE ${filter}` },
    { text: `SELECT one.* FROM docs AS one JOIN docs_view AS other USING (place) ORDER BY one.n DESC LIMIT 30` },
    { text: `SELECT ${LIST} FROM ONLY docs TABLESAMPLE SYSTEM (100)` },
    {
      text: `SELECT ${LIST} FROM docs_of_caller() UNION SELECT ${LIST} FROM docs_in_plpgsql('${filter.replaceAll("'", "''")}')`,
    },
    { text: `${INSERT} ${values(FREE, row)}`, expected: inserts(false) },
    { text: `${INSERT} ${values(FREE, row)} RETURNING ${LIST}`, expected: inserts(true) },
    {
      text: `${INSERT.replace('docs', source)} ${values(FREE, row)}, ${values(FREE + 1, randomRow(random))} RETURNING ${LIST}`,
    },
    {
      text: `INSERT INTO docs (${LIST}) SELECT place + ${FREE}, id, a, b, n, flag, ${literal('owner', row)} FROM docs WHERE ${filter}`,
    },
    { text: `UPDATE ${source} SET ${set} WHERE id IS NOT NULL`, expected: updates(true) },
    { text: `UPDATE docs SET ${set}`, expected: updates(false) },
    { text: `UPDATE ${source} SET ${set} RETURNING ${LIST}`, expected: updates(true) },
    { text: `UPDATE docs SET ${set} WHERE ${filter} RETURNING ${LIST}` },
    {
      text: `UPDATE docs SET ${set} FROM docs AS other WHERE docs.owner = other.owner AND other.place = ${place} RETURNING docs.*`,
    },
    { text: `UPDATE docs SET place = place + ${FREE}, ${set} WHERE place = ${place}` },
    { text: `DELETE FROM ${source} WHERE id IS NOT NULL`, expected: deletes(true) },
    { text: 'DELETE FROM docs', expected: deletes(false) },
    { text: `DELETE FROM ${source} RETURNING ${LIST}`, expected: deletes(true) },
    {
      text: `DELETE FROM docs USING docs AS other WHERE docs.owner = other.owner AND other.${filter.startsWith('(') ? 'flag' : 'n > 2'} RETURNING docs.*`,
    },
    { text: `WITH gone AS (DELETE FROM docs WHERE ${filter} RETURNING *) SELECT ${LIST} FROM gone` },
    {
      text: `WITH changed AS (UPDATE docs SET ${set} RETURNING *) INSERT INTO docs (${LIST}) SELECT place + ${FREE}, id, a, b, n, flag, owner FROM changed RETURNING ${LIST}`,
    },
    { text: `${INSERT} ${values(place, row)} ON CONFLICT DO NOTHING` },
    { text: `${INSERT} ${values(place, row)}, ${values(FREE, row)} ON CONFLICT (place) DO NOTHING RETURNING ${LIST}` },
    { text: `${INSERT} ${values(place, row)} ON CONFLICT (place) DO UPDATE SET ${set}` },
    {
      text: `${INSERT} ${values(place, row)} ON CONFLICT (place) DO UPDATE SET ${COLUMNS.map((column) => `${column} = excluded.${column}`).join(', ')} RETURNING ${LIST}`,
    },
    {
      text: `${INSERT} ${values(place, row)} ON CONFLICT (place) DO UPDATE SET ${set} WHERE docs.flag RETURNING ${LIST}`,
    },
    { text: `${merge} WHEN MATCHED THEN UPDATE SET ${set} ${mergeInsert}${returning}` },
    { text: `${merge} WHEN MATCHED AND docs.flag THEN DELETE WHEN MATCHED THEN UPDATE SET ${set}${returning}` },
    { text: `${merge} WHEN MATCHED THEN DO NOTHING ${mergeInsert}` },
    { text: `${merge} WHEN MATCHED THEN DELETE ${mergeInsert}${returning}` },
    ...(version >= 17
      ? [
          { text: `${merge} WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN MATCHED THEN UPDATE SET ${set}${returning}` },
          { text: `${merge} WHEN NOT MATCHED BY SOURCE AND docs.flag THEN UPDATE SET ${set}` },
        ]
      : []),
    ...(version >= 18
      ? [
          { text: `UPDATE docs SET ${set} RETURNING old.*` },
          { text: `DELETE FROM docs WHERE ${filter} RETURNING old.*` },
          { text: `${INSERT} ${values(place, row)} ON CONFLICT (place) DO UPDATE SET ${set} RETURNING new.*` },
        ]
      : []),
    {
      text: `DO $$ DECLARE each record; BEGIN FOR each IN SELECT * FROM docs FOR UPDATE LOOP UPDATE docs SET ${set} WHERE place = each.place; END LOOP; END $$`,
    },
    {
      text: `DO $$ DECLARE rows CURSOR FOR SELECT * FROM docs; each record; BEGIN OPEN rows; LOOP FETCH rows INTO each; EXIT WHEN NOT FOUND; DELETE FROM docs WHERE CURRENT OF rows; END LOOP; END $$`,
    },
    { text: `SELECT ${LIST} FROM docs WHERE docs_leak(place)` },
    { text: `SET LOCAL search_path = lab, pg_catalog, public; SELECT ${LIST} FROM docs`, expected: selects },
  ];
}

/** What the owner of the tables has beside `docs`: nothing of it decides anything itself. */
export const SURROUNDINGS = `
CREATE ROLE app;
CREATE TABLE docs (place integer PRIMARY KEY, id text NOT NULL, a text, b text, n double precision, flag boolean, owner text,
  origin integer GENERATED ALWAYS AS IDENTITY);
GRANT ALL ON docs TO app, PUBLIC;
CREATE VIEW docs_view WITH (security_invoker) AS SELECT ${LIST} FROM docs;
GRANT SELECT, INSERT, UPDATE, DELETE ON docs_view TO app;
CREATE TABLE leaked (place integer); GRANT INSERT ON leaked TO app;
CREATE FUNCTION docs_of_caller() RETURNS SETOF docs LANGUAGE sql STABLE AS 'SELECT * FROM docs';
CREATE FUNCTION docs_in_plpgsql(filter text) RETURNS SETOF docs LANGUAGE plpgsql STABLE AS $$
  BEGIN RETURN QUERY EXECUTE 'SELECT * FROM docs WHERE ' || filter; END $$;
CREATE FUNCTION docs_leak(place integer) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$
  BEGIN INSERT INTO leaked VALUES (docs_leak.place); RETURN true; END $$;
CREATE FUNCTION docs_spy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE SCHEMA lab AUTHORIZATION app;
-- What a client may create, and let a session search first.
CREATE FUNCTION lab.current_setting(text, boolean) RETURNS text LANGUAGE sql AS $$ SELECT '{"id":"u1","roles":["user","admin"]}' $$;
CREATE FUNCTION lab.jsonb_typeof(jsonb) RETURNS text LANGUAGE sql AS $$ SELECT 'array' $$;
`;

/** Statements that no policy covers: the script leaves no privilege for them. */
export const FORBIDDEN: readonly string[] = [
  'TRUNCATE docs',
  'COPY docs FROM STDIN',
  'ALTER TABLE docs DISABLE ROW LEVEL SECURITY',
  'ALTER TABLE docs NO FORCE ROW LEVEL SECURITY',
  'ALTER TABLE docs RENAME TO others',
  'DROP POLICY authz_select ON docs',
  'CREATE POLICY mine ON docs USING (true)',
  'ALTER POLICY authz_select ON docs USING (true)',
  'CREATE TEMPORARY TABLE child () INHERITS (docs)',
  'CREATE TABLE lab.keys (place integer REFERENCES docs)',
  'CREATE TRIGGER spy BEFORE INSERT ON docs FOR EACH ROW EXECUTE FUNCTION docs_spy()',
  'CREATE RULE spy AS ON INSERT TO docs DO NOTHING',
  'CREATE STATISTICS spy ON a, b FROM docs',
  'CREATE INDEX ON docs (a)',
  'SET LOCAL row_security = off; SELECT * FROM docs',
  'SET LOCAL session_replication_role = replica; DELETE FROM docs',
  'CREATE OR REPLACE FUNCTION authz.is_set() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
  'CREATE FUNCTION authz.is_set(text) RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
  'DROP FUNCTION authz.is_set() CASCADE',
  'SELECT * FROM authz.version',
  'UPDATE authz.version SET version = version',
  'SELECT stavalues1 FROM pg_statistic',
];
