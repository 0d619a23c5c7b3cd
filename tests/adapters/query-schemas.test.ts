import { EntitySchema, MikroORM, type EntityManager } from '@mikro-orm/libsql';
import Database from 'libsql';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataTypes, Op, Sequelize } from 'sequelize';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { mikroOrmAdapter, mikroOrmCan } from '../../packages/adapters/mikro-orm.js';
import { sequelizeAdapter, sequelizeCan } from '../../packages/adapters/sequelize.js';
import { compileRules, loaded } from '../support/compiled.js';
import { SEQUELIZE_OF_LIBSQL } from './libraries.js';

const MAPPING = {
  dialect: 'sqlite',
  attributes: {
    owner: { column: 'owner', type: 'text' },
    shares: {
      relation: 'many',
      table: 'shares',
      on: { documentId: 'id' },
      columns: { user: { column: 'userId', type: 'text', null: 'never' } },
    },
  },
} as const;

/** In one schema, anna has a share of the first document; in the other one, of the second. */
const SHARED = { default: 'd1', tenant: 'd2' } as const;

const test = suite('the schema of a query');

let folder: string;
test.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'authz-schemas-'));
});
test.after(() => rmSync(folder, { recursive: true, force: true }));

/** The rows, in tables with names for a schema. */
function fill(path: string, documents: string, shares: string, shared: string): void {
  const database = new Database(path);
  database.exec(`CREATE TABLE "${documents}" (id text PRIMARY KEY, owner text, views integer DEFAULT 0)`);
  database.exec(`CREATE TABLE "${shares}" (id integer PRIMARY KEY, document_id text, user_id text NOT NULL)`);
  database.exec(`INSERT INTO "${documents}" (id, owner) VALUES ('d1', 'bob'), ('d2', 'bob'), ('d3', 'bob')`);
  database.exec(
    `INSERT INTO "${shares}" VALUES (1, '${shared}', 'anna'), (2, 'd3', 'carl "related table shares" $1 ?')`,
  );
  database.close();
}

test('Sequelize: related rows are of the schema of the model that is queried', async () => {
  const path = join(folder, 'sequelize.sqlite');
  fill(path, 'documents', 'shares', SHARED.default);
  fill(path, 'tenant.documents', 'tenant.shares', SHARED.tenant);
  const db = new Sequelize({ dialect: 'sqlite', storage: path, dialectModule: SEQUELIZE_OF_LIBSQL, logging: false });
  const plain = { timestamps: false } as const;
  const documents = db.define(
    'Document',
    { id: { type: DataTypes.TEXT, primaryKey: true }, owner: DataTypes.TEXT, views: DataTypes.INTEGER },
    { tableName: 'documents', ...plain },
  );
  const shares = db.define(
    'Share',
    {
      documentId: { type: DataTypes.TEXT, field: 'document_id' },
      userId: { type: DataTypes.TEXT, field: 'user_id', allowNull: false },
    },
    { tableName: 'shares', ...plain },
  );
  const parents = db.define(
    'Parent',
    { id: { type: DataTypes.TEXT, primaryKey: true } },
    { tableName: 'documents', ...plain },
  );
  parents.hasMany(documents, { foreignKey: 'id', as: 'inner' });
  documents.hasMany(shares, { foreignKey: 'documentId', as: 'shares' });
  const allowed = sequelizeAdapter(documents, MAPPING as never, { shares });
  const can = sequelizeCan(documents, MAPPING as never, { shares });
  const ofTenant = documents.schema('tenant');
  for (const expr of EXPRESSIONS) {
    const planned = await planOf(expr);
    const where = (): never => allowed(planned) as never;
    for (const [model, expected] of [
      [documents, SHARED.default],
      [ofTenant, SHARED.tenant],
      [documents, SHARED.default],
    ] as const) {
      const ids = async (options: object): Promise<unknown> =>
        (await model.findAll({ order: ['id'], ...options })).map((one) => one.get('id'));
      const wanted = expectedOf(expr, expected);
      assert.equal(await ids({ where: where() }), wanted, expr);
      assert.equal(await ids({ where: { [Op.or]: [where(), { id: 'nothing' }] } }), wanted, expr);
      assert.equal(
        await ids({ where: { [Op.not]: where() } }),
        ALL.filter((id) => !wanted.includes(id)),
        expr,
      );
      const rest = ALL.filter((id) => !wanted.includes(id));
      assert.equal(await ids({ where: allowed(planned, { negated: true }) as never }), rest, expr);
      assert.is(await model.count({ where: where() }), wanted.length, expr);
      const limited = { where: where(), limit: 3, include: [{ model: shares, as: 'shares' }] };
      assert.equal(await ids(limited), wanted, `${expr}, in a subquery`);
      const rows = await model.findAll({ attributes: { include: can({ view: planned }) }, order: ['id'] });
      assert.equal(
        rows.map((row) => [row.get('id'), row.get('canView')]),
        ALL.map((id) => [id, Number(wanted.includes(id))]),
      );
      const parent = await parents.findAll({
        include: [{ model, as: 'inner', where: allowed(planned, { alias: 'inner' }) as never }],
        order: ['id'],
      });
      assert.equal(
        parent.map((one) => one.get('id')),
        wanted,
        `${expr}, included`,
      );
      // SQLite has no name for the other table in a condition of an update.
      const own = allowed(planned, { alias: 'documents' }) as never;
      if (model === documents) assert.equal(await model.update({ views: 1 }, { where: own }), [wanted.length], expr);
    }
    const explicit = allowed(planned, { schema: 'tenant' }) as never;
    assert.equal(
      (await documents.findAll({ where: explicit, order: ['id'] })).map((one) => one.get('id')),
      expectedOf(expr, SHARED.tenant),
    );
  }
  const planned = await planOf(EXPRESSIONS[0] as string);
  await ofTenant.increment('views', { where: allowed(planned, { alias: 'documents' }) as never }).then(
    () => assert.unreachable('increment does not say which model it is about'),
    (error: Error) =>
      assert.match(error.message, /the schema of this query is not known: pass it to the adapter, as `schema`/),
  );
  await db.close();
});

test('Sequelize: a related model with a schema keeps it', async () => {
  const db = new Sequelize({
    dialect: 'postgres',
    dialectModule: { types: {}, Client: class {} },
    logging: false,
  } as never);
  const documents = db.define(
    'Document',
    { id: { type: DataTypes.TEXT, primaryKey: true }, owner: DataTypes.TEXT },
    { tableName: 'documents', schema: 'app' },
  );
  const columns = { documentId: DataTypes.TEXT, userId: { type: DataTypes.TEXT, allowNull: false } };
  const shares = db.define('Share', columns, { tableName: 'shares' });
  const planned = await planOf(EXPRESSIONS[0] as string);
  const textOf = (related: typeof shares, model: typeof documents): string => {
    const where = sequelizeAdapter(documents, { ...MAPPING, dialect: 'postgresql' } as never, { shares: related })(
      planned,
    );
    const generator = (
      db.getQueryInterface() as unknown as { queryGenerator: { selectQuery(...values: unknown[]): string } }
    ).queryGenerator;
    return generator.selectQuery(model.getTableName(), { where }, model);
  };
  // The model was defined with its schema, which is not one of the query.
  assert.match(textOf(shares, documents), 'FROM "shares" AS');
  assert.match(textOf(shares, documents.schema('tenant')), 'FROM "tenant"."shares" AS');
  assert.match(textOf(shares.schema('other'), documents.schema('tenant')), 'FROM "other"."shares" AS');
});

test('MikroORM: related rows are of the schema of the query', async () => {
  const path = join(folder, 'mikro.sqlite');
  const tenant = join(folder, 'tenant.sqlite');
  fill(path, 'documents', 'shares', SHARED.default);
  fill(tenant, 'documents', 'shares', SHARED.tenant);
  interface Document {
    id: string;
    owner: string;
    views: number;
  }
  interface Share {
    id: number;
    documentId: string;
    userId: string;
  }
  const documents = new EntitySchema<Document>({
    name: 'Document',
    tableName: 'documents',
    properties: {
      id: { type: 'text', primary: true },
      owner: { type: 'text', nullable: true },
      views: { type: 'integer' },
    },
  });
  const shares = new EntitySchema<Share>({
    name: 'Share',
    tableName: 'shares',
    properties: {
      id: { type: 'integer', primary: true },
      documentId: { type: 'text', fieldName: 'document_id', nullable: true },
      userId: { type: 'text', fieldName: 'user_id' },
    },
  });
  const orm = await MikroORM.init({
    dbName: path,
    entities: [documents, shares],
    allowGlobalContext: true,
    discovery: { disableDynamicFileAccess: true },
  });
  await orm.em.getConnection().execute(`ATTACH DATABASE '${tenant}' AS tenant`);
  const allowed = mikroOrmAdapter(orm, documents, MAPPING, { shares });
  const can = mikroOrmCan(orm, documents, MAPPING, { shares });
  for (const expr of EXPRESSIONS) {
    const planned = await planOf(expr);
    for (const [schema, shared] of [
      [undefined, SHARED.default],
      ['tenant', SHARED.tenant],
      [undefined, SHARED.default],
    ] as const) {
      const expected = expectedOf(expr, shared);
      const options = { orderBy: { id: 'asc' }, ...(schema && { schema }) } as const;
      const ids = (rows: readonly { id: string }[]): readonly string[] => rows.map(({ id }) => id);
      const em = (): EntityManager => orm.em.fork();
      assert.equal(ids(await em().find(documents, allowed(planned), options)), expected, expr);
      const either = { $or: [allowed(planned), { id: 'nothing' }] };
      assert.equal(ids(await em().find(documents, either, options)), expected, expr);
      const both = { $and: [allowed(planned), { $or: [{ id: 'd1' }, allowed(planned)] }] };
      assert.equal(ids(await em().find(documents, both, options)), expected, expr);
      const rest = ALL.filter((id) => !expected.includes(id));
      assert.equal(ids(await em().find(documents, { $not: allowed(planned) }, options)), rest, expr);
      assert.equal(ids(await em().find(documents, allowed(planned, { negated: true }), options)), rest, expr);
      assert.is(await em().count(documents, allowed(planned), schema ? { schema } : {}), expected.length);
      assert.equal(
        (await em().findAndCount(documents, allowed(planned), { ...options, limit: 2 }))[1],
        expected.length,
      );
      const forked = orm.em.fork(schema ? { schema } : {});
      assert.equal(ids(await forked.find(documents, allowed(planned), { orderBy: { id: 'asc' } })), expected, expr);
      const builder = em()
        .createQueryBuilder(documents, 'd')
        .select('*')
        .where(allowed(planned))
        .orderBy({ id: 'asc' });
      if (schema) builder.withSchema(schema);
      assert.is(await builder.clone().getCount(), expected.length);
      assert.equal(ids(await builder.getResult()), expected, expr);
      const columns = em()
        .createQueryBuilder(documents, 'd')
        .select(['d.id', ...(can({ view: planned }, { alias: 'd' }) as never[])])
        .orderBy({ id: 'asc' });
      if (schema) columns.withSchema(schema);
      const rows: readonly { canView: number }[] = await columns.execute();
      assert.equal(
        rows.map(({ canView }) => canView),
        ALL.map((id) => Number(expected.includes(id))),
      );
      if (schema) {
        const named = allowed(planned, { schema: 'main' });
        assert.equal(ids(await em().find(documents, named, options)), expectedOf(expr, SHARED.default), expr);
      }
      const updated = await em().nativeUpdate(
        documents,
        allowed(planned, { alias: 'documents' }),
        { views: 1 },
        schema ? { schema } : {},
      );
      assert.is(updated, expected.length, expr);
    }
  }
  await orm.close();
});

test('MikroORM: a condition below a relation, alone and in a group, and refused where it would be left out', async () => {
  const path = join(folder, 'relations.sqlite');
  fill(path, 'documents', 'shares', SHARED.default);
  interface Document {
    id: string;
    owner: string;
    shares: object;
  }
  interface Share {
    id: number;
    document: Document;
  }
  const documents = new EntitySchema<Document>({
    name: 'Document',
    tableName: 'documents',
    properties: {
      id: { type: 'text', primary: true },
      owner: { type: 'text', nullable: true },
      shares: { kind: '1:m', entity: () => shares, mappedBy: 'document' } as never,
    },
  });
  const shares = new EntitySchema<Share>({
    name: 'Share',
    tableName: 'shares',
    properties: {
      id: { type: 'integer', primary: true },
      document: { kind: 'm:1', entity: () => documents, joinColumn: 'document_id' },
    },
  });
  const discovery = { disableDynamicFileAccess: true };
  const orm = await MikroORM.init({ dbName: path, entities: [documents, shares], discovery });
  const allowed = mikroOrmAdapter(orm, documents, {
    dialect: 'sqlite',
    attributes: { owner: { column: 'owner', type: 'text' } },
  });
  // Without a name of a column, with one of the query alone, and for all rows and none.
  for (const [expr, expected] of [
    ['R.attr.owner == "bob"', ['d1', 'd3']],
    ['R.attr.owner == "anna"', []],
    ['true', ['d1', 'd3']],
    ['false', []],
  ] as const) {
    const planned = await planOf(expr);
    const where = (): object => allowed(planned);
    for (const condition of [
      where(),
      { $and: [where()] },
      { $or: [where(), { id: 'nothing' }] },
      { $and: [where(), where()] },
    ]) {
      const rows = await orm.em.fork().find(shares, { document: condition } as never, { orderBy: { id: 'asc' } });
      assert.equal(
        rows.map(({ document }) => document.id),
        expected,
        `${expr}: ${JSON.stringify(condition)}`,
      );
    }
    const populated = { populate: ['shares'] as never, populateWhere: { shares: { document: where() } } as never };
    const load = (strategy?: 'joined') =>
      orm.em.fork().find(documents, {}, { ...populated, ...(strategy && { strategy }) });
    await load('joined').then(() => assert.unreachable('the related rows are not restricted'), isRefused);
    // Version 7 loads related rows by queries of their own unless it is asked to join, and restricts them.
    const loaded = await load().catch(isRefused);
    for (const { id, shares: related } of loaded ?? [])
      if (!(expected as readonly string[]).includes(id))
        assert.is((related as { readonly length: number }).length, 0, id);
  }
  await orm.close();
});

test.run();

function isRefused({ message }: Error): undefined {
  assert.match(message, /does not apply a condition of SQL in `populateWhere`/);
  return undefined;
}

const ALL = ['d1', 'd2', 'd3'];
const EXPRESSIONS = [
  'R.attr.shares.exists(s, s.user == P.id)',
  'R.attr.shares.exists(s, s.user == P.id) && R.attr.owner != "x"',
  '!R.attr.shares.exists(s, s.user != P.id) && R.attr.shares.size() == 1',
  'R.attr.shares.size() == 0',
];

function expectedOf(expr: string, shared: string): readonly string[] {
  return expr.endsWith('== 0') ? ALL.filter((id) => id !== shared && id !== 'd3') : [shared];
}

async function planOf(expr: string) {
  const rule = { actions: ['view'], roles: ['user'], effect: 'EFFECT_ALLOW', condition: { match: { expr } } };
  const { policies } = await loaded(compileRules('document', [rule]));
  return createEngine(policies).plan({
    principal: { id: 'anna', roles: ['user'] },
    resource: { kind: 'document' },
    actions: ['view'],
  });
}
