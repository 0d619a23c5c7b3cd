import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pgTable, timestamp } from 'drizzle-orm/pg-core';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SQL_TYPES } from '../../runtime/residual/sql/table.js';
import { ColumnTypeError } from '../../packages/adapters/column-types.js';
import { columnConformance, type ColumnUnderTest } from '../../packages/adapters/conformance/index.js';
import type { MappedColumn } from '../../packages/adapters/condition.js';
import { drizzleAdapter } from '../../packages/adapters/drizzle.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { EFFORT } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { copied, TYPED_LIBRARIES, type TypedDialect, type TypedLibrary } from './typed-libraries.js';

// Libraries that read timestamps in the zone of the process must not seem right by it.
process.env.TZ = 'America/St_Johns';

/*
 * Every word of a mapping for every type of column, in each library: creation throws, or the rows that a condition
 * selects are those that check allows for what `attributesOf` makes of the rows that the library returns.
 */

/** By column: its type, and the literals of its values, one for each row; the first row has NULL. */
const COLUMNS: { readonly [D in TypedDialect]: { readonly [name: string]: readonly [type: string, ...string[]] } } = {
  sqlite: {
    words: ['text', `'anna'`, `'Anna'`, `'10'`, `'2024-02-29T12:00:00.000Z'`, `'2024-02-29 12:00:00'`],
    document: ['json', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`, `'[]'`],
    whole: ['integer', '10', '1', '0', '1709208000', '-3'],
    flag: ['boolean', '1', '0', '1', '0', '1'],
    moment: ['integer', '0', '0', '0', '0', '0'],
    moment_ms: ['numeric', '0', '0', '0', '0', '0'],
    double: ['real', '10', '0.1', '1e300', '-1.5', '0'],
    price: ['numeric', '10', '0.1', '12.5', '-1.5', '0'],
  },
  postgresql: {
    words: ['text', `'anna'`, `'Anna'`, `'10'`, `'2024-02-29T12:00:00.000Z'`, `'anna '`],
    short: ['varchar(20)', `'anna'`, `'Anna'`, `'10'`, `'x'`, `'anna '`],
    padded: ['char(8)', `'anna'`, `'Anna'`, `'10'`, `'x'`, `''`],
    loose: ['citext', `'anna'`, `'Anna'`, `'10'`, `'x'`, `'ANNA'`],
    key: ['uuid', ...Array.from({ length: 5 }, (_, index) => `'0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a1${index}'`)],
    whole: ['integer', '10', '1', '0', '1709208000', '-3'],
    large: ['bigint', '10', '1', '9007199254740993', '1709208000000', '-3'],
    single: ['real', '10', '0.1', '0.3', '-1.5', '0'],
    double: ['double precision', '10', '0.1', '1e300', '-1.5', '0'],
    price: ['numeric', '10', '0.1', '0.1000000000000000055', '-1.5', '12.50'],
    flag: ['boolean', 'true', 'false', 'true', 'false', 'true'],
    stamp: ['timestamp', ...TIMES('')],
    zoned: ['timestamptz', ...TIMES('+00')],
    day: ['date', ...TIMES('').map((time) => `${time}::date`)],
    text_document: ['json', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`, `'[]'`],
    document: ['jsonb', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`, `'[]'`],
    texts: ['jsonb', `'"10"'`, `'"[\\"anna\\"]"'`, `'" null "'`, `'"anna"'`, `'"{\\"a\\":1}"'`],
    tags: ['text[]', `'{anna}'`, `'{}'`, `'{x,NULL}'`, `'{10}'`, `'{anna,anna}'`],
    mood: ['mood', `'anna'`, `'x'`, `'anna'`, `'x'`, `'x'`],
  },
  mysql: {
    words: ['text', `'anna'`, `'Anna'`, `'10'`, `'2024-02-29T12:00:00.000Z'`, `'anna '`],
    short: ['varchar(20)', `'anna'`, `'Anna'`, `'10'`, `'x'`, `'anna '`],
    padded: ['char(8)', `'anna'`, `'Anna'`, `'10'`, `'x'`, `'anna '`],
    key: ['uuid', ...Array.from({ length: 5 }, (_, index) => `'0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a1${index}'`)],
    small: ['tinyint', '10', '1', '0', '127', '-3'],
    whole: ['int', '10', '1', '0', '1709208000', '-3'],
    large: ['bigint', '10', '1', '9007199254740993', '1709208000000', '-3'],
    single: ['float', '10', '0.1', '0.3', '-1.5', '0'],
    double: ['double', '10', '0.1', '1e300', '-1.5', '0'],
    price: ['decimal(40, 20)', '10', '0.1', '0.1000000000000000055', '-1.5', '12.50'],
    flag: ['boolean', 'true', 'false', 'true', 'false', 'true'],
    stamp: ['datetime(6)', ...TIMES('')],
    // The range of this type begins in 1970.
    zoned: ['timestamp(6)', ...TIMES('').slice(0, 4), `'1971-07-20 20:17:40.5'`],
    day: ['date', ...TIMES('').map((time) => `${time.slice(0, 11)}'`)],
    clock: ['time', `'12:00:00'`, `'00:00:00'`, `'10:00:00'`, `'23:59:59'`, `'10:00:00'`],
    document: ['json', `'["anna"]'`, `'{"a":1}'`, `'"anna"'`, `'10'`, `'[]'`],
    mood: [`enum('anna', 'x')`, `'anna'`, `'x'`, `'anna'`, `'x'`, `'x'`],
  },
};

function TIMES(zone: string): readonly string[] {
  return [
    '2024-02-29 12:00:00.000',
    '2024-02-29 12:00:00.123456',
    '2024-02-29 12:00:00.123',
    '2024-03-10 07:15:00',
    '1969-07-20 20:17:40.5',
  ].map((time) => `'${time}${zone}'`);
}

const WRITTEN = [
  '2024-02-29T12:00:00.000Z',
  '2024-02-29T12:00:00.500Z',
  '2024-02-29T12:00:00.123Z',
  '2024-03-10T07:15:00.000Z',
  '1969-07-20T20:17:40.000Z',
];

const CONDITIONS: readonly string[] = [
  ...['"anna"', '"10"', '0.1', 'true', '"0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a11"'].map((value) => `R.attr.x == ${value}`),
  'R.attr.x in ["anna", "10"]',
  '"anna" in R.attr.x',
  'R.attr.x < "b"',
  'R.attr.x < 10.0',
  'R.attr.x.startsWith("an")',
  'R.attr.x == null',
  'has(R.attr.x)',
  ...['<', '>', '=='].map((operator) => `timestamp(R.attr.x) ${operator} timestamp("2024-02-29T12:00:00.123Z")`),
  'timestamp(R.attr.x) <= timestamp("2024-02-29T12:00:00Z")',
];

const WORDS: readonly Omit<MappedColumn<string>, 'column'>[] = [
  ...SQL_TYPES.map((type) => ({ type })),
  { type: 'json', null: 'null' },
  { type: 'integer-as-text', null: 'null' },
  { type: 'text', collation: 'other' },
  { type: 'timestamp', zone: 'utc' },
  { type: 'timestamp', zone: '+00:00' },
];

const test = suite('words for the types of columns in each library');

test('in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-types-'));
  try {
    const path = join(folder, 'things.sqlite');
    const database = new Database(path);
    for (const statement of statementsOf('sqlite')) database.exec(statement);
    database.close();
    await compare('sqlite', (name) => copied(path, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('in PostgreSQL', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client, connection } = cluster;
  try {
    await client.query('CREATE EXTENSION citext');
    await client.query("CREATE TYPE mood AS ENUM ('x', 'anna')");
    await client.query(`ALTER DATABASE ${connection.database} SET TimeZone = 'Asia/Kolkata'`);
    for (const statement of statementsOf('postgresql')) await client.query(statement);
    await compare('postgresql', () => connection);
  } finally {
    await cluster.stop();
  }
});

test('in MariaDB', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection, socketPath } = server;
  try {
    await connection.query("SET GLOBAL time_zone = '+05:30'");
    for (const statement of statementsOf('mysql')) await connection.query(statement);
    await compare('mysql', () => ({ socketPath, user: 'root', database: 'authz' }));
  } finally {
    await server.stop();
  }
});

test('a date of PostgreSQL that a library could not read is an error, as its condition reads another value', () => {
  const things = pgTable('things', { at: timestamp({ withTimezone: true }) });
  const allowed = drizzleAdapter(things, {
    dialect: 'postgresql',
    attributes: { at: { column: 'at', type: 'timestamp' } },
  });
  // Drizzle makes a Date of `0800-01-01 05:53:28+05:53:28`.
  assert.throws(
    () => allowed.attributesOf({ at: new Date('0800-01-01 05:53:28+05:53:28') }),
    /`R\.attr\.at`: `at` of a row of `things` is a date that the library could not read: read it as a string/,
  );
});

test.run();

function statementsOf(dialect: TypedDialect): readonly string[] {
  const columns = Object.entries(COLUMNS[dialect]);
  const rows = Array.from({ length: 6 }, (_, row) => [
    String(row),
    ...columns.map(([, [, ...literals]]) => (row === 0 ? 'NULL' : (literals[row - 1] as string))),
  ]);
  return [
    `CREATE TABLE things (id integer PRIMARY KEY, ${columns.map(([name, [type]]) => `${dialect === 'mysql' ? `\`${name}\`` : name} ${type} NULL`).join(', ')})`,
    ...rows.map((cells) => `INSERT INTO things VALUES (${cells.join(', ')})`),
  ];
}

async function compare(dialect: TypedDialect, connectionOf: (library: string) => unknown): Promise<void> {
  const { engine, actions } = await createConditionEngine('thing', CONDITIONS, (index) =>
    index % 2 === 0 ? ['allow', 'deny'] : ['deny'],
  );
  const wrong: string[] = [];
  const counts: { [library: string]: object } = {};
  for (const [name, { [dialect]: open }] of Object.entries(TYPED_LIBRARIES)) {
    const library = await open(connectionOf(name) as never, Object.keys(COLUMNS[dialect]));
    if (dialect === 'sqlite') await writeDates(library);
    const rows = await library.rows();
    const of = { pairs: 0, thrown: 0, compared: 0, unreadable: 0, kit: 0 };
    const kit: ColumnUnderTest[] = [];
    for (const column of Object.keys(library.columns)) {
      for (const word of WORDS) {
        of.pairs += 1;
        const what = `${name}: ${column} as ${JSON.stringify(word)}`;
        let adapter: ReturnType<TypedLibrary['adapter']>;
        // Kysely and Knex know types only if the mapping says them.
        const sqlType = name === 'Kysely' || name === 'Knex' ? { sqlType: COLUMNS[dialect][column]?.[0] } : {};
        const declared = sqlType.sqlType === 'mood' ? { sqlType: 'enum' } : sqlType;
        try {
          adapter = library.adapter({ dialect, attributes: { x: { column, ...word, ...declared } } } as never);
        } catch (error) {
          of.thrown += 1;
          if (!(error instanceof ColumnTypeError)) wrong.push(`${what}: ${String(error)}`);
          continue;
        }
        const subjects = rows.map((row) => {
          try {
            return adapter.attributesOf(row);
          } catch (error) {
            of.unreadable += 1;
            assert.instance(error, TypeError);
            return undefined;
          }
        });
        // Drizzle reads its strings as other values, so conditions select no row with one.
        const isHidden = name === 'Drizzle ORM' && column === 'texts';
        // Queries over rows that cannot be read may fail.
        const isAsked = EFFORT !== 'quick' || name === 'Drizzle ORM';
        if (isAsked && (!subjects.includes(undefined) || what.includes('large')))
          kit.push({
            name: what,
            ids: rows.map((_, index) => String(index)),
            attributesOf: (id) => subjects[Number(id)] ?? Promise.reject(new TypeError('a row that cannot be read')),
            select: async (plan) => (await adapter.select(plan)).map(String),
          });
        for (const { action, condition } of actions) {
          const plan = engine.plan({ principal: PRINCIPAL, resource: { kind: 'thing' }, actions: [action] });
          const selected = await adapter.select(plan).catch((error: unknown) => error as Error);
          if (selected instanceof Error) {
            const isRefused = selected.name === 'UnsupportedPlanError';
            if (!isRefused && !subjects.includes(undefined)) wrong.push(`${what}: ${condition}: ${selected.message}`);
            continue;
          }
          of.compared += 1;
          for (const [id, attr] of subjects.entries()) {
            if (attr === undefined) continue;
            const isAllowed = engine.isAllowed({
              principal: PRINCIPAL,
              resource: { kind: 'thing', id: 'x', attr: attr as never },
              action,
            });
            if (isAllowed && isHidden) continue;
            if (isAllowed !== selected.includes(id))
              wrong.push(`${what}: ${action} ${condition}: ${isAllowed ? 'omits' : 'selects'} ${JSON.stringify(attr)}`);
          }
        }
      }
    }
    const report = await columnConformance(kit);
    of.kit = report.answered;
    assert.ok(of.kit > 200 || EFFORT === 'quick', 'the kit was asked little');
    const omitted = report.underGrants.filter(({ place }) => !place.includes(': texts as'));
    for (const { condition, place, detail } of [...report.overGrants, ...omitted, ...report.failures])
      wrong.push(`the kit: ${place}: ${condition}: ${detail}`);
    counts[name] = of;
    await library.end();
  }
  console.log(`  ${dialect}: ${JSON.stringify(counts)}`);
  assert.equal(wrong.slice(0, 10), [], `${wrong.length} disagreements`);
}

async function writeDates({ columns, write }: TypedLibrary): Promise<void> {
  for (const [column, kind] of Object.entries(columns))
    if (kind === 'date') for (const [index, time] of WRITTEN.entries()) await write(index + 1, column, new Date(time));
}

const PRINCIPAL = { id: 'anna', roles: ['user'] };
