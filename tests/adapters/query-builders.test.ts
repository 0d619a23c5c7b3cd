import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, boolean, doublePrecision, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import knexOf from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { type Options, Pool } from 'pg';
import { DataSource, type EntityMetadata, EntitySchema, NotBrackets } from 'typeorm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, ruleFilters } from '#runtime/engine';
import type { JsonValue } from '../../runtime/residual/filters.js';
import type { Mapping } from '../../adapters/condition.js';
import { drizzleAdapter, type PlannedFilter, UnsupportedPlanError } from '../../adapters/drizzle.js';
import { knexAdapter } from '../../adapters/knex.js';
import { kyselyAdapter } from '../../adapters/kysely.js';
import { typeormAdapter } from '../../adapters/typeorm.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/** A row of the table, as the database has it. */
interface NoteRow {
  readonly id: string;
  readonly 'owner?': string | null;
  readonly amount: string | null;
  readonly price: number | null;
  readonly shared: boolean | null;
  readonly tags: JsonValue;
  readonly meta: JsonValue;
}

const notes = pgTable('notes', {
  id: text().primaryKey(),
  ownerName: text('owner?'),
  amount: bigint({ mode: 'bigint' }),
  price: doublePrecision(),
  shared: boolean(),
  tags: jsonb(),
  meta: jsonb(),
});

/** A row as TypeORM loads it. */
interface Note extends Omit<NoteRow, 'owner?'> {
  readonly ownerName: string | null;
}

const Notes = new EntitySchema<Note>({
  name: 'Note',
  tableName: 'notes',
  columns: {
    id: { type: 'text', primary: true },
    ownerName: { type: 'text', name: 'owner?', nullable: true },
    amount: { type: 'bigint', nullable: true },
    price: { type: 'double precision', nullable: true },
    shared: { type: 'boolean', nullable: true },
    tags: { type: 'jsonb', nullable: true },
    meta: { type: 'jsonb', nullable: true },
  },
});

function mappingOf<Owner extends string>(owner: Owner) {
  return {
    dialect: 'postgresql',
    id: { column: 'id', type: 'text', null: 'never' },
    attributes: {
      owner: { column: owner, type: 'text' },
      amount: { column: 'amount', type: 'integer' },
      price: { column: 'price', type: 'number', null: 'null' },
      shared: { column: 'shared', type: 'boolean' },
      tags: { column: 'tags', type: 'list' },
      meta: { column: 'meta', type: 'json' },
    },
  } as const satisfies Mapping<string>;
}

const BY_NAME = mappingOf('owner?');
const BY_PROPERTY = mappingOf('ownerName');

const row = (id: string, cells: Partial<NoteRow> = {}): NoteRow => ({
  id,
  'owner?': null,
  amount: null,
  price: null,
  shared: null,
  tags: null,
  meta: null,
  ...cells,
});

const ROWS: readonly NoteRow[] = [
  row('nothing'),
  row('plain', { 'owner?': 'anna', amount: '1', price: 0.5, shared: true, tags: ['x'], meta: { n: 3, 'a b': 'v' } }),
  row('empty', { 'owner?': '', amount: '0', price: 0, shared: false, tags: [], meta: {} }),
  row('quotes', { 'owner?': "' OR 1=1 -- ?:authz0 $1 \\?", tags: ["'", '?'], meta: { 'a b': "'" } }),
  row('unicode', { 'owner?': 'änna\u{1F600}', tags: ['\u{1F600}', 'É'], meta: { 'a b': 'e\u0301' } }),
  row('big', { amount: '9223372036854775807', price: 1.7976931348623157e308, meta: { n: 9007199254740993 } }),
  row('small', { amount: '-9223372036854775808', price: -0.1, meta: { n: -1e-300 } }),
  row('wrong types', { 'owner?': 'anna', tags: [1, null, true, ['x'], { x: 1 }], meta: { n: '3', 'a b': 3 } }),
  row('nulls', { shared: false, tags: [null], meta: { n: null, 'a b': null } }),
  row('no list', { 'owner?': 'anna', tags: 'x', meta: [1] }),
];

const CONDITIONS = [
  'R.attr.owner == P.id',
  'R.attr.owner != P.id',
  'R.attr.owner in ["anna", "", "änna\u{1F600}"]',
  'R.attr.owner == "\' OR 1=1 -- ?:authz0 $1 \\\\?"',
  'R.attr.owner.startsWith("\' OR")',
  'R.attr.owner == "nobody"',
  'R.attr.amount > 0',
  'R.attr.amount != 1',
  'R.attr.amount >= 9007199254740992',
  'R.attr.price == null',
  'R.attr.price < 1.0',
  'R.attr.shared',
  '!R.attr.shared',
  '!R.attr.shared || R.attr.owner == P.id',
  'has(R.attr.owner)',
  '!has(R.attr.tags)',
  '"x" in R.attr.tags',
  '"?" in R.attr.tags',
  'hasIntersection(R.attr.tags, ["x", "\u{1F600}"])',
  'R.attr.tags.exists(t, t == "x")',
  'R.attr.tags.all(t, t == "x")',
  'R.attr.meta["a b"] == "v"',
  'R.attr.meta.n == 3',
  'R.attr.meta.n != 3',
  'has(R.attr.meta.n)',
  'R.id in ["plain", "nulls"]',
];

/** Of a column that is never NULL, so that it can be negated. */
const NOBODY: PlannedFilter = {
  filter: {
    kind: 'KIND_CONDITIONAL',
    condition: { expression: { operator: 'eq', operands: [{ variable: 'request.resource.id' }, { value: 'nobody' }] } },
  },
};

/** Each library with its adapter: the ids of the rows that it selects for a plan. */
const LIBRARIES: {
  readonly [name: string]: (connection: Options) => {
    select(plan: PlannedFilter): Promise<readonly { readonly id: string }[]>;
    end(): Promise<void>;
  };
} = {
  Drizzle(connection) {
    const pool = new Pool(connection);
    const allowed = drizzleAdapter(notes, BY_PROPERTY);
    return {
      select: (plan) => drizzle(pool).select({ id: notes.id }).from(notes).where(allowed(plan)),
      end: () => pool.end(),
    };
  },
  Kysely(connection) {
    const db = new Kysely<{ notes: NoteRow }>({ dialect: new PostgresDialect({ pool: new Pool(connection) }) });
    const allowed = kyselyAdapter<{ notes: NoteRow }, 'notes'>('notes', BY_NAME);
    return {
      select: (plan) =>
        db
          .selectFrom('notes as n')
          .select('id')
          .where(allowed(plan, { alias: 'n' }))
          .execute(),
      end: () => db.destroy(),
    };
  },
  Knex(connection) {
    const knex = knexOf({ client: 'pg', connection });
    const allowed = knexAdapter<NoteRow>('notes', BY_NAME);
    return {
      select: async (plan) => knex('notes').select('id').where(allowed(plan)),
      end: () => knex.destroy(),
    };
  },
  TypeORM({ host, user, database }) {
    const source = new DataSource({ type: 'postgres', host, username: user, database, entities: [Notes] }).initialize();
    return {
      async select(plan) {
        const repository = (await source).getRepository(Notes);
        const allowed = typeormAdapter(repository, BY_PROPERTY);
        const listed = await repository.createQueryBuilder().where(allowed(plan)).getMany();
        // Two conditions in one query, and an alias.
        return repository
          .createQueryBuilder('n')
          .where('n.id = ANY(:ids)', { ids: listed.map(({ id }) => id) })
          .andWhere(allowed(plan, { alias: 'n' }))
          .andWhere(new NotBrackets((query) => query.where(allowed(NOBODY, { alias: 'n' }))))
          .getMany();
      },
      end: async () => (await source).destroy(),
    };
  },
};

const test = suite('adapters for query builders');

test('each adapter selects exactly the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') {
    skip(import.meta.url, cluster);
    return;
  }
  const { client, connection } = cluster;
  try {
    await client.query(
      'CREATE TABLE notes (id text PRIMARY KEY, "owner?" text, amount bigint, price double precision, shared boolean, tags jsonb, meta jsonb)',
    );
    for (const { id, 'owner?': owner, amount, price, shared, tags, meta } of ROWS)
      await client.query('INSERT INTO notes VALUES ($1, $2, $3, $4, $5, $6, $7)', [
        id,
        owner,
        amount,
        price,
        shared,
        tags === null ? null : JSON.stringify(tags),
        meta === null ? null : JSON.stringify(meta),
      ]);
    const { engine } = await engineOf(CONDITIONS);
    let selected = 0;
    for (const [name, open] of Object.entries(LIBRARIES)) {
      const library = open(connection);
      for (const action of actionsOf(CONDITIONS)) {
        const principal = { id: 'anna', roles: ['user'] };
        const plan = engine.plan({ principal, resource: { kind: 'note' }, actions: [action] });
        const expected = ROWS.filter((stored) =>
          engine.isAllowed({
            principal,
            resource: { kind: 'note', id: stored.id, attr: attributesOf(stored) },
            action,
          }),
        );
        const rows = await library.select(plan);
        assert.equal(rows.map(({ id }) => id).sort(), expected.map(({ id }) => id).sort(), `${name}: ${action}`);
        selected += rows.length;
      }
      await library.end();
    }
    assert.ok(selected > 0);
  } finally {
    await cluster.stop();
  }
});

test('a refusal names the rule, the operator and the way out', async () => {
  const { engine, policies } = await engineOf(['R.attr.owner == P.id', 'R.attr.colour == "red"']);
  const request = { principal: { id: 'anna', roles: ['user'] }, resource: { kind: 'note' }, actions: ['allow1'] };
  const plan = engine.plan(request);
  const metadata = await metadataOf(Notes);
  for (const refused of [
    () => drizzleAdapter(notes, BY_PROPERTY)(plan, { rules: () => ruleFilters(policies, request) }),
    () =>
      kyselyAdapter<{ notes: NoteRow }, 'notes'>('notes', BY_NAME)(plan, {
        rules: () => ruleFilters(policies, request),
      }),
    () => knexAdapter<NoteRow>('notes', BY_NAME)(plan, { rules: () => ruleFilters(policies, request) }),
    () => typeormAdapter<Note>({ metadata }, BY_PROPERTY)(plan, { rules: () => ruleFilters(policies, request) }),
  ])
    assert.throws(
      refused,
      (error: unknown) =>
        error instanceof UnsupportedPlanError &&
        error.problems.length === 1 &&
        /^the plan has no condition for the table `notes`: rule `r-allow1` of `resource\.note\.vdefault`.*: `variable`: no column is mapped for request\.resource\.attr\.colour, in .*Map the attribute/.test(
          error.message,
        ),
    );
});

test('mappings name columns of the schema', async () => {
  const mapped = (column: 'renamed') =>
    ({ dialect: 'sqlite', attributes: { owner: { column, type: 'text' } } }) as const;
  // @ts-expect-error the table has no such property
  const adapter = drizzleAdapter(notes, mapped('renamed'));
  assert.throws(
    () => adapter({ filter: { kind: 'KIND_ALWAYS_ALLOWED' } }),
    /^the table `notes` has no column `renamed`$/,
  );
  // @ts-expect-error the table has no such column
  kyselyAdapter<{ notes: NoteRow }, 'notes'>('notes', mapped('renamed'));
  // @ts-expect-error rows have no such column
  knexAdapter<NoteRow>('notes', mapped('renamed'));
  const ofNotes = { metadata: await metadataOf(Notes) };
  // @ts-expect-error the entity has no such property
  const ofEntity = typeormAdapter<Note>(ofNotes, mapped('renamed'));
  assert.throws(() => ofEntity(NOBODY), /^the entity `Note` has no column `renamed`$/);
});

test('a column of TypeORM must not have the name of a property of another column', async () => {
  const swapped = new EntitySchema<{ id: string; owner: string; author: string }>({
    name: 'Swapped',
    columns: {
      id: { type: 'text', primary: true },
      owner: { type: 'text', name: 'author' },
      author: { type: 'text', name: 'owner' },
    },
  });
  const adapter = typeormAdapter<{ owner: string }>(
    { metadata: await metadataOf(swapped) },
    { dialect: 'postgresql', attributes: { owner: { column: 'owner', type: 'text' } } },
  );
  assert.throws(() => adapter(NOBODY), /^the column `author` of the entity `Swapped` has the name of a property of/);
});

test.run();

/** The metadata of an entity, without a database. */
async function metadataOf<Entity>(entity: EntitySchema<Entity>): Promise<EntityMetadata> {
  const source = new DataSource({ type: 'postgres', entities: [entity] });
  // It is protected; `initialize` calls it after connecting.
  await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  return source.getMetadata(entity);
}

/** What the program sends to check: NULL is an absent attribute, except that of `price`. */
function attributesOf({ 'owner?': owner, amount, price, shared, tags, meta }: NoteRow): {
  readonly [name: string]: JsonValue;
} {
  const cells = { owner, amount: amount === null ? null : Number(amount), shared, tags, meta };
  const present = Object.entries(cells).filter(([, cell]) => cell !== null);
  return { ...Object.fromEntries(present), price };
}

function actionsOf(conditions: readonly string[]): readonly string[] {
  return conditions.flatMap((_, index) => [`allow${index}`, `deny${index}`]);
}

/** An engine in which a condition allows the action `allowN`, and denies the action `denyN`, which is allowed otherwise. */
async function engineOf(conditions: readonly string[]) {
  const rules = conditions.flatMap((expr, index) => {
    const condition = { match: { expr } };
    return [
      { name: `r-allow${index}`, actions: [`allow${index}`], effect: 'EFFECT_ALLOW', roles: ['user'], condition },
      { name: `r-any${index}`, actions: [`deny${index}`], effect: 'EFFECT_ALLOW', roles: ['user'] },
      { name: `r-deny${index}`, actions: [`deny${index}`], effect: 'EFFECT_DENY', roles: ['user'], condition },
    ];
  });
  const policy = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: 'note', version: 'default', rules } };
  const { policies } = await loaded(compileTexts({ 'p.yaml': JSON.stringify(policy) }));
  return { engine: createEngine(policies), policies };
}
