import { drizzle } from 'drizzle-orm/sql-js';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { Kysely, SqliteDialect } from 'kysely';
import Database from 'libsql';
import initSqlJs from 'sql.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { absent, type FactSource } from '../../runtime/facts/index.js';
import { drizzleFacts } from './drizzle.js';
import { type FactsOf, sqlFacts } from './facts.js';
import { knexFacts } from './knex.js';
import { kyselyFacts } from './kysely.js';
import { prismaFacts } from './prisma/index.js';

const CREATE = `CREATE TABLE albums (id INTEGER PRIMARY KEY, owner_id TEXT NOT NULL, "the status" TEXT, hidden INTEGER, tags TEXT, city TEXT)`;
const ROWS = `INSERT INTO albums VALUES
  (1, 'ann', 'OPEN', 0, '["a", 1]', 'Bern'), (2, 'bob', NULL, 1, NULL, NULL), (3, 'x', 'y', 7, 'no JSON', 'z')`;

const id = { column: 'id', type: 'integer-as-text', null: 'never' } as const;
const attributes = {
  owner: { column: 'owner_id', type: 'text', null: 'never' },
  status: { column: 'the status', type: 'text', null: 'null' },
  hidden: { column: 'hidden', type: 'boolean' },
  tags: { column: 'tags', type: 'list' },
  'address.city': { column: 'city', type: 'text' },
} as const;
const OPTIONS: FactsOf = { of: 'album', cache: { maxAge: 10 } };

interface Albums {
  readonly id: number;
  readonly owner_id: string;
  readonly 'the status': string | null;
  readonly hidden: number | null;
  readonly tags: string | null;
  readonly city: string | null;
}

const sqlite = new Database(':memory:');
sqlite.exec(`${CREATE}; ${ROWS}`);
const { Database: SqlJs } = await initSqlJs();
const memory = new SqlJs();
memory.run(CREATE);
memory.run(ROWS);

const albums = sqliteTable('albums', {
  id: integer('id').primaryKey(),
  owner_id: text('owner_id').notNull(),
  'the status': text('the status'),
  hidden: integer('hidden'),
  tags: text('tags'),
  city: text('city'),
});

/** Rows as a query of these columns returns them. */
function select(columns: readonly string[], keys: readonly unknown[]): readonly object[] {
  const list = columns.map((column) => `"${column}"`).join(', ');
  return sqlite
    .prepare(`SELECT ${list} FROM albums WHERE id IN (${keys.map(() => '?').join(', ')})`)
    .all(...keys) as object[];
}

const knex = ((table: string) => ({
  select: (...columns: readonly string[]) => ({
    whereIn: async (_: string, keys: readonly unknown[]) => (table === 'albums' ? select(columns, keys) : []),
  }),
})) as never;

const prisma = {
  album: {
    findMany: async ({ where, select: fields }: { where: { id: { in: readonly unknown[] } }; select: object }) =>
      select(
        Object.keys(fields).map((field) => (field === 'status' ? 'the status' : field)),
        where.id.in,
      ).map((row) => {
        const { 'the status': status, hidden, tags, ...rest } = row as Albums;
        return {
          ...rest,
          status,
          hidden: hidden === null ? null : hidden > 1 ? 'yes' : hidden === 1,
          tags: tags === null ? null : tags.startsWith('[') ? JSON.parse(tags) : 7,
        };
      }),
  },
};

const SOURCES: { readonly [library: string]: FactSource } = {
  SQL: sqlFacts(
    async (statement, parameters) => sqlite.prepare(statement).all(...parameters) as object[],
    { name: 'albums', dialect: 'sqlite', id, columns: attributes },
    OPTIONS,
  ),
  Kysely: kyselyFacts(
    new Kysely<{ albums: Albums }>({ dialect: new SqliteDialect({ database: sqlite as never }) }),
    'albums',
    { dialect: 'sqlite', id, attributes },
    OPTIONS,
  ),
  Drizzle: drizzleFacts(
    drizzle(memory),
    albums,
    {
      dialect: 'sqlite',
      id,
      attributes: { ...attributes, hidden: { column: 'hidden', type: 'boolean', sqlType: 'boolean' } },
    },
    OPTIONS,
  ),
  Knex: knexFacts<Albums>(knex, 'albums', { dialect: 'sqlite', id, attributes }, OPTIONS),
  Prisma: prismaFacts(
    prisma,
    'Album',
    {
      provider: 'sqlite',
      id: { field: 'id', type: 'integer' },
      attributes: {
        owner: { field: 'owner_id', type: 'text', null: 'never' },
        status: { field: 'status', type: 'text', null: 'null' },
        hidden: { field: 'hidden', type: 'boolean' },
        tags: { field: 'tags', type: 'json' },
        'address.city': { field: 'city', type: 'text' },
      },
    } as never,
    OPTIONS,
  ),
};

/** The rows with some ids, with all that a source provides. */
function loadAll(source: FactSource, keys: readonly string[]) {
  const wanted = { names: source.provides, select: {} };
  return source.load(keys, { wanted, tx: undefined as never, signal: new AbortController().signal });
}

for (const [library, source] of Object.entries(SOURCES)) {
  test(`${library}: rows are facts by the words of the mapping`, async () => {
    assert.equal([...source.provides], ['owner', 'status', 'hidden', 'tags', 'address']);
    const types = {
      owner: 'string',
      status: 'string',
      hidden: 'boolean',
      tags: library === 'Prisma' ? 'any' : 'list',
      address: 'map',
    };
    assert.equal(source.types, types);
    const rows = (await loadAll(source, ['1', '2', '3', '4', '01', "1' OR 1=1"])) as ReadonlyMap<
      string,
      { readonly [name: string]: unknown }
    >;
    assert.equal([...rows.keys()].sort(), ['01', '1', "1' OR 1=1", '2', '3']);
    // A statement of the application may read these as the id of a row.
    for (const key of ['01', "1' OR 1=1"]) assert.is(typeof rows.get(key), 'symbol');
    assert.equal(rows.get('1'), {
      owner: 'ann',
      status: 'OPEN',
      hidden: false,
      tags: ['a', 1],
      address: { city: 'Bern' },
    });
    assert.equal(rows.get('2'), { owner: 'bob', status: null, hidden: true, tags: absent, address: {} });
    // A value that is not right fails alone.
    const { owner, hidden } = rows.get('3') ?? {};
    assert.is(owner, 'x');
    assert.is(typeof hidden, 'symbol');
  });

  test(`${library}: an id with NUL fails before the query`, async () => {
    const rows = (await loadAll(source, ['1\0'])) as ReadonlyMap<string, unknown>;
    assert.is(typeof rows.get('1\0'), 'symbol');
  });
}

test('a column that SQLite does not have fails, and one may be named with its table', async () => {
  const run = async (statement: string, parameters: readonly unknown[]) =>
    sqlite.prepare(statement).all(...parameters) as object[];
  const read = async (column: string) => {
    const columns = { owner: { column, type: 'text' } } as const;
    return loadAll(sqlFacts(run, { name: 'albums', dialect: 'sqlite', id, columns }, { of: 'album' }), ['1']);
  };
  assert.equal(((await read('albums.owner_id')) as ReadonlyMap<string, object>).get('1'), { owner: 'ann' });
  assert.throws(
    () =>
      sqlFacts(
        run,
        { name: 'albums', dialect: 'sqlite', id, columns: { owner: { column: 'others.owner', type: 'text' } } },
        { of: 'album' },
      ),
    /`others\.owner` is not a column of `albums`/,
  );
  // A quoted name that is no column is a string in SQLite.
  await read('owner').then(
    () => assert.unreachable('was read'),
    (error: Error) => assert.match(error.message, /no such column/),
  );
});

test('attributes without a column are refused', () => {
  assert.throws(
    () =>
      sqlFacts(
        async () => [],
        { name: 'albums', dialect: 'sqlite', id, columns: attributes },
        { of: 'album', provides: ['blocked'] },
      ),
    /`blocked` has no column in the mapping/,
  );
  assert.throws(
    () => sqlFacts(async () => [], { name: 'albums', dialect: 'sqlite', columns: attributes }, OPTIONS),
    /has no `id`/,
  );
});

test('identifiers are quoted, and PostgreSQL gets the ids as one parameter', async () => {
  const told: unknown[] = [];
  const run = async (statement: string, parameters: readonly unknown[]) => {
    told.push([statement, parameters]);
    return { rows: [] };
  };
  const columns = { a: { column: 'a"b', type: 'text' } } as const;
  const load = (dialect: 'postgresql' | 'mysql') =>
    loadAll(sqlFacts(run, { name: 'public.al`bums', dialect, id: { column: 'id', type: 'text' }, columns }, OPTIONS), [
      'x',
      'y',
    ]);
  await load('postgresql');
  await load('mysql');
  assert.equal(told, [
    ['SELECT "al`bums"."id", "al`bums"."a""b" FROM "public"."al`bums" WHERE "al`bums"."id" = ANY($1)', [['x', 'y']]],
    ['SELECT `al``bums`.`id`, `al``bums`.`a"b` FROM `public`.`al``bums` WHERE `al``bums`.`id` IN (?, ?)', ['x', 'y']],
  ]);
});

test.run();
