import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlColumn, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { createConditionEngine } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/*
 * Each word for the type of a column, over the values whose representation in the database differs from what check
 * receives.
 */

/** A value as a literal of SQL, and what check receives for it. */
type Content = readonly [literal: string, told: unknown];

interface Column {
  readonly mapped: Omit<SqlColumn, 'column'>;
  /** Its type; a dialect that lacks it has no such column. */
  readonly type: { readonly [dialect in SqlDialect]?: string };
  readonly contents: (dialect: SqlDialect) => readonly Content[];
}

const A = '0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a10';
const B = 'ffffffff-0000-4000-8000-00000000000a';

const quoted = (told: string): Content => [`'${told}'`, told];
const moments = (dialect: SqlDialect, write: (iso: string) => string): readonly Content[] =>
  [
    ...MOMENTS,
    // Check receives milliseconds of them.
    ...(dialect === 'sqlite' ? [] : ['2024-02-29T12:00:00.500999Z', '2024-02-29T12:00:00.000001Z']),
  ].map((iso) => [`'${write(iso)}'`, iso.replace(/(\.\d{3})\d*Z/, '$1Z')]);
const MOMENTS = [
  '2024-02-29T12:00:00.000Z',
  '2024-02-29T12:00:00.500Z',
  '2024-02-29T12:00:00.501Z',
  '2024-02-29T11:59:59.999Z',
  '1969-07-20T20:17:40.000Z',
];
const withSpace = (iso: string): string => iso.replace('T', ' ').replace('Z', '');
const epoch =
  (unit: number) =>
  (dialect: SqlDialect): readonly Content[] => [
    ...MOMENTS.map((iso): Content => {
      const count = Math.floor(Date.parse(iso) / unit);
      return [String(count), new Date(count * unit).toISOString()];
    }),
    // Beyond the year 9999; check cannot read it.
    ...(dialect === 'sqlite' ? [] : [[String(1e15 / unit), '+033658-09-27T01:46:40.000Z'] as const]),
  ];

const COLUMNS: { readonly [attribute: string]: Column } = {
  key: {
    mapped: { type: 'uuid' },
    type: { postgresql: 'uuid', mysql: 'uuid', sqlite: 'TEXT' },
    contents: () => [quoted(A), quoted(B)],
  },
  number: {
    mapped: { type: 'integer-as-text', null: 'null' },
    type: { postgresql: 'bigint', mysql: 'bigint', sqlite: 'INTEGER' },
    contents: () => ['5', '10', '-3', '0', '9007199254740993', '9223372036854775807'].map((text) => [text, text]),
  },
  price: {
    mapped: { type: 'decimal' },
    type: { postgresql: 'numeric', mysql: 'decimal(40,20)', sqlite: 'NUMERIC' },
    contents: (dialect) => [
      ...['12.5', '0.1', '0.1000000000000000055', '9007199254740993', '-1.5', '0'].map(
        (text): Content => [text, Number(text)],
      ),
      ...(dialect === 'postgresql' ? [[`'Infinity'`, Infinity] as const, [`1e400`, Infinity] as const] : []),
    ],
  },
  at: {
    mapped: { type: 'timestamp', zone: 'utc', precision: 3 },
    type: { postgresql: 'timestamp', mysql: 'datetime(6)', sqlite: 'TEXT' },
    contents: (dialect) => [
      ...moments(dialect, withSpace),
      ...(dialect === 'sqlite' ? [[`'2024-02-29 12:00:00'`, '2024-02-29T12:00:00.000Z'] as const] : []),
    ],
  },
  until: {
    mapped: { type: 'timestamp', zone: 'utc', precision: 3 },
    type: { postgresql: 'timestamp', mysql: 'datetime(6)', sqlite: 'TEXT' },
    contents: (dialect) => moments(dialect, withSpace),
  },
  zoned: {
    mapped: { type: 'timestamp', precision: 3 },
    type: { postgresql: 'timestamptz', mysql: 'datetime(6)' },
    contents: (dialect) => moments(dialect, dialect === 'mysql' ? withSpace : (iso) => iso),
  },
  offset: {
    mapped: { type: 'timestamp', zone: '+00:00' },
    type: { sqlite: 'TEXT' },
    contents: (dialect) => moments(dialect, (iso) => `${withSpace(iso)} +00:00`),
  },
  seconds: {
    mapped: { type: 'epoch-seconds' },
    type: { postgresql: 'bigint', mysql: 'bigint', sqlite: 'INTEGER' },
    contents: epoch(1000),
  },
  millis: {
    mapped: { type: 'epoch-milliseconds', null: 'never' },
    type: { postgresql: 'bigint', mysql: 'bigint', sqlite: 'INTEGER' },
    contents: epoch(1),
  },
  tags: {
    mapped: { type: 'text[]' },
    type: { postgresql: 'varchar(20)[]' },
    contents: () => [
      [`'{}'`, []],
      [`'{x}'`, ['x']],
      [`'{x,NULL,"a b"}'`, ['x', null, 'a b']],
      [`'{{x},{y}}'`, [['x'], ['y']]],
      [`'{true,1}'`, ['true', '1']],
    ],
  },
};

const times = (name: string): readonly string[] =>
  ['<', '<=', '>', '>=', '==', '!='].flatMap((operator) => [
    ...[
      '2024-02-29T12:00:00Z',
      '2024-02-29T12:00:00.5Z',
      '2024-02-29T12:00:00.5005Z',
      '2024-02-29T12:00:00.0000001Z',
    ].map((at) => `timestamp(R.attr.${name}) ${operator} timestamp("${at}")`),
    `timestamp(R.attr.${name}) ${operator} timestamp(R.attr.${name})`,
  ]);

const CONDITIONS: readonly string[] = [
  ...[A, A.toUpperCase(), B, 'x', '', `{${A}}`].flatMap((text) => [
    `R.attr.key == "${text}"`,
    `R.attr.key != "${text}"`,
    `R.attr.key < "${text}"`,
    `R.attr.key in ["${text}", "${B}", "x"]`,
    `!(R.attr.key in ["${text}", "${B}", "${A}"])`,
  ]),
  'R.attr.key.startsWith("0b7d")',
  'R.attr.key.contains("-4")',
  'R.attr.key == 5',
  'R.attr.key == R.attr.number',
  'R.attr.key == R.attr.key',
  ...['5', '05', '5.0', '', '-3', '9007199254740993', '9007199254740992', '99999999999999999999', '+5'].flatMap(
    (text) => [
      `R.attr.number == "${text}"`,
      `R.attr.number != "${text}"`,
      `R.attr.number > "${text}"`,
      `R.attr.number in ["${text}", "10", "x"]`,
    ],
  ),
  ...['key', 'number'].map(
    (name) =>
      `R.attr.${name} in [${Array.from({ length: 110 }, (_, index) => `"${index}", "${A.slice(0, -3)}${100 + index}"`).join()}, "x", "${A}", "${B}"]`,
  ),
  'R.attr.number == 5',
  'R.attr.number == null',
  'R.attr.number != null',
  'has(R.attr.number)',
  'R.attr.number.startsWith("9")',
  ...['0.1', '12.5', '9007199254740992.0', '0.0', '1e300'].flatMap((number) => [
    `R.attr.price == ${number}`,
    `R.attr.price != ${number}`,
    `R.attr.price < ${number}`,
    `R.attr.price >= ${number}`,
  ]),
  'R.attr.price * 2.0 < 26.0',
  'R.attr.price == R.attr.price',
  'R.attr.price == "0.1"',
  ...['at', 'zoned', 'offset', 'seconds', 'millis'].flatMap(times),
  ...['<', '<=', '==', '!='].map((operator) => `timestamp(R.attr.at) ${operator} timestamp(R.attr.until)`),
  'has(R.attr.at)',
  '"x" in R.attr.tags',
  '!("x" in R.attr.tags)',
  'true in R.attr.tags',
  'hasIntersection(R.attr.tags, ["a b", "1"])',
  'R.attr.tags.exists(t, t == "x")',
  'R.attr.tags.all(t, t == "x")',
  'R.attr.tags.exists(t, t.startsWith("a"))',
  'size(R.attr.tags) > 1',
  'R.attr.tags[0] == "x"',
];

const test = suite('words for the types of columns');

test('SQLite selects the rows that check allows', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  await compare('sqlite', {
    run: async (statement) => void database.run(statement),
    async select(statement, parameters) {
      const select = database.prepare(statement);
      select.bind(parameters as never);
      const positions: number[] = [];
      while (select.step()) positions.push(Number(select.get()[0]));
      select.free();
      return positions;
    },
  });
  database.close();
});

test('PostgreSQL selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query("SET TimeZone = 'Asia/Kolkata'");
    await compare('postgresql', {
      run: (statement) => client.query(statement),
      select: async (statement, parameters) =>
        (await client.query(statement, [...parameters])).rows.map(({ position }) => Number(position)),
    });
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects the rows that check allows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await connection.query("SET time_zone = '+05:30'");
    await compare('mysql', {
      run: (statement) => connection.query(statement),
      select: async (statement, parameters) => {
        const [rows] = await connection.execute<RowDataPacket[]>(statement, [...parameters] as never);
        return rows.map(({ position }) => Number(position));
      },
    });
  } finally {
    await server.stop();
  }
});

test.run();

interface Database {
  run(statement: string): Promise<unknown>;
  select(statement: string, parameters: readonly unknown[]): Promise<readonly number[]>;
}

async function compare(dialect: SqlDialect, database: Database): Promise<void> {
  const columns = Object.entries(COLUMNS).filter(([, { type }]) => type[dialect] !== undefined);
  const quote = dialect === 'mysql' ? '`' : '"';
  await database.run(
    `CREATE TABLE things (position integer, ${columns.map(([name, { type }]) => `${quote}${name}${quote} ${type[dialect]}`).join(', ')})`,
  );
  const rows = Array.from({ length: 10 }, (_, position) => {
    const cells = columns.map(([name, column]): readonly [name: string, content: Content | undefined] => {
      const contents = column.contents(dialect);
      const isThere = column.mapped.null === 'never' || position > 0;
      return [name, isThere ? contents[(position + name.length) % contents.length] : undefined];
    });
    const attr = Object.fromEntries(
      cells.flatMap(([name, content]) =>
        content !== undefined ? [[name, content[1]]] : COLUMNS[name]?.mapped.null === 'null' ? [[name, null]] : [],
      ),
    );
    return { literals: [String(position), ...cells.map(([, content]) => content?.[0] ?? 'NULL')], attr };
  });
  for (const { literals } of rows) await database.run(`INSERT INTO things VALUES (${literals.join(', ')})`);
  const { engine, actions } = await createConditionEngine('thing', CONDITIONS, ['allow', 'deny']);
  const table = {
    name: 'things',
    columns: Object.fromEntries(columns.map(([name, { mapped }]) => [name, { column: name, ...mapped }])),
  };
  const principal = { id: 'anna', roles: ['user'] };
  const wrong: string[] = [];
  const counts = { rendered: 0, refused: 0, selected: 0 };
  for (const { action, condition } of actions) {
    const { filter } = engine.plan({ principal, resource: { kind: 'thing' }, actions: [action] });
    const rendered = renderSql(filter, table, { dialect });
    if (rendered.kind === 'refused') {
      counts.refused += 1;
      continue;
    }
    counts.rendered += 1;
    const selected = await database
      .select(`SELECT position FROM things WHERE ${rendered.text}`, rendered.parameters)
      .catch((error: unknown) => error as Error);
    if (selected instanceof Error) {
      wrong.push(`${action} ${condition} fails: ${selected.message}\n  ${rendered.text}`);
      continue;
    }
    counts.selected += selected.length;
    for (const [position, { attr }] of rows.entries()) {
      const isAllowed = engine.isAllowed({
        principal,
        resource: { kind: 'thing', id: 'x', attr: attr as never },
        action,
      });
      if (isAllowed !== selected.includes(position))
        wrong.push(
          `${action} ${condition}: ${isAllowed ? 'omits' : 'selects'} ${JSON.stringify(attr)}\n  ${rendered.text}`,
        );
    }
  }
  console.log(`  ${dialect}: ${JSON.stringify(counts)}`);
  assert.equal(wrong.slice(0, 5), [], `${wrong.length} disagreements`);
  assert.ok(counts.rendered > 200 && counts.selected > counts.rendered, 'the conditions say too little');
}
