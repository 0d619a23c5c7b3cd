import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds, SEED } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { type Cell, COLUMNS, createTable } from '../support/sql/typed-table.js';
import { ACTIONS, type CapabilityTally, compareCapabilities, type WrittenColumns } from './capabilities.js';
import { openCapableSqlite } from './capable-sqlite.js';
import { renderCapabilities, type SqlCapabilities } from '../../runtime/residual/sql/index.js';
import type { Filter, Operand } from '../../runtime/residual/filters.js';
import type { Client } from 'pg';

/* Columns that say which actions are allowed: each cell is what check decides, in each database. */

const test = suite('can columns');
const EXTENT = { seed: SEED, stores: rounds(20), rows: 64 };

test('in SQLite, each cell is what check decides, and never NULL', async () => {
  const { database, close } = await openCapableSqlite();
  const tally = await compareCapabilities(database, EXTENT);
  close();
  settle('sqlite', tally);
});

/** Faults that a generator of columns could have: the columns with each, and what is not wrong everywhere as it is. */
const FAULTS: { readonly [name: string]: (columns: SqlCapabilities) => WrittenColumns } = {
  'NULL where a condition is NULL': (columns) => textually(columns, (text) => text.replaceAll(') IS TRUE)', '))')),
  'IS NOT FALSE': (columns) => textually(columns, (text) => text.replaceAll(' IS TRUE)', ' IS NOT FALSE)')),
  'all actions together': (columns) => ofEach(columns, ({ columns: all }) => all.map(({ text }) => text).join(' AND ')),
  'any of the actions': (columns) => ofEach(columns, ({ columns: all }) => all.map(({ text }) => text).join(' OR ')),
  'parameters in reverse': ({ text, parameters }) => ({ text, parameters: [...parameters].reverse() }),
  'a parameter of another column': ({ text, parameters }) => ({
    text,
    parameters: [...parameters.slice(1), ...parameters.slice(0, 1)],
  }),
  'parameters that are missing': ({ text, parameters }) => ({ text, parameters: parameters.map(() => null) }),
  'no parentheses': (columns) => textually(columns, (text) => text.replace(/^\(\((.*)\) IS TRUE\)$/s, '$1 IS TRUE')),
  'the opposite': (columns) => textually(columns, (text) => `NOT ${text}`),
  'columns in another order': (columns) => ({
    text: [...columns.columns].reverse().map(named).join(', '),
    parameters: [...columns.columns].reverse().flatMap(({ parameters }) => parameters),
  }),
  'all conditions true': (columns) => ofEach(columns, () => '1'),
  'all conditions false': (columns) => ofEach(columns, () => '0'),
  'OR for AND': (columns) => textually(columns, (text) => text.replaceAll(' AND ', ' OR ')),
  'AND for OR': (columns) => textually(columns, (text) => text.replaceAll(' OR ', ' AND ')),
  'constants exchanged': (columns) => textually(columns, (text) => (text === '1' ? '0' : text === '0' ? '1' : text)),
  'a refused column that is FALSE': (columns) => textually(columns, (text) => (text === 'NULL' ? '0' : text)),
};

function textually(columns: SqlCapabilities, change: (text: string) => string): WrittenColumns {
  const changed = columns.columns.map((column) => ({ ...column, text: change(column.text) }));
  return { text: changed.map(named).join(', '), parameters: columns.parameters };
}

function named({ text, name }: { readonly text: string; readonly name: string }): string {
  return `(${text}) AS "${name}"`;
}

/** The same expression, with all parameters, for each column that is not constant. */
function ofEach(columns: SqlCapabilities, expression: (columns: SqlCapabilities) => string): WrittenColumns {
  const own = expression(columns);
  const isLong = own.includes('?');
  const written = columns.columns.map((column) => ({
    ...column,
    ...(column.always === undefined &&
      column.text !== 'NULL' && { text: own, parameters: isLong ? columns.parameters : [] }),
  }));
  return { text: written.map(named).join(', '), parameters: written.flatMap(({ parameters }) => parameters) };
}

test('each fault of a generator is found', async () => {
  const { database, close } = await openCapableSqlite();
  const alive: string[] = [];
  for (const [name, change] of Object.entries(FAULTS)) {
    let isFound = false;
    for (let seed = SEED; !isFound && seed < SEED + 40; seed += 1) {
      const { wrong, nulls } = await compareCapabilities(database, { seed, stores: 1, rows: 64 }, change);
      isFound = wrong.length > 0 || nulls > 0;
    }
    if (!isFound) alive.push(name);
  }
  close();
  assert.equal(alive, []);
});

test('in PostgreSQL, each cell is what check decides, and never NULL', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query("CREATE COLLATION words (provider = icu, locale = 'en')");
    await client.query("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    await client.query('CREATE EXTENSION citext');
    await client.query(createTable('postgresql'));
    const tally = await compareCapabilities(
      {
        dialect: 'postgresql',
        async fill(rows) {
          await client.query('TRUNCATE things');
          for (const [position, { id, cells }] of rows.entries())
            await client.query(
              `INSERT INTO things VALUES (${['', '', ...cells].map((_, index) => `$${index + 1}`).join(', ')})`,
              [position, id, ...cells.map(written)],
            );
        },
        async columns(text, parameters) {
          const { rows } = await client.query(`SELECT position, ${text} FROM things`, parameters);
          return new Map(rows.map(({ position, ...columns }) => [position as number, Object.values(columns)] as const));
        },
      },
      EXTENT,
    );
    settle('postgresql', tally);
    const [plain, page] = await costsOfPage(client);
    assert.ok(page <= plain * 1.3, `a page with four columns costs ${page}, and without them ${plain}`);
  } finally {
    await cluster.stop();
  }
});

test('in MariaDB, each cell is what check decides, and never NULL', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await connection.query("SET sql_mode = 'ALLOW_INVALID_DATES'");
    await connection.query(createTable('mysql'));
    const tally = await compareCapabilities(
      {
        dialect: 'mysql',
        async fill(rows) {
          await connection.query('TRUNCATE things');
          for (const [position, { id, cells }] of rows.entries())
            await connection.execute(
              `INSERT INTO things VALUES (?, ?${', ?'.repeat(COLUMNS.length)})`,
              [position, id, ...cells].map((cell) => (typeof cell === 'bigint' ? String(cell) : cell)),
            );
        },
        async columns(text, parameters) {
          const [rows] = await connection.execute<RowDataPacket[]>(
            { sql: `SELECT position, ${text} FROM things`, rowsAsArray: true },
            [...(parameters as string[])],
          );
          return new Map((rows as unknown[][]).map(([place, ...cells]) => [place as number, cells]));
        },
      },
      EXTENT,
    );
    settle('mysql', tally);
  } finally {
    await server.stop();
  }
});

test.run();

interface Explained {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Total Cost': number } }];
}

/** What PostgreSQL expects of a page of 100 rows, without and with four can columns. */
async function costsOfPage(client: Client): Promise<readonly [plain: number, withColumns: number]> {
  await client.query(`CREATE TABLE docs AS
    SELECT n::text AS id, 'u' || n % 50 AS owner, CASE n % 3 WHEN 0 THEN 'draft' ELSE 'open' END AS status
    FROM generate_series(1, 20000) AS n`);
  await client.query('ANALYZE docs');
  const equal = (attribute: string, value: string): Operand => ({
    expression: { operator: 'eq', operands: [{ variable: `request.resource.attr.${attribute}` }, { value }] },
  });
  const both = (operator: string): Operand => ({
    expression: { operator, operands: [equal('owner', 'u1'), equal('status', 'draft')] },
  });
  const conditions = {
    view: both('or'),
    edit: both('and'),
    delete: equal('owner', 'u1'),
    close: equal('status', 'open'),
  };
  const plans = Object.fromEntries(
    Object.entries(conditions).map(
      ([action, condition]) => [action, { filter: { kind: 'KIND_CONDITIONAL', condition } as Filter }] as const,
    ),
  );
  const columns = { owner: { column: 'owner', type: 'text' }, status: { column: 'status', type: 'text' } } as const;
  const { text, parameters } = renderCapabilities(
    plans,
    { name: 'docs', alias: 'p', columns },
    { dialect: 'postgresql' },
  );
  const cost = async (more: string, values: readonly unknown[]): Promise<number> => {
    const page = '(SELECT * FROM docs ORDER BY id LIMIT 100) AS p';
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) SELECT p.*${more} FROM ${page}`, [...values]);
    const [
      {
        'QUERY PLAN': [{ Plan: plan }],
      },
    ] = rows as unknown as readonly [Explained];
    return plan['Total Cost'];
  };
  return [await cost('', []), await cost(`, ${text}`, parameters)];
}

function settle(dialect: string, { wrong, ...tally }: CapabilityTally): void {
  console.log(`  ${dialect}: ${JSON.stringify(tally)}, ${wrong.length} wrong`);
  assert.is(wrong.length, 0, wrong.slice(0, 5).join('\n'));
  assert.is(tally.nulls, 0);
  assert.is(tally.cells, tally.statements * EXTENT.rows * ACTIONS.length, 'one statement answers all actions');
  assert.ok(tally.allowed > tally.cells / 20, 'the policies allow too little');
}

/** As strings, which hold 64 bits and the sign of zero. */
function written(cell: Cell): string | boolean | null {
  if (Object.is(cell, -0)) return '-0';
  return cell === null || typeof cell === 'boolean' ? cell : String(cell);
}
