import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Bundle, RunningServer } from '../../server/main.js';
import { PROTOCOLS, type Question } from '../support/facts/protocols.js';
import { factsBundle, startFactsServer } from '../support/facts/served.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';

/* Facts from tables of PostgreSQL: a server of the tests, with rows and ids that a fixture would not have. */

const test = suite('facts of a server from PostgreSQL');

const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: doc
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user]}
    - {actions: [view], effect: EFFECT_DENY, roles: [user], condition: {match: {expr: R.attr.blocked}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "R.attr.owner == P.id && R.attr.size < P.attr.quota"}}}
    - {actions: [tag], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '"a" in R.attr.tags && R.attr.meta.level == 2'}}}
    - {actions: [read], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "timestamp(R.attr.since) < timestamp('2020-06-01T00:00:00Z')"}}}
    - {actions: [erase], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: "!has(R.attr.owner)"}}}
`;

const TABLES = `tables:
  doc:
    name: app.docs
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner_id, type: text}
      blocked: {column: 'is "blocked"', type: boolean, nulls: never}
      size: {column: bytes, type: integer}
      tags: {column: tags, type: 'text[]'}
      meta: {column: meta, type: json}
      since: {column: since, type: timestamp}
      parent: {relation: one, table: app.docs, on: {id: parent_id}, columns: {name: {column: id, type: text}}}
  partial:
    name: app.docs
    id: {column: id, type: text, nulls: never}
    columns:
      owner: {column: owner_id, type: text}
      notes: {relation: many, table: app.notes, on: {doc: id}, value: {column: note, type: text}}
      nothing: {column: nothing, type: text}
      nowhere: {relation: many, table: app.nowhere, on: {doc: id}, value: {column: note, type: text}}
  slow:
    name: app.slow
    id: {column: id, type: text}
    columns: {blocked: {column: blocked, type: boolean, nulls: never}}
  writing:
    name: app.writing
    id: {column: id, type: text}
    columns: {blocked: {column: blocked, type: boolean, nulls: never}}
  account:
    name: app.accounts
    id: {column: id, type: integer-as-text}
    columns: {quota: {column: quota, type: decimal}}
`;

const SQL = `
CREATE SCHEMA app;
CREATE TABLE app.docs (id text, owner_id text, "is ""blocked""" boolean NOT NULL, bytes bigint, tags text[], meta jsonb, since timestamptz, parent_id text);
INSERT INTO app.docs VALUES
  ('1', '7', false, 5, ARRAY['a'], '{"level": 2}', '2020-01-01T00:00:00Z', NULL),
  ('2', '8', true, 99, ARRAY['b'], '{"level": 2}', '2021-01-01T00:00:00Z', '1'),
  ('3', NULL, false, NULL, NULL, NULL, NULL, NULL),
  ('4', '7', false, 9007199254740993, ARRAY['a'], '3', '2020-01-01T00:00:00Z', NULL),
  ('twice', '7', false, 1, NULL, NULL, NULL, NULL),
  ('twice', '7', false, 1, NULL, NULL, NULL, NULL),
  ('it''s "1"; DROP TABLE app.docs', '7', false, 1, NULL, NULL, NULL, NULL),
  ('__proto__', '7', false, 1, NULL, NULL, NULL, NULL);
CREATE TABLE app.notes (doc text, note text);
INSERT INTO app.notes VALUES ('1', 'x');
CREATE TABLE app.accounts (id bigint, quota numeric(10, 2));
INSERT INTO app.accounts VALUES (7, 10.50), (8, NULL);
CREATE VIEW app.slow AS SELECT id, pg_sleep(60) IS NULL AS blocked FROM app.docs;
CREATE TABLE app.log (id text);
CREATE FUNCTION app.logged(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO app.log VALUES ($1); RETURN false; END $$;
CREATE VIEW app.writing AS SELECT id, app.logged(id) AS blocked FROM app.docs;
`;

const folder = mkdtempSync(join(tmpdir(), 'authz-facts-tables-'));
const tables = join(folder, 'tables.yaml');
writeFileSync(tables, TABLES);

let cluster: Cluster;
let bundle: Bundle;
let url: string;
let server: RunningServer;

const startWith = (table: string, deadline = '60s', more: object = {}): Promise<RunningServer> =>
  startFactsServer(bundle, {
    sources: {
      deadline,
      from: {
        docs: { of: 'doc', sql: { url, tables, table }, ...more },
        accounts: { of: 'principal', sql: { url, tables, table: 'account', maxConnections: 1 } },
      },
    },
  });

test.before(async () => {
  const started = await startCluster();
  if (typeof started === 'string') return skip(import.meta.url, started);
  cluster = started;
  await cluster.client.query(SQL);
  const { host, user, database } = cluster.connection;
  url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;
  bundle = await factsBundle({ 'doc.yaml': POLICY });
  server = await startWith('doc');
});
test.after(async () => {
  await server?.close();
  await cluster?.stop();
  rmSync(folder, { recursive: true });
});

const question = (doc: string, action: string, id = '7'): Question => ({
  principal: { id, roles: ['user'] },
  kind: 'doc',
  id: doc,
  action,
});

const rest = (asked: Question, of = server) => (PROTOCOLS[0] as (typeof PROTOCOLS)[number]).ask(of, asked);

test('rows decide by the types of their columns', async () => {
  for (const [doc, action, id, outcome] of [
    ['1', 'view', '7', 'allow'],
    ['2', 'view', '7', 'deny'],
    ['1', 'edit', '7', 'allow'],
    ['1', 'edit', '8', 'deny'],
    ['4', 'edit', '7', 'deny'],
    ['1', 'tag', '7', 'allow'],
    ['2', 'tag', '7', 'deny'],
    ['3', 'tag', '7', 'deny'],
    ['4', 'tag', '7', 'deny'],
    ['1', 'read', '7', 'allow'],
    ['2', 'read', '7', 'deny'],
    ['3', 'erase', '7', 'allow'],
    ['1', 'erase', '7', 'deny'],
  ] as const)
    assert.is(await rest(question(doc, action, id)), outcome, `${action} ${doc}`);
});

test('every protocol reads the table', async () => {
  for (const protocol of PROTOCOLS) {
    // A path has no such characters.
    if (protocol.name === 'ext_authz over HTTP') continue;
    assert.is(await protocol.ask(server, question('2', 'view')), 'deny', protocol.name);
    assert.is(await protocol.ask(server, question('1', 'view')), 'allow', protocol.name);
  }
});

test('ids are values, whatever they look like', async () => {
  assert.is(await rest(question('it\'s "1"; DROP TABLE app.docs', 'edit')), 'allow');
  assert.is(await rest(question('__proto__', 'edit')), 'allow');
  for (const id of ["' OR true --", '1\\', '%', 'constructor', '{1}', '1,2', 'x'.repeat(5000)])
    assert.is(await rest(question(id, 'view')), 'unavailable', id);
  assert.is(await rest(question('1\0', 'view')), 'unavailable');
  // Ids of principals that no row can have.
  for (const id of ['07', '7.0', '1e1', '7 ', '99999999999999999999', "7' OR true --"])
    assert.is(await rest(question('1', 'edit', id)), 'deny', `owner ${id}`);
  const { rows } = await cluster.client.query('SELECT count(*)::int AS n FROM app.docs');
  assert.is(rows[0]?.n, 8);
});

test('two rows of an id, and no row, decide nothing', async () => {
  assert.is(await rest(question('twice', 'view')), 'unavailable');
  assert.is(await rest(question('nowhere', 'view')), 'unavailable');
  const lenient = await startWith('doc', '60s', { notFound: 'absent' });
  try {
    assert.is(await rest(question('nowhere', 'erase'), lenient), 'allow');
    assert.is(await rest(question('twice', 'erase'), lenient), 'unavailable');
  } finally {
    await lenient.close();
  }
});

test('a statement that takes too long is ended, and its connection is not used again', async () => {
  const slow = await startWith('slow', '100ms');
  try {
    assert.is(await rest(question('1', 'view'), slow), 'unavailable');
    assert.is(await rest(question('1', 'view'), slow), 'unavailable');
  } finally {
    await slow.close();
  }
});

test('a statement cannot write', async () => {
  const writing = await startWith('writing');
  try {
    assert.is(await rest(question('1', 'view'), writing), 'unavailable');
    assert.equal((await cluster.client.query('SELECT * FROM app.log')).rows, []);
  } finally {
    await writing.close();
  }
});

test('a database that is away makes calls unavailable', async () => {
  const away = await startFactsServer(bundle, {
    sources: { from: { docs: { of: 'doc', sql: { url: `${url}-nowhere`, tables, table: 'doc' } } } },
  });
  try {
    assert.is(await rest(question('1', 'view'), away), 'unavailable');
  } finally {
    await away.close();
  }
});

test('nothing is read that no policy reads, and more as soon as a bundle reads more', async () => {
  const policy = (expr: string, more: object = {}): { readonly [path: string]: string } => {
    const rule = {
      actions: ['view'],
      effect: 'EFFECT_ALLOW',
      roles: ['user'],
      condition: { match: { expr } },
      ...more,
    };
    const resourcePolicy = { resource: 'doc', version: 'default', rules: [rule] };
    return { 'doc.yaml': JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy }) };
  };
  const owned = 'R.attr.owner == P.id';
  const running = await startFactsServer(await factsBundle(policy(owned)), {
    sources: {
      deadline: '60s',
      from: {
        docs: { of: 'doc', sql: { url, tables, table: 'partial' }, cache: { maxAge: '1h' } },
        accounts: { of: 'principal', sql: { url, tables, table: 'account', maxConnections: 1 } },
      },
    },
  });
  const swap = async (texts: { readonly [path: string]: string }): Promise<void> =>
    (await running.prepare(await factsBundle(texts))).commit();
  try {
    // There is neither such a column nor such a table.
    assert.is(await rest(question('1', 'view'), running), 'allow');
    assert.is(await rest(question('2', 'view'), running), 'deny');
    // Rows that are kept do not have what the next bundle reads.
    await swap(policy('R.attr.notes.size() == 0'));
    assert.is(await rest(question('1', 'view'), running), 'deny');
    assert.is(await rest(question('2', 'view'), running), 'allow');
    for (const read of ['has(R.attr.nothing)', 'R.attr.nowhere.size() == 0'])
      await swap(policy(owned)).then(() => swap(policy(read)));
    assert.is(await rest(question('1', 'view'), running), 'unavailable');
  } finally {
    await running.close();
  }
  for (const more of [
    { condition: { match: { expr: 'has(R.attr.nothing)' } } },
    { condition: { match: { expr: owned } }, output: { when: { ruleActivated: 'R.attr.nothing' } } },
    { condition: { match: { expr: owned } }, output: { when: { conditionNotMet: 'R.attr.nothing' } } },
    { condition: { match: { expr: 'R.attr.size() > 1' } } },
  ]) {
    const reading = await startFactsServer(await factsBundle(policy(owned, more)), {
      sources: { deadline: '60s', from: { docs: { of: 'doc', sql: { url, tables, table: 'partial' } } } },
    });
    try {
      assert.is(await rest(question('1', 'view'), reading), 'unavailable', JSON.stringify(more));
    } finally {
      await reading.close();
    }
  }
});

test('a table that the file does not have stops the start', async () => {
  await startWith('nothing').then(
    (running) => running.close().then(() => assert.unreachable()),
    (error: Error) => assert.match(error.message, /has no table for `nothing`/),
  );
});

test.run();
