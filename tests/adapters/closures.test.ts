import { Kysely, SqliteDialect } from 'kysely';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { elasticsearchAdapter } from '../../packages/adapters/elasticsearch.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mongodbAdapter } from '../../packages/adapters/mongodb/index.js';
import { prismaAdapter } from '../../packages/adapters/prisma/index.js';
import { createEngine } from '../../runtime/engine/index.js';
import { compileTexts, loaded } from '../support/compiled.js';

interface FolderRow {
  readonly id: string;
  readonly parent_id: string | null;
  readonly owner_id: string;
  readonly deleted: number;
}

interface Tables {
  readonly documents: { readonly id: string; readonly folder_id: string | null };
  readonly folders: FolderRow;
}

const ANCESTORS = {
  relation: 'many',
  table: 'folders',
  on: { id: 'folder_id' },
  closure: { id: 'parent_id' },
  where: { deleted: false },
  property: 'folders',
  columns: { owner: { column: 'owner_id', type: 'text', null: 'never' } },
} as const;

/** A loop of two folders, one without a parent, one below a deleted one, and one whose parent is not there. */
const FOLDERS: readonly FolderRow[] = [
  { id: 'a', parent_id: 'b', owner_id: 'ann', deleted: 0 },
  { id: 'b', parent_id: 'a', owner_id: 'bob', deleted: 0 },
  { id: 'top', parent_id: null, owner_id: 'ann', deleted: 0 },
  { id: 'gone', parent_id: 'top', owner_id: 'bob', deleted: 1 },
  { id: 'below', parent_id: 'gone', owner_id: 'bob', deleted: 0 },
  { id: 'orphan', parent_id: 'none', owner_id: 'ann', deleted: 0 },
  { id: 'A', parent_id: null, owner_id: 'bob', deleted: 0 },
];

const test = suite('folders in folders with query builders');

test('lists and checks of the rows that a library returned agree', async () => {
  const database = new Database(':memory:');
  database.exec('CREATE TABLE documents (id text PRIMARY KEY, folder_id text)');
  database.exec('CREATE TABLE folders (id text, parent_id text, owner_id text NOT NULL, deleted boolean NOT NULL)');
  for (const { id, parent_id, owner_id, deleted } of FOLDERS) {
    database.prepare('INSERT INTO folders VALUES (?, ?, ?, ?)').run(id, parent_id, owner_id, deleted);
    database.prepare('INSERT INTO documents VALUES (?, ?)').run(`in ${id}`, id);
  }
  database.exec("INSERT INTO documents VALUES ('alone', NULL)");
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: database as never }) });
  const allowed = kyselyAdapter<Tables, 'documents'>('documents', {
    dialect: 'sqlite',
    id: { column: 'id', type: 'text' },
    attributes: { ancestors: ANCESTORS },
  });
  const engine = createEngine((await loaded(compileTexts({ 'p.yaml': POLICY }))).policies);
  const principal = { id: 'ann', roles: ['user'] };
  const found: string[][] = [];
  for (const action of ['view', 'edit', 'count']) {
    const plan = engine.plan({ principal, resource: { kind: 'document' }, actions: [action] });
    const selected = await db.selectFrom('documents').selectAll().where(allowed(plan)).execute();
    const rows = await db.selectFrom('documents').selectAll().execute();
    const checked = rows.filter((row) =>
      // Any rows that contain those above it will do.
      engine.isAllowed({
        principal,
        resource: { kind: 'document', ...allowed.resourceOf({ ...row, folders: FOLDERS }) },
        action,
      }),
    );
    assert.equal(selected.map(({ id }) => id).sort(), checked.map(({ id }) => id).sort(), action);
    found.push(selected.map(({ id }) => id).sort());
  }
  assert.equal(found, [
    ['in a', 'in b', 'in orphan', 'in top'],
    ['alone', 'in gone', 'in orphan', 'in top'],
    ['in a', 'in b'],
  ]);
  await db.destroy();
});

test('a closure that cannot be found is refused when an adapter is created', () => {
  const create = (more: object): void => {
    const attributes = { ancestors: { ...ANCESTORS, ...more } };
    kyselyAdapter<Tables, 'documents'>('documents', { dialect: 'sqlite', attributes } as never);
  };
  assert.throws(
    () => create({ closure: { parent_id: 'id' } }),
    '`closure` of `R.attr.ancestors`: it needs the columns of `on`',
  );
  assert.throws(() => create({ relation: 'one' }), '`closure` of `R.attr.ancestors`: it needs `relation: many`');
});

test('libraries without recursive queries refuse closures', () => {
  const attributes = { folder: { field: 'folder', relation: 'one', attributes: { ancestors: { closure: {} } } } };
  const create: readonly (() => unknown)[] = [
    () => prismaAdapter<object>('Document', { provider: 'sqlite', attributes } as never),
    () => mongodbAdapter<object>('documents', { attributes: { ancestors: { closure: {} } } } as never),
    () => elasticsearchAdapter<object>('documents', { attributes: { ancestors: { closure: {} } } } as never),
  ];
  for (const one of create)
    assert.throws(one, /`closure` of `R\.attr\.[a-z.]+`: filters of \w+ have no recursive queries/);
});

test.run();

const POLICY = `
apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.attr.ancestors.exists(f, f.owner == P.id)'}}}
    - {actions: [edit], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'R.attr.ancestors.all(f, f.owner == P.id)'}}}
    - {actions: [count], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'size(R.attr.ancestors) > 1'}}}
`;
