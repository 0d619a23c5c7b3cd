import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { renderSql, type SqlDialect, type SqlParameter, type SqlTable } from '../../runtime/residual/sql/index.js';
import { compileRules, loaded } from '../support/compiled.js';
import { rounds } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { type ByHand, FILTERS, INDEXES, NOW, PRINCIPAL, TABLE } from './filters-by-hand.js';

/** A million rows in a campaign. */
const ROWS = rounds(50_000, 20_000);
const FOLDERS = ROWS / 10;

/** How much more work a filter may be than the statement by hand, and what does not count of it. */
const MOST = 1.5;
const PAGES = 12;

const test = suite('filters and SQL by hand');

test('PostgreSQL reads as many pages and rows for a filter as for a statement by hand', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    // What is compiled is no work of the statement, and the planner expects recursive queries to be large.
    await client.query('SET jit = off');
    await client.query('SET max_parallel_workers_per_gather = 0');
    for (const statement of statementsFor('postgresql')) await client.query(statement);
    await client.query('VACUUM ANALYZE');
    const measure = async (where: string, parameters: readonly SqlParameter[] = []): Promise<Work> => {
      const statement = `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT id FROM documents WHERE ${where}`;
      const { rows } = await client.query(statement, [...parameters] as never);
      const [{ Plan: plan }] = (rows[0] as { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] })['QUERY PLAN'];
      const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return { selected: plan['Actual Rows'], pages, rows: countRows(plan), text: JSON.stringify(plan) };
    };
    await compare('postgresql', measure);
  } finally {
    await cluster.stop();
  }
});

test('MariaDB reads as many rows for a filter as for a statement by hand', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    for (const statement of statementsFor('mysql')) await connection.query(statement);
    // The first statement reads the statistics of its tables.
    await connection.query("SELECT id FROM documents WHERE owner = 'x'");
    const measure = async (where: string, parameters: readonly SqlParameter[] = []): Promise<Work> => {
      await connection.query('FLUSH STATUS');
      const statement = `SELECT id FROM documents WHERE ${where}`;
      const [found] = await connection.query<RowDataPacket[]>(statement, [...parameters]);
      const [counters] = await connection.query<RowDataPacket[]>("SHOW SESSION STATUS LIKE 'Handler_read%'");
      const rows = counters.reduce((sum, { Value: count }) => sum + Number(count), 0);
      return { selected: found.length, pages: 0, rows, text: JSON.stringify(counters) };
    };
    await compare('mysql', measure);
  } finally {
    await server.stop();
  }
});

test('SQLite scans no table for a filter that a statement by hand does not scan', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  for (const statement of statementsFor('sqlite')) database.run(statement);
  const explain = (where: string, parameters: readonly SqlParameter[] = []): readonly string[] => {
    const statement = database.prepare(`EXPLAIN QUERY PLAN SELECT id FROM documents WHERE ${where}`);
    statement.bind([...parameters] as string[]);
    const lines: string[] = [];
    while (statement.step()) lines.push(String(statement.get()[3]));
    statement.free();
    return lines;
  };
  const count = (where: string, parameters: readonly SqlParameter[] = []): number => {
    const statement = database.prepare(`SELECT id FROM documents WHERE ${where}`);
    statement.bind([...parameters] as string[]);
    let rows = 0;
    while (statement.step()) rows += 1;
    statement.free();
    return rows;
  };
  for (const { filter, text, parameters } of await render('sqlite')) {
    // SQLite has no index on the elements of a list, and writes prefixes as patterns.
    if (filter.sql.includes('@>')) continue;
    const sqlite = filter.sql
      .replace(/starts_with\(path, ('[^']*)'\)/g, "path GLOB $1*'")
      .replace(/= ANY \(ARRAY\((.*)\)\)$/, 'IN ($1)');
    const byHand = sqlite + (filter.page ?? '');
    const [ours, theirs] = [explain(text, parameters), explain(byHand.replaceAll("Z'", ".000Z'"))];
    assert.is(count(text, parameters), count(byHand.replaceAll("00Z'", "00.000Z'")), filter.name);
    const scans = (lines: readonly string[]): number =>
      lines.filter((line) => /^SCAN (?!r\b|authz_)/.test(line)).length;
    assert.ok(
      scans(ours) <= scans(theirs),
      `${filter.name}: ${text}\n${ours.join('\n')}\nby hand: ${byHand}\n${theirs.join('\n')}`,
    );
  }
  database.close();
});

test.run();

/** What a statement costs. */
interface Work {
  readonly selected: number;
  readonly pages: number;
  /** The rows that are visited, in tables, indexes and what is computed. */
  readonly rows: number;
  readonly text: string;
}

async function compare(
  dialect: SqlDialect,
  measure: (where: string, parameters?: readonly SqlParameter[]) => Promise<Work>,
): Promise<void> {
  const wrong: string[] = [];
  assert.is(FILTERS.length, 31);
  for (const { filter, text, parameters } of await render(dialect)) {
    const byHand = dialect === 'mysql' && filter.mysql !== undefined ? filter.mysql : filter.sql;
    if (byHand === null) continue;
    const ours = await measure(text, parameters);
    const theirs = await measure(byHand + (filter.page ?? ''));
    const say = `${filter.name}: pages ${ours.pages} to ${theirs.pages}, rows ${ours.rows} to ${theirs.rows}`;
    if (process.env['SHOW'] !== undefined) console.log(`  ${dialect}: ${say}, selected ${ours.selected}`);
    assert.is(ours.selected, theirs.selected, `${filter.name}: ${text}`);
    const isCheap = ours.pages <= theirs.pages * MOST + PAGES && ours.rows <= theirs.rows * MOST + PAGES;
    if (!isCheap)
      wrong.push(`${say}\n  ${text}\n  ${ours.text.slice(0, 3000)}\n  by hand ${theirs.text.slice(0, 1500)}`);
  }
  assert.is(wrong.length, 0, wrong.join('\n'));
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/** The rows that the scans of a plan visit. */
function countRows(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((sum, part) => sum + countRows(part), 0);
  if (!plan['Node Type'].includes('Scan')) return inner;
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Index Recheck': rechecked = 0 } = plan;
  return inner + (plan['Actual Rows'] + filtered + rechecked) * plan['Actual Loops'];
}

interface Rendered {
  readonly filter: ByHand;
  readonly text: string;
  readonly parameters: readonly SqlParameter[];
}

async function render(dialect: SqlDialect): Promise<readonly Rendered[]> {
  const rules = FILTERS.flatMap(({ expr, deny }, index) =>
    [['EFFECT_ALLOW', expr] as const, ...(deny === undefined ? [] : [['EFFECT_DENY', deny] as const])].map(
      ([effect, one]) => ({ actions: [`a${index}`], effect, roles: ['user'], condition: { match: { expr: one } } }),
    ),
  );
  const { policies } = await loaded(compileRules('document', rules));
  const engine = createEngine(policies, { clock: () => ({ seconds: Date.parse(NOW) / 1000, nanos: 0, offset: 0 }) });
  const table: SqlTable =
    dialect === 'mysql' ? { ...TABLE, columns: { ...TABLE.columns, tags: TABLE.columns.shares as never } } : TABLE;
  return FILTERS.flatMap((filter, index) => {
    if (dialect === 'mysql' && filter.mysql === null) return [];
    const resource = { kind: 'document' };
    const plan = engine.plan({ principal: PRINCIPAL, resource, actions: [`a${index}`] });
    const condition = renderSql(plan.filter, table, { dialect });
    assert.ok(condition.kind === 'sql', filter.name);
    return [{ filter, text: condition.text + (filter.page ?? ''), parameters: condition.parameters }];
  });
}

/** The tables with their rows and indexes. */
function statementsFor(dialect: SqlDialect): readonly string[] {
  const [text, bytes, time, json, real] = TYPES[dialect];
  const join = (...parts: readonly string[]): string =>
    dialect === 'mysql' ? `CONCAT(${parts.join(', ')})` : `(${parts.join(' || ')})`;
  const asText = (number: string): string => (dialect === 'postgresql' ? `(${number})::text` : number);
  const named = (letter: string, number: string): string => join(`'${letter}'`, asText(number));
  const at = (seconds: string): string =>
    ({
      postgresql: `timestamptz '2020-01-01 00:00:00+00' + (${seconds}) * interval '1 second'`,
      mysql: `TIMESTAMPADD(SECOND, ${seconds}, '2020-01-01 00:00:00')`,
      sqlite: `strftime('%Y-%m-%dT%H:%M:%S.000Z', 1577836800 + ${seconds}, 'unixepoch')`,
    })[dialect];
  const div = (a: string, b: number): string => (dialect === 'mysql' ? `(${a} DIV ${b})` : `(${a} / ${b})`);
  const numbers = (count: number): string =>
    dialect === 'postgresql'
      ? `generate_series(1, ${count}) AS n(i)`
      : dialect === 'mysql'
        ? `(SELECT CAST(seq AS SIGNED) AS i FROM seq_1_to_${count}) AS n`
        : `(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`;
  const boolean = (condition: string): string => `(${condition})`;
  const path = join("'a.'", asText('i % 997'), "'.b.'", asText('i % 11'), "'.c'");
  const shorter = `CASE i % 5 WHEN 0 THEN ${join("'a.'", asText('i % 997'))} WHEN 1 THEN ${join("'a.'", asText('i % 997'), "'.b'")} ELSE ${path} END`;
  return [
    `CREATE TABLE documents (id ${text} PRIMARY KEY, tenant ${text} NOT NULL, owner ${text} NOT NULL, assignee ${text}, status ${text} NOT NULL, shared boolean NOT NULL, amount bigint NOT NULL, price ${real} NOT NULL, path ${bytes} NOT NULL, created_at ${time} NOT NULL, expires_at ${time}, folder_id ${text} NOT NULL, tags ${json} NOT NULL)`,
    `CREATE TABLE shares (document_id ${text} NOT NULL, user_id ${text} NOT NULL, role ${text})`,
    `CREATE TABLE folders (id ${text} PRIMARY KEY, parent_id ${text}, owner_id ${text})`,
    `INSERT INTO documents SELECT ${named('d', 'i')}, ${named('t', 'i % 50')}, ${named('u', 'i % 5003')}, CASE i % 3 WHEN 0 THEN NULL ELSE ${named('u', 'i % 31')} END, CASE i % 4 WHEN 0 THEN 'draft' WHEN 1 THEN 'review' WHEN 2 THEN 'archived' ELSE 'deleted' END, ${boolean('i % 20 = 0')}, i % 3001 - 100, i % 2003 + 0.5, ${shorter}, ${at(`(i % 140716) * 1000`)}, CASE i % 3 WHEN 0 THEN NULL ELSE ${at(`(i % 150000) * 1000`)} END, ${named('f', `1 + i % ${FOLDERS}`)}, ${join(`'["x'`, asText('i % 4001'), `'", "y'`, asText('i % 7'), `'"]'`)}${dialect === 'postgresql' ? '::jsonb' : ''} FROM ${numbers(ROWS)}`,
    `INSERT INTO shares SELECT ${named('d', 'i')}, ${named('u', 'i % 4999')}, CASE i % 2 WHEN 0 THEN 'editor' ELSE 'viewer' END FROM ${numbers(ROWS)}`,
    `INSERT INTO folders SELECT ${named('f', 'i')}, CASE WHEN i > 1 THEN ${named('f', div('i', 3))} END, ${named('u', '(i + 506) % 1999')} FROM ${numbers(FOLDERS)}`,
    ...INDEXES,
    ...(dialect === 'postgresql' ? ['CREATE INDEX documents_tags ON documents USING gin (tags)'] : []),
    dialect === 'mysql' ? 'ANALYZE TABLE documents, shares, folders' : 'ANALYZE',
  ];
}

const TYPES: { readonly [dialect in SqlDialect]: readonly [string, string, string, string, string] } = {
  postgresql: ['text', 'text COLLATE "C"', 'timestamptz', 'jsonb', 'double precision'],
  sqlite: ['TEXT', 'TEXT', 'TEXT', 'TEXT', 'REAL'],
  mysql: ['varchar(60)', 'varchar(60) COLLATE utf8mb4_bin', 'datetime(6)', 'json', 'double'],
};
