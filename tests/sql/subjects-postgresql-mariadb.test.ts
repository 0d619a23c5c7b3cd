import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowDataPacket } from 'mysql2/promise';
import sqlite from 'node-sqlite3-wasm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openTables } from '../../packages/cli/tables/open-tables.js';
import {
  renderSubjectQuery,
  renderSubjects,
  type SqlDialect,
  type SqlUsers,
} from '../../runtime/residual/sql/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { rounds, SEED } from '../support/effort.js';
import { freePort } from '../support/free-port.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import type { PrincipalInput } from '../../runtime/engine/index.js';
import { readUsers } from '../../packages/cli/review/population.js';
import type { SelectRows } from '../../packages/cli/tables/stored-table.js';
import {
  compareSubjects,
  fillUsers,
  noCounts,
  randomUsers,
  rolesIn,
  type Storage,
  storagesOf,
  type UserDatabase,
  usersTable,
} from './subjects.js';

const test = suite('who may, in PostgreSQL and MariaDB');

test('PostgreSQL selects exactly the users that check allows', async () => {
  const server = await startCluster();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { client } = server;
  try {
    await compare(async (text, parameters) => (await client.query(text, [...parameters])).rows as never, {
      dialect: 'postgresql',
      run: (statement, parameters = []) => client.query(statement, [...parameters]),
      async select(query, parameters) {
        const { rows } = await client.query(query, [...parameters]);
        return new Set((rows as readonly { readonly position: number }[]).map(({ position }) => position));
      },
    });
  } finally {
    await server.stop();
  }
});

test('MariaDB selects exactly the users that check allows, under a collation that ignores case', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await compare(async (text, parameters) => (await connection.execute(text, [...parameters]))[0] as never, {
      dialect: 'mysql',
      run: (statement, parameters = []) => connection.execute(statement, [...parameters]),
      async select(query, parameters) {
        const [rows] = await connection.execute<RowDataPacket[]>(query, [...parameters] as string[]);
        return new Set(rows.map(({ position }) => position as number));
      },
    });
  } finally {
    await server.stop();
  }
});

test('ids are listed with all their digits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-ids-'));
  const [cluster, mariadb] = [await startCluster(await freePort()), await startMariadb()];
  try {
    const file = join(folder, 'users.db');
    const database = new sqlite.Database(file);
    const opened: [SqlDialect, string, (statement: string) => unknown][] = [
      ['sqlite', file, (statement) => database.exec(statement)],
    ];
    if (typeof cluster !== 'string')
      opened.push(['postgresql', cluster.url ?? '', (statement) => cluster.client.query(statement)]);
    if (typeof mariadb !== 'string')
      opened.push([
        'mysql',
        `mariadb://root@localhost/authz?socketPath=${encodeURIComponent(mariadb.socketPath)}&connectAttributes=%7B%7D`,
        (statement) => mariadb.connection.query(statement),
      ]);
    for (const [dialect, url, run] of opened) {
      await run('CREATE TABLE numbered (id bigint PRIMARY KEY, role varchar(9))');
      await run(`INSERT INTO numbered VALUES ${IDS.map((id) => `(${id}, 'user')`).join(', ')}`);
      if (dialect === 'sqlite') database.close();
      const users: SqlUsers = {
        name: 'numbered',
        id: { column: 'id', type: 'integer-as-text' },
        roles: { column: 'role', type: 'text' },
        columns: {},
      };
      const query = renderSubjectQuery({ kind: 'KIND_ALWAYS_ALLOWED' }, users, { dialect });
      if (query.kind === 'refused') throw new Error(JSON.stringify(query.problems));
      const tables = await openTables(url);
      const rows = await tables.select(query.text, query.parameters);
      await tables.close();
      const ids = rows.map(({ id }) => String(id));
      assert.equal([...ids].sort(), [...IDS].sort(), dialect);
    }
  } finally {
    for (const server of [cluster, mariadb]) if (typeof server !== 'string') await server.stop();
    rmSync(folder, { recursive: true });
  }
});

const IDS = ['0', '-7', '9007199254740993', '-9007199254740993', '9223372036854775807', '-9223372036854775808'];

/** Reads the users of each id alone: those that all users have, and not the whole of any table. */
async function compareOneByOne(
  select: SelectRows,
  { dialect }: UserDatabase,
  storage: Storage,
  stored: readonly PrincipalInput[],
): Promise<void> {
  const table = usersTable(storage);
  let rows = 0;
  const counted: SelectRows = async (text, parameters) => {
    const found = await select(text, parameters);
    rows += found.length;
    return found;
  };
  await readUsers(counted, table, dialect);
  const all = rows;
  for (const id of [...new Set(stored.map((one) => one.id)), 'nobody', "' OR true --", '']) {
    rows = 0;
    const one = await readUsers(counted, table, dialect, id);
    const wanted = stored.filter((user) => user.id === id);
    const principals = one.users.flatMap(({ principal }) => principal ?? []);
    assert.equal(principals.map(textOf).sort(), wanted.map(textOf).sort(), `${dialect}, ${storage}, ${id}`);
    assert.ok(wanted.length > 0 || rows === 0 || id === '', `${rows} rows of ${dialect}, ${storage}, ${id}`);
    assert.ok(rows < all, `${rows} of ${all} rows of ${dialect}, ${storage}, ${id}`);
  }
}

async function compare(select: SelectRows, database: UserDatabase): Promise<void> {
  const users = randomUsers(new Random(SEED), 60);
  await fillUsers(database, users);
  for (const storage of storagesOf(database)) {
    // Rows that are read are the principals that were stored, in any order.
    const read = await readUsers(select, usersTable(storage), database.dialect);
    assert.equal(read.unread, []);
    const stored = users.flatMap((user) => {
      const roles = rolesIn(storage, user);
      return roles === undefined || user.isGone || user.id === null || user.id === ''
        ? []
        : [{ id: user.id, roles, attr: user.attr }];
    });
    const principals = read.users.flatMap(({ principal }) => principal ?? []);
    assert.equal(principals.map(textOf).sort(), stored.map(textOf).sort(), storage);
    await compareOneByOne(select, database, storage, stored);
  }
  const counts = noCounts();
  const wrong: string[] = [];
  const stores = rounds(40, 4);
  for (let seed = SEED; seed < SEED + stores; seed += 1)
    wrong.push(
      ...(await compareSubjects(database, users, seed, { resources: 6, actions: 4 }, counts, {
        subjectPlans,
        renderSubjects,
      })),
    );
  const { reasons, ...shown } = counts;
  console.log(`  ${stores} stores: ${JSON.stringify(shown)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 6));
  assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
  assert.ok(counts.refused < counts.asked / 2 && counts.selected > counts.cells / 50);
}

/** A principal, whatever the order of its roles and attributes. */
function textOf({ id, roles, attr = {} }: PrincipalInput): string {
  return JSON.stringify([id, [...roles].sort(), Object.entries(attr).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

test.run();
