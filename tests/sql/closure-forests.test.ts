import initSqlJs, { type SqlScalar, type Statement } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { EFFORT } from '../support/effort.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';

/*
 * Every way in which so many folders can be in each other, loops among them, with each set of them hidden: a list has
 * exactly the documents that check allows for the folders above them.
 */

/** How many folders there are; `campaign` tries four. */
const FOLDERS = EFFORT === 'campaign' ? 4 : 3;
/** Every second folder is anna's. */
const ownerOf = (folder: number): string => (folder % 2 === 0 ? 'anna' : 'bob');

/** The folder that each one is in, -1 for none; and those that the application hides. */
interface Forest {
  readonly above: readonly number[];
  readonly hidden: ReadonlySet<number>;
}

const TABLE: SqlTable = {
  name: 'documents',
  id: { column: 'id', type: 'text' },
  columns: {
    folders: {
      relation: 'many',
      table: 'folders',
      on: { id: 'folder_id' },
      closure: { id: 'parent_id' },
      where: { hidden: false },
      columns: { owner: { column: 'owner_id', type: 'text', null: 'never' } },
    },
  },
};

const CONDITIONS: readonly string[] = [
  'R.attr.folders.exists(f, f.owner == P.id)',
  'R.attr.folders.all(f, f.owner == P.id)',
  '!R.attr.folders.exists(f, f.owner != P.id)',
  'size(R.attr.folders) == 0',
  'size(R.attr.folders) >= 2',
  'R.attr.folders.exists_one(f, f.owner == P.id)',
  'R.attr.folders.filter(f, f.owner == P.id).size() == 1',
];

const test = suite('folders in folders, in every way');

for (const closures of ['set', 'row'] as const)
  test(`lists by a ${closures} have the documents that check allows`, async () => {
    const forests = allForests();
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run('CREATE TABLE folders (id text PRIMARY KEY, parent_id text, owner_id text, hidden boolean)');
    database.run('CREATE TABLE documents (id text PRIMARY KEY, folder_id text)');
    database.run('BEGIN');
    const folders = database.prepare('INSERT INTO folders VALUES (?, ?, ?, ?)');
    const inserted = database.prepare('INSERT INTO documents VALUES (?, ?)');
    const documents = forests.flatMap(({ above, hidden }, forest) => {
      const key = (folder: number): string => `${forest}:${folder}`;
      return above.map((parent, folder) => {
        const parentId = parent === -1 ? null : key(parent);
        folders.run([key(folder), parentId, ownerOf(folder), Number(hidden.has(folder))]);
        inserted.run([key(folder), key(folder)]);
        const found = foldersAbove({ above, hidden }, folder).map((one) => ({ owner: ownerOf(one) }));
        return { id: key(folder), attr: { folders: found } };
      });
    });
    database.run('COMMIT');
    const { engine, actions } = await createConditionEngine('document', CONDITIONS, ['allow', 'deny']);
    const principal = { id: 'anna', roles: ['user'] };
    let selected = 0;
    for (const { action, condition } of actions) {
      const { filter } = engine.plan({ principal, resource: { kind: 'document' }, actions: [action] });
      const rendered = renderSql(filter, TABLE, { dialect: 'sqlite', closures });
      if (rendered.kind === 'refused') throw new Error(`${condition}: ${rendered.problems[0]?.reason}`);
      const ids = idsOf(database.prepare(`SELECT id FROM documents WHERE ${rendered.text}`), rendered.parameters);
      const wrong = documents.filter(
        ({ id, attr }) =>
          engine.isAllowed({ principal, resource: { kind: 'document', id, attr }, action }) !== ids.has(id),
      );
      assert.equal(
        wrong.slice(0, 3).map(({ id, attr }) => [id, forests[Number.parseInt(id, 10)]?.above, attr]),
        [],
        `${action} ${condition}`,
      );
      selected += ids.size;
    }
    assert.ok(selected > actions.length * (documents.length / 5), 'the conditions select too little');
    database.close();
  });

test.run();

function idsOf(statement: Statement, parameters: readonly unknown[]): ReadonlySet<string> {
  statement.bind(parameters as readonly SqlScalar[]);
  const ids = new Set<string>();
  while (statement.step()) ids.add(String(statement.get()[0]));
  statement.free();
  return ids;
}

/** The folders of a document in one of them, as far as they are not hidden: those above a hidden one are not reached. */
function foldersAbove({ above, hidden }: Forest, folder: number): readonly number[] {
  const found: number[] = [];
  for (let one = folder; one !== -1 && !hidden.has(one) && !found.includes(one); one = above[one] as number)
    found.push(one);
  return found;
}

function allForests(): readonly Forest[] {
  const ways = (FOLDERS + 1) ** FOLDERS;
  return Array.from({ length: ways * 2 ** FOLDERS }, (_, index) => ({
    above: Array.from(
      { length: FOLDERS },
      (_above, folder) => (Math.floor(index / (FOLDERS + 1) ** folder) % (FOLDERS + 1)) - 1,
    ),
    hidden: new Set(
      Array.from({ length: FOLDERS }, (_hidden, folder) => folder).filter(
        (folder) => (Math.floor(index / ways) >> folder) % 2 === 1,
      ),
    ),
  }));
}
