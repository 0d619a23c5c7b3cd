import { EntitySchema as MikroOrmSchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/postgresql';
import { jsonb, PgDialect, pgSchema, pgTable, text } from 'drizzle-orm/pg-core';
import knexOf from 'knex';
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { DataTypes, type InferAttributes, type InferCreationAttributes, Model, Op, Sequelize } from 'sequelize';
import { DataSource, EntitySchema } from 'typeorm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, ruleFilters } from '../../runtime/engine/index.js';
import { drizzleAdapter, type PlannedFilter, UnsupportedPlanError } from '../../packages/adapters/drizzle.js';
import { knexAdapter } from '../../packages/adapters/knex.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter } from '../../packages/adapters/mikro-orm.js';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { typeormAdapter } from '../../packages/adapters/typeorm.js';
import { compileRules, loaded } from '../support/compiled.js';

/** The same two tables in each library: documents, and the users who own them. */
interface Document {
  readonly id: string;
  readonly ownerId: string;
  readonly tags: unknown;
}
interface User {
  readonly id: string;
  readonly fullName: string | null;
}

const documents = pgTable('documents', { id: text().primaryKey(), ownerId: text('owner_id').notNull(), tags: jsonb() });
const users = pgTable('users', { id: text().primaryKey(), fullName: text('full_name') });

interface Database {
  documents: { id: string; owner_id: string; tags: unknown };
  users: { id: string; full_name: string | null };
}

const Documents = new EntitySchema<Document>({
  name: 'Document',
  tableName: 'documents',
  columns: {
    id: { type: 'text', primary: true },
    ownerId: { type: 'text', name: 'owner_id' },
    tags: { type: 'jsonb', nullable: true },
  },
});
const Users = new EntitySchema<User>({
  name: 'User',
  tableName: 'users',
  columns: { id: { type: 'text', primary: true }, fullName: { type: 'text', name: 'full_name', nullable: true } },
});

const sequelize = new Sequelize({ dialect: 'postgres', logging: false });
class DocumentModel extends Model<InferAttributes<DocumentModel>, InferCreationAttributes<DocumentModel>> {
  declare id: string;
  declare ownerId: string;
  declare tags: unknown;
  declare label: string;
}
DocumentModel.init(
  {
    id: { type: DataTypes.TEXT, primaryKey: true },
    ownerId: { type: DataTypes.TEXT, field: 'owner_id' },
    tags: DataTypes.JSONB,
    label: DataTypes.VIRTUAL,
  },
  { sequelize, tableName: 'documents', modelName: 'Document', timestamps: false },
);
class UserModel extends Model<InferAttributes<UserModel>, InferCreationAttributes<UserModel>> {
  declare id: string;
  declare fullName: string | null;
}
UserModel.init(
  { id: { type: DataTypes.TEXT, primaryKey: true }, fullName: { type: DataTypes.TEXT, field: 'full_name' } },
  { sequelize, tableName: 'users', modelName: 'User', timestamps: false },
);

const MikroDocuments = new MikroOrmSchema<Document>({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: { type: 'text', primary: true },
    ownerId: { type: 'text', fieldName: 'owner_id' },
    tags: { type: 'json', nullable: true },
  },
});
const MikroUsers = new MikroOrmSchema<User>({
  name: 'User',
  tableName: 'users',
  properties: {
    id: { type: 'text', primary: true },
    fullName: { type: 'text', fieldName: 'full_name', nullable: true },
  },
});

const knex = knexOf({ client: 'pg' });
const source = new DataSource({ type: 'postgres', entities: [Documents, Users] });
let orm: MikroORM;

/** Of the properties of the libraries that have names of their own for columns. */
const BY_PROPERTY = {
  dialect: 'postgresql',
  id: { column: 'id', type: 'text', null: 'never' },
  attributes: {
    tags: { column: 'tags', type: 'list', sqlType: 'jsonb' },
    owner: {
      relation: 'one',
      table: 'users',
      on: { id: 'ownerId' },
      unique: true,
      columns: { name: { column: 'fullName', type: 'text' } },
    },
  },
} as const;
const BY_NAME = {
  ...BY_PROPERTY,
  attributes: {
    tags: { column: 'tags', type: 'list', sqlType: 'jsonb' },
    owner: {
      ...BY_PROPERTY.attributes.owner,
      on: { id: 'owner_id' },
      columns: { name: { column: 'full_name', type: 'text' } },
    },
  },
} as const;

const ALL: PlannedFilter = { filter: { kind: 'KIND_ALWAYS_ALLOWED' } };

const test = suite('adapters for query builders');

test.before(async () => {
  // It is protected; `initialize` calls it after connecting.
  await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  orm = await MikroORM.init({
    entities: [MikroDocuments, MikroUsers],
    dbName: 'none',
    connect: false,
    discovery: { disableDynamicFileAccess: true },
  });
});

test.after(() => orm.close());

test('a condition names tables and columns as the database does, also those of related tables', async () => {
  const { engine } = await engineOf(['R.attr.owner.name == P.id && "x" in R.attr.tags']);
  const plan = engine.plan({ ...REQUEST, actions: ['allow0'] });
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (of) => new PostgresIntrospector(of),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const repository = source.getRepository(Documents);
  const related = { users: source.getRepository(Users) };
  const statements = {
    Drizzle: new PgDialect().sqlToQuery(drizzleAdapter(documents, BY_PROPERTY, { users })(plan)).sql,
    Kysely: db
      .selectFrom('documents')
      .select('id')
      .where(kyselyAdapter<Database, 'documents'>('documents', BY_NAME)(plan))
      .compile().sql,
    Knex: knex('documents')
      .where(knexAdapter<Database['documents'], { users: Database['users'] }>('documents', BY_NAME)(plan))
      .toSQL()
      .toNative().sql,
    TypeORM: repository
      .createQueryBuilder()
      .where(typeormAdapter(repository, BY_PROPERTY, related)(plan))
      .getSql(),
    Sequelize: sequelizeAdapter(DocumentModel, BY_PROPERTY, { users: UserModel })(plan)[Op.and][0].val as string,
    MikroORM: orm.em
      .createQueryBuilder(MikroDocuments)
      .where(mikroOrmAdapter(orm, MikroDocuments, BY_PROPERTY, { users: MikroUsers })(plan))
      .getFormattedQuery(),
  };
  const [drizzle = '', ...others] = Object.values(statements).map((statement) =>
    statement
      .slice(statement.indexOf('EXISTS'))
      .replaceAll(/"(Document|d0)"/g, 'documents')
      // TypeORM would replace names without quotes, and Drizzle writes those of columns.
      .replaceAll(/"(authz_1|documents|id|owner_id|full_name|tags)"/g, '$1')
      // Kysely writes names of related tables itself, for `withSchema`.
      .replaceAll('"users"', 'users')
      .replaceAll(/\$\d|\?|'(x|anna)'/g, '$'),
  );
  assert.match(
    drizzle,
    'EXISTS (SELECT 1 FROM users AS authz_1 WHERE authz_1.id = documents.owner_id AND authz_1.full_name = $)',
  );
  for (const [index, other] of others.entries()) assert.match(other, drizzle, Object.keys(statements)[index + 1]);
});

test('the related table of a schema is named with it', async () => {
  const { engine } = await engineOf(['R.attr.owner.name == P.id']);
  const people = pgSchema('auth').table('people', { id: text(), fullName: text('full_name') });
  const owner = { ...BY_PROPERTY.attributes.owner, table: 'people' } as const;
  const condition = drizzleAdapter(documents, { dialect: 'postgresql', attributes: { owner } }, { people });
  const { sql } = new PgDialect().sqlToQuery(condition(engine.plan({ ...REQUEST, actions: ['allow0'] })));
  assert.match(sql, 'FROM auth.people AS authz_1');
});

test('a refusal names the rule, the operator and the way out', async () => {
  const { engine, policies } = await engineOf(['R.attr.owner.name == P.id', 'R.attr.colour == "red"']);
  const request = { ...REQUEST, actions: ['allow1'] };
  const plan = engine.plan(request);
  const rules = () => ruleFilters(policies, request);
  for (const refused of [
    () => drizzleAdapter(documents, BY_PROPERTY, { users })(plan, { rules }),
    () => kyselyAdapter<Database, 'documents'>('documents', BY_NAME)(plan, { rules }),
    () => knexAdapter<Database['documents']>('documents', BY_NAME)(plan, { rules }),
    () =>
      typeormAdapter(source.getRepository(Documents), BY_PROPERTY, { users: source.getRepository(Users) })(plan, {
        rules,
      }),
    () => sequelizeAdapter(DocumentModel, BY_PROPERTY, { users: UserModel })(plan, { rules }),
    () => mikroOrmAdapter(orm, MikroDocuments, BY_PROPERTY, { users: MikroUsers })(plan, { rules }),
  ])
    assert.throws(
      refused,
      (error: unknown) =>
        error instanceof UnsupportedPlanError &&
        error.problems.length === 1 &&
        /^the plan has no condition for the table `documents`: rule `r-allow1` of `resource\.document\.vdefault`.*: `variable`: no column is mapped for request\.resource\.attr\.colour, in .*Map the attribute/.test(
          error.message,
        ),
    );
});

test('mappings name columns of the schema', () => {
  const mapped = { dialect: 'postgresql', attributes: { owner: { column: 'renamed', type: 'text' } } } as const;
  const repository = source.getRepository(Documents);
  // @ts-expect-error the table has no such property
  assert.throws(() => drizzleAdapter(documents, mapped), /^the table `documents` has no column `renamed`$/);
  // @ts-expect-error the table has no such column
  kyselyAdapter<Database, 'documents'>('documents', mapped);
  // @ts-expect-error rows have no such column
  knexAdapter<Database['documents']>('documents', mapped);
  // @ts-expect-error the entity has no such property
  assert.throws(() => typeormAdapter(repository, mapped), /^the entity `Document` has no column `renamed`$/);
  // @ts-expect-error the model has no such attribute
  assert.throws(() => sequelizeAdapter(DocumentModel, mapped), /^the model `Document` has no column `renamed`$/);
  // @ts-expect-error the entity has no such property
  assert.throws(() => mikroOrmAdapter(orm, MikroDocuments, mapped), /^the entity `Document` has no column `renamed`$/);
});

test('relations name tables and columns of the schema', () => {
  const { owner } = BY_PROPERTY.attributes;
  const columns = { name: { column: 'renamed', type: 'text' } } as const;
  const wrong = {
    column: { dialect: 'postgresql', attributes: { owner: { ...owner, columns } } },
    on: { dialect: 'postgresql', attributes: { owner: { ...owner, on: { renamed: 'ownerId' } } } },
    own: { dialect: 'postgresql', attributes: { owner: { ...owner, on: { id: 'renamed' } } } },
    table: { dialect: 'postgresql', attributes: { owner: { ...owner, table: 'renamed' } } },
  } as const;
  const repository = source.getRepository(Documents);
  const repositories = { users: source.getRepository(Users) };

  // @ts-expect-error the related table has no such column
  assert.throws(() => drizzleAdapter(documents, wrong.column, { users })(ALL), /`users` has no column `renamed`/);
  // @ts-expect-error the related table has no such column to relate
  assert.throws(() => drizzleAdapter(documents, wrong.on, { users })(ALL), /`users` has no column `renamed`/);
  // @ts-expect-error the table has no such column to relate
  assert.throws(() => drizzleAdapter(documents, wrong.own, { users })(ALL), /`documents` has no column `renamed`/);
  // @ts-expect-error there is no such table
  assert.throws(() => drizzleAdapter(documents, wrong.table, { users })(ALL), /names the table `renamed`: pass it/);
  // @ts-expect-error no related table is passed
  assert.throws(() => drizzleAdapter(documents, BY_PROPERTY)(ALL), /names the table `users`: pass it/);

  // @ts-expect-error the related entity has no such property
  assert.throws(() => typeormAdapter(repository, wrong.column, repositories)(ALL), /`User` has no column `renamed`/);
  // @ts-expect-error the related entity has no such property to relate
  assert.throws(() => typeormAdapter(repository, wrong.on, repositories)(ALL), /`User` has no column `renamed`/);
  // @ts-expect-error the entity has no such property to relate
  assert.throws(() => typeormAdapter(repository, wrong.own, repositories)(ALL), /`Document` has no column `renamed`/);
  // @ts-expect-error there is no such table
  assert.throws(() => typeormAdapter(repository, wrong.table, repositories)(ALL), /the table `renamed`: pass it/);

  const models = { users: UserModel };
  // @ts-expect-error the related model has no such attribute
  assert.throws(() => sequelizeAdapter(DocumentModel, wrong.column, models)(ALL), /`User` has no column `renamed`/);
  // @ts-expect-error the related model has no such attribute to relate
  assert.throws(() => sequelizeAdapter(DocumentModel, wrong.on, models)(ALL), /`User` has no column `renamed`/);
  // @ts-expect-error the model has no such attribute to relate
  assert.throws(() => sequelizeAdapter(DocumentModel, wrong.own, models)(ALL), /`Document` has no column `renamed`/);
  // @ts-expect-error there is no such table
  assert.throws(() => sequelizeAdapter(DocumentModel, wrong.table, models)(ALL), /the table `renamed`: pass it/);

  const entities = { users: MikroUsers };
  // @ts-expect-error the related entity has no such property
  assert.throws(() => mikroOrmAdapter(orm, MikroDocuments, wrong.column, entities)(ALL), /`User` has no column/);
  // @ts-expect-error the related entity has no such property to relate
  assert.throws(() => mikroOrmAdapter(orm, MikroDocuments, wrong.on, entities)(ALL), /`User` has no column/);
  // @ts-expect-error the entity has no such property to relate
  assert.throws(() => mikroOrmAdapter(orm, MikroDocuments, wrong.own, entities)(ALL), /`Document` has no column/);
  // @ts-expect-error there is no such table
  assert.throws(() => mikroOrmAdapter(orm, MikroDocuments, wrong.table, entities)(ALL), /the table `renamed`: pass it/);

  // Kysely and Knex only know names in types, which are those of the database.
  const ofDatabase = BY_NAME.attributes.owner;
  const mapping = <Owner>(related: Owner) => ({ dialect: 'postgresql', attributes: { owner: related } }) as const;
  kyselyAdapter<Database, 'documents'>('documents', mapping(ofDatabase));
  // @ts-expect-error the related table has no such column
  kyselyAdapter<Database, 'documents'>('documents', mapping({ ...ofDatabase, columns }));
  // @ts-expect-error the related table has no such column to relate
  kyselyAdapter<Database, 'documents'>('documents', mapping({ ...ofDatabase, on: { renamed: 'owner_id' } as const }));
  // @ts-expect-error there is no such table
  kyselyAdapter<Database, 'documents'>('documents', mapping({ ...ofDatabase, table: 'renamed' } as const));
  // @ts-expect-error the related rows have no such column
  knexAdapter<Database['documents'], Pick<Database, 'users'>>('documents', mapping({ ...ofDatabase, columns }));
});

test('TypeORM replaces no word of a condition in a statement that changes rows', async () => {
  const named = { tags: 'tags', value: 'v', key: 'k', place: 'p', hour: 'h', month: 'm', at: 'at', year: 'y' };
  const Words = new EntitySchema({
    name: 'Word',
    tableName: 'words',
    columns: {
      id: { type: 'text', primary: true },
      ...Object.fromEntries(
        Object.entries(named).map(([property, name]) => [
          property,
          { type: property === 'tags' ? 'jsonb' : property === 'at' ? 'timestamptz' : 'text', name, nullable: true },
        ]),
      ),
    },
  } as never);
  const words = new DataSource({ type: 'postgres', entities: [Words] });
  await (words as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  const repository = words.getRepository(Words);
  const allowed = typeormAdapter(repository, {
    dialect: 'postgresql',
    attributes: { tags: { column: 'tags', type: 'json' }, at: { column: 'at', type: 'timestamp' } },
  } as never);
  const { engine } = await engineOf([
    'R.attr.tags.all(t, t.startsWith("x")) && R.attr.tags[0] == "x"',
    '"x" in R.attr.tags || R.attr.tags.exists(k, k == "x")',
    'timestamp(R.attr.at).getHours() >= 9 && timestamp(R.attr.at).getMonth() == 5',
  ]);
  for (const action of ['allow0', 'allow1', 'allow2']) {
    const plan = engine.plan({ ...REQUEST, actions: [action] });
    const whereOf = (query: string): string => query.slice(query.indexOf('WHERE') + 6).replaceAll(/:authz\d+_/g, ':');
    const ofUpdate = repository
      .createQueryBuilder()
      .update()
      .set({ key: 'x' } as never)
      .where(allowed(plan, { alias: 'words' }));
    const asWritten = repository.createQueryBuilder('words').where(allowed(plan));
    const condition = asWritten.where(allowed(plan, { alias: 'words' })).getQuery();
    assert.is(whereOf(ofUpdate.getQuery()), whereOf(condition));
  }
});

test('columns that a library cannot name in a condition are errors', async () => {
  const virtual = { dialect: 'postgresql', attributes: { label: { column: 'label', type: 'text' } } } as const;
  assert.throws(() => sequelizeAdapter(DocumentModel, virtual)(ALL), /^the model `Document` has no column `label`$/);
  const { engine } = await engineOf(['R.attr.owner == P.id']);
  const plan = engine.plan({ ...REQUEST, actions: ['allow0'] });
  const asked = knexAdapter<{ 'owner?': string }>('documents', {
    dialect: 'sqlite',
    attributes: { owner: { column: 'owner?', type: 'text' } },
  });
  assert.throws(() => asked(plan), /^a column of `documents` has `\?` in its name, which Knex reads as a placeholder/);
  const dotted = pgTable('documents', { owner: text('users.id') });
  const ofDotted = () =>
    drizzleAdapter(dotted, {
      dialect: 'postgresql',
      attributes: { owner: { column: 'owner', type: 'text' } },
    });
  assert.throws(ofDotted, /^the column `users\.id` of `documents` has a dot in its name/);
});

test.run();

const REQUEST = { principal: { id: 'anna', roles: ['user'] }, resource: { kind: 'document' } };

/** An engine in which each condition allows an action: `allow0`, `allow1` and so on. */
async function engineOf(conditions: readonly string[]) {
  const rules = conditions.map((expr, index) => ({
    name: `r-allow${index}`,
    actions: [`allow${index}`],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr } },
  }));
  const { policies } = await loaded(compileRules('document', rules));
  return { engine: createEngine(policies), policies };
}
