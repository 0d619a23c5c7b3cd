import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import { SEED, rounds } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareRelated } from './related-comparison.js';
import { inMariadb, inPostgresql, inSqlite } from './related-databases.js';

const test = suite('SQL filters over related tables, and timestamps in documents');

const EXTENT = {
  seed: SEED,
  stores: rounds(1),
  size: 32,
  conditions: rounds(40),
};

test('SQLite selects the rows that check allows', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  await compareRelated(inSqlite(database), EXTENT);
  database.close();
});

test('PostgreSQL selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    await cluster.client.query("SET TimeZone = 'Asia/Kolkata'");
    await compareRelated(inPostgresql(cluster.client), EXTENT);
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects the rows that check allows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    await compareRelated(inMariadb(server.connection), EXTENT);
  } finally {
    await server.stop();
  }
});

test.run();
