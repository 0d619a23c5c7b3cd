import initSqlJs, { type Database, type SqlScalar } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { CONDITIONS, names, rendered } from './names.js';

const test = suite('names in SQL conditions');

test('SQLite: a subquery captures no name of a table or a column', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  for (const { table, text, list, map } of names()) {
    if (table === 'json_each') continue;
    const [t, a, b, c] = [table, text, list, map].map((name) => `"${name.replaceAll('"', '""')}"`);
    database.run(`CREATE TABLE ${t} (id TEXT, ${a} TEXT, ${b} TEXT, ${c} TEXT)`);
    database.run(
      `INSERT INTO ${t} VALUES ('1', 'x', '["x", "xy"]', '{"k":"x"}'), ('2', 'z', '["x", "xy"]', '{"k":"x","l":1}')`,
    );
    for (const { text: condition, parameters } of await rendered('sqlite', { table, text, list, map })) {
      assert.equal(
        idsOf(database, `SELECT id FROM ${t} WHERE ${condition}`, parameters),
        ['1'],
        `${table}: ${condition}`,
      );
    }
    database.run(`DROP TABLE ${t}`);
  }
  database.close();
});

test('SQLite: a table that hides the function json_each is rejected where its query would call it', async () => {
  const columns: SqlTable['columns'] = {
    text: { column: 'text', type: 'text' },
    list: { column: 'list', type: 'list' },
    map: { column: 'map', type: 'json' },
  };
  for (const name of ['json_each', 'main.JSON_EACH']) {
    for (const filter of await planConditions('thing', [
      ...CONDITIONS,
      'R.attr.text in R.attr.map',
      'size(R.attr.map) == 1',
      'hasIntersection(R.attr.list, ["x"])',
    ])) {
      const condition = renderSql(filter, { name, columns }, { dialect: 'sqlite' });
      assert.is(
        condition.kind === 'refused' ? condition.problems[0]?.reason : condition.text,
        'a table of this name hides the function that reads lists and maps',
        name,
      );
    }
  }
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(
    `CREATE TABLE json_each (id TEXT, text TEXT, map TEXT); INSERT INTO json_each VALUES ('1', 'x', '{"k":"x"}'), ('2', 'z', '{"k":"y"}')`,
  );
  database.run(
    `CREATE TABLE things (id TEXT, text TEXT, list TEXT, map TEXT); INSERT INTO things VALUES ('1', 'x', '["x"]', '{}')`,
  );
  for (const filter of await planConditions('thing', [
    'R.attr.text == "x"',
    'R.attr.map.k == "x"',
    'size(R.attr.text + "é") == 2 && R.attr.text < "y"',
  ])) {
    const condition = renderSql(filter, { name: 'json_each', columns }, { dialect: 'sqlite' });
    assert.ok(condition.kind === 'sql');
    assert.equal(
      idsOf(database, `SELECT id FROM json_each WHERE ${condition.text}`, condition.parameters),
      ['1'],
      condition.text,
    );
  }
  database.run('DROP TABLE json_each');
  // An alias does not hide a function.
  for (const filter of await planConditions('thing', ['R.attr.list.exists(t, t.startsWith(R.attr.text))'])) {
    const condition = renderSql(filter, { name: 'things', alias: 'json_each', columns }, { dialect: 'sqlite' });
    assert.ok(condition.kind === 'sql');
    assert.equal(idsOf(database, `SELECT id FROM things AS json_each WHERE ${condition.text}`, condition.parameters), [
      '1',
    ]);
  }
  database.close();
});

test.run();

function idsOf(database: Database, statement: string, parameters: readonly unknown[]): readonly unknown[] {
  const select = database.prepare(statement);
  select.bind([...parameters] as SqlScalar[]);
  const ids: unknown[] = [];
  while (select.step()) ids.push(select.get()[0]);
  select.free();
  return ids;
}
