import Database from 'libsql';
import { Kysely, SqliteDialect } from 'kysely';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kyselyMask } from '../../packages/adapters/kysely.js';
import { capabilities, createEngine } from '../../runtime/engine/index.js';
import { renderColumnSource, renderMaskedSource, renderMasks } from '../../runtime/residual/sql/index.js';
import { compileRules, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';

/* Masked columns: NULL on the rows where the action that shows them is denied, and their value on all others. */

const test = suite('masks');

const ATTRIBUTES = ['name', 'salary', 'city'] as const;
const TABLE = {
  name: 'pay',
  id: { column: 'id', type: 'text' },
  columns: {
    name: { column: 'name', type: 'text' },
    salary: { column: 'salary', type: 'integer' },
    'address.city': { column: 'city', type: 'text' },
  },
} as const;
const MASKS = { salary: 'view:salary', '*': 'view' } as const;
const CONDITIONS = [
  'R.attr.name == P.id',
  'R.attr.salary > 10',
  '!(R.attr.salary > 10)',
  'R.attr.name != "a" || R.attr.salary == 5',
  'R.id == P.id',
  'true',
  'false',
];

const database = new Database(':memory:');
database.exec('CREATE TABLE pay (id text, name text, salary integer, city text, note text)');
const db = new Kysely<{ pay: { id: string; name: string; salary: number; city: string; note: string } }>({
  dialect: new SqliteDialect({ database: database as never }),
});

async function engineOf(random: Random) {
  const rules = ['view', 'view:salary'].flatMap((action) =>
    ['ALLOW', 'DENY'].map((effect) => ({
      actions: [action],
      effect: `EFFECT_${effect}`,
      roles: ['user'],
      condition: { match: { expr: random.pick(effect === 'DENY' ? [...CONDITIONS, 'false', 'false'] : CONDITIONS) } },
    })),
  );
  const { policies } = await loaded(compileRules('pay', rules));
  return createEngine(policies, { use: [capabilities()] });
}

test('each masked value is NULL, and each shown one is as it is stored', async () => {
  const random = new Random(SEED);
  const counts = { masked: 0, shown: 0 };
  for (let round = 0; round < rounds(200); round += 1) {
    const engine = await engineOf(random);
    const rows = Array.from({ length: 20 }, (_, index) => ({
      id: `${index}`,
      name: random.pick(['a', 'b', 'u1', null]),
      salary: random.pick([5, 10, 15, 20, null]),
      city: random.pick(['x', null]),
    }));
    database.exec('DELETE FROM pay');
    for (const { id, name, salary, city } of rows)
      database.prepare('INSERT INTO pay VALUES (?, ?, ?, ?, ?)').run(id, name, salary, city, 'n');
    const request = { principal: { id: 'u1', roles: ['user'] }, resource: { kind: 'pay' } };
    const plans = engine.planCapabilities({ ...request, actions: ['view', 'view:salary'] });
    const masks = renderMasks(plans, TABLE, { dialect: 'sqlite', masks: MASKS, tell: true });
    const source = renderMaskedSource(plans, TABLE, { dialect: 'sqlite', masks: MASKS, others: ['note'] });
    const found = database
      .prepare(`SELECT id, ${masks.text} FROM pay ORDER BY CAST(id AS integer)`)
      .all(...masks.parameters) as { [column: string]: unknown }[];
    const read = database
      .prepare(`SELECT * FROM ${source.text} ORDER BY CAST(pay.id AS integer)`)
      .all(...source.parameters) as { [column: string]: unknown }[];
    for (const [index, { id, ...stored }] of rows.entries()) {
      const { city, ...own } = stored;
      const attr = Object.fromEntries(
        Object.entries({ ...own, address: city === null ? {} : { city } }).filter(([, value]) => value !== null),
      );
      const may = (action: string) =>
        engine.isAllowed({ ...request, resource: { kind: 'pay', id, attr: attr as never }, action });
      const [view, salary] = [may('view'), may('view:salary')];
      for (const column of ATTRIBUTES) {
        const isShown = column === 'salary' ? salary : view;
        counts[isShown ? 'shown' : 'masked'] += 1;
        assert.is(found[index]?.[column], isShown ? stored[column] : null, `${column} of ${JSON.stringify(stored)}`);
        assert.is(read[index]?.[column], isShown ? stored[column] : null);
      }
      assert.is(found[index]?.canView, Number(view));
      assert.is(found[index]?.canViewSalary, Number(salary));
      assert.is(read[index]?.note, 'n');
    }
    // A filter on the source reads what is shown.
    const filtered = database
      .prepare(`SELECT id FROM ${source.text} WHERE pay.salary > 12`)
      .all(...source.parameters) as { id: string }[];
    const visible = read.filter((row) => Number(row['salary']) > 12).map((row) => row['id']);
    assert.equal(filtered.map(({ id }) => id).sort(), visible.sort());
  }
  assert.ok(counts.masked > 100 && counts.shown > 100, JSON.stringify(counts));
});

test('with Kysely, columns are masked by name, and a source hides what filters could tell', async () => {
  database.exec("DELETE FROM pay; INSERT INTO pay VALUES ('1', 'u1', 20, 'x', 'n'), ('2', 'b', 30, 'y', 'm')");
  const plan = { kind: 'KIND_CONDITIONAL', condition: EQ_OWN } as const;
  const plans = { 'view:salary': { filter: plan } };
  const mask = kyselyMask<{ pay: { id: string; name: string; salary: number; city: string; note: string } }, 'pay'>(
    'pay',
    {
      dialect: 'sqlite',
      attributes: { name: { column: 'name', type: 'text' } },
    },
  );
  const masked = await db
    .selectFrom('pay')
    .select('id')
    .select(mask.columns(plans, { salary: 'view:salary' }))
    .execute();
  assert.equal(masked, [
    { id: '1', salary: 20 },
    { id: '2', salary: null },
  ]);
  const source = mask.source(plans, { salary: 'view:salary' }, { alias: 'pay', others: ['id'] });
  const rich = await db.selectFrom(source).selectAll().where('pay.salary', '>', 10).execute();
  assert.equal(rich, [{ id: '1', salary: 20 }]);
});

test('a mask without a column or without a plan is an error', () => {
  const render =
    (masks: { readonly [attribute: string]: string }): (() => unknown) =>
    () =>
      renderMasks({ view: { filter: { kind: 'KIND_ALWAYS_DENIED' } } }, TABLE, { dialect: 'postgresql', masks });
  assert.throws(render({ slary: 'view' }), /the mask of `slary` has no column of the table `pay`/);
  assert.throws(render({ salary: 'edit' }), /no plan of the action `edit`/);
  assert.is(
    renderMasks({ view: { filter: { kind: 'KIND_ALWAYS_DENIED' } } }, TABLE, {
      dialect: 'postgresql',
      masks: { salary: 'view' },
    }).text,
    'CASE WHEN (FALSE) THEN pay.salary END AS salary',
  );
});

test.after(() => db.destroy());

const EQ_OWN = {
  expression: { operator: 'eq', operands: [{ variable: 'request.resource.attr.name' }, { value: 'u1' }] },
} as const;

test('a column that two actions show is refused, under whatever names it has', async () => {
  const engine = await engineOf(new Random(SEED));
  const plans = engine.planCapabilities({
    principal: { id: 'a', roles: ['user'] },
    resource: { kind: 'pay' },
    actions: ['view', 'view:salary'],
  });
  const source = (...masked: readonly { readonly column: string; readonly action: 'view' | 'view:salary' }[]) =>
    renderColumnSource(plans, TABLE, masked, { dialect: 'sqlite', others: ['id'] });
  const shown = { column: 'salary', action: 'view' } as const;
  for (const column of ['salary', 'pay.salary'])
    assert.throws(() => source({ column, action: 'view:salary' }, shown), 'the column `salary` has two masks');
  assert.is(source(shown, shown).text, source(shown).text);
  const two = { ...TABLE, columns: { ...TABLE.columns, pay: { column: 'salary', type: 'integer' } } } as const;
  const masks = { salary: 'view:salary', pay: 'view' } as const;
  for (const render of [renderMasks, renderMaskedSource])
    assert.throws(() => render(plans, two, { dialect: 'sqlite', masks }), 'the column `salary` has two masks');
});

test.run();
