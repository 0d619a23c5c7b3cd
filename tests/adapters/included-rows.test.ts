import { relations } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sql-js';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { DataTypes, Sequelize } from 'sequelize';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drizzleAdapter } from '../../packages/adapters/drizzle.js';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { SEQUELIZE_OF_LIBSQL } from './libraries.js';

/*
 * Queries that load rows below rows of the same table, both by a plan: the library gives the inner table an alias, and a
 * condition for the inner rows must not read the outer row.
 */

const test = suite('rows below rows of the same table');

const ROWS = [
  { id: 'p', owner: 'ann', parent: null, shares: [] },
  { id: 'q', owner: 'bob', parent: null, shares: ['ann'] },
  { id: 'pa', owner: 'ann', parent: 'p', shares: [] },
  { id: 'pb', owner: 'bob', parent: 'p', shares: [] },
  { id: 'qa', owner: 'ann', parent: 'q', shares: [] },
  { id: 'qb', owner: 'bob', parent: 'q', shares: ['ann'] },
  { id: 'qab', owner: 'bob', parent: 'qa', shares: [] },
  { id: 'qaa', owner: 'cy', parent: 'qa', shares: ['ann', 'bob'] },
];
const CREATE = [
  'CREATE TABLE documents (id text PRIMARY KEY, owner_id text, parent_id text)',
  'CREATE TABLE shares (id integer PRIMARY KEY, document_id text, user_id text)',
  ...ROWS.map(
    ({ id, owner, parent }) =>
      `INSERT INTO documents VALUES ('${id}', '${owner}', ${parent === null ? 'NULL' : `'${parent}'`})`,
  ),
  ...ROWS.flatMap(({ id, shares }) =>
    shares.map((user) => `INSERT INTO shares (document_id, user_id) VALUES ('${id}', '${user}')`),
  ),
];
const CONDITIONS = [
  'R.attr.owner == P.id',
  '!(R.attr.owner == P.id)',
  'R.attr.shares.exists(s, s.user == P.id)',
  'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == P.id)',
  '!R.attr.shares.exists(s, s.user == P.id)',
  'size(R.attr.shares) == 0',
];
const MAPPING = {
  dialect: 'sqlite',
  attributes: {
    owner: { column: 'ownerId', type: 'text' },
    shares: {
      relation: 'many',
      table: 'shares',
      on: { documentId: 'id' },
      columns: { user: { column: 'userId', type: 'text' } },
    },
  },
} as const;

/** A row with the rows below it. */
interface Tree {
  readonly id: string;
  readonly children?: readonly Tree[];
}

test('relational queries of Drizzle', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  for (const statement of CREATE) database.run(statement);
  const documents = sqliteTable('documents', {
    id: text().primaryKey(),
    ownerId: text('owner_id'),
    parentId: text('parent_id'),
  });
  const shares = sqliteTable('shares', { id: text(), documentId: text('document_id'), userId: text('user_id') });
  const tree = relations(documents, ({ one, many }) => ({
    parent: one(documents, { fields: [documents.parentId], references: [documents.id], relationName: 'tree' }),
    children: many(documents, { relationName: 'tree' }),
  }));
  const allowed = drizzleAdapter(documents, MAPPING, { shares });
  // In a relational query, the alias of a table is its name in the schema.
  for (const schema of [
    { documents, tree },
    { renamed: documents, tree },
  ]) {
    const db = drizzle(database, { schema });
    const query = Object.values(db.query as object)[0] as { findMany(options: object): { sync(): readonly object[] } };
    await compare(async (plan) =>
      decoded(
        query
          .findMany({
            where: allowed(plan),
            with: { children: { where: allowed(plan), with: { children: { where: allowed(plan) } } } },
          })
          .sync(),
      ),
    );
  }
  database.close();
});

test('includes of Sequelize are refused without their alias', async () => {
  const sequelize = new Sequelize({
    dialect: 'sqlite',
    dialectModule: SEQUELIZE_OF_LIBSQL,
    storage: ':memory:',
    logging: false,
  });
  for (const statement of CREATE) await sequelize.query(statement);
  const options = { timestamps: false };
  const column = (field: string): object => ({ type: DataTypes.TEXT, field });
  const Document = sequelize.define(
    'Document',
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      ownerId: column('owner_id'),
      parentId: column('parent_id'),
    } as never,
    { tableName: 'documents', ...options },
  );
  const Share = sequelize.define('Share', { documentId: column('document_id'), userId: column('user_id') } as never, {
    tableName: 'shares',
    ...options,
  });
  Document.hasMany(Document, { as: 'children', foreignKey: 'parentId' });
  const allowed = sequelizeAdapter(Document as never, MAPPING as never, { shares: Share } as never) as never as (
    plan: object,
    options?: object,
  ) => object;
  const include = (plan: object, ...aliases: readonly (string | undefined)[]): object[] => {
    const [alias, ...inner] = aliases;
    const where = allowed(plan, alias === undefined ? {} : { alias });
    const children = { model: Document, as: 'children', required: false, where };
    return [inner.length === 0 ? children : { ...children, include: include(plan, ...inner) }];
  };
  const find = async (plan: object, ...aliases: readonly (string | undefined)[]): Promise<readonly Tree[]> => {
    const found = await Document.findAll({
      where: allowed(plan) as never,
      include: include(plan, ...aliases) as never,
    });
    return found.map((row) => row.toJSON());
  };
  await compare((plan) => find(plan, 'children', 'children->children'));
  await compare(async (plan) => {
    const [error] = await Promise.allSettled([find(plan, undefined, 'children->children')]);
    assert.is(error.status, 'rejected');
    assert.match(
      String((error as PromiseRejectedResult).reason),
      "pass the alias of the include to the adapter: `alias: 'children'`",
    );
    return find(plan, 'children', 'children->children');
  });
  await sequelize.close();
});

test.run();

/** With sql.js, Drizzle returns the rows below a row as JSON: a list of the values of each. */
function decoded(rows: readonly object[]): readonly Tree[] {
  return (rows as readonly { readonly id: string; readonly children?: string }[]).map(({ id, children }) => {
    if (children === undefined) return { id };
    const values = JSON.parse(children) as readonly (readonly string[])[];
    return { id, children: decoded(values.map((value) => ({ id: value[0], children: value[3] }))) };
  });
}

/** Compares the rows of each level with what check allows. */
async function compare(find: (plan: never) => Promise<readonly Tree[]>): Promise<void> {
  const rules = CONDITIONS.map((expr, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr } },
  }));
  const policy = {
    apiVersion: 'api.authz.dev/v1',
    resourcePolicy: { resource: 'document', version: 'default', rules },
  };
  const { policies } = await loaded(compileTexts({ 'p.yaml': JSON.stringify(policy) }));
  const engine = createEngine(policies);
  const principal = { id: 'ann', roles: ['user'] };
  let below = 0;
  for (const [index, text] of CONDITIONS.entries()) {
    const plan = engine.plan({ principal, resource: { kind: 'document' }, actions: [`a${index}`] });
    const expected = (parent: string | undefined): readonly string[] =>
      ROWS.filter(
        (row) =>
          (parent === undefined || row.parent === parent) &&
          engine.isAllowed({
            principal,
            resource: {
              kind: 'document',
              id: row.id,
              attr: { owner: row.owner, shares: row.shares.map((user) => ({ user })) },
            },
            action: `a${index}`,
          }),
      )
        .map(({ id }) => id)
        .sort();
    const check = (rows: readonly Tree[], parent: string | undefined): void => {
      assert.equal(rows.map(({ id }) => id).sort(), expected(parent), `${text}, below ${parent ?? 'nothing'}`);
      for (const { id, children = [] } of rows) {
        below += children.length;
        check(children, id);
      }
    };
    check(await find(plan as never), undefined);
  }
  assert.ok(below > CONDITIONS.length, 'too few rows are below others');
}
