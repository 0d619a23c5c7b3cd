import type { Attributes } from '../../runtime/policy/index.js';
import { parseTimestamp } from '../../packages/cel/runtime/timestamp.js';
import type { SqlColumns, SqlDialect, SqlTable } from '../../runtime/residual/sql/index.js';
import type { Random } from '../support/oracle/random.js';
import { TIMES } from '../support/sql/typed-table.js';

/** The content of a column. */
export type Cell = string | number | boolean | null;

/** A table of a store: its name, its columns with their types in each dialect, and its rows. */
export interface StoredTable {
  readonly name: string;
  readonly columns: readonly (readonly [
    name: string,
    type: 'text' | 'integer' | 'uuid' | 'boolean' | 'time' | 'json',
  ])[];
  readonly rows: readonly (readonly Cell[])[];
}

/** A document, as check receives it. */
export interface Subject {
  /** Several where several rows are related as the one: check may receive any of them. */
  readonly attrs: readonly Attributes[];
  /** Whether the dialect reads all of its timestamps that check reads. */
  readonly isReadable: boolean;
}

const TEAM: SqlColumns = { name: { column: 'name', type: 'text' } };
const USER: SqlColumns = {
  name: { column: 'name', type: 'text' },
  level: { column: 'level', type: 'integer' },
  active: { column: 'active', type: 'boolean', null: 'null' },
  'address.city': { column: 'City', type: 'text' },
  team: {
    relation: 'one',
    table: 'teams',
    on: { id: 'team_id' },
    unique: true,
    where: { rank: 1 },
    columns: TEAM,
  },
  nicknames: { relation: 'many', table: 'nicknames', on: { user_id: 'id' }, value: { column: 'nick', type: 'text' } },
};

/** The table of documents and its relations: to one row and to many, nested, and to one that is not declared unique. */
export function documents(dialect: SqlDialect): SqlTable {
  return {
    name: 'documents',
    columns: {
      title: { column: 'title', type: 'text' },
      n: { column: 'n', type: 'integer', null: 'never' },
      owner: { relation: 'one', table: 'users', on: { id: 'owner_id' }, unique: true, columns: USER },
      folder: {
        relation: 'one',
        table: 'folders',
        on: { id: 'folder_id' },
        columns: { name: { column: 'name', type: 'text' }, at: { column: 'at', type: 'timestamp' } },
      },
      shares: {
        relation: 'many',
        table: 'shares',
        on: { document_id: 'id' },
        where: { deleted_at: null, state: 'live' },
        columns: {
          user: { column: 'user_id', type: 'text', null: 'never' },
          role: { column: 'role', type: 'text' },
          until: { column: 'until', type: 'timestamp' },
          grantor: { relation: 'one', table: 'users', on: { id: 'grantor_id' }, unique: true, columns: USER },
        },
      },
      tags: {
        relation: 'many',
        table: 'tags',
        on: { document_id: 'id' },
        where: { hidden: false },
        value: { column: 'tag', type: 'text' },
      },
      marks: {
        relation: 'many',
        table: 'tags',
        on: { document_id: 'id' },
        where: { hidden: false },
        value: { column: 'mark', type: 'integer', null: 'null' },
      },
      ...(dialect === 'mysql'
        ? {}
        : { events: { column: 'events', type: 'list' }, meta: { column: 'meta', type: 'json' } }),
    },
  };
}

/** A random store of a size, and its documents as check receives them, in the order of the table's rows. */
export function randomStore(
  random: Random,
  dialect: SqlDialect,
  size: number,
): { readonly tables: readonly StoredTable[]; readonly subjects: readonly Subject[] } {
  const names = ['x', 'y', 'u1', 'X', 'x ', '', ' ', 'é', 'e', 'É', 'U1'];
  const maybe = <T>(value: T): T | null => (random.chance(0.2) ? null : value);
  const teams = ['t1', 't2'].map((id) => ({ id, name: maybe(random.pick(names)) }));
  const users = ['u1', 'u2', 'u3', 'u4'].map((id) => ({
    id,
    name: maybe(random.pick(names)),
    level: maybe(random.below(4)),
    active: maybe(random.chance(0.5)),
    city: maybe(random.pick(['Bern', 'x'])),
    team: maybe(random.pick(['t1', 't2', 'gone'])),
    nicknames: random.times(0, 2, () => maybe(random.pick(names))),
  }));
  const folders = ['f1', 'f2', 'f2', 'f3'].map((id) => ({
    id,
    name: maybe(random.pick(names)),
    at: maybe(random.pick(TIMES)),
  }));
  const userIds = ['u1', 'u2', 'u3', 'u4', 'gone'];
  const stored = Array.from({ length: size }, (_, index) => ({
    id: `d${index}`,
    title: maybe(random.pick(names)),
    n: random.below(4),
    owner: maybe(random.pick(userIds)),
    folder: maybe(random.pick(['f1', 'f1', 'f2', 'f3', 'gone'])),
    shares: random.times(0, 3, () => ({
      user: random.pick(userIds),
      role: maybe(random.pick(['viewer', 'editor'])),
      until: maybe(random.pick(TIMES)),
      grantor: maybe(random.pick(userIds)),
    })),
    tags: random.times(0, 3, () => ({ tag: maybe(random.pick(names)), mark: maybe(random.below(4)) })),
    events: maybe(random.times(0, 3, () => moment(random))),
    meta: maybe({ at: moment(random) }),
  }));

  const userOf = (id: string | null): object | undefined => {
    const user = users.find((one) => one.id === id);
    if (user === undefined) return undefined;
    const { name, level, active, city, team, nicknames } = user;
    const related = teams.find((one) => one.id === team);
    return {
      ...present({ name, level, team: related && present({ name: related.name }) }),
      active,
      address: present({ city }),
      nicknames: nicknames.filter((nick) => nick !== null),
    };
  };
  const subjects = stored.map(({ title, n, owner, folder, shares, tags, events, meta }): Subject => {
    const attr = {
      ...present({ title, owner: userOf(owner), ...(dialect === 'mysql' ? {} : { events, meta }) }),
      n,
      shares: shares.map(({ user, role, until, grantor }) => ({
        user,
        ...present({ role, until, grantor: userOf(grantor) }),
      })),
      tags: tags.flatMap(({ tag }) => tag ?? []),
      marks: tags.map(({ mark }) => mark),
    };
    const mine = folders.filter(({ id }) => id === folder);
    const attrs = mine.map(({ name, at }) => ({ ...attr, folder: present({ name, at }) }));
    const moments = [...(events ?? []), meta?.at];
    return {
      attrs: (attrs.length === 0 ? [attr] : attrs) as unknown as readonly Attributes[],
      isReadable: moments.every((one) => typeof one !== 'string' || isReadable(dialect, one)),
    };
  });

  const hasJson = dialect !== 'mysql';
  const tables: readonly StoredTable[] = [
    {
      name: 'documents',
      columns: [
        ['position', 'integer'],
        ['id', 'text'],
        ['title', 'text'],
        ['n', 'integer'],
        ['owner_id', 'text'],
        ['folder_id', 'text'],
        ...(hasJson
          ? ([
              ['events', 'json'],
              ['meta', 'json'],
            ] as const)
          : []),
      ],
      rows: stored.map(({ id, title, n, owner, folder, events, meta }, position) => [
        position,
        id,
        title,
        n,
        owner,
        folder,
        ...(hasJson ? [events && JSON.stringify(events), meta && JSON.stringify(meta)] : []),
      ]),
    },
    {
      name: 'users',
      columns: [
        ['id', 'text'],
        ['name', 'text'],
        ['level', 'integer'],
        ['active', 'boolean'],
        ['City', 'text'],
        ['team_id', 'text'],
      ],
      rows: users.map(({ id, name, level, active, city, team }) => [id, name, level, active, city, team]),
    },
    {
      name: 'teams',
      columns: [
        ['id', 'text'],
        ['name', 'text'],
        ['rank', 'integer'],
      ],
      rows: teams.flatMap(({ id, name }) => [
        [id, name, 1],
        [id, 'x', 2],
        [id, 'x', null],
      ]),
    },
    {
      name: 'folders',
      columns: [
        ['id', 'text'],
        ['name', 'text'],
        ['at', 'time'],
      ],
      rows: folders.map(({ id, name, at }) => [id, name, at]),
    },
    {
      name: 'nicknames',
      columns: [
        ['user_id', 'text'],
        ['nick', 'text'],
      ],
      rows: users.flatMap(({ id, nicknames }) => nicknames.map((nick) => [id, nick])),
    },
    {
      name: 'shares',
      columns: [
        ['document_id', 'text'],
        ['user_id', 'text'],
        ['role', 'text'],
        ['until', 'time'],
        ['grantor_id', 'text'],
        ['deleted_at', 'time'],
        ['state', 'text'],
      ],
      // The rows that an application hides grant nothing.
      rows: stored.flatMap(({ id, shares }) => [
        ...shares.map(({ user, role, until, grantor }) => [id, user, role, until, grantor, null, 'live']),
        [id, 'u1', 'editor', null, 'u1', TIMES[0] as string, 'live'],
        [id, 'u1', 'editor', null, 'u1', null, 'LIVE'],
        [id, 'u1', 'editor', null, 'u1', null, null],
      ]),
    },
    {
      name: 'tags',
      columns: [
        ['document_id', 'text'],
        ['tag', 'text'],
        ['mark', 'integer'],
        ['hidden', 'boolean'],
      ],
      rows: stored.flatMap(({ id, tags }) => [
        ...tags.map(({ tag, mark }) => [id, tag, mark, false]),
        [id, 'x', 1, true],
        [id, 'u1', 1, null],
      ]),
    },
  ];
  return { tables, subjects };
}

/** Without the fields that are null or undefined. */
function present(fields: { readonly [name: string]: unknown }): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function moment(random: Random): unknown {
  return random.pick<unknown>(random.chance(0.6) ? TIMES : MOMENTS);
}

/** Strings that check or a database may read as a timestamp, and other values. */
const MOMENTS: readonly unknown[] = [
  '2020-01-01T00:00:00Z',
  '2020-01-01T01:00:00+01:00',
  '2020-01-01T00:00:00-00:00',
  '2020-01-01T00:00:00.1Z',
  '2020-01-01T00:00:00.000500Z',
  '2020-01-01T00:00:00.000000001Z',
  '2020-01-01T23:59:00+23:59',
  '2019-12-31T09:00:00-15:00',
  '2023-02-29T00:00:00Z',
  '2024-02-29T00:00:00Z',
  '2100-02-29T00:00:00Z',
  '2000-02-29T00:00:00.000Z',
  '2020-02-30T00:00:00.000Z',
  '2020-04-31T00:00:00Z',
  '2020-00-10T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '0000-12-31T23:59:59.999Z',
  '0001-01-01T00:00:00+01:00',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-01:00',
  '9999-12-31T23:59:59.999Z',
  '2020-13-01T00:00:00Z',
  '2020-01-01 00:00:00Z',
  '2020-01-01t00:00:00z',
  '2020-01-01T24:00:00Z',
  '2020-06-30T23:59:60Z',
  '2020-01-01T00:00:00.Z',
  '2020-01-01T00:00:00',
  '2020-01-01T00:00Z',
  '2020-01-01',
  '2020-01-01T00:00:00Z\n',
  ' 2020-01-01T00:00:00Z',
  '2020-01-01T00:00:00Zx',
  '２020-01-01T00:00:00Z',
  'now',
  'infinity',
  '',
  '2458849.5',
  1_577_836_800,
  null,
  true,
  ['2020-01-01T00:00:00Z'],
  { at: '2020-01-01T00:00:00Z' },
];

/** Whether a dialect reads a string as check does: no other string looks like a timestamp (docs/plans.md#timestamps-in-documents). */
function isReadable(dialect: SqlDialect, text: string): boolean {
  if (!/^....-..-..T..:..:../.test(text)) return true;
  if (parseTimestamp(text) === undefined) return false;
  if (dialect === 'sqlite') return /^.{19}(\.\d{3})?Z$/.test(text);
  return !/^(0001|9999)|\.\d{7}|[+-](15|2\d):\d\d$/.test(text);
}

/** The statement that creates a table. */
export function createTable({ name, columns }: StoredTable, dialect: SqlDialect): string {
  const quote = dialect === 'mysql' ? '`' : '"';
  const types = TYPES[dialect];
  return `CREATE TABLE ${name} (${columns.map(([column, type]) => `${quote}${column}${quote} ${types[type]}`).join(', ')})`;
}

const TYPES: { readonly [dialect in SqlDialect]: { readonly [type in StoredTable['columns'][number][1]]: string } } = {
  sqlite: { text: 'TEXT', integer: 'INTEGER', uuid: 'TEXT', boolean: 'INTEGER', time: 'TEXT', json: 'TEXT' },
  postgresql: { text: 'text', integer: 'bigint', uuid: 'uuid', boolean: 'boolean', time: 'timestamptz', json: 'jsonb' },
  mysql: {
    text: 'varchar(100)',
    integer: 'bigint',
    uuid: 'char(36)',
    boolean: 'boolean',
    time: 'datetime(6)',
    json: 'json',
  },
};
