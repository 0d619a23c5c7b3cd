import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EXIT } from '../../packages/cli/exit.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/*
 * `authzc plan --table --database`: which words of a file of tables fit columns of a database. The words that fit a type
 * are written here by hand: tests/adapters/column-types.test.ts shows that the others select rows that check denies.
 */

/** By type of a column: the words that fit. */
interface Fitting {
  readonly [type: string]: string;
}

const WORDS: { readonly [name: string]: string } = {
  text: 'type: text',
  other: 'type: text, collation: other',
  binary: 'type: text, collation: binary',
  uuid: 'type: uuid',
  integer: 'type: integer',
  'integer-as-text': 'type: integer-as-text',
  'epoch-seconds': 'type: epoch-seconds',
  'epoch-milliseconds': 'type: epoch-milliseconds',
  number: 'type: number',
  decimal: 'type: decimal',
  boolean: 'type: boolean',
  timestamp: 'type: timestamp',
  utc: 'type: timestamp, zone: utc',
  offset: 'type: timestamp, zone: "+00:00"',
  json: 'type: json',
  list: 'type: list',
  'text[]': 'type: "text[]"',
};

const INTEGER = 'epoch-milliseconds epoch-seconds integer integer-as-text';
/** The database has the collation C. */
const POSTGRESQL: Fitting = {
  text: 'binary other text',
  'varchar(20)': 'binary other text',
  'text COLLATE "C"': 'binary other text',
  'text COLLATE "und-x-icu"': 'other text',
  'text COLLATE loose': 'other',
  short: 'binary other text',
  'char(8)': '',
  citext: 'other',
  mood: 'binary other text',
  uuid: 'uuid',
  smallint: INTEGER,
  integer: INTEGER,
  bigint: INTEGER,
  real: '',
  'double precision': 'number',
  'numeric(10, 2)': 'decimal',
  boolean: 'boolean',
  timestamptz: 'timestamp',
  'timestamp(3)': 'utc',
  date: '',
  interval: '',
  json: '',
  jsonb: 'json list',
  'text[]': 'text[]',
  'varchar(5)[]': 'text[]',
  'integer[]': '',
  bytea: '',
  inet: '',
};
const MARIADB: Fitting = {
  'varchar(20)': 'other text',
  'varchar(21) COLLATE utf8mb4_bin': 'other text',
  'varchar(22) COLLATE utf8mb4_nopad_bin': 'binary other text',
  longtext: 'other text',
  'char(8)': 'other text',
  "enum('a', 'b')": 'other text',
  uuid: 'uuid',
  'tinyint(1)': 'boolean',
  int: INTEGER,
  'bigint unsigned': INTEGER,
  float: '',
  double: 'number',
  'decimal(10, 2)': 'decimal',
  'datetime(6)': 'timestamp utc',
  timestamp: '',
  date: '',
  json: 'json list',
  blob: '',
  inet6: '',
  "set('a')": '',
};
const SQLITE: Fitting = {
  text: 'binary json list offset other text timestamp utc uuid',
  'varchar(20)': 'binary json list offset other text timestamp utc uuid',
  'text COLLATE NOCASE': 'json list offset other timestamp utc uuid',
  'nvarchar(9)': 'binary json list offset other text timestamp utc uuid',
  string: 'decimal',
  integer: `boolean ${INTEGER}`,
  bigint: INTEGER,
  'tinyint(1)': 'boolean',
  boolean: 'boolean',
  real: 'number',
  'decimal(10, 2)': 'decimal',
  datetime: 'epoch-milliseconds epoch-seconds offset timestamp utc',
  date: '',
  json: 'json list',
  blob: '',
};

const test = suite('tables compared with a database');

test('PostgreSQL', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client, connection } = cluster;
  try {
    await client.query(`CREATE SCHEMA extensions; CREATE EXTENSION citext SCHEMA extensions; SET search_path = public, extensions;
      CREATE TYPE mood AS ENUM ('x'); CREATE DOMAIN short AS varchar(9);
      CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`);
    await compare(POSTGRESQL, {
      execute: (statement) => client.query(statement),
      url: `postgresql://${connection.user}:hunter2@${encodeURIComponent(connection.host)}/${connection.database}`,
    });
  } finally {
    await cluster.stop();
  }
});

test('MariaDB', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    await compare(MARIADB, {
      execute: (statement) => server.connection.query(statement),
      url: `mariadb://root@localhost/authz?socketPath=${encodeURIComponent(server.socketPath)}&connectAttributes=%7B%7D`,
    });
  } finally {
    await server.stop();
  }
});

for (const mode of ['delete', 'wal'])
  test(`SQLite, journal_mode = ${mode}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'authz-plan-'));
    const database = new Database(join(folder, 'things.db'));
    try {
      database.exec(`PRAGMA journal_mode = ${mode}`);
      const url = `${mode === 'wal' ? 'sqlite:' : ''}${join(folder, 'things.db')}`;
      await compare(SQLITE, { execute: (statement) => database.exec(statement), url });
    } finally {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

test('a database that cannot be read is an error that does not show the URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-plan-'));
  try {
    writeFileSync(
      join(folder, 'tables.yaml'),
      'tables: { note: { name: notes, columns: { a: { column: a, type: text } } } }\n',
    );
    writeFileSync(join(folder, 'text.db'), 'not a database\n'.repeat(100));
    const words = ['plan', '--table', 'tables.yaml', '--database'];
    for (const [url, message] of [
      ['postgresql://me:hunter2@127.0.0.1:1/secret', /^authzc: cannot connect to the database: .*ECONNREFUSED/],
      ['mysql://me:hunter2@127.0.0.1:1/secret', /^authzc: cannot connect to the database: .*ECONNREFUSED/],
      ['none/secret.db', /^authzc: the database file does not exist$/m],
      ['text.db', /^authzc: the database file cannot be read: /],
      ['oracle://me:hunter2@127.0.0.1/secret', /begins with one of `postgres:`, .*, or is the path of an SQLite file/],
    ] as const) {
      const { code, stdout, stderr } = await callAuthzc([...words, url], folder);
      assert.is(code, EXIT.usage, stderr);
      assert.match(stderr, message, stderr);
      assert.not.match(stdout + stderr, /hunter2|secret/);
    }
    const { stderr } = await callAuthzc(words, folder, { DATABASE_URL: '' });
    assert.match(stderr, /no database: set DATABASE_URL/);
    assert.match((await callAuthzc(['plan', '--database', 'x.db'], folder)).stderr, /`--database` needs the tables/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();

interface Target {
  readonly execute: (statement: string) => unknown;
  readonly url: string;
}

async function compare(types: Fitting, { execute, url }: Target): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-plan-'));
  const names = Object.keys(types);
  try {
    const columns = names.map((type, index) => `c${index} ${type}`);
    await execute(`CREATE TABLE things (id integer PRIMARY KEY, must varchar(9) NOT NULL, ${columns.join(', ')})`);
    await execute('CREATE TABLE others (a integer NOT NULL, b integer NOT NULL, c integer UNIQUE, UNIQUE (a, b))');
    const declared = names.flatMap((_, index) =>
      Object.entries(WORDS).map(([word, text]) => `      c${index} ${word}: { column: c${index}, ${text} }`),
    );
    const tables = ['tables:', '  thing:', '    name: things', '    columns:', ...declared].map((line) =>
      line.replace(/^( +)(c\d+ [^:]+):/, '$1"$2":'),
    );
    writeFileSync(join(folder, 'tables.yaml'), `${tables.join('\n')}\n`);
    const { code, stdout } = await callAuthzc(['plan', '--table', 'tables.yaml', '--database', url], folder);
    assert.is(code, EXIT.failed);
    const wrong = new Set(
      [...stdout.matchAll(/error\[tables\/(?:column-type|collation)\]: [^[]*\["thing"\].columns\["(.*?)"\]/g)].map(
        ([, name]) => name,
      ),
    );
    const fitting = names.map((type, index) => [
      type,
      Object.keys(WORDS)
        .filter((word) => !wrong.has(`c${index} ${word}`))
        .sort()
        .join(' '),
    ]);
    assert.equal(Object.fromEntries(fitting), types);
    await compareOthers(folder, url);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** NULL, unique rows, names; and a plan where all is right. */
async function compareOthers(folder: string, url: string): Promise<void> {
  const found = async (columns: string): Promise<string> => {
    writeFileSync(join(folder, 'tables.yaml'), `tables:\n  thing:\n    name: things\n    columns:\n${columns}\n`);
    const { stdout, stderr } = await callAuthzc(['plan', '--table', 'tables.yaml', '--database', url], folder);
    assert.not.match(stdout + stderr, /hunter2/);
    return [...stdout.matchAll(/error\[(.*?)\].*?columns\["(\w+)"\]/g)]
      .map(([, code, name]) => `${code} ${name}`)
      .join();
  };
  const one = (name: string, on: string): string =>
    `      ${name}: { relation: one, table: others, on: ${on}, unique: true, columns: { a: { column: a, type: integer, nulls: never } } }`;
  assert.is(
    await found(
      [
        '      must: { column: things.must, type: text, collation: other, nulls: never }',
        '      id: { column: id, type: integer, nulls: never }',
        one('both', '{ a: id, b: id }'),
        one('alone', '{ c: id }'),
      ].join('\n'),
    ),
    '',
  );
  assert.is(
    await found(
      [
        '      can: { column: c1, type: text, collation: other, nulls: never }',
        '      gone: { column: none, type: text }',
        '      far: { relation: many, table: nowhere, on: { a: id }, value: { column: a, type: integer } }',
        '      many: { relation: many, table: others, on: { d: id }, where: { e: 1 }, value: { column: f, type: integer } }',
        one('half', '{ a: id }'),
      ].join('\n'),
    ).then((all) => [...new Set(all.split(','))].join()),
    'tables/nullable can,tables/missing gone,tables/missing far,tables/missing many,tables/not-unique half',
  );
  mkdirSync(join(folder, 'policies'));
  writeFileSync(
    join(folder, 'policies', 'policy.yaml'),
    'apiVersion: api.authz.dev/v1\nresourcePolicy:\n  resource: thing\n  version: default\n  rules:\n    - { actions: [view], roles: [user], effect: EFFECT_ALLOW, condition: { match: { expr: R.attr.must == P.id } } }\n',
  );
  writeFileSync(join(folder, 'anna.yaml'), 'id: anna\nroles: [user]\n');
  writeFileSync(
    join(folder, 'tables.yaml'),
    'tables:\n  thing:\n    name: things\n    columns:\n      must: { column: must, type: text, collation: other, nulls: never }\n',
  );
  const plan = ['plan', '--table', 'tables.yaml', '--database'];
  const asked = ['--principal', 'anna.yaml', '--kind', 'thing', '--action', 'view', '-o', 'sql'];
  const { code, stdout, stderr } = await callAuthzc([...plan, url, ...asked], folder);
  assert.is(code, EXIT.done, stderr);
  assert.match(stdout, /things\.must/);
  const missing = await callAuthzc([...plan, url, '--kind', 'thing'], folder);
  assert.match(missing.stderr, /required option `--principal <file>` not specified/);
}
