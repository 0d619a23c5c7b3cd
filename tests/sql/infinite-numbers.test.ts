import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { compileRules, loaded } from '../support/compiled.js';

/* Columns with infinite numbers: comparisons of a computed number select the rows that check allows, at both ends. */

const test = suite('infinite numbers in columns');

const LARGEST = String(Number.MAX_VALUE);
const NUMBERS = [-Infinity, -Number.MAX_VALUE, -1, 0, 5, Number.MAX_VALUE, Infinity];
const COMPUTED = ['R.attr.n + 1.0', '1.0 - R.attr.n', 'R.attr.n * 2.0', 'R.attr.n * -0.5', '(R.attr.n - 1.0) / 2.0'];
const CONSTANTS = [LARGEST, `-${LARGEST}`, '0.0'];
const EXPRESSIONS = COMPUTED.flatMap((computed) =>
  ['<', '<=', '>', '>=', '==', '!='].flatMap((operator) =>
    CONSTANTS.flatMap((constant) => {
      const comparison = `${computed} ${operator} ${constant}`;
      return [comparison, `!(${comparison})`];
    }),
  ),
);

test('SQL selects what check allows', async () => {
  const rules = EXPRESSIONS.map((expr, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr } },
  }));
  const engine = createEngine((await loaded(compileRules('row', rules))).policies);
  const principal = { id: 'ann', roles: ['user'] };
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run('CREATE TABLE numbers (n REAL)');
  const insert = database.prepare('INSERT INTO numbers VALUES (?)');
  for (const number of NUMBERS) insert.run([number]);
  insert.free();
  const table: SqlTable = { name: 'numbers', columns: { n: { column: 'n', type: 'number' } } };
  let selected = 0;
  for (const [index, expr] of EXPRESSIONS.entries()) {
    const action = `a${index}`;
    const { filter } = engine.plan({ principal, resource: { kind: 'row' }, actions: [action] });
    const rendered = renderSql(filter, table, { dialect: 'sqlite' });
    assert.ok('text' in rendered, expr);
    const found: unknown[] = [];
    const query = database.prepare(`SELECT n FROM numbers WHERE ${rendered.text} ORDER BY n`);
    query.bind(rendered.parameters as readonly number[]);
    while (query.step()) found.push(query.get()[0]);
    query.free();
    const isAllowed = (n: number): boolean =>
      engine.isAllowed({ principal, resource: { kind: 'row', id: '1', attr: { n } }, action });
    assert.equal(found, NUMBERS.filter(isAllowed), `${expr}: ${rendered.text}`);
    selected += found.length;
  }
  assert.ok(selected > EXPRESSIONS.length);
  database.close();
});

test.run();
