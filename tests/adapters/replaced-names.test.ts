import Database from 'libsql';
import { DataTypes, Sequelize } from 'sequelize';
import { DataSource, EntitySchema, type Repository } from 'typeorm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { typeormAdapter } from '../../packages/adapters/typeorm.js';
import { renderSql, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { sqlTable } from './idioms/mappings.js';
import { type IdiomPlan, idiomPlans } from './idioms/rows.js';
import { SEQUELIZE_OF_LIBSQL } from './libraries.js';

/*
 * Sequelize replaces parameters in the whole text of statements that change rows, also in names. TypeORM replaces words of a statement by names of columns: those of properties of its entity, where they stand between
 * blanks, commas, parentheses and signs of equality. In statements that change rows, these are all words.
 */

const test = suite('names that libraries replace');

interface Entity {
  readonly [property: string]: unknown;
}

/** Properties with the names of tables, columns and words of conditions, and the columns that they are. */
const PROPERTIES: { readonly [property: string]: string } = {
  shares: 'decoys',
  folders: 'decoy_folders',
  user: 'documentId',
  document_id: 'user_id',
  owner: 'author',
  author: 'owner',
  value: 'owner',
  key: 'author',
  rest: 'key_of',
  counted: 'key_off',
  n: 'k1',
  k1: 'n1',
  authz_1: 'decoys',
  authz_2: 'decoy_folders',
  authz_3: 'authz_1',
  type: 'kind',
  documents: 'documents2',
  'documents.owner': 'dotted',
};

const CONDITIONS = [
  'R.attr.shares.exists(s, s.user == P.id)',
  '!R.attr.shares.exists(s, s.user == P.id)',
  'R.attr.shares.size() > 1',
  'R.attr.owner == P.id',
  'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == P.id)',
  'R.attr.ancestors.exists(f, f.owner == P.id)',
  'R.attr.ancestors.all(f, f.owner != P.id)',
  'R.attr.ancestors.size() > 1',
  'R.attr.tags.exists(t, t == P.id)',
  '"ann" in R.attr.tags',
  'R.attr.owner.size() > 2',
  'R.attr.ofKind == "a"',
];

test('a statement that changes rows reaches those that check allows, whatever the properties are called', async () => {
  const source = await open();
  const { engine, mapping } = await engineOf();
  const documents = source.getRepository('Document') as Repository<Entity>;
  const related = { shares: source.getRepository('Share'), folders: source.getRepository('Folder') };
  const allowed = typeormAdapter(documents, mapping as never, related as never);
  const rows = (await source.query('SELECT * FROM documents ORDER BY id')) as readonly Readonly<
    Record<string, string>
  >[];
  let reached = 0;
  for (const [index, text] of CONDITIONS.entries()) {
    const plan = engine.plan({ principal: ANN, resource: { kind: 'document' }, actions: [`allow${index}`] });
    const expected = rows
      .filter((row) =>
        engine.isAllowed({
          principal: ANN,
          resource: { kind: 'document', id: row['id'] as string, attr: ATTRIBUTES[row['id'] as string] as never },
          action: `allow${index}`,
        }),
      )
      .map(({ id }) => id);
    reached += expected.length;
    const selected = await documents
      .createQueryBuilder('d')
      .where(allowed(plan, { alias: 'd' }))
      .getMany();
    assert.equal(selected.map(({ id }) => id).sort(), expected, `SELECT, ${text}`);
    const named = await documents.createQueryBuilder().where(allowed(plan)).getMany();
    assert.equal(named.map(({ id }) => id).sort(), expected, `SELECT without an alias, ${text}`);
    const update = documents
      .createQueryBuilder()
      .update()
      .set({ touched: 1 })
      .where(allowed(plan, { alias: 'documents' }));
    await update.execute();
    const updated = (await source.query('SELECT id FROM documents WHERE touched = 1 ORDER BY id')) as { id: string }[];
    assert.equal(updated.map(({ id }) => id).sort(), expected, `UPDATE, ${text}: ${update.getQuery()}`);
    await source.query('UPDATE documents SET touched = NULL');
    await source.query('SAVEPOINT before');
    const removal = documents
      .createQueryBuilder()
      .delete()
      .where(allowed(plan, { alias: 'documents' }));
    await removal.execute();
    const left = (await source.query('SELECT id FROM documents')) as readonly { readonly id: string }[];
    await source.query('ROLLBACK TO before');
    const deleted = rows.filter((row) => !left.some(({ id }) => id === row['id'])).map(({ id }) => id);
    assert.equal(deleted, expected, `DELETE, ${text}: ${removal.getQuery()}`);
  }
  assert.ok(reached > CONDITIONS.length, 'the conditions select too little');
  await source.destroy();
});

test('a name that is a word of conditions is refused where TypeORM would replace it by another one', async () => {
  const words = wordsOf(await idiomPlans('composed'));
  assert.ok(words.size > 40, 'too few words are found');
  for (const word of words) {
    assert.match(await refusalOf({ [word]: 'another' }), /^the entity `Named` has the name `/, word);
    if (!/^(FALSE|NULL|TRUE)$/.test(word)) assert.is(await refusalOf({ [word]: word }), '', word);
  }
  for (const word of ['NULL', 'TRUE', 'FALSE']) assert.match(await refusalOf({ [word]: word }), 'has the name', word);
  for (const name of ['"shares"', '`shares`', "days'"])
    assert.match(await refusalOf({ [name]: 'decoys' }), `has the name \`${name}\``);
});

test('a name in which Sequelize would replace a parameter is refused', async () => {
  const sequelize = new Sequelize({
    dialect: 'sqlite',
    dialectModule: SEQUELIZE_OF_LIBSQL,
    storage: ':memory:',
    logging: false,
  });
  const refusal = (tableName: string, field: string): string => {
    const Named = sequelize.define(
      'Named',
      { id: { type: DataTypes.TEXT, primaryKey: true }, owner: { type: DataTypes.TEXT, field } },
      { tableName, timestamps: false },
    );
    try {
      sequelizeAdapter(Named, { dialect: 'sqlite', attributes: { owner: { column: 'owner', type: 'text' } } } as never);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  // `$$` becomes `$`, and `$sequelize_1` the first value that is set.
  for (const name of ['$$owner', '$sequelize_1', 'the $owner', '$1'])
    assert.match(refusal('named', name), `\`${name}\`, in which Sequelize replaces`);
  assert.match(refusal('$$documents', 'owner'), '`$$documents`, in which Sequelize replaces');
  for (const name of ['owner$', 'owner$1', 'price in $']) assert.is(refusal('named', name), '');
  await sequelize.close();
});

test.run();

/** The words that TypeORM could replace in the conditions of plans, as it finds them. */
function wordsOf(plans: readonly IdiomPlan[]): ReadonlySet<string> {
  const dialects: readonly SqlDialect[] = ['sqlite', 'postgresql', 'mysql'];
  return new Set(
    dialects.flatMap((dialect) =>
      plans.flatMap(({ filter }) => {
        const condition = renderSql(filter, sqlTable(dialect), { dialect, quoteNames: true });
        if (condition.kind === 'refused') return [];
        const found = condition.parts.join('?').matchAll(/(?<=[ =(]|^)[^ =(),]+(?=[ =),]|$)/g);
        return [...found].map(([word]) => word).filter((word) => !/^(["`?]|-?[\d.]+|[^\w"'`]+$)|'/.test(word));
      }),
    ),
  );
}

/** Why an adapter for an entity with a column is refused; empty if it is not. */
async function refusalOf(named: { readonly [property: string]: string }): Promise<string> {
  const Named = new EntitySchema({
    name: 'Named',
    columns: { id: { type: 'text', primary: true }, ...columnsOf(named) },
  } as never);
  const source = new DataSource({ type: 'postgres', entities: [Named] });
  await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  try {
    typeormAdapter(source.getRepository(Named), { dialect: 'postgresql', attributes: {} });
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

function columnsOf(named: { readonly [property: string]: string }): object {
  return Object.fromEntries(
    Object.entries(named).map(([property, name]) => [property, { type: 'text', name, nullable: true }]),
  );
}

const ANN = { id: 'ann', roles: ['user'] };

/** What check receives of each document. */
const ATTRIBUTES: { readonly [id: string]: Entity } = {
  d1: {
    owner: 'ann',
    ofKind: 'a',
    tags: ['ann'],
    shares: [],
    ancestors: [{ owner: 'bob' }],
  },
  d2: {
    owner: 'bo',
    ofKind: 'b',
    tags: [],
    shares: [{ user: 'ann' }],
    ancestors: [{ owner: 'ann' }, { owner: 'bob' }],
  },
  d3: {
    owner: 'ann',
    ofKind: 'a',
    tags: ['bob'],
    shares: [{ user: 'bob' }, { user: 'cy' }],
    ancestors: [{ owner: 'cy' }, { owner: 'ann' }, { owner: 'bob' }],
  },
  d4: { owner: 'd', ofKind: 'c', tags: ['x', 'ann'], shares: [{ user: 'ann' }, { user: 'bob' }], ancestors: [] },
};

async function open(): Promise<DataSource> {
  const entities = [
    new EntitySchema({
      name: 'Document',
      tableName: 'documents',
      columns: {
        id: { type: 'text', primary: true },
        touched: { type: 'int', nullable: true },
        tags: { type: 'simple-json', name: 'the_tags' },
        folderId: { type: 'text', name: 'folder_id', nullable: true },
        ...columnsOf(PROPERTIES),
      },
    } as never),
    new EntitySchema({
      name: 'Share',
      tableName: 'shares',
      columns: { id: { type: 'int', primary: true }, ...columnsOf({ documentId: 'document_id', user: 'user_id' }) },
    } as never),
    new EntitySchema({
      name: 'Folder',
      tableName: 'folders',
      columns: { id: { type: 'text', primary: true }, ...columnsOf({ parentId: 'parent_id', owner: 'owner' }) },
    } as never),
  ];
  const source = new DataSource({ type: 'better-sqlite3', database: ':memory:', driver: Database, entities });
  await source.initialize();
  const own = Object.values(PROPERTIES).filter((name, index, all) => all.indexOf(name) === index);
  for (const statement of [
    `CREATE TABLE documents (id text PRIMARY KEY, touched int, the_tags text, folder_id text, ${own.map((name) => `"${name}" text`).join(', ')})`,
    // The decoys say yes where the tables say no.
    ...['shares', 'decoys'].map((name) => `CREATE TABLE ${name} (id int, document_id text, user_id text)`),
    ...['folders', 'decoy_folders'].map((name) => `CREATE TABLE ${name} (id text, parent_id text, owner text)`),
    "INSERT INTO folders VALUES ('f1', NULL, 'bob'), ('f2', 'f1', 'ann'), ('f3', 'f2', 'cy')",
    "INSERT INTO decoy_folders VALUES ('f1', NULL, 'ann'), ('f2', 'f1', 'cy'), ('f3', 'f2', 'cy')",
    "INSERT INTO shares VALUES (1, 'd2', 'ann'), (2, 'd3', 'bob'), (3, 'd3', 'cy'), (4, 'd4', 'ann'), (5, 'd4', 'bob')",
    "INSERT INTO decoys VALUES (1, 'd1', 'ann'), (2, 'd3', 'ann'), (3, 'd1', 'bob')",
    ...Object.entries(ATTRIBUTES).map(
      ([id, { owner, ofKind, tags }], index) =>
        `INSERT INTO documents (id, owner, kind, the_tags, folder_id, author) VALUES ('${id}', '${String(owner)}', '${String(ofKind)}', '${JSON.stringify(tags)}', ${["'f1'", "'f2'", "'f3'", 'NULL'][index]}, 'ann')`,
    ),
  ])
    await source.query(statement);
  return source;
}

async function engineOf() {
  const { engine } = await createConditionEngine('document', CONDITIONS);
  const mapping = {
    dialect: 'sqlite',
    attributes: {
      owner: { column: 'author', type: 'text' },
      ofKind: { column: 'type', type: 'text' },
      tags: { column: 'tags', type: 'list' },
      shares: {
        relation: 'many',
        table: 'shares',
        on: { documentId: 'id' },
        columns: { user: { column: 'user', type: 'text' } },
      },
      ancestors: {
        relation: 'many',
        table: 'folders',
        on: { id: 'folderId' },
        closure: { id: 'parentId' },
        columns: { owner: { column: 'owner', type: 'text' } },
      },
    },
  };
  return { engine, mapping };
}
