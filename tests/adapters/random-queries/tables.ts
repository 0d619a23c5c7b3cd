/** Documents with folders and shares, as each database stores them, and random rows with what check receives. */
import type { Attributes } from '../../../runtime/policy/index.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import type { Random } from '../../support/oracle/random.js';

export type Kind = 'text' | 'integer' | 'large' | 'number' | 'decimal' | 'boolean' | 'time' | 'uuid' | 'list' | 'json';

/** A column; its attribute has the name of the property. */
export interface Column {
  readonly property: string;
  readonly column: string;
  readonly kind: Kind;
  readonly null?: 'null' | 'never';
  /** Whether its collation takes different strings for equal, or orders them by language. */
  readonly isCollated?: true;
}

export const DOCUMENT: readonly Column[] = [
  { property: 'owner', column: 'owner_id', kind: 'text' },
  { property: 'status', column: 'status', kind: 'text', null: 'null' },
  { property: 'title', column: 'title', kind: 'text', null: 'never' },
  { property: 'nick', column: 'nick_name', kind: 'text', isCollated: true },
  { property: 'n', column: 'n', kind: 'integer' },
  { property: 'm', column: 'm', kind: 'number', null: 'null' },
  { property: 'big', column: 'big', kind: 'large', null: 'null' },
  { property: 'price', column: 'price', kind: 'decimal' },
  { property: 'flag', column: 'flag', kind: 'boolean' },
  { property: 'maybe', column: 'is_maybe', kind: 'boolean', null: 'null' },
  { property: 'at', column: 'created_at', kind: 'time' },
  { property: 'until', column: 'until', kind: 'time', null: 'null' },
  { property: 'keyId', column: 'key_id', kind: 'uuid' },
  { property: 'list', column: 'list', kind: 'list' },
  { property: 'any', column: 'any_of', kind: 'json' },
];

export const FOLDER: readonly Column[] = [
  { property: 'name', column: 'name', kind: 'text' },
  { property: 'owner', column: 'owner_id', kind: 'text', null: 'null' },
  { property: 'flag', column: 'flag', kind: 'boolean' },
];

export const SHARE: readonly Column[] = [
  { property: 'user', column: 'user_id', kind: 'text', null: 'never' },
  { property: 'role', column: 'role', kind: 'text' },
  { property: 'until', column: 'until', kind: 'time' },
  { property: 'n', column: 'n', kind: 'integer', null: 'null' },
];

/** How a library stores times in SQLite. */
export type TimeFormat = 'milliseconds' | 'utc' | '+00:00';

/** The columns that a dialect can have. */
export function columnsIn(columns: readonly Column[], dialect: SqlDialect): readonly Column[] {
  return columns.filter(({ kind }) => dialect !== 'mysql' || (kind !== 'list' && kind !== 'json'));
}

/** The mapping of a library, by its names of columns. */
export function mappingOf(dialect: SqlDialect, times: TimeFormat, nameOf: (column: Column) => string) {
  const mapped = (columns: readonly Column[]): object =>
    Object.fromEntries(
      columnsIn(columns, dialect).map((column) => [
        column.property,
        {
          column: nameOf(column),
          ...wordOf(column.kind, dialect, times),
          ...(column.null && { null: column.null }),
          ...(column.isCollated && { collation: 'other' }),
        },
      ]),
    );
  const name = (property: string, column: string): string => nameOf({ property, column, kind: 'text' });
  const where = { [name('deletedAt', 'deleted_at')]: null };
  return {
    dialect,
    id: { column: 'id', type: 'text' },
    attributes: {
      ...mapped(DOCUMENT),
      folder: {
        relation: 'one',
        table: 'folders',
        on: { id: name('folderId', 'folder_id') },
        unique: true,
        where,
        columns: mapped(FOLDER),
      },
      shares: {
        relation: 'many',
        table: 'shares',
        on: { [name('documentId', 'document_id')]: 'id' },
        where,
        columns: mapped(SHARE),
      },
    },
  };
}

function wordOf(kind: Kind, dialect: SqlDialect, times: TimeFormat): object {
  switch (kind) {
    case 'large':
      return { type: 'integer-as-text' };
    case 'time':
      if (dialect === 'postgresql') return { type: 'timestamp' };
      if (dialect === 'mysql') return { type: 'timestamp', zone: 'utc' };
      return times === 'milliseconds' ? { type: 'epoch-milliseconds' } : { type: 'timestamp', zone: times };
    default:
      return { type: kind };
  }
}

const TYPES: { readonly [D in SqlDialect]: { readonly [K in Kind]?: string } } = {
  postgresql: {
    text: 'text',
    integer: 'integer',
    large: 'bigint',
    number: 'double precision',
    decimal: 'numeric',
    boolean: 'boolean',
    time: 'timestamptz',
    uuid: 'uuid',
    list: 'jsonb',
    json: 'jsonb',
  },
  mysql: {
    text: 'varchar(100)',
    integer: 'integer',
    large: 'bigint',
    number: 'double',
    decimal: 'decimal(40, 20)',
    boolean: 'boolean',
    time: 'datetime(6)',
    uuid: 'uuid',
  },
  sqlite: {
    text: 'text',
    integer: 'integer',
    large: 'integer',
    number: 'real',
    decimal: 'numeric',
    boolean: 'boolean',
    time: 'datetime',
    uuid: 'text',
    list: 'json',
    json: 'json',
  },
};

const COLLATIONS: { readonly [D in SqlDialect]: { readonly plain: string; readonly other: string } } = {
  postgresql: { plain: 'COLLATE words', other: 'COLLATE nocase' },
  mysql: { plain: '', other: 'COLLATE utf8mb4_unicode_ci' },
  sqlite: { plain: '', other: 'COLLATE NOCASE' },
};

/** The statements that create the tables, and the collations that they need. */
export function createTables(dialect: SqlDialect): readonly string[] {
  const define = (columns: readonly Column[]): string =>
    columnsIn(columns, dialect)
      .map(({ column, kind, isCollated, null: absence }) => {
        const collation = kind === 'text' ? COLLATIONS[dialect][isCollated ? 'other' : 'plain'] : '';
        return `${column} ${TYPES[dialect][kind]} ${collation} ${absence === 'never' ? 'NOT NULL' : ''}`;
      })
      .join(', ');
  const key = dialect === 'mysql' ? 'varchar(40) COLLATE utf8mb4_bin' : 'text';
  const time = TYPES[dialect].time;
  return [
    ...(dialect === 'postgresql'
      ? [
          "CREATE COLLATION words (provider = icu, locale = 'en')",
          "CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        ]
      : []),
    `CREATE TABLE folders (id ${key} PRIMARY KEY, ${define(FOLDER)}, deleted_at ${time})`,
    `CREATE TABLE documents (id ${key} PRIMARY KEY, position integer NOT NULL, touched integer, folder_id ${key}, ${define(DOCUMENT)}, deleted_at ${time})`,
    `CREATE TABLE shares (id integer PRIMARY KEY, document_id ${key}, ${define(SHARE)}, deleted_at ${time})`,
    'CREATE INDEX documents_position ON documents (position)',
    'CREATE INDEX shares_document ON shares (document_id)',
  ];
}

/** What a column has, before a database writes it in its way: JSON or a value of JavaScript, by the property. */
export interface Content {
  readonly [property: string]: unknown;
}

/** A document, with the rows that are related to it. Deleted ones count neither for lists nor for checks. */
export interface DocumentRow {
  readonly position: number;
  readonly id: string;
  readonly isDeleted: boolean;
  readonly folderId: string | null;
  readonly content: Content;
  readonly shares: readonly { readonly isDeleted: boolean; readonly content: Content }[];
}

export interface FolderRow {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly content: Content;
}

export interface Rows {
  readonly folders: readonly FolderRow[];
  readonly documents: readonly DocumentRow[];
}

/** Values that a library cannot read: its attributes are then not what is stored (docs/adapters.md). */
export interface Unreadable {
  /** Times whose offset has seconds, as those of the past have, and those that are in the year 10000 in another zone. */
  readonly isEdgeTime?: boolean;
  /** Strings that are JSON, in place of a document. */
  readonly isJsonString?: boolean;
}

/** Random rows. What the database cannot store exactly, or the library cannot read, is not among them. */
export function randomRows(random: Random, dialect: SqlDialect, count: number, unreadable: Unreadable = {}): Rows {
  const content = (columns: readonly Column[]): Content =>
    Object.fromEntries(
      columnsIn(columns, dialect).map((column) => [
        column.property,
        column.null !== 'never' && random.chance(0.2) ? null : readableValue(random, column, dialect, unreadable),
      ]),
    );
  const folders = Array.from({ length: 12 }, (_, index) => ({
    id: `f${index}`,
    isDeleted: random.chance(0.2),
    content: content(FOLDER),
  }));
  const documents = Array.from({ length: count }, (_, position) => ({
    position,
    id: `${random.pick(['d', 'D', 'é', 'u', '😀'])}${position}`,
    isDeleted: random.chance(0.1),
    folderId: random.pick([null, 'gone', ...folders.map(({ id }) => id)]),
    content: content(DOCUMENT),
    shares: random.times(0, 3, () => ({ isDeleted: random.chance(0.25), content: content(SHARE) })),
  }));
  return { folders, documents };
}

/** What check receives of a document. */
export function attributesOf(
  row: DocumentRow,
  folders: ReadonlyMap<string, FolderRow>,
  dialect: SqlDialect,
): Attributes {
  const of = (columns: readonly Column[], content: Content): { [name: string]: unknown } =>
    Object.fromEntries(
      columnsIn(columns, dialect).flatMap(({ property, kind, null: absence }): [string, unknown][] => {
        const value = content[property];
        if (value === null) return absence === 'null' ? [[property, null]] : [];
        return [[property, kind === 'decimal' ? Number(value) : kind === 'large' ? String(value) : value]];
      }),
    );
  const folder = row.folderId === null ? undefined : folders.get(row.folderId);
  return {
    ...of(DOCUMENT, row.content),
    ...(folder && !folder.isDeleted && { folder: of(FOLDER, folder.content) }),
    shares: row.shares.flatMap(({ isDeleted, content }) => (isDeleted ? [] : [of(SHARE, content)])),
  } as Attributes;
}

function readableValue(random: Random, column: Column, dialect: SqlDialect, unreadable: Unreadable): unknown {
  for (;;) {
    const value = valueOf(random, column, dialect);
    const isEdge = unreadable.isEdgeTime === true && column.kind === 'time' && !/^(19[5-9]|2)/.test(String(value));
    const isJson =
      unreadable.isJsonString === true && column.kind === 'json' && typeof value === 'string' && isJsonText(value);
    if (!isEdge && !isJson) return value;
  }
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function valueOf(random: Random, { kind, property }: Column, dialect: SqlDialect): unknown {
  const text = (): string => {
    const usual = ['owner', 'user'].includes(property) ? USERS : ['role', 'status'].includes(property) ? STATES : [];
    return random.pick(usual.length > 0 && random.chance(0.6) ? usual : TEXTS);
  };
  switch (kind) {
    case 'text':
      return text();
    case 'integer':
      return random.pick(INTEGERS);
    case 'large':
      return random.pick(dialect === 'postgresql' ? [...LARGE, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n + 1n] : LARGE);
    case 'number':
      return random.pick(NUMBERS);
    case 'decimal':
      return random.pick(dialect === 'postgresql' ? [...DECIMALS, '1e400', '-1e-30'] : DECIMALS);
    case 'boolean':
      return random.chance(0.5);
    case 'time':
      return random.pick(TIMES);
    case 'uuid':
      return random.pick(KEYS);
    case 'list':
      return random.times(0, 3, () => (random.chance(0.7) ? text() : random.pick(SCALARS)));
    case 'json':
      return random.pick<() => unknown>([
        () => ({ ...(random.chance(0.7) && { a: random.pick([text(), ...SCALARS]) }), b: { a: random.pick(SCALARS) } }),
        () => [text(), random.pick(SCALARS)],
        () => random.pick(SCALARS.filter((scalar) => scalar !== null)),
        text,
      ])();
  }
}

export const USERS = ['u1', 'u2', 'U1', 'u1 ', 'ü1', '', 'u1\u0301'];
export const STATES = ['open', 'OPEN', 'closed', 'öpen', 'open ', ' open', ''];
export const TEXTS = [
  '',
  ' ',
  'x',
  'X',
  'x ',
  'xy',
  'é',
  'e\u0301',
  'É',
  'ß',
  'ss',
  'SS',
  'ﬁ',
  'İ',
  'i',
  'å',
  'aa',
  'x%',
  '%',
  '_',
  'x_',
  '\\',
  '\\%',
  "'",
  '"',
  '`',
  '$1',
  '$x $$ $1',
  ':x',
  '?',
  '??',
  ':n',
  "' OR 1=1 --",
  "\\' OR 1=1 -- ",
  'U&\\0041',
  'x\n',
  'x\r\n',
  '\t',
  '\u{1F600}',
  '\uFFFF',
  '\u{10FFFF}',
  '\u200b',
  'null',
  'true',
  '1',
  '0',
  'a.b',
  'u1',
  'open',
];
export const INTEGERS = [0, 1, 2, 3, -1, 10, 100, 2147483647, -2147483648];
const LARGE = [0n, 1n, 10n, 9n, -1n, 2n ** 31n, 2n ** 53n - 1n, -(2n ** 53n) + 1n];
export const NUMBERS = [
  0, -0, 1, 2, 2.5, 0.1, 0.2, 0.30000000000000004, -1, 1e300, -1e300, 5e-324, 1.7976931348623157e308, 9007199254740993,
  2147483648, 83.33333333333333, 1e21,
];
const DECIMALS = ['0', '1', '2.5', '0.1', '-1.5', '10', '100', '9007199254740993', '0.30000000000000004'];
export const TIMES = [
  '2020-01-01T00:00:00.000Z',
  '2020-01-01T00:00:00.001Z',
  '2019-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00.000Z',
  '1969-12-31T23:59:59.999Z',
  '1969-07-20T20:17:40.500Z',
  '2024-02-29T12:00:00.123Z',
  '2024-03-10T07:15:00.000Z',
  '2024-10-27T00:30:00.000Z',
  '1900-02-28T23:59:59.000Z',
  '2999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
  '1000-01-01T00:00:00.000Z',
];
export const KEYS = [
  '0b7d4e0a-7c55-4c5e-9a3f-1f0f5d9f3a10',
  'ffffffff-0000-4000-8000-00000000000a',
  '00000000-0000-0000-0000-000000000000',
];
export const SCALARS = [null, true, false, 0, 1, 2.5, -1, 'x', '', '1', 1e300];
