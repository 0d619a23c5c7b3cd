import { relations } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sql-js';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { DataTypes, Sequelize } from 'sequelize';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drizzleAdapter, drizzleCan, drizzleMask } from '../../packages/adapters/drizzle.js';
import { sequelizeAdapter, sequelizeCan, sequelizeMask } from '../../packages/adapters/sequelize.js';
import { capabilities, createEngine } from '../../runtime/engine/index.js';
import { compileConditions } from '../support/plan/condition-engine.js';
import { SEQUELIZE_OF_LIBSQL } from './libraries.js';

/*
 * Queries that load rows below rows of the same table, both by a plan: the library gives the inner table an alias, and a
 * condition, a can column or a mask for the inner rows must not read the outer row.
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
const ANN = { id: 'ann', roles: ['user'] };
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
  const can = drizzleCan(documents, MAPPING, { shares });
  const mask = drizzleMask(documents, MAPPING, { shares });
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
    await compareCells(async (plans) => {
      const extras = { ...can(plans), ...mask(plans, { ownerId: 'a' }) };
      const columns = { id: true };
      const below = { columns, extras };
      const rows = query.findMany({ ...below, with: { children: { ...below, with: { children: below } } } }).sync();
      return decodedCells(rows);
    });
  }
  // One table: Drizzle leaves the table out of names that it finds, which those of a related table would replace.
  const db = drizzle(database);
  await compareCells(async (plans) =>
    db
      .select({ id: documents.id, ...can(plans), ...mask(plans, { ownerId: 'a' }) })
      .from(documents)
      .all()
      .map((row) => cellOf(row)),
  );
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
  const models = [Document as never, MAPPING as never, { shares: Share } as never] as const;
  type Write = (plans: object, ...others: readonly object[]) => object[];
  const can = sequelizeCan(...models) as never as Write;
  const mask = sequelizeMask(...models) as never as Write;
  const cells = async (plans: object, ...aliases: readonly (string | undefined)[]): Promise<readonly Cell[]> => {
    const attributes = (alias: string | undefined): object[] => {
      const options = alias === undefined ? {} : { alias };
      return ['id' as never, ...can(plans, options), ...mask(plans, { ownerId: 'a' }, options)];
    };
    const below = ([alias, ...inner]: readonly (string | undefined)[]): object[] => [
      {
        model: Document,
        as: 'children',
        required: false,
        attributes: attributes(alias),
        ...(inner.length > 0 && { include: below(inner) }),
      },
    ];
    const found = await Document.findAll({
      attributes: attributes(undefined) as never,
      include: below(aliases) as never,
    });
    return found.map((row) => cellOf(row.toJSON()));
  };
  await compareCells((plans) => cells(plans, 'children', 'children->children'));
  for (const [aliases, name] of [
    [[undefined, 'children->children'], 'children'],
    [['children', undefined], 'children->children'],
  ] as const)
    await compareCells(async (plans) => {
      const [error] = await Promise.allSettled([cells(plans, ...aliases)]);
      assert.is(error.status, 'rejected', 'can columns of an include read the outer row');
      assert.match(
        String((error as PromiseRejectedResult).reason),
        `pass the alias of the include to the adapter: \`alias: '${name}'\``,
      );
      return cells(plans, 'children', 'children->children');
    });
  // Each row that is loaded with a query of its own has the name of the model.
  const separate = { model: Document, as: 'children', separate: true };
  await compareCells(async (plans) => {
    const attributes = ['id', 'parentId', ...can(plans), ...mask(plans, { ownerId: 'a' })];
    const found = await Document.findAll({ attributes, include: [{ ...separate, attributes }] } as never);
    return found.map((row) => cellOf((row as { toJSON(): object }).toJSON()));
  });
  await sequelize.close();
});

test.run();

/** What a query says of a row: whether the action is allowed, and its owner if it is. */
interface Cell {
  readonly id: string;
  readonly can: unknown;
  readonly owner: unknown;
  readonly children?: readonly Cell[];
}

function cellOf(row: object): Cell {
  const { id, canA, ownerId, children } = row as { readonly [name: string]: unknown };
  return {
    id: id as string,
    can: canA,
    owner: ownerId,
    ...(children !== undefined && { children: (children as readonly object[]).map(cellOf) }),
  };
}

/** The rows below a row are JSON, with the columns, then those that are computed, then the rows below. */
function decodedCells(rows: readonly object[]): readonly Cell[] {
  const decode = (values: readonly (readonly unknown[])[]): readonly Cell[] =>
    values.map(([id, canA, owner, children]) => ({
      id: id as string,
      can: canA,
      owner,
      ...(children !== undefined && { children: decode(JSON.parse(children as string)) }),
    }));
  return rows.map((row) => {
    const { children, ...own } = row as { readonly children: string };
    return { ...cellOf(own), children: decode(JSON.parse(children)) };
  });
}

/** With sql.js, Drizzle returns the rows below a row as JSON: a list of the values of each. */
function decoded(rows: readonly object[]): readonly Tree[] {
  return (rows as readonly { readonly id: string; readonly children?: string }[]).map(({ id, children }) => {
    if (children === undefined) return { id };
    const values = JSON.parse(children) as readonly (readonly string[])[];
    return { id, children: decoded(values.map((value) => ({ id: value[0], children: value[3] }))) };
  });
}

/** Compares the can column and the mask of each row, on each level, with what check allows. */
async function compareCells(find: (plans: never) => Promise<readonly Cell[]>): Promise<void> {
  for (const text of CONDITIONS) {
    const engine = await engineOf([text]);
    const plans = engine.planCapabilities({ principal: ANN, resource: { kind: 'document' }, actions: ['allow0'] });
    const seen: string[] = [];
    const check = (cells: readonly Cell[]): void => {
      for (const { id, can, owner, children = [] } of cells) {
        const row = ROWS.find((one) => one.id === id) as (typeof ROWS)[number];
        const allowed = isAllowed(engine, row, 'allow0');
        assert.is(Boolean(can), allowed, `${text}: ${id}`);
        assert.is(owner, allowed ? row.owner : null, `${text}: ${id}`);
        seen.push(id);
        check(children);
      }
    };
    check(await find({ a: plans['allow0'] } as never));
    assert.ok(seen.length >= ROWS.length, 'too few rows');
  }
}

async function engineOf(conditions: readonly string[]) {
  const { policies } = await compileConditions('document', conditions);
  return createEngine(policies, { use: [capabilities()] });
}

function isAllowed(engine: Awaited<ReturnType<typeof engineOf>>, row: (typeof ROWS)[number], action: string): boolean {
  const attr = { owner: row.owner, shares: row.shares.map((user) => ({ user })) };
  return engine.isAllowed({ principal: ANN, resource: { kind: 'document', id: row.id, attr }, action });
}

/** Compares the rows of each level with what check allows. */
async function compare(find: (plan: never) => Promise<readonly Tree[]>): Promise<void> {
  const engine = await engineOf(CONDITIONS);
  let below = 0;
  for (const [index, text] of CONDITIONS.entries()) {
    const plan = engine.plan({ principal: ANN, resource: { kind: 'document' }, actions: [`allow${index}`] });
    const expected = (parent: string | undefined): readonly string[] =>
      ROWS.filter((row) => (parent === undefined || row.parent === parent) && isAllowed(engine, row, `allow${index}`))
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
