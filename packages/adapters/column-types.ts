/** The types of columns that schemas declare, and which words of a mapping are right for each. */
import type { SqlColumn, SqlDialect } from '../../runtime/residual/sql/index.js';

/** A column as the schema of a library declares it. */
export interface DeclaredColumn {
  /** Its type: one of the database, or what the library makes of it, such as `integer timestamp`. */
  readonly type: string;
  readonly isNotNull?: boolean;
  /** The digits of a second that the library reads; 3 for a `Date`. */
  readonly digits?: 3 | 6;
  /** Whether the library parses JSON that is stored as text. */
  readonly isParsed?: boolean;
  /** Whether the library parses the strings of JSON that the driver has parsed. */
  readonly isParsedTwice?: boolean;
  /** Whether its bigints may be made of numbers that the driver rounded. */
  readonly mayBeRounded?: boolean;
  /** The values of an enum. */
  readonly values?: readonly string[];
  /** Why no word is right whatever the type is, and the way out. */
  readonly unusable?: string;
}

/** A type of columns: the words that are right for it, and why the others are not. */
export interface TypeRow {
  readonly words: readonly Word[];
  /** Why none is right, and the way out. */
  readonly why?: string;
}

export interface TypeRows {
  readonly [type: string]: TypeRow;
}

/** How a mapping says what check receives of a column; `text other` is `text` with the collation `other`. */
export type Word = SqlColumn['type'] | 'text other' | 'timestamp utc' | 'timestamp +00:00';

/** A mapping whose word for a column is not right for the type that the column has. */
export class ColumnTypeError extends TypeError {
  override readonly name = 'ColumnTypeError';
}

const words = (...right: readonly Word[]): TypeRow => ({ words: right });
const none = (why: string): TypeRow => ({ words: [], why });

const INTEGER = words('integer', 'integer-as-text', 'epoch-seconds', 'epoch-milliseconds');
const TIME = 'no function of policies reads it. Store a timestamp, or text';
const BINARY = 'check receives no bytes. Store text';
const LOSSY = 'its values are rounded to fewer digits where they are read. Make it `double precision` or a decimal';
const DOCUMENTS = words('json', 'list');
const LOCAL = 'it is read in the time zone of the session';

/** The types that fit a column, by dialect and type of the database. */
export const DATABASE_TYPES: { readonly [dialect in SqlDialect]: TypeRows } = {
  postgresql: {
    text: words('text'),
    varchar: words('text'),
    enum: words('text'),
    citext: words('text other'),
    char: none('it pads with blanks, which comparisons ignore and check does not. Make it `text` or `varchar`'),
    uuid: words('uuid'),
    smallint: INTEGER,
    integer: INTEGER,
    bigint: INTEGER,
    real: none(LOSSY),
    'double precision': words('number'),
    numeric: words('decimal'),
    boolean: words('boolean'),
    timestamptz: words('timestamp'),
    timestamp: words('timestamp utc'),
    date: none(TIME),
    time: none(TIME),
    timetz: none(TIME),
    interval: none(TIME),
    json: none('conditions read `jsonb` alone. Make it `jsonb`'),
    jsonb: DOCUMENTS,
    'text[]': words('text[]'),
    'varchar[]': words('text[]'),
    bytea: none(BINARY),
  },
  mysql: {
    text: words('text'),
    tinytext: words('text'),
    mediumtext: words('text'),
    longtext: words('text'),
    varchar: words('text'),
    char: words('text'),
    enum: words('text'),
    uuid: words('uuid'),
    tinyint: INTEGER,
    smallint: INTEGER,
    mediumint: INTEGER,
    integer: INTEGER,
    bigint: INTEGER,
    float: none(LOSSY),
    'double precision': words('number'),
    numeric: words('decimal'),
    boolean: words('boolean'),
    datetime: words('timestamp', 'timestamp utc'),
    timestamp: none(`${LOCAL}. Make it \`datetime(6)\`, in UTC`),
    date: none(TIME),
    time: none(TIME),
    year: none(TIME),
    json: DOCUMENTS,
    binary: none(BINARY),
    varbinary: none(BINARY),
    blob: none(BINARY),
  },
  sqlite: {
    text: words('text', 'uuid', 'json', 'list', 'timestamp', 'timestamp utc', 'timestamp +00:00'),
    varchar: words('text', 'uuid', 'json', 'list', 'timestamp', 'timestamp utc', 'timestamp +00:00'),
    char: words('text', 'uuid'),
    enum: words('text'),
    uuid: words('text', 'uuid'),
    json: DOCUMENTS,
    jsonb: none('conditions read JSON as text. Store it as `text`'),
    smallint: INTEGER,
    tinyint: INTEGER,
    integer: { words: [...INTEGER.words, 'boolean'] },
    bigint: INTEGER,
    real: words('number'),
    'double precision': words('number'),
    numeric: words('decimal'),
    boolean: words('boolean'),
    datetime: words('timestamp', 'timestamp utc', 'timestamp +00:00', 'epoch-seconds', 'epoch-milliseconds'),
    date: none(TIME),
    time: none(TIME),
    blob: none(BINARY),
  },
};

/** The libraries whose schemas say more than the type of the database, or that read a type in another way. */
const LIBRARY_TYPES: {
  readonly [library: string]: { readonly [dialect in SqlDialect]?: TypeRows };
} = {
  'Drizzle ORM': {
    sqlite: {
      integer: INTEGER,
      'integer boolean': words('boolean'),
      'integer timestamp': words('epoch-seconds'),
      'integer timestamp_ms': words('epoch-milliseconds'),
      'text json': DOCUMENTS,
    },
  },
  TypeORM: {
    postgresql: {
      timestamp: none('TypeORM reads it in the time zone of the process. Make it `timestamptz`'),
      'simple-json': none('it is text. Make it `jsonb`'),
      'simple-array': none('it is one string with commas. Make it an array of `text`, or `jsonb`'),
      'simple-enum': words('text'),
    },
    mysql: {
      'datetime local': none(
        `TypeORM reads it in the time zone of the process. Set \`timezone: 'Z'\` in the options of the data source`,
      ),
    },
    sqlite: {
      datetime: words('timestamp utc'),
      'simple-json': DOCUMENTS,
      'simple-enum': words('text'),
      'simple-array': none('it is one string with commas. Make it `simple-json`'),
    },
  },
  Sequelize: {
    mysql: {
      'datetime local': none("Sequelize writes it in another time zone. Leave out `timezone`, which is '+00:00'"),
    },
    sqlite: {
      integer: INTEGER,
      datetime: words('timestamp +00:00'),
      'datetime local': none("Sequelize writes it in another time zone. Leave out `timezone`, which is '+00:00'"),
    },
  },
  MikroORM: {
    postgresql: {
      timestamp: words('timestamp utc'),
      'timestamp local': none('MikroORM reads it in the time zone of the process. Set `forceUtcTimezone: true`'),
    },
    mysql: {
      'datetime local': none('MikroORM reads it in the time zone of the process. Set `forceUtcTimezone: true`'),
    },
    sqlite: {
      integer: INTEGER,
      datetime: words('epoch-milliseconds'),
      'datetime local': words('epoch-milliseconds'),
    },
  },
};

/**
 * Checks that a word of a mapping is right for the type of its column.
 * @param place the attribute and the column, for messages.
 * @returns what the column stores, with what the library reads of it.
 * @throws {ColumnTypeError}
 */
export function requireFit(
  mapped: SqlColumn,
  declared: DeclaredColumn | undefined,
  { dialect, library, attribute, table }: FitPlace,
): SqlColumn {
  const place = `\`${attribute}\`: the column \`${mapped.column}\` of \`${table}\``;
  if (declared === undefined) return withDigits(mapped, 3, dialect);
  if (declared.unusable !== undefined) throw new ColumnTypeError(`${place}: ${declared.unusable}`);
  const type = normalType(declared.type, dialect);
  const row = LIBRARY_TYPES[library]?.[dialect]?.[type] ?? DATABASE_TYPES[dialect][type];
  const what = `${place} has the type \`${declared.type}\``;
  if (row === undefined)
    throw new ColumnTypeError(
      `${what}, which is not known. If it is stored like another type, name that type: \`sqlType: 'text'\``,
    );
  if (row.words.length === 0) throw new ColumnTypeError(`${what}, which no mapping supports: ${row.why}`);
  if (!fitsType(row, mapped))
    throw new ColumnTypeError(
      `${what}, and the mapping declares ${wordInTypeScript(typeWord(mapped))}. Write ${row.words.map(wordInTypeScript).join(', or ')}`,
    );
  if (mapped.null === 'never' && declared.isNotNull === false)
    throw new ColumnTypeError(
      `${place} may be NULL, and the mapping declares \`null: 'never'\`. Write \`null: 'missing'\` or \`null: 'null'\`, or make it NOT NULL`,
    );
  const digits = declared.digits ?? 3;
  if (type === 'enum' && dialect === 'postgresql') return { ...mapped, values: mapped.values ?? declared.values ?? [] };
  if (mapped.type === 'timestamp' && mapped.precision === 6 && digits === 3)
    throw new ColumnTypeError(`${place} is read as a \`Date\`, which has milliseconds. Leave out \`precision: 6\``);
  return withDigits(mapped, digits, dialect);
}

/** Whether a word is right for columns of a type. */
export function fitsType({ words: right }: TypeRow, column: SqlColumn): boolean {
  const word = typeWord(column);
  return right.includes(word) || (word === 'text other' && right.includes('text'));
}

/** Where a word is checked. */
export interface FitPlace {
  readonly dialect: SqlDialect;
  /** The name of a library, as in `LIBRARY_TYPES`. */
  readonly library: string;
  readonly attribute: string;
  readonly table: string;
}

/** The name of a type in the tables above: without its length, and by one of its names. */
export function normalType(type: string, dialect: SqlDialect): string {
  const lower = type.toLowerCase().trim();
  if (dialect !== 'postgresql' && /^tinyint\s*\(1\)/.test(lower)) return 'boolean';
  if (dialect !== 'postgresql' && lower.startsWith('enum')) return 'enum';
  const [, element = lower, dimensions = ''] = /^(.*?)((?:\[\d*\])*)$/.exec(lower) ?? [];
  const plain = element
    .replaceAll(/\s*\([^)]*\)/g, '')
    .replaceAll(/\s+(unsigned|zerofill)\b/g, '')
    .replaceAll(/\s+/g, ' ');
  // An extension may be in any schema.
  const own = dialect === 'postgresql' && plain.endsWith('.citext') ? 'citext' : plain;
  const name = (dialect === 'mysql' && MYSQL_ALIASES[own]) || (ALIASES[own] ?? own);
  return name + dimensions.replaceAll(/\d/g, '');
}

const ALIASES: { readonly [type: string]: string } = {
  'character varying': 'varchar',
  character: 'char',
  bpchar: 'char',
  int: 'integer',
  int2: 'smallint',
  int4: 'integer',
  int8: 'bigint',
  serial: 'integer',
  serial4: 'integer',
  smallserial: 'smallint',
  bigserial: 'bigint',
  float4: 'real',
  float8: 'double precision',
  float: 'double precision',
  double: 'double precision',
  decimal: 'numeric',
  dec: 'numeric',
  bool: 'boolean',
  'timestamp without time zone': 'timestamp',
  'timestamp with time zone': 'timestamptz',
  'time without time zone': 'time',
  'time with time zone': 'timetz',
};
const MYSQL_ALIASES: { readonly [type: string]: string } = {
  float: 'float',
  real: 'double precision',
  serial: 'bigint',
};

/** The word that a mapping says. */
export function typeWord({ type, zone, collation }: SqlColumn): Word {
  if (type === 'timestamp' && zone !== undefined) return `timestamp ${zone}`;
  return type === 'text' && collation === 'other' ? 'text other' : type;
}

/** A word as a file of tables declares it. */
export function wordInYaml(word: Word): string {
  const [type = '', more] = word.split(' ');
  if (more === undefined) return `type: ${type}`;
  return `type: ${type}, ${more === 'other' ? 'collation: other' : `zone: ${more === 'utc' ? 'utc' : JSON.stringify(more)}`}`;
}

/** A word as a mapping in TypeScript declares it. */
export function wordInTypeScript(word: Word): string {
  switch (word) {
    case 'text other':
      return "`type: 'text', collation: 'other'`";
    case 'timestamp utc':
      return "`type: 'timestamp', zone: 'utc'`";
    case 'timestamp +00:00':
      return "`type: 'timestamp', zone: '+00:00'`";
    default:
      return `\`type: '${word}'\``;
  }
}

/** Check receives what the library reads. */
function withDigits(mapped: SqlColumn, digits: 3 | 6, dialect: SqlDialect): SqlColumn {
  return mapped.type === 'timestamp' && dialect !== 'sqlite' && mapped.precision === undefined
    ? { ...mapped, precision: digits }
    : mapped;
}
