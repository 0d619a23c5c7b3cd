import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnsupportedPlanError } from '../../../packages/adapters/condition.js';
import { capabilities, createEngine } from '../../../runtime/engine/index.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../../support/compiled.js';
import { rounds, SEED } from '../../support/effort.js';
import { Random } from '../../support/oracle/random.js';
import { skip } from '../../support/skip.js';
import { startMariadb } from '../../support/sql/mariadb-server.js';
import { startCluster } from '../../support/sql/postgresql-cluster.js';
import type { Connections } from '../libraries.js';
import { copied } from '../typed-libraries.js';
import { type Answer, type Asked, type ComposingLibrary, LATER, PAGE, type WayName } from './composing.js';
import { COMPOSING } from './composing-libraries.js';
import { PRINCIPAL, randomRules } from './policies.js';
import {
  attributesOf,
  type Column,
  columnsIn,
  createTables,
  DOCUMENT,
  type DocumentRow,
  FOLDER,
  type FolderRow,
  randomRows,
  type Rows,
  SHARE,
  type TimeFormat,
} from './tables.js';

/*
 * Random policies over random rows, in the queries that applications write around a plan with each library in each
 * database. A query never has a row that check denies, for what the library loaded of it.
 */

// Libraries that read times in the zone of the process must not seem right by it.
process.env.TZ = 'America/St_Johns';

/** New rows and policies for each library. */
const ROUNDS = rounds(5, 1);
const ROWS = 400;
const POLICIES = 15;

const test = suite('random queries around plans');

test('in SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-queries-'));
  try {
    let next = 0;
    await attack('sqlite', async (rows, times, name) => {
      next += 1;
      const path = join(folder, `${next}.sqlite`);
      const database = new Database(path);
      database.exec('BEGIN');
      for (const statement of createTables('sqlite')) database.exec(statement);
      for (const [table, cells] of inserts(rows, 'sqlite', times))
        database.prepare(`INSERT INTO ${table} VALUES (${cells.map(() => '?').join(', ')})`).run([...cells]);
      database.exec('COMMIT');
      database.close();
      return copied(path, name);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('in MariaDB', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection, socketPath } = server;
  try {
    await attack('mysql', async (rows) => {
      for (const table of ['shares', 'documents', 'folders']) await connection.query(`DROP TABLE IF EXISTS ${table}`);
      for (const statement of createTables('mysql')) await connection.query(statement);
      for (const [table, cells] of inserts(rows, 'mysql', 'utc'))
        await connection.execute(`INSERT INTO ${table} VALUES (${cells.map(() => '?').join(', ')})`, cells as never);
      return { socketPath, user: 'root', database: 'authz' };
    });
  } finally {
    await server.stop();
  }
});

test('in PostgreSQL', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client, connection } = cluster;
  try {
    await client.query(`ALTER DATABASE ${connection.database} SET TimeZone = 'Asia/Kolkata'`);
    await attack('postgresql', async (rows) => {
      await client.query('DROP TABLE IF EXISTS shares, documents, folders');
      await client.query('DROP COLLATION IF EXISTS words, nocase').catch(() => undefined);
      await client.query('DROP COLLATION IF EXISTS words');
      await client.query('DROP COLLATION IF EXISTS nocase');
      for (const statement of createTables('postgresql')) await client.query(statement);
      for (const [table, cells] of inserts(rows, 'postgresql', 'utc'))
        await client.query(
          `INSERT INTO ${table} VALUES (${cells.map((_, index) => `$${index + 1}`).join(', ')})`,
          cells as never[],
        );
      return connection;
    });
  } finally {
    await cluster.stop();
  }
});

test.run();

type Cell = string | number | boolean | null;

/** The rows of all tables, as a database stores them. */
function* inserts(
  { folders, documents }: Rows,
  dialect: SqlDialect,
  times: TimeFormat,
): Iterable<readonly [string, readonly Cell[]]> {
  const cellsOf = (columns: readonly Column[], content: { readonly [name: string]: unknown }): readonly Cell[] =>
    columnsIn(columns, dialect).map((column) => cellOf(content[column.property], column, dialect, times));
  const deleted = (isDeleted: boolean): Cell =>
    isDeleted ? cellOf('2020-01-01T00:00:00.000Z', { property: '', column: '', kind: 'time' }, dialect, times) : null;
  for (const { id, isDeleted, content } of folders)
    yield ['folders', [id, ...cellsOf(FOLDER, content), deleted(isDeleted)]];
  let share = 0;
  for (const { id, position, folderId, isDeleted, content, shares } of documents) {
    yield ['documents', [id, position, null, folderId, ...cellsOf(DOCUMENT, content), deleted(isDeleted)]];
    for (const one of shares) {
      share += 1;
      yield ['shares', [share, id, ...cellsOf(SHARE, one.content), deleted(one.isDeleted)]];
    }
  }
}

function cellOf(value: unknown, { kind }: Column, dialect: SqlDialect, times: TimeFormat): Cell {
  if (value === null) return null;
  switch (kind) {
    case 'large':
    case 'decimal':
      return String(value);
    case 'boolean':
      return dialect === 'postgresql' ? (value as boolean) : Number(value);
    case 'list':
    case 'json':
      return JSON.stringify(value);
    case 'number':
      return Object.is(value, -0) && dialect === 'postgresql' ? '-0' : (value as number);
    case 'time': {
      const text = String(value);
      if (dialect === 'postgresql') return text;
      const plain = text.replace('T', ' ').replace('Z', '');
      if (dialect === 'mysql' || times === 'utc') return plain;
      return times === '+00:00' ? `${plain} +00:00` : Date.parse(text);
    }
    default:
      return value as Cell;
  }
}

async function attack<D extends SqlDialect>(
  dialect: D,
  store: (rows: Rows, times: TimeFormat, library: string) => Promise<Connections[D]>,
): Promise<void> {
  const random = new Random(SEED);
  const wrong: string[] = [];
  const counts = { rows: 0, queries: 0, refused: 0, decided: 0, selected: 0 };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, { [dialect]: open }] of Object.entries(COMPOSING)) {
      const seed = random.below(2 ** 31);
      const times = { TypeORM: 'utc', Sequelize: '+00:00' }[name] as TimeFormat | undefined;
      const rows = randomRows(
        new Random(seed),
        dialect,
        ROWS,
        name === 'Drizzle' && dialect === 'postgresql' ? { isEdgeTime: true, isJsonString: true } : {},
      );
      const library = await open(await store(rows, times ?? 'milliseconds', name));
      try {
        wrong.push(
          ...(await askAll(library, rows, dialect, new Random(seed + 1), counts)).map(
            (text) => `${name}, seed ${SEED}, round ${round}: ${text}`,
          ),
        );
      } finally {
        await library.end();
      }
      counts.rows += ROWS;
    }
  console.log(`  ${dialect}: ${JSON.stringify({ ...counts, wrong: wrong.length })}`);
  assert.equal(wrong.slice(0, 5), [], `${wrong.length} differences`);
  assert.ok(counts.selected > counts.queries && counts.refused < counts.queries, 'the policies say too little');
}

/** All queries of a library about random policies, and what is wrong with their answers. */
async function askAll(
  library: ComposingLibrary,
  rows: Rows,
  dialect: SqlDialect,
  random: Random,
  counts: { queries: number; refused: number; decided: number; selected: number },
): Promise<readonly string[]> {
  const wrong: string[] = [];
  const folders = new Map(rows.folders.map((folder) => [folder.id, folder]));
  const resources = await library.resources();
  const live = rows.documents.filter(({ isDeleted }) => !isDeleted);
  for (const row of live) {
    const read = canonical(resources.get(row.position));
    const told = canonical({ id: row.id, attr: attributesOf(row, folders, dialect) });
    if (read !== told) wrong.push(`resourceOf: ${firstDifference(read, told)}`);
  }
  if (wrong.length > 0) return wrong;
  const { engine, actions } = await randomEngine(random, dialect !== 'mysql');
  for (let index = 0; index + 1 < actions.length; index += 1) {
    const pair = [actions[index], actions[index + 1]] as [Action, Action];
    const planned = pair.map(({ kind }) =>
      engine.plan({ principal: PRINCIPAL, resource: { kind }, actions: ['view'] }),
    );
    const isWhole = planned.every(({ unplanned }) => unplanned.length === 0);
    const decide = ({ kind }: Action): ReadonlySet<number> =>
      new Set(
        live.flatMap(({ position }) => {
          const resource = { kind, ...(resources.get(position) as { readonly id: string }) };
          return engine.isAllowed({ principal: PRINCIPAL, resource: resource as never, action: 'view' })
            ? [position]
            : [];
        }),
      );
    const [first, second] = pair.map(decide) as [ReadonlySet<number>, ReadonlySet<number>];
    counts.decided += 2 * live.length;
    const from = random.below(ROWS / 2);
    const asked: Asked = {
      plan: planned[0] as never,
      other: planned[1] as never,
      cans: { a: planned[0], b: planned[1] } as never,
      range: random.pick([
        [0, ROWS],
        [from, from + ROWS / 4],
      ]),
      few: random.some(live, 2, 4).map(({ position }) => position),
    };
    for (const [way, ask] of Object.entries(library.ways) as [WayName, (asked: Asked) => Promise<Answer>][]) {
      counts.queries += 1;
      let found: Answer;
      try {
        found = await ask(asked);
      } catch (error) {
        if (error instanceof UnsupportedPlanError) counts.refused += 1;
        else
          wrong.push(
            `${way} fails: ${(error as Error).message.slice(0, 2500)}: ${pair.map(({ text }) => text).join(' | ')}`,
          );
        continue;
      }
      const expected = EXPECTED[way]({ live, all: rows.documents, first, second, folders, asked });
      if (typeof found === 'number' || ORDERED.has(way)) {
        // What is left out of a plan changes counts and pages.
        if (isWhole && JSON.stringify(found) !== JSON.stringify(expected))
          wrong.push(
            `${way}: ${JSON.stringify(found)}, and not ${JSON.stringify(expected)}: ${pair.map(({ text }) => text).join(' | ')}`,
          );
        continue;
      }
      // What a plan leaves out is not allowed for it.
      if (!isWhole && way === 'negated') continue;
      counts.selected += found.length;
      const wanted = new Set(expected as readonly number[]);
      const more = found.filter((position) => !wanted.has(position));
      const less = [...wanted].filter((position) => !found.includes(position));
      const [over, under] = way === 'delete' ? [less, more] : [more, less];
      const texts = pair.map(({ text }) => text).join(' | ');
      if (over.length > 0 || found.length > new Set(found).size)
        wrong.push(`${way} reaches ${describe(over, rows)}: ${texts}`);
      else if (isWhole && under.length > 0) wrong.push(`${way} leaves out ${describe(under, rows)}: ${texts}`);
    }
  }
  return wrong;
}

function describe(found: readonly number[], { documents }: Rows): string {
  const [row] = documents.filter(({ position }) => position === found[0]);
  return `${found.slice(0, 5).join()} ${JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`;
}

function firstDifference(read: string, told: string): string {
  const at = [...read].findIndex((character, index) => character !== [...told][index]);
  return `${read.slice(Math.max(0, at - 30), at + 60)}, and not ${told.slice(Math.max(0, at - 30), at + 60)}`;
}

interface Facts {
  readonly live: readonly DocumentRow[];
  readonly all: readonly DocumentRow[];
  /** The positions that check allows by each of two policies. */
  readonly first: ReadonlySet<number>;
  readonly second: ReadonlySet<number>;
  readonly folders: ReadonlyMap<string, FolderRow>;
  readonly asked: Asked;
}

const inRange = ({ live, asked: { range } }: Facts): readonly DocumentRow[] =>
  live.filter(({ position }) => position >= range[0] && position < range[1]);
const selected = (facts: Facts): readonly DocumentRow[] =>
  inRange(facts).filter(({ position }) => facts.first.has(position));
const at = (rows: readonly DocumentRow[]): readonly number[] => rows.map(({ position }) => position);
const isShared = ({ shares }: DocumentRow): boolean => shares.some(({ isDeleted }) => !isDeleted);
const page = (facts: Facts): Answer => at(selected(facts)).slice(PAGE.skipped, PAGE.skipped + PAGE.size);

const ORDERED: ReadonlySet<string> = new Set([
  'page',
  'included',
  'can: order',
  'can: group',
  'can: distinct',
  'can: outer join',
]);

const EXPECTED: { readonly [Way in WayName]: (facts: Facts) => Answer } = {
  select: (facts) => at(selected(facts)),
  or: (facts) => [...new Set([...at(selected(facts)), ...facts.asked.few])],
  both: (facts) => at(selected(facts)).filter((position) => facts.second.has(position)),
  negated: (facts) => at(inRange(facts)).filter((position) => !facts.first.has(position)),
  page,
  count: (facts) => selected(facts).length,
  'inner join': (facts) => at(selected(facts).filter(isShared)),
  'left join': (facts) => at(selected(facts)),
  'self join': (facts) => at(selected(facts)).filter((position) => facts.second.has(position + 1)),
  subquery: (facts) => at(selected(facts)),
  through: (facts) =>
    at(selected(facts).filter(({ folderId }) => facts.folders.get(folderId ?? '')?.isDeleted === false)),
  included: page,
  update: (facts) => at(selected(facts)),
  delete: (facts) => {
    const gone = new Set(at(selected(facts)));
    return at(facts.all).filter((position) => !gone.has(position));
  },
  'can: order': (facts) => {
    const rows = at(inRange(facts));
    const [yes, no] = [true, false].map((is) => rows.filter((position) => facts.first.has(position) === is)) as [
      number[],
      number[],
    ];
    return [...yes, ...no].slice(0, LATER);
  },
  'can: group': (facts) => [selected(facts).length, inRange(facts).length - selected(facts).length, 0],
  'can: distinct': (facts) =>
    [
      ...new Set(
        at(inRange(facts)).map(
          (position) => Number(facts.first.has(position)) * 2 + Number(facts.second.has(position)),
        ),
      ),
    ].sort((a, b) => a - b),
  'can: derived table': (facts) => at(selected(facts)),
  'can: outer join': (facts) => {
    const [all, joined, yes] = [facts.all, inRange(facts), selected(facts)].map((rows) =>
      rows.reduce((sum, { shares }) => sum + shares.length, 0),
    ) as [number, number, number];
    return [yes, joined - yes, all - joined];
  },
  'can: having': (facts) => at(selected(facts)),
};

interface Action {
  readonly kind: string;
  readonly text: string;
}

/** An engine with policies of random kinds. */
async function randomEngine(random: Random, hasJson: boolean) {
  const policies = Array.from({ length: POLICIES }, (_, index) => ({
    kind: `kind${index}`,
    rules: randomRules(random, 'view', hasJson),
  }));
  const texts = policies.map(({ kind, rules }) => {
    const resourcePolicy = { resource: kind, version: 'default', rules };
    return [`${kind}.yaml`, JSON.stringify({ apiVersion: 'api.authz.dev/v1', resourcePolicy })] as const;
  });
  const refused = new Set(
    compileTexts(Object.fromEntries(texts)).diagnostics.flatMap(({ severity, source }) =>
      severity === 'error' && source !== undefined ? [source.path] : [],
    ),
  );
  const { policies: compiled } = await loaded(
    compileTexts(Object.fromEntries(texts.filter(([path]) => !refused.has(path)))),
  );
  return {
    engine: createEngine(compiled, { use: [capabilities()] }),
    actions: policies
      .filter(({ kind }) => !refused.has(`${kind}.yaml`))
      .map(
        ({ kind, rules }): Action => ({
          kind,
          text: JSON.stringify(
            rules.map((rule) => {
              const { effect, condition, roles } = rule as {
                effect: string;
                condition?: { match: object };
                roles: string[];
              };
              return [effect.slice(7), roles.join(), condition?.match];
            }),
          ),
        }),
      ),
  };
}

/** JSON whose fields are sorted, in which -0 is 0. The order of related rows is that of the store. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner)) return String(inner);
    if (key === 'shares' && Array.isArray(inner))
      return [...(inner as unknown[])].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
