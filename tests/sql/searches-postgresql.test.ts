import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import {
  postgresqlPopulation,
  type RunReadOnly,
  type SearchedTable,
} from '../../server/facts/postgresql-population.js';
import { accessEvaluation } from '../../server/service/authzen.js';
import type { SearchService } from '../../server/service/authzen-search.js';
import { CallIds } from '../../server/service/call-id.js';
import type { FoundIds } from '../../server/service/population.js';
import { resourceSearch } from '../../server/service/resource-search.js';
import { RpcError } from '../../server/service/rpc-error.js';
import { Random } from '../support/oracle/random.js';
import { rounds, SEED } from '../support/effort.js';
import { loaded } from '../support/compiled.js';
import { receivedCall } from '../support/server/received-call.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { randomPrincipal } from '../support/sql/random-policies.js';
import { type TypedRow, typedRow, typedTable } from '../support/sql/typed-table.js';
import { compiledStore } from './typed-comparison.js';
import { createTypedTable, fillTypedTable } from './typed-database.js';
import { typedPolicies } from './typed-policies.js';

/** Searches of resources find what evaluations allow, in PostgreSQL: all pages joined are brute force. */
const test = suite('searches in PostgreSQL');

const cluster = await startCluster();
if (typeof cluster === 'string') skip(import.meta.url, cluster);
else addTests(cluster);
test.run();

const UUID = '12345678-9abc-4def-8000-0123456789ab';
const ROWS = 40;
const KINDS = 5;

function addTests({ client, stop }: Cluster): void {
  test.before(async () => {
    await createTypedTable(client);
    await client.query('ALTER TABLE things ADD UNIQUE (id)');
  });
  test.after(stop);

  test('pages of a search of resources are, joined, the rows that an evaluation of each allows', async () => {
    const counts = { searches: 0, refused: 0, pages: 0, found: 0, rows: 0 };
    const stores = rounds(60, 6);
    for (let seed = SEED; seed < SEED + stores; seed += 1) {
      const random = new Random(seed);
      const kinds = Array.from({ length: KINDS }, (_, index) => `thing${index}`);
      const { policies } = await loaded(compiledStore(kinds.map((kind) => [kind, typedPolicies(random, kind, true)])));
      const rows = hostileRows(random);
      await fillTypedTable(client, rows);
      const service = serviceOf(createEngine(policies));
      for (const kind of kinds)
        for (let index = 0; index < 2; index += 1) await compare(service, { kind, rows, random, counts, seed });
    }
    console.log(`  ${stores} stores: ${JSON.stringify(counts)}`);
    assert.ok(counts.refused < counts.searches / 2, 'most searches are refused');
    assert.ok(counts.found > counts.rows / 50, 'the searches find too little');
    assert.ok(counts.pages > counts.searches, 'the searches have too few pages');
  });

  const run: RunReadOnly = async (text, values) => (await client.query(text, values as never)).rows;

  test('ids of every type have pages, without a row twice or left out', async () => {
    await client.query('CREATE SCHEMA "odd.schema"');
    // A key has no ids that its collation takes for equal.
    const folded = new Map(IDS.map((id) => [id.normalize('NFC').toLowerCase(), id]));
    for (const [type, column, ids] of [
      ['text', 'text', IDS],
      ['text', 'varchar(40) COLLATE words', IDS],
      ['text', 'text COLLATE nocase', [...folded.values()]],
      ['text', 'citext', [...folded.values()]],
      ['text', 'text COLLATE "C"', IDS],
      ['uuid', 'uuid', ['00000000-0000-4000-8000-00000000000a', 'ffffffff-0000-4000-8000-000000000000', UUID]],
      ['integer-as-text', 'bigint', ['-9223372036854775808', '9223372036854775807', '0', '-1', '10', '9', '1']],
      ['integer-as-text', 'integer', ['-2147483648', '2147483647', '0', '10', '9']],
    ] as const) {
      const collation = /nocase|citext/.test(column) ? { collation: 'other' as const } : {};
      await client.query(`CREATE TABLE "odd ""name" ("Id; --" ${column} UNIQUE, hidden text)`);
      for (const id of ids) await client.query('INSERT INTO "odd ""name" VALUES ($1)', [id]);
      // Rows without an id, or with one that check refuses, are no resources.
      await client.query('INSERT INTO "odd ""name" VALUES (NULL)');
      if (type === 'text') await client.query(`INSERT INTO "odd ""name" VALUES ('')`);
      const population = postgresqlPopulation(
        { name: 'odd "name', id: { column: 'Id; --', type, ...collation }, columns: {} },
        run,
      );
      for (const most of [1, 2, 5, 100]) {
        const found: string[] = [];
        for (;;) {
          const after = found.at(-1);
          const page = await population.find({ filter: { kind: 'KIND_ALWAYS_ALLOWED' }, after, most });
          if (page.kind === 'refused') throw new Error(page.reasons.join());
          if (page.ids.length === 0) break;
          assert.ok(page.ids.length <= most);
          found.push(...page.ids);
          assert.ok(found.length <= ids.length, `${column}, ${most}`);
        }
        assert.equal(found.toSorted(), ids.toSorted(), `${column}, ${most}`);
      }
      for (const id of ids) assert.ok(population.canHave(id) && (await population.has(id)), id);
      for (const id of [
        'nobody',
        '',
        'a\0',
        '\ud800',
        '1e3',
        '99999999999999999999',
        UUID.toUpperCase(),
        '{',
        '01',
        '5',
      ])
        assert.not(await population.has(id), `${column} ${id}`);
      await client.query('DROP TABLE "odd ""name"');
    }
  });

  test('rows that may share an id are not searched', async () => {
    const search = (name: string): Promise<FoundIds> =>
      postgresqlPopulation({ name, id: { column: 'id', type: 'text' }, columns: {} }, run).find({
        filter: { kind: 'KIND_ALWAYS_ALLOWED' },
        after: undefined,
        most: 1,
      });
    await client.query('CREATE SCHEMA own; CREATE TABLE own.shared (id text, part text)');
    for (const [index, isUnique] of [
      ['CREATE INDEX one ON own.shared (id)', false],
      ['CREATE UNIQUE INDEX one ON own.shared (id, part)', false],
      ['CREATE UNIQUE INDEX one ON own.shared (lower(id))', false],
      ["CREATE UNIQUE INDEX one ON own.shared (id) WHERE part = ''", false],
      ['CREATE UNIQUE INDEX one ON own.shared (part)', false],
      ['CREATE UNIQUE INDEX one ON own.shared (id) INCLUDE (part)', true],
    ] as const) {
      await client.query(index);
      const found = await search('own.shared').catch((error: unknown) => error);
      if (isUnique) assert.equal(found, { kind: 'found', ids: [] }, index);
      else assert.match(String(found), /cannot be searched: `id` has no unique index/, index);
      await client.query('DROP INDEX own.one');
    }
    // The configuration vouches for a view.
    await client.query("CREATE VIEW own.seen AS SELECT 'x' AS id");
    assert.equal(await search('own.seen'), { kind: 'found', ids: ['x'] });
  });

  test('tables whose columns compare other values than check receives are not searched', async () => {
    await client.query('CREATE DOMAIN weight AS real; CREATE DOMAIN label AS text');
    for (const [type, column, problem] of [
      // The driver reads 0.1, and the database compares 0.10000000149011612.
      ['real', { type: 'number' }, /`price` has the type `real`, which no mapping supports: its values are rounded/],
      ['weight', { type: 'number' }, /`price` has the type `real`, which no mapping supports/],
      ['char(3)', { type: 'text' }, /`price` has the type `character`, which no mapping supports: it pads with blanks/],
      ['timestamp', { type: 'timestamp' }, /declares `type: timestamp`. Write `type: timestamp, zone: utc`/],
      ['numeric', { type: 'integer' }, /declares `type: integer`. Write `type: decimal`/],
      ['double precision', { type: 'number' }, undefined],
      ['numeric', { type: 'number' }, undefined],
      ['bigint', { type: 'number' }, undefined],
      ['label', { type: 'text' }, undefined],
      ['citext', { type: 'text', collation: 'other' }, undefined],
    ] as const) {
      await client.query(`CREATE TABLE priced (id text UNIQUE, price ${type})`);
      const table = {
        name: 'priced',
        id: { column: 'id', type: 'text' },
        columns: { price: { column: 'price', ...column } },
      };
      const found = await postgresqlPopulation(table as SearchedTable, run)
        .find({ filter: { kind: 'KIND_ALWAYS_ALLOWED' }, after: undefined, most: 1 })
        .catch((error: unknown) => error);
      if (problem === undefined) assert.equal(found, { kind: 'found', ids: [] }, type);
      else assert.match(String(found), problem, type);
      await client.query('DROP TABLE priced');
    }
  });

  test('ids that a column cannot have are no cursors', async () => {
    const canHave = (type: 'text' | 'uuid' | 'integer-as-text', id: string): boolean =>
      postgresqlPopulation({ name: 't', id: { column: 'id', type }, columns: {} }, run).canHave(id);
    for (const id of [
      'x',
      '',
      '1.5',
      '0x10',
      '9223372036854775808',
      '-9223372036854775809',
      '--1',
      ' 1',
      '1 ',
      '1;',
      '\u0661',
    ])
      assert.not(canHave('integer-as-text', id), id);
    for (const id of ['x', '', UUID.slice(1), `{${UUID}}`, `${UUID} `, UUID.replaceAll('-', '')])
      assert.not(canHave('uuid', id), id);
    for (const id of ['', 'a\0b', '\ud800', 'a\udfff']) assert.not(canHave('text', id), JSON.stringify(id));
    for (const type of ['integer', 'json', 'boolean'] as const)
      assert.throws(
        () => postgresqlPopulation({ name: 't', id: { column: 'id', type }, columns: {} }, run),
        /must be of the type text, uuid or integer-as-text to be searched/,
      );
  });

  const serviceOf = (engine: Engine): SearchService => ({
    decider: engine,
    callIds: new CallIds(),
    limits: { maxActionsPerResource: 50, maxResourcesPerRequest: 50 },
    watchers: [],
    verify: async () => ({ jwt: {}, jwts: {} }),
    actionNames: () => [],
    populations: {
      resources: new Map(
        Array.from({ length: KINDS }, (_, index) => [
          `thing${index}`,
          postgresqlPopulation({ ...typedTable('postgresql'), id: { column: 'id', type: 'text' } }, run),
        ]),
      ),
      subjects: new Map(),
      maxPageSize: 1000,
      maxRows: 0,
      timeout: 0,
    },
  });
}

interface Comparison {
  readonly kind: string;
  readonly rows: readonly TypedRow[];
  readonly random: Random;
  readonly counts: { searches: number; refused: number; pages: number; found: number; rows: number };
  readonly seed: number;
}

async function compare(service: SearchService, { kind, rows, random, counts, seed }: Comparison): Promise<void> {
  const { id, roles, attr } = randomPrincipal(random);
  const subject = { type: 'user', id, properties: { ...attr, 'authz.roles': roles, k: random.pick(['a', 'n', '']) } };
  const action = { name: 'view', properties: random.chance(0.3) ? { soft: true } : {} };
  const context = random.chance(0.3) ? { amount: 1 } : {};
  const own = { 'authz.policyVersion': kind };
  const limit = random.pick([0, 1, 3, 7, ROWS]);
  const about = `seed ${seed}, ${kind}, limit ${limit}: ${JSON.stringify(subject)}`;
  counts.searches += 1;
  const found: string[] = [];
  let token = '';
  try {
    do {
      const page = { token, limit };
      const answer = await resourceSearch(service, receivedCall(), {
        subject,
        resource: { type: kind, properties: own },
        action,
        context,
        page,
      });
      assert.ok(limit === 0 || answer.results.length <= limit, about);
      found.push(...answer.results.map((one) => one.id));
      assert.ok(found.length <= rows.length, about);
      token = answer.page?.nextToken ?? '';
      counts.pages += 1;
    } while (token !== '');
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== 'failed_precondition') throw error;
    assert.match(error.message, /^the search cannot be exact: ./);
    // A filter is refused as a whole, on the first page.
    assert.equal(found, [], about);
    counts.refused += 1;
    return;
  }
  assert.equal(found, [...new Set(found)], about);
  counts.found += found.length;
  counts.rows += rows.length;
  const isFound = new Set(found);
  for (const row of rows) {
    const allows = (attributes: object): boolean => {
      const properties = { ...attributes, ...own };
      const resource = { type: kind, id: row.id, properties };
      const answer = accessEvaluation(service, receivedCall(), { subject, resource, action, context });
      return (answer as { readonly decision: boolean }).decision;
    };
    // A row that JSON cannot represent has two readings, and is found where both are allowed.
    const isAllowed = allows(row.attr) && (row.orTold === undefined || allows(row.orTold));
    assert.is(isFound.has(row.id), isAllowed, `${about}\n${JSON.stringify([row.id, row.attr])}`);
  }
}

const IDS = [
  'r',
  'R',
  'r\u00e9',
  're\u0301',
  'x',
  "'; DROP TABLE things; --",
  '"',
  '\\',
  '%',
  '_',
  '$1',
  ' ',
  'u1',
  '\u{1f600}',
  '\n',
  '0',
  '-1',
];

/** Each row has an id of its own, in no order. */
function hostileRows(random: Random): readonly TypedRow[] {
  return Array.from({ length: ROWS }, (_, index) => {
    const known = IDS[index];
    return { ...typedRow(random, 'postgresql'), id: known ?? `${random.pick(IDS)}${index}` };
  });
}
