import { EntitySchema as MikroOrmSchema } from '@mikro-orm/core';
import { MikroORM, type SqlEntityManager } from '@mikro-orm/libsql';
import { sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drizzleAdapter } from '../../packages/adapters/drizzle.js';
import { knexAdapter } from '../../packages/adapters/knex.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter, mikroOrmCan } from '../../packages/adapters/mikro-orm.js';
import { capabilities, type Engine } from '../../runtime/engine/index.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';

/* Names that all objects of JavaScript inherit, as those of properties, columns, tables and entities. */

const test = suite('names that objects inherit');

const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__', 'isPrototypeOf'];
const ROWS = [
  { id: 'a', owner: 'ann' },
  { id: 'b', owner: 'bob' },
  { id: 'c', owner: null },
];
const CONDITIONS = ['R.attr.owner == P.id', '!(R.attr.owner == P.id)'];
const ACTIONS = ['allow0', 'allow1'] as const;
const PRINCIPAL = { id: 'ann', roles: ['user'] };

/** The names of one entity. */
interface Named {
  readonly entity: string;
  readonly table: string;
  readonly property: string;
  readonly column: string;
  readonly key: string;
  readonly keyColumn: string;
}

const USUAL: Named = {
  entity: 'Document',
  table: 'documents',
  property: 'owner',
  column: 'owner_id',
  key: 'id',
  keyColumn: 'id',
};

const PLACES: readonly (readonly (keyof Named)[])[] = [
  ...Object.keys(USUAL).map((place) => [place as keyof Named]),
  ['property', 'column', 'table', 'entity'],
  ['key', 'keyColumn'],
];

test('with MikroORM, rows, can columns and attributes are those of check', async () => {
  const { engine } = await createConditionEngine('document', CONDITIONS, ['allow'], { use: [capabilities()] });
  for (const name of NAMES)
    for (const places of PLACES) {
      const named = { ...USUAL, ...Object.fromEntries(places.map((place) => [place, name])) };
      await compare(engine, named, `${name} as ${places.join(', ')}`);
    }
});

test('a column `__proto__` is refused, with each library', async () => {
  const mapping = { dialect: 'sqlite', attributes: { owner: { column: '__proto__', type: 'json' } } } as never;
  const byProperty = { dialect: 'sqlite', attributes: { owner: { column: 'owner', type: 'json' } } } as never;
  const documents = sqliteTable('documents', { owner: text('__proto__', { mode: 'json' }) });
  const orm = await open({ ...USUAL, column: '__proto__' });
  for (const create of [
    () => kyselyAdapter('documents' as never, mapping),
    () => knexAdapter('documents' as never, mapping),
    () => drizzleAdapter(documents, byProperty),
    () =>
      mikroOrmAdapter(orm, USUAL.entity, {
        ...(byProperty as object),
        attributes: { owner: { column: 'owner', type: 'text' } },
      } as never),
  ])
    assert.throws(create, /the column `__proto__` of `documents` cannot be mapped/);
  await orm.close();
});

test('what all rows inherit was not read', () => {
  const attributes = { owner: { column: 'constructor', type: 'json' } };
  const shares = { relation: 'many', table: 'shares', on: { document: 'id' }, property: 'valueOf', columns: {} };
  const read = kyselyAdapter('documents' as never, { dialect: 'postgresql', attributes } as never);
  const related = kyselyAdapter('documents' as never, { dialect: 'postgresql', attributes: { shares } } as never);
  assert.throws(() => read.attributesOf({} as never), 'was not read: select it');
  assert.throws(() => related.attributesOf({} as never), 'the row has no related rows in `valueOf`');
  assert.equal(read.attributesOf({ constructor: { a: 1 } } as never), { owner: { a: 1 } });
});

test.run();

async function open({ entity, table, property, column, key, keyColumn }: Named): Promise<MikroORM> {
  const schema = new MikroOrmSchema({
    name: entity,
    tableName: table,
    properties: {
      [key]: { type: 'text', primary: true, fieldName: keyColumn },
      [property]: { type: 'text', fieldName: column, nullable: true },
    } as never,
  });
  const orm = await MikroORM.init({ dbName: ':memory:', entities: [schema as never] });
  await orm.em.getConnection().execute(`CREATE TABLE "${table}" ("${keyColumn}" text, "${column}" text)`);
  for (const { id, owner } of ROWS)
    await orm.em.getConnection().execute(`INSERT INTO "${table}" VALUES (?, ?)`, [id, owner] as never);
  return orm;
}

async function compare(engine: Engine, named: Named, title: string): Promise<void> {
  const { entity, property, key } = named;
  const orm = await open(named);
  const em = orm.em.fork();
  const mapping = {
    dialect: 'sqlite',
    id: { column: key, type: 'text' },
    attributes: { owner: { column: property, type: 'text' } },
  } as never;
  const allowed = mikroOrmAdapter<{ readonly [name: string]: string }>(orm, entity, mapping);
  const can = mikroOrmCan(orm, entity, mapping);
  const may = (id: unknown, action: string): boolean => {
    const owner = ROWS.find((row) => row.id === id)?.owner;
    const attr = typeof owner === 'string' ? { owner } : {};
    return engine.isAllowed({ principal: PRINCIPAL, resource: { kind: 'document', id: String(id), attr }, action });
  };
  for (const action of ACTIONS) {
    const plan = engine.plan({ principal: PRINCIPAL, resource: { kind: 'document' }, actions: [action] });
    const found = (await em.find(entity, allowed(plan) as never)) as { readonly [name: string]: string }[];
    const expected = ROWS.filter(({ id }) => may(id, action));
    assert.ok(expected.length > 0 && expected.length < ROWS.length);
    assert.equal(
      found.map((row) => ({ ...allowed.resourceOf(row) })).sort((a, b) => (a.id < b.id ? -1 : 1)),
      expected.map(({ id, owner }) => ({ id, attr: owner === null ? {} : { owner } })),
      title,
    );
  }
  const plans = engine.planCapabilities({ principal: PRINCIPAL, resource: { kind: 'document' }, actions: ACTIONS });
  const builder = (em as unknown as SqlEntityManager).createQueryBuilder(entity, 'd');
  const cells: readonly { readonly [name: string]: unknown }[] = await builder
    .select([key, ...can(plans, { alias: 'd' })] as never)
    .execute('all');
  assert.is(cells.length, ROWS.length, title);
  for (const row of cells)
    assert.equal(
      [row['canAllow0'], row['canAllow1']].map(Boolean),
      ACTIONS.map((action) => may(row[key], action)),
      title,
    );
  await orm.close();
}
