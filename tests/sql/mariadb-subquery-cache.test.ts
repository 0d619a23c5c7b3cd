import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { renderSql, type SqlRelation, type SqlTable } from '../../runtime/residual/sql/index.js';
import { compileRules, loaded } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type MariadbServer, startMariadb } from '../support/sql/mariadb-server.js';

/*
 * MariaDB may reuse the result of a subquery for another row whose columns its collation treats as equal, although the
 * subquery compares them by bytes. Each condition must select the same rows with and without that cache.
 */

const EXTENT = { stores: rounds(12, 3), conditions: rounds(300) };

/** Strings that some collations treat as equal: by case, accents and trailing blanks. */
const VALUES = ['sales', 'Sales', 'SALES', 'sales ', 'säles', 'a', 'A', 'a ', 'á', 'b'];

/** Which of these the tables of a store have; columns of different tables are compared. */
const COLLATIONS = [
  ['utf8mb4_general_ci'],
  ['utf8mb4_general_ci', 'utf8mb4_nopad_bin'],
  ['utf8mb4_unicode_ci', 'utf8mb4_bin'],
];

const TABLES: { readonly [table: string]: { readonly columns: readonly string[]; readonly rows: number } } = {
  documents: { columns: ['id', 'title', 'owner', 'dept'], rows: 50 },
  users: { columns: ['id', 'name', 'team'], rows: 12 },
  teams: { columns: ['id', 'name'], rows: 8 },
  shares: { columns: ['id', 'user', 'role', 'dept'], rows: 30 },
};

const TEXT = (column: string) => ({ column, type: 'text' }) as const;
const TEAM: SqlRelation = {
  relation: 'one',
  table: 'teams',
  on: { id: 'team' },
  unique: true,
  columns: { name: TEXT('name') },
};
const userBy = (column: string, unique: boolean): SqlRelation => ({
  relation: 'one',
  table: 'users',
  on: { id: column },
  unique,
  columns: { id: TEXT('id'), name: TEXT('name'), team: TEAM },
});
const DOCUMENTS: SqlTable = {
  name: 'documents',
  columns: {
    id: TEXT('id'),
    title: TEXT('title'),
    dept: TEXT('dept'),
    owner: userBy('owner', true),
    head: userBy('dept', false),
    shares: {
      relation: 'many',
      table: 'shares',
      on: { id: 'id' },
      columns: { role: TEXT('role'), dept: TEXT('dept'), user: userBy('user', true) },
    },
    roles: { relation: 'many', table: 'shares', on: { dept: 'dept' }, value: TEXT('role') },
  },
};

const ATOMS = [
  'R.attr.owner.id == "sales"',
  'R.attr.owner.id == R.attr.title',
  'R.attr.owner.name == R.attr.title',
  'R.attr.owner.name.startsWith(R.attr.title)',
  'R.attr.owner.team.name == R.attr.dept',
  'R.attr.head.name != "a"',
  'has(R.attr.owner)',
  'has(R.attr.head.name)',
  'R.attr.dept in R.attr.roles',
  '"sales" in R.attr.roles',
  'size(R.attr.roles) > 2',
  'R.attr.roles.exists_one(r, r == R.attr.title)',
  'R.attr.title == "a"',
];
const OF_SHARE = [
  's.role == R.attr.title',
  's.dept == "sales"',
  's.user.name == R.attr.dept',
  's.user.team.name == s.role',
  's.user.id == R.attr.owner.id',
  's.user.id == R.attr.id',
  's.dept in R.attr.roles',
  'has(s.user)',
];

function randomCondition(random: Random, depth: number): string {
  if (depth === 0 || random.chance(0.25)) return random.pick(ATOMS);
  const inner = (): string => `(${randomCondition(random, depth - 1)})`;
  const ofShare = (): string => (random.chance(0.5) ? random.pick(OF_SHARE) : inner());
  return random.pick([
    () => `!${inner()}`,
    () => `${inner()} && ${inner()}`,
    () => `${inner()} || ${inner()}`,
    () =>
      `R.attr.shares.${random.pick(['exists', 'all', 'exists_one'])}(s, ${random.pick(OF_SHARE)} ${random.pick(['||', '&&'])} ${ofShare()})`,
  ])();
}

const test = suite('subqueries of MariaDB');

test('select the same rows without its cache', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  try {
    const random = new Random(SEED);
    const conditions = [
      ...ATOMS,
      ...OF_SHARE.map((body) => `R.attr.shares.exists(s, ${body})`),
      ...Array.from({ length: EXTENT.conditions }, () => randomCondition(random, 3)),
    ];
    const statements = await statementsOf(conditions);
    const counts = { statements: 0, selected: 0 };
    const wrong: string[] = [];
    for (let store = 0; store < EXTENT.stores; store += 1) {
      await fill(server, random, COLLATIONS[store % COLLATIONS.length] as string[]);
      for (const { name, text, parameters } of statements) {
        const select = async (cache: 'on' | 'off'): Promise<string> => {
          await server.connection.query(`SET optimizer_switch = 'subquery_cache=${cache}'`);
          const query = `SELECT position FROM documents WHERE ${text} ORDER BY position`;
          const [rows] = await server.connection.execute<RowDataPacket[]>(query, [...parameters]);
          counts.selected += rows.length;
          return rows.map(({ position }) => String(position)).join();
        };
        const [without, cached] = [await select('off'), await select('on')];
        counts.statements += 1;
        if (cached !== without) wrong.push(`store ${store}: ${name}\n  ${text}\n  ${without}\n  ${cached}`);
      }
    }
    console.log(`  ${JSON.stringify(counts)}`);
    assert.equal(wrong.slice(0, 3), [], `${wrong.length} of ${counts.statements} statements`);
    assert.ok(counts.selected > counts.statements * 20, 'the conditions say too little');
  } finally {
    await server.stop();
  }
});

test.run();

/** Tables with random rows and collations, and indexes on their ids. */
async function fill({ connection }: MariadbServer, random: Random, collations: readonly string[]): Promise<void> {
  for (const [index, [table, { columns, rows }]] of Object.entries(TABLES).entries()) {
    const collation = collations[index % collations.length];
    const definitions = columns.map((column) => `${column} varchar(50) COLLATE ${collation}`);
    await connection.query(`DROP TABLE IF EXISTS ${table}`);
    await connection.query(`CREATE TABLE ${table} (position int PRIMARY KEY, ${definitions.join(', ')}, INDEX (id))`);
    const cells = Array.from({ length: rows }, (_, position) => [
      position,
      ...columns.map(() => (random.chance(0.1) ? null : random.pick(VALUES))),
    ]);
    await connection.query(`INSERT INTO ${table} VALUES ?`, [cells]);
  }
}

/** What a rule with each condition selects that allows, and one that denies. */
async function statementsOf(conditions: readonly string[]) {
  const rules = conditions.flatMap((expr, index) => {
    const rule = (action: string, effect: string) => ({
      actions: [`${action}${index}`],
      effect: `EFFECT_${effect}`,
      roles: ['user'],
    });
    const condition = { match: { expr } };
    return [{ ...rule('allow', 'ALLOW'), condition }, rule('deny', 'ALLOW'), { ...rule('deny', 'DENY'), condition }];
  });
  const { policies } = await loaded(compileRules('document', rules));
  const engine = createEngine(policies);
  return conditions.flatMap((condition, index) =>
    ['allow', 'deny'].flatMap((place) => {
      const { filter } = engine.plan({
        principal: { id: 'u1', roles: ['user'] },
        resource: { kind: 'document' },
        actions: [`${place}${index}`],
      });
      const rendered = renderSql(filter, DOCUMENTS, { dialect: 'mysql' });
      return rendered.kind === 'refused' ? [] : [{ ...rendered, name: `${place} ${condition}` }];
    }),
  );
}
