import initSqlJs, { type SqlScalar } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { renderSql, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { compileRules, loaded } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/*
 * The JSON value null in a column of documents. Libraries read it as they read NULL, so check receives the same for both:
 * no attribute, or null.
 */

const DOCUMENTS = [
  null,
  'null',
  ' null ',
  '{}',
  '{"a": null}',
  '{"a": 1}',
  '{"a": "x", "t": []}',
  '[]',
  '["x"]',
  '[null]',
  '"x"',
  '1',
  'true',
];
const LISTS = [null, 'null', ' null\n', '[]', '["x"]', '["y", null]', '[null]', '["x", "x"]'];

const EXPRESSIONS = ['doc', 'list', 'told', 'listTold'].flatMap((name) => {
  const attribute = `R.attr.${name}`;
  return [
    `has(${attribute})`,
    `!has(${attribute})`,
    `${attribute} == null`,
    `${attribute} != null`,
    `${attribute} == "x"`,
    `${attribute} != "x"`,
    `${attribute} != 1`,
    `${attribute} in ["x", true]`,
    `!(${attribute} in ["x", 1])`,
    `type(${attribute}) == null_type`,
    `type(${attribute}) != list`,
    `"x" in ${attribute}`,
    `!("x" in ${attribute})`,
    `P.id in ${attribute} || ${attribute} == null`,
    `${attribute}.exists(t, t == "x")`,
    `!${attribute}.exists(t, t == "x")`,
    `${attribute}.all(t, t != "x")`,
    `${attribute}.size() == 0`,
    `!(${attribute}.size() > 0)`,
    `hasIntersection(${attribute}, ["x", "y"])`,
    `!hasIntersection(${attribute}, ["x", "y"])`,
    `has(${attribute}.a)`,
    `!has(${attribute}.a)`,
    `${attribute}.a != 1`,
    `${attribute} != R.attr.other`,
    `${attribute} == R.attr.other`,
    `has(${attribute}) && ${attribute} != "y"`,
    `!(has(${attribute}) && ${attribute} == "x")`,
  ];
});

/** The rule allows, it denies what another one allows, and its complement allows. */
const PLACES = ['allow', 'deny', 'none'] as const;

const test = suite('the JSON value null in columns of documents');

for (const dialect of ['sqlite', 'postgresql'] as const)
  test(`NULL and the JSON value null are the same in ${dialect}`, async () => {
    const database = await DATABASES[dialect]();
    if (typeof database === 'string') return skip(import.meta.url, database);
    try {
      const rows = DOCUMENTS.flatMap((doc) => LISTS.map((list) => ({ doc, list }))).map((row, id) => ({
        ...row,
        id: `r${id}`,
      }));
      const quoted = (text: string | null): string => (text === null ? 'NULL' : `'${text}'`);
      const values = rows.map(({ id, doc, list }) => `('${id}', ${quoted(doc)}, ${quoted(list)}, ${quoted(list)})`);
      const type = dialect === 'sqlite' ? 'TEXT' : 'jsonb';
      await database.run(`CREATE TABLE docs (id text, doc ${type}, list ${type}, other ${type})`);
      await database.run(`INSERT INTO docs VALUES ${values.join(', ')}`);
      const engine = await engineOf();
      const told = rows.map(({ id, doc, list }) => {
        const [read, readList] = [JSON.parse(doc ?? 'null'), JSON.parse(list ?? 'null')];
        return {
          kind: 'doc',
          id,
          attr: {
            ...(read !== null && { doc: read }),
            ...(readList !== null && { list: readList }),
            told: read,
            listTold: readList,
            other: readList,
          },
        };
      });
      let compared = 0;
      const wrong: string[] = [];
      for (const [position, expression] of EXPRESSIONS.entries())
        for (const place of PLACES) {
          const action = `${place}${position}`;
          const plan = engine.plan({ principal: PRINCIPAL, resource: { kind: 'doc' }, actions: [action] });
          const rendered = renderSql(plan.filter, TABLE, { dialect });
          if (rendered.kind === 'refused') continue;
          compared += 1;
          const selected = new Set(
            await database.ids(`SELECT id FROM docs WHERE ${rendered.text}`, rendered.parameters),
          );
          for (const resource of told) {
            const isAllowed = engine.isAllowed({ principal: PRINCIPAL, resource, action });
            if (selected.has(resource.id) !== isAllowed)
              wrong.push(
                `${place} ${expression}: ${JSON.stringify(resource.attr)}: check ${isAllowed}: ${rendered.text}`,
              );
          }
        }
      assert.equal(wrong.slice(0, 10), [], `${wrong.length} cells`);
      assert.ok(compared > 200, `${compared} statements`);
    } finally {
      await database.stop();
    }
  });

test('conditions on documents keep their indexes', () => {
  const table: SqlTable = {
    name: 'docs',
    columns: {
      list: { column: 'list', type: 'list', jsonNull: 'missing' },
      doc: { column: 'doc', type: 'json', jsonNull: 'missing' },
    },
  };
  const textOf = (condition: object): string => {
    const rendered = renderSql({ kind: 'KIND_CONDITIONAL', condition } as never, table, { dialect: 'postgresql' });
    return rendered.kind === 'refused' ? JSON.stringify(rendered) : rendered.text;
  };
  const list = { variable: 'request.resource.attr.list' };
  const field = { variable: 'request.resource.attr.doc.owner' };
  assert.match(textOf({ expression: { operator: 'in', operands: [{ value: 'x' }, list] } }), 'docs.list @> to_jsonb(');
  assert.match(
    textOf({ expression: { operator: 'eq', operands: [field, { value: 'x' }] } }),
    "(docs.doc -> 'owner') = ",
  );
});

test('adapters read the JSON value null as their conditions do', () => {
  interface Tables {
    docs: { doc: string | null; list: string | null };
  }
  const allowed = kyselyAdapter<Tables, 'docs'>('docs', {
    dialect: 'sqlite',
    attributes: {
      doc: { column: 'doc', type: 'json' },
      told: { column: 'doc', type: 'json', null: 'null' },
      list: { column: 'list', type: 'list', null: 'never' },
    },
  });
  for (const doc of [null, 'null', ' null '])
    assert.equal(allowed.attributesOf({ doc, list: 'null' }), { told: null, list: null });
  assert.equal(allowed.attributesOf({ doc: '[null]', list: '[]' }), { doc: [null], told: [null], list: [] });
});

test.run();

const PRINCIPAL = { id: 'x', roles: ['user'] };
const TABLE: SqlTable = {
  name: 'docs',
  id: { column: 'id', type: 'text', null: 'never' },
  columns: {
    doc: { column: 'doc', type: 'json', jsonNull: 'missing' },
    list: { column: 'list', type: 'list', jsonNull: 'missing' },
    told: { column: 'doc', type: 'json', null: 'null' },
    listTold: { column: 'list', type: 'list', null: 'null' },
    other: { column: 'other', type: 'json', null: 'null' },
  },
};

interface Database {
  run(statement: string): unknown;
  ids(statement: string, parameters: readonly unknown[]): Promise<readonly string[]>;
  stop(): unknown;
}

const DATABASES: { readonly [dialect in Exclude<SqlDialect, 'mysql'>]: () => Promise<Database | string> } = {
  async sqlite() {
    const database = new (await initSqlJs()).Database();
    return {
      run: (statement) => database.run(statement),
      async ids(statement, parameters) {
        const prepared = database.prepare(statement);
        prepared.bind(parameters as readonly SqlScalar[]);
        const ids: string[] = [];
        while (prepared.step()) ids.push(String(prepared.get()[0]));
        prepared.free();
        return ids;
      },
      stop: () => database.close(),
    };
  },
  async postgresql() {
    const cluster = await startCluster();
    if (typeof cluster === 'string') return cluster;
    return {
      run: (statement) => cluster.client.query(statement),
      ids: async (statement, parameters) =>
        (await cluster.client.query(statement, [...parameters])).rows.map(({ id }) => String(id)),
      stop: () => cluster.stop(),
    };
  },
};

async function engineOf() {
  const all = (actions: readonly string[], effect: string, expr?: string): object => ({
    actions,
    roles: ['user'],
    effect,
    ...(expr !== undefined && { condition: { match: { expr } } }),
  });
  const rules = EXPRESSIONS.flatMap((expr, position) => [
    all([`allow${position}`], 'EFFECT_ALLOW', expr),
    all([`deny${position}`], 'EFFECT_ALLOW'),
    all([`deny${position}`], 'EFFECT_DENY', expr),
    all([`none${position}`], 'EFFECT_ALLOW', `!(${expr})`),
  ]);
  const { policies } = await loaded(compileRules('doc', rules));
  return createEngine(policies);
}
