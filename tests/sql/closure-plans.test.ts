import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Filter } from '../../runtime/residual/index.js';
import { renderSql } from '../../runtime/residual/sql/index.js';
import { rounds } from '../support/effort.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { documentsInFolders } from './closures.js';

/** Documents; half a million in a campaign, in folders that are a fifth as many. */
const ROWS = rounds(25_000, 20_000);
const FOLDERS = ROWS / 5;

/** The set of folders by hand, as a person who knows that recursive queries are estimated badly writes it. */
const OWNED =
  "WITH RECURSIVE r(id) AS (SELECT id FROM folders WHERE owner_id = 'u7' UNION SELECT f.id FROM folders f JOIN r ON f.parent_id = r.id) SELECT DISTINCT id FROM r";

const CONDITIONS: readonly { readonly expr: string; readonly byHand: string; readonly uses: RegExp }[] = [
  {
    expr: 'R.attr.ancestors.exists(f, f.owner == P.id)',
    byHand: `folder_id = ANY (ARRAY(${OWNED}))`,
    uses: /"Index Name":"by_folder"/,
  },
  {
    expr: 'R.attr.title == "t7" || R.attr.ancestors.exists(f, f.owner == P.id)',
    byHand: `title = 't7' OR folder_id = ANY (ARRAY(${OWNED}))`,
    uses: /"BitmapOr"/,
  },
  {
    expr: '!R.attr.ancestors.exists(f, f.owner == "u7")',
    byHand: `folder_id IS NULL OR folder_id NOT IN (${OWNED})`,
    uses: /hashed SubPlan/,
  },
];

const test = suite('plans of folders in folders');

test('PostgreSQL finds documents in folders as a statement by hand does', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    for (const statement of [
      'CREATE TABLE folders (id text PRIMARY KEY, parent_id text, tenant text, name text, owner_id text, locked boolean, level bigint, hidden boolean)',
      'CREATE TABLE documents (position bigint, title text, tenant text, folder_id text)',
      `INSERT INTO folders SELECT 'f' || i, CASE WHEN i > 1 THEN 'f' || (i / 3) END, 't', 'n' || i, 'u' || (i % 5003), false, 1, false FROM generate_series(1, ${FOLDERS}) AS n(i)`,
      `INSERT INTO documents SELECT i, 't' || i, 't', 'f' || (1 + i % ${FOLDERS}) FROM generate_series(1, ${ROWS}) AS n(i)`,
      'CREATE INDEX by_parent ON folders (parent_id)',
      'CREATE INDEX by_owner ON folders (owner_id)',
      'CREATE INDEX by_folder ON documents (folder_id)',
      'CREATE INDEX by_title ON documents (title)',
      'ANALYZE',
    ])
      await client.query(statement);
    const exprs = CONDITIONS.map(({ expr }) => expr);
    const filters = await planConditions('document', exprs, { id: 'u7', roles: ['user'] });
    const explained = async (where: string, parameters: readonly unknown[] = []) => {
      const { rows } = await client.query(`EXPLAIN (FORMAT JSON) SELECT position FROM documents WHERE ${where}`, [
        ...parameters,
      ]);
      const found = rows[0] as {
        readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Total Cost': number } }];
      };
      const [{ Plan: plan }] = found['QUERY PLAN'];
      return { cost: plan['Total Cost'], text: JSON.stringify(plan) };
    };
    for (const [index, { expr, byHand, uses }] of CONDITIONS.entries()) {
      const rendered = renderSql(filters[index] as Filter, documentsInFolders(), { dialect: 'postgresql' });
      assert.ok(rendered.kind === 'sql', expr);
      const ours = await explained(rendered.text, rendered.parameters);
      const theirs = await explained(byHand);
      assert.match(ours.text, uses, `${expr}: ${rendered.text}`);
      assert.ok(ours.cost <= theirs.cost * 1.5, `${expr}: ${ours.cost} against ${theirs.cost}\n${ours.text}`);
    }
  } finally {
    await cluster.stop();
  }
});

test.run();
