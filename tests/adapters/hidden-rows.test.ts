import { EntitySchema as MikroOrmSchema, type MikroORM } from '@mikro-orm/core';
import { MikroORM as MikroOrmOfSqlite } from '@mikro-orm/libsql';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely';
import Database from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { rowReader } from '../../packages/adapters/attributes.js';
import { kyselyAdapter, kyselyCan } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter } from '../../packages/adapters/mikro-orm.js';
import { recordReader } from '../../packages/adapters/prisma/records.js';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { typeormAdapter } from '../../packages/adapters/typeorm.js';
import { compileRules, loaded } from '../support/compiled.js';
import { SEQUELIZE_OF_LIBSQL } from './libraries.js';

/** Documents: one is shared, one was, and one is shared in a way that is not for this application. */
const STATEMENTS = [
  'CREATE TABLE documents (id text PRIMARY KEY)',
  'CREATE TABLE shares (id integer PRIMARY KEY, document_id text, user_id text, kind text, deleted_at datetime)',
  "INSERT INTO documents VALUES ('live'), ('deleted'), ('other'), ('none')",
  "INSERT INTO shares VALUES (1, 'live', 'anna', 'share', NULL), (2, 'deleted', 'anna', 'share', 1700000000000), (3, 'other', 'anna', 'draft', NULL)",
];

const MAPPING = {
  dialect: 'sqlite',
  id: { column: 'id', type: 'text' },
  attributes: {
    shares: {
      relation: 'many',
      table: 'shares',
      on: { documentId: 'id' },
      where: { kind: 'share' },
      columns: { user: { column: 'userId', type: 'text', null: 'never' } },
    },
  },
} as const;

const REQUEST = { principal: { id: 'anna', roles: ['user'] }, resource: { kind: 'document' }, actions: ['view'] };

const test = suite('rows that a library hides');

let folder: string;
let path: string;
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-hidden-'));
  path = join(folder, 'documents.sqlite');
  const database = new Database(path);
  for (const statement of STATEMENTS) database.exec(statement);
  database.close();
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

test('paranoid models of Sequelize do not grant, nor rows outside their default scope', async () => {
  const db = new Sequelize({ dialect: 'sqlite', storage: path, dialectModule: SEQUELIZE_OF_LIBSQL, logging: false });
  const documents = db.define(
    'Document',
    { id: { type: DataTypes.TEXT, primaryKey: true } },
    { tableName: 'documents', timestamps: false },
  );
  const attributes = {
    documentId: { type: DataTypes.TEXT, field: 'document_id' },
    userId: { type: DataTypes.TEXT, field: 'user_id', allowNull: false },
    kind: DataTypes.TEXT,
  };
  const options = {
    tableName: 'shares',
    timestamps: true,
    createdAt: false,
    updatedAt: false,
    deletedAt: 'deleted_at',
  } as const;
  const shares = db.define('Share', attributes, { ...options, paranoid: true });
  documents.hasMany(shares, { as: 'shares', foreignKey: 'documentId' });
  const allowed = sequelizeAdapter(documents, MAPPING as never, { shares });
  const found = await documents.findAll({ where: allowed(await plan()) as never });
  assert.equal(
    found.map((one) => one.get('id')),
    ['live'],
  );
  const rows = await documents.findAll({ include: [{ model: shares, as: 'shares' }] });
  const attributesOf = rows.map((row) => [row.get('id'), allowed.attributesOf(row as never)]);
  assert.equal(Object.fromEntries(attributesOf), {
    live: { shares: [{ user: 'anna' }] },
    deleted: { shares: [] },
    other: { shares: [] },
    none: { shares: [] },
  });
  const deletedShare = { userId: 'anna', kind: 'share', deleted_at: new Date(0) };
  assert.equal(
    allowed.attributesOf({ id: 'deleted', shares: [deletedShare] } as never),
    { shares: [] },
    'not paranoid',
  );

  const scoped = db.define('ScopedShare', attributes, {
    ...options,
    paranoid: true,
    defaultScope: { where: { kind: 'share' } },
  });
  const { where: _, ...relation } = MAPPING.attributes.shares;
  const ofScope = sequelizeAdapter(documents, { ...MAPPING, attributes: { shares: relation } } as never, {
    shares: scoped,
  });
  assert.equal(
    (await documents.findAll({ where: ofScope(await plan()) as never })).map((one) => one.get('id')),
    ['live'],
  );
  const complex = db.define('OddShare', attributes, { ...options, defaultScope: { where: { kind: ['share', 'x'] } } });
  assert.throws(
    () => sequelizeAdapter(documents, { ...MAPPING, attributes: { shares: relation } } as never, { shares: complex }),
    /the default scope of the model `OddShare` hides rows by more than the values of columns\. Say which rows count/,
  );
  await db.close();
});

test('rows with a DeleteDateColumn of TypeORM do not grant', async () => {
  const documents = new EntitySchema<{ id: string }>({
    name: 'Document',
    tableName: 'documents',
    columns: { id: { type: 'text', primary: true } },
  });
  const shares = new EntitySchema<{
    id: number;
    documentId: string;
    userId: string;
    kind: string;
    deletedAt: Date | null;
  }>({
    name: 'Share',
    tableName: 'shares',
    columns: {
      id: { type: 'integer', primary: true },
      documentId: { type: 'text', name: 'document_id' },
      userId: { type: 'text', name: 'user_id' },
      kind: { type: 'text' },
      deletedAt: { type: 'datetime', name: 'deleted_at', deleteDate: true, nullable: true },
    },
  });
  const source = await new DataSource({
    type: 'better-sqlite3',
    database: path,
    driver: Database,
    entities: [documents, shares],
  }).initialize();
  const repository = source.getRepository(documents);
  const allowed = typeormAdapter(repository, MAPPING, { shares: source.getRepository(shares) });
  const found = await repository
    .createQueryBuilder()
    .where(allowed(await plan()))
    .getMany();
  assert.equal(
    found.map(({ id }) => id),
    ['live'],
  );
  assert.equal(
    allowed.attributesOf({
      id: 'live',
      shares: [
        { userId: 'anna', kind: 'share' },
        { userId: 'bob', kind: 'draft' },
      ],
    } as never),
    { shares: [{ user: 'anna' }] },
  );
  assert.equal(
    allowed.attributesOf({ id: 'live', shares: [{ userId: 'anna', kind: 'share', deletedAt: new Date(0) }] } as never),
    { shares: [] },
  );
  assert.equal(
    allowed.attributesOf({ id: 'live', shares: [{ userId: 'anna', kind: 'share', deletedAt: null }] } as never),
    { shares: [{ user: 'anna' }] },
  );
  assert.equal(allowed.resourceOf({ id: 'live', shares: [] } as never), { id: 'live', attr: { shares: [] } });
  assert.throws(() => allowed.attributesOf({ id: 'live' }), /the row has no related rows in `shares`: load them/);
  assert.throws(
    () => allowed.attributesOf({ shares: [{ userId: 'anna' }] } as never),
    /`kind` of a related row was not read/,
  );
  await source.destroy();
});

test('rows that filters of MikroORM hide do not grant', async () => {
  const entities = (filter: object) => {
    const documents = new MikroOrmSchema<{ id: string }>({
      name: 'Document',
      tableName: 'documents',
      properties: { id: { type: 'text', primary: true } },
    });
    const shares = new MikroOrmSchema<{
      id: number;
      documentId: string;
      userId: string;
      kind: string;
      deletedAt: Date | null;
    }>({
      name: 'Share',
      tableName: 'shares',
      filters: { soft: filter } as never,
      properties: {
        id: { type: 'integer', primary: true },
        documentId: { type: 'text', fieldName: 'document_id' },
        userId: { type: 'text', fieldName: 'user_id' },
        kind: { type: 'text' },
        deletedAt: { type: 'datetime', fieldName: 'deleted_at', nullable: true },
      },
    });
    return { documents, shares };
  };
  const { documents, shares } = entities({ name: 'soft', cond: { deletedAt: null }, default: true });
  const orm: MikroORM = await MikroOrmOfSqlite.init({
    entities: [documents, shares],
    dbName: path,
    discovery: { disableDynamicFileAccess: true },
  });
  const allowed = mikroOrmAdapter(orm, documents, MAPPING, { shares });
  assert.equal(
    (await orm.em.fork().find(documents, allowed(await plan()))).map(({ id }) => id),
    ['live'],
  );
  assert.equal(
    allowed.attributesOf({ id: 'live', shares: [{ userId: 'anna', kind: 'share', deletedAt: new Date(0) }] } as never),
    { shares: [] },
  );
  await orm.close();

  const odd = entities({ name: 'soft', cond: () => ({ deletedAt: null }), default: true });
  const other: MikroORM = await MikroOrmOfSqlite.init({
    entities: [odd.documents, odd.shares],
    dbName: path,
    connect: false,
    discovery: { disableDynamicFileAccess: true },
  });
  const { where: _, ...relation } = MAPPING.attributes.shares;
  assert.throws(
    () =>
      mikroOrmAdapter(other, odd.documents, { ...MAPPING, attributes: { shares: relation } }, { shares: odd.shares }),
    /the filter `soft` of the entity `Share` hides rows by more than the values of columns\. Say which rows count/,
  );
  await other.close();
});

test('related tables are in the schema of the query', async () => {
  interface Tables {
    documents: { id: string };
    shares: { documentId: string; userId: string; kind: string };
  }
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const mapping = { ...MAPPING, dialect: 'postgresql' } as const;
  const allowed = kyselyAdapter<Tables, 'documents'>('documents', mapping);
  const can = kyselyCan<Tables, 'documents'>('documents', mapping);
  const planned = await plan();
  const tenant = db.withSchema('tenant_b');
  for (const query of [
    tenant.selectFrom('documents').selectAll().where(allowed(planned)),
    tenant
      .selectFrom('documents')
      .selectAll()
      .where((eb) => eb.or([eb('id', '=', 'x'), allowed(planned)])),
    tenant
      .selectFrom('documents')
      .selectAll()
      .select(can({ view: planned })),
    tenant.deleteFrom('documents').where(allowed(planned)),
  ])
    assert.match(query.compile().sql, 'FROM "tenant_b"."shares" AS authz_1', query.compile().sql);
  assert.match(
    db.selectFrom('documents').selectAll().where(allowed(planned)).compile().sql,
    'FROM "shares" AS authz_1',
  );
  const named = db
    .selectFrom('documents')
    .selectAll()
    .where(allowed(planned, { schema: 'tenant_c' }));
  assert.match(named.compile().sql, 'FROM tenant_c.shares AS authz_1');
  assert.match(sql`${allowed(planned)}`.compile(db).sql, 'FROM "shares" AS authz_1');
});

test('a related row counts however the driver returns the column that decides it', () => {
  const table = { name: 'documents', columnName: (column: string) => column } as never;
  const countedBySql = (wanted: unknown, value: unknown): number => {
    const { relation, on, columns } = { ...MAPPING.attributes.shares, on: { document: 'id' } };
    const shares = { relation, table: 'shares', on, columns, where: { kind: wanted } };
    const mapping = { ...MAPPING, attributes: { shares } } as unknown as Parameters<typeof rowReader>[1];
    const { attributesOf } = rowReader<object, { [name: string]: never }>(table, mapping, () => table);
    return (attributesOf({ shares: [{ document: 'x', kind: value, userId: 'anna' }] })['shares'] as unknown[]).length;
  };
  const countedByPrisma = (wanted: unknown, value: unknown): number => {
    const user = { field: 'userId', type: 'text' } as const;
    const shares = {
      field: 'shares',
      relation: 'many',
      where: { kind: wanted as string },
      attributes: { user },
    } as const;
    const { attributesOf } = recordReader('Document', { provider: 'postgresql', attributes: { shares } });
    return (attributesOf({ shares: [{ kind: value, userId: 'anna' }] }) as { shares: unknown[] }).shares.length;
  };
  for (const counted of [countedBySql, countedByPrisma]) requireCounting(counted);
});

test.run();

async function plan() {
  const rules = [
    {
      actions: ['view'],
      roles: ['user'],
      effect: 'EFFECT_ALLOW',
      condition: { match: { expr: 'R.attr.shares.exists(s, s.user == P.id)' } },
    },
  ];
  const { policies } = await loaded(compileRules('document', rules));
  return createEngine(policies).plan(REQUEST);
}

/** Requires that a related row counts if the column in its `where` has the value, and no other one does. */
function requireCounting(counted: (wanted: unknown, value: unknown) => number): void {
  for (const [wanted, value] of [
    [2, 2],
    [2, 2n],
    // `bigint` and `numeric` with node-postgres, decimals with MySQL.
    [2, '2'],
    [2, '2.00'],
    [1, true],
    [true, true],
    [true, 1],
    [true, 1n],
    [false, 0n],
    ['share', 'share'],
    [null, null],
  ])
    assert.is(counted(wanted, value), 1, `${String(wanted)}, ${typeof value} ${String(value)}`);
  for (const [wanted, value] of [
    [2, 3n],
    [2, '3'],
    [2, null],
    [true, 0n],
    [false, null],
    ['share', 'Share'],
    ['share', null],
    [null, 'share'],
  ])
    assert.is(counted(wanted, value), 0, `${String(wanted)}, ${typeof value} ${String(value)}`);
  // `bit(1)` of MySQL, and types that the mapping does not say: a row that is left out would deny nothing.
  for (const [wanted, value] of [
    [true, new Uint8Array([1])],
    [true, 'true'],
    [2, 'two'],
    ['2', 2],
    ['2024-01-01', new Date(0)],
  ])
    assert.throws(() => counted(wanted, value), /`kind` of a related (row|record) is/);
}
