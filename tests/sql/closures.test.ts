import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlCondition, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { rounds, SEED } from '../support/effort.js';
import type { Random } from '../support/oracle/random.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import {
  CHAIN_CONDITIONS,
  chain,
  documentsInFolders,
  type Keys,
  PER_ROW,
  randomForests,
  SETS,
  withKeys,
} from './closures.js';
import { compareRelated, type Related, type RelatedDatabase } from './related-comparison.js';
import { inMariadb, inPostgresql, inSqlite } from './related-databases.js';

const EXTENT = { seed: SEED, size: 24, conditions: rounds(200, 8) };

const OTHER_KEYS: readonly Keys[] = ['integer', 'uuid'];

/** Folders in folders: more than the 1,000 that MariaDB follows by default. The time of SQLite is quadratic. */
const CHAIN = Math.min(2_000, rounds(2_000, 1_100));

const test = suite('SQL filters over folders in folders');

test('SQLite selects the rows that check allows', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  await compare(inSqlite(database), rounds(30, 2));
  await compare(inSqlite(database), rounds(10), 'row');
  for (const keys of OTHER_KEYS) await compare(inSqlite(database), rounds(10), 'set', keys);
  assert.equal(await selectInChain(inSqlite(database), CHAIN), [[0], [1], [0]]);
  database.close();
});

test('PostgreSQL selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    // The planner expects recursive queries to be so large that it compiles them.
    await cluster.client.query('SET jit = off');
    await compare(inPostgresql(cluster.client), rounds(20, 1));
    await compare(inPostgresql(cluster.client), rounds(10), 'row');
    for (const keys of OTHER_KEYS) await compare(inPostgresql(cluster.client), rounds(10), 'set', keys);
    assert.equal(await selectInChain(inPostgresql(cluster.client), CHAIN), [[0], [1], [0]]);
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects the rows that check allows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    await compare(inMariadb(server.connection), rounds(10));
    for (const keys of OTHER_KEYS) await compare(inMariadb(server.connection), rounds(10), 'set', keys);
    const cutOff = 'Subquery returns more than 1 row';
    assert.equal(await selectInChain(inMariadb(server.connection), CHAIN), [cutOff, cutOff]);
    await server.connection.query('SET max_recursive_iterations = 4294967295');
    assert.equal(await selectInChain(inMariadb(server.connection), CHAIN), [[0], [1]]);
  } finally {
    await server.stop();
  }
});

test.run();

/** The conditions of chains: positive, negated, and for each row. */
async function selectInChain(
  database: RelatedDatabase,
  length: number,
): Promise<readonly (readonly number[] | string)[]> {
  await database.fill(chain(length));
  const conditions = await conditionsIn(database.dialect, [
    ...CHAIN_CONDITIONS,
    ...(database.dialect === 'mysql' ? [] : [`size(R.attr.ancestors) == ${length}`]),
  ]);
  const found: (readonly number[] | string)[] = [];
  for (const condition of conditions)
    found.push(
      await database.select(condition).then(
        (positions) => [...positions],
        (error: Error) => error.message,
      ),
    );
  return found;
}

async function conditionsIn(
  dialect: SqlDialect,
  exprs: readonly string[],
): Promise<readonly (SqlCondition & { readonly kind: 'sql' })[]> {
  return (await planConditions('document', exprs)).map((filter, index) => {
    const condition = renderSql(filter, documentsInFolders(), { dialect });
    assert.ok(condition.kind === 'sql', exprs[index]);
    return condition;
  });
}

async function compare(
  database: RelatedDatabase,
  stores: number,
  closures: 'set' | 'row' = 'set',
  keys: Keys = 'text',
): Promise<void> {
  const atoms = withKeys([...SETS, ...(database.dialect === 'mysql' ? [] : PER_ROW)], keys);
  const related: Related = {
    table: documentsInFolders(keys),
    atoms,
    randomStore: randomForests(keys),
    randomCondition,
    options: { closures },
  };
  await compareRelated(database, { ...EXTENT, stores }, related);
}

function randomCondition(random: Random, atoms: readonly string[], depth: number): string {
  if (depth === 0 || random.chance(0.3)) return random.pick(atoms);
  const inner = (): string => `(${randomCondition(random, atoms, depth - 1)})`;
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () => `(${inner()} ? ${inner()} : ${inner()})`,
    () => `R.attr.ancestors.${random.pick(['exists', 'all'])}(g, (${random.pick(SETS)}) || g.locked)`,
  ])();
}
