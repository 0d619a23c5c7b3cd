import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql } from '../../../runtime/residual/sql/index.js';
import { Random } from '../../support/oracle/random.js';
import { SEED, rounds } from '../../support/effort.js';
import { skip } from '../../support/skip.js';
import { startMariadb } from '../../support/sql/mariadb-server.js';
import { startCluster } from '../../support/sql/postgresql-cluster.js';
import { sqlTable } from './mappings.js';
import { idiomPlans, typedRows } from './rows.js';
import { fill, type SqlStore } from './sql-stores.js';

const rows = typedRows(new Random(SEED), rounds(400, 60));
const plans = (await idiomPlans('composed')).map((plan) => ({
  ...plan,
  allowed: rows.filter((row) => plan.isAllowed(row)).map(({ id }) => id),
}));

const test = suite('idioms in SQL');

test('SQLite selects the rows that check allows', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  await compare({
    dialect: 'sqlite',
    run: async (text, parameters = []) => {
      const statement = database.prepare(text);
      statement.run(parameters as readonly string[]);
      statement.free();
    },
    select: async ({ text, parameters }) => {
      const statement = database.prepare(`SELECT id FROM documents WHERE ${text}`);
      statement.bind([...parameters] as string[]);
      const ids: string[] = [];
      while (statement.step()) ids.push(String(statement.get()[0]));
      statement.free();
      return ids;
    },
  });
  database.close();
});

test('PostgreSQL selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await compare({
      dialect: 'postgresql',
      run: (statement, parameters) => client.query(statement, parameters),
      select: async ({ text, parameters }) =>
        (await client.query(`SELECT id FROM documents WHERE ${text}`, parameters)).rows.map(({ id }) => String(id)),
    });
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects the rows that check allows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await compare({
      dialect: 'mysql',
      run: (statement, parameters = []) => connection.execute(statement, [...parameters]),
      select: async ({ text, parameters }) => {
        const statement = `SELECT id FROM documents WHERE ${text}`;
        const [found] = await connection.execute<RowDataPacket[]>(statement, [...parameters]);
        return found.map(({ id }) => String(id));
      },
    });
  } finally {
    await server.stop();
  }
});

test.run();

/** Each idiom, alone and composed, over random rows. */
async function compare(store: SqlStore): Promise<void> {
  const { dialect } = store;
  await fill(store, rows);
  const wrong: string[] = [];
  let rendered = 0;
  for (const { allowed, ...plan } of plans) {
    const condition = renderSql(plan.filter, sqlTable(dialect), { dialect });
    if (condition.kind === 'refused') continue;
    const selected = await store.select(condition).catch((error: unknown) => error as Error);
    if (selected instanceof Error) {
      wrong.push(`${plan.name}: the statement fails: ${selected.message}: ${condition.text}`);
      continue;
    }
    rendered += 1;
    const [has, may] = [new Set(selected), new Set(allowed)];
    const over = selected.filter((id) => !may.has(id));
    const under = allowed.filter((id) => !has.has(id));
    if (over.length + under.length > 0)
      wrong.push(
        `${plan.name}: ${over.length} over, ${under.length} under, such as ${JSON.stringify(
          rows.find(({ id }) => id === (over[0] ?? under[0])),
        )}\n  ${condition.text}`,
      );
  }
  assert.is(wrong.length, 0, `${wrong.length} disagreements\n${wrong.slice(0, 4).join('\n')}`.slice(0, 5000));
  console.log(`  ${dialect}: ${rendered} of ${plans.length} plans rendered, over ${rows.length} rows`);
}
