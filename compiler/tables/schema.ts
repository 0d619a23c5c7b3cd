import { type Collation, SQL_TYPES, type SqlColumn, type SqlRelation } from '../../runtime/residual/sql/table.js';
import {
  bool,
  type DescribedField,
  field,
  json,
  list,
  map,
  type MessageType,
  messageType,
  object,
  type Pattern,
  type Rule,
  text,
} from '../parse/schema/field.js';

/*
 * The shape of a file of tables as data (docs/plans.md#tables-in-a-file), used by its reader and for its JSON Schema.
 */

/** The types of columns, in the order in which messages list them. */
export const TYPES = SQL_TYPES;
/** What NULL stands for. YAML reads the word `null` as no value, so neither the key nor a word is `null`. */
export const NULLS: ReadonlyMap<string, NonNullable<SqlColumn['null']>> = new Map([
  ['missing', 'missing'],
  ['as-null', 'null'],
  ['never', 'never'],
]);
/** The zones of timestamps that are stored without one, or as text. */
export const ZONES = ['utc', '+00:00'] as const satisfies SqlColumn['zone'][];
/** The digits of a second that checks receive, by their spelling. */
export const PRECISIONS: ReadonlyMap<string, NonNullable<SqlColumn['precision']>> = new Map([
  ['milliseconds', 3],
  ['microseconds', 6],
]);
/** How columns compare strings. */
export const COLLATIONS = ['binary', 'deterministic', 'other'] as const satisfies Collation[];
/** The numbers of rows of another table to which an attribute may refer. */
export const RELATIONS = ['one', 'many'] as const satisfies SqlRelation['relation'][];

/** How policies of a database may read related rows beside the usual way. */
export const TRUST = ['plain'] as const satisfies SqlRelation['trust'][];

/** The statements that a database may allow, in the order of its policies. */
export const COMMANDS = ['select', 'insert', 'update', 'delete'] as const;
/** The types of the attributes of principals that a session declares. */
export const SESSION_TYPES = ['text', 'number', 'boolean', 'list'] as const;

/** Where a database has the principal of a session from. */
export const SESSION_SOURCES = ['settings', 'signed', 'supabase', 'clerk'] as const;

/** They, and a function, as messages and descriptions name them. */
export const SESSION_SOURCE_WORDS = `${SESSION_SOURCES.map((word) => `\`${word}\``).join(', ')}, or a function with its schema: \`{function: app.current_principal}\``;

const required: Rule = { rule: 'required' };

/** One of the words. Absent and empty are accepted, unless the field is required. */
const among = (words: readonly string[]): Rule => {
  const written = words.map((word) => word.replace(/[[\]+]/g, '\\$&')).join('|');
  const pattern: Pattern = { text: `^(|${written})$`, accepts: new RegExp(`^(?:|${written})$`) };
  return { rule: 'pattern', pattern };
};

/** A file that says where the attributes of resources are stored. */
export const TABLES: MessageType = messageType({
  tables: field('the table of each kind of resource', map(object(() => TABLE))),
  users: field(
    'the table of users, to find those who may do something (`authzc who-can --users`)',
    object(() => USERS),
  ),
  rls: field(
    'what the policies of a database know of a principal (`authzc rls`)',
    object(() => SESSION),
  ),
  $schema: field('JSON Schema of the file, for editors', text()),
});

const SESSION: MessageType = messageType({
  principal: field(
    `where the principal comes from: ${SESSION_SOURCE_WORDS}; by default the setting \`authz.principal\``,
    json(),
  ),
  attributes: field(
    `the type of each attribute of principals that policies of a database read: ${SESSION_TYPES.join(', ')}`,
    map(text(required, among(SESSION_TYPES))),
  ),
  claims: field(
    'the claim that is an attribute of the principal, with `supabase` and `clerk`: `tenant: app_metadata.tenant`',
    map(text(required)),
  ),
  schemas: field(
    'whether rows that violate the schema of their kind are denied: `enforce`, or `ignore` (default)',
    text(among(['enforce', 'ignore'])),
  ),
  anonymous: field(
    'the principal of a session without one; by default nobody, who sees nothing',
    object(() => ANONYMOUS),
  ),
  reader: field(
    'the role of the database that reads related tables for its policies, which the file makes; by default `authz_reader`',
    text(),
  ),
});

const ANONYMOUS: MessageType = messageType({
  id: field('its id', text(required)),
  roles: field('its roles', list(text(required), required)),
});

const TABLE: MessageType = messageType({
  name: field('name of the table', text(required)),
  alias: field('its alias in queries', text()),
  id: field(
    'the column of the id that checks receive, which must be text',
    object(() => COLUMN),
  ),
  columns: columns('the column of each attribute, by its path: `owner`, `address.city`', required),
  rls: field(
    'the statements that the database allows, each with an action (`authzc rls`); nobody may do what is left out',
    object(() => ROW_SECURITY),
  ),
});

const USERS: MessageType = messageType({
  name: field('name of the table', text(required)),
  alias: field('its alias in queries', text()),
  id: field(
    'the column of the id that checks receive',
    object(() => COLUMN, required),
  ),
  roles: field(
    'the roles of a user: a column with a list, a column with one role, or the rows of another table with a `value`, or with one column of `one` row of the table of roles',
    object(() => ATTRIBUTE, required),
  ),
  where: field('the rows that are users, by column: its value, or `null` for NULL: `deleted_at: null`', map(text())),
  columns: columns('the column of each attribute, by its path: `department`, `address.city`'),
  scope: field(
    'the scope of all users, or the column with the scope of each: `{column: scope}`; by default requests have none',
    json(),
  ),
});

const ROW_SECURITY: MessageType = messageType({
  select: field('the action that must be allowed on rows that are read: `view`, or `{any: [view, audit]}`', json()),
  insert: field('the action that must be allowed on rows that are written', json()),
  update: field(
    'the action that must be allowed on rows before and after a change: `edit`, or `{using: edit, check: edit}`',
    json(),
  ),
  delete: field('the action that must be allowed on rows that are deleted', json()),
  to: field('the roles of the database, which are not exempt from its policies', list(text(required), required)),
  scope: field(
    'the scope of the rows, or the column with the scope of each: `{column: scope}`; by default the root',
    json(),
  ),
  version: field('the version of their policies; by default `default`', text()),
  frozen: field('columns that no UPDATE may change, such as that of the tenant', list(text(required))),
});

const COLUMN: MessageType = messageType({
  column: field('name of the column, with or without that of its table', text(required)),
  type: field(`type of its values: ${TYPES.join(', ')}`, text(required, among(TYPES))),
  ...contents(),
});

/** An attribute: a column, or rows of another table. */
const ATTRIBUTE: MessageType = messageType(
  {
    column: field('name of the column, with or without that of its table', text()),
    type: field(`type of its values: ${TYPES.join(', ')}`, text(among(TYPES))),
    ...contents(),
    relation: field('`one` row of another table as an object, or `many` as a list', text(among(RELATIONS))),
    table: field('name of the other table', text()),
    on: field('its columns, each with the column of this table that it equals: `id: owner_id`', map(text(required))),
    closure: field(
      '`many`: also the rows that these are related to, and so on: the columns of `on`, each with the column of a found row that it equals: `id: parent_id`',
      map(text(required)),
    ),
    unique: field('whether the database guarantees that no second row is related', bool()),
    trust: field(
      '`plain`: policies of a database read these rows in a sub-select, as everyone sees all of them (`authzc rls`); by default by functions of a role that does',
      text(among(TRUST)),
    ),
    where: field('the rows that count, by column: its value, or `null` for NULL: `deleted_at: null`', map(text())),
    columns: columns('the columns of the other table by field: of the object, or of each element'),
    value: field(
      'the column of the elements, if they are not objects',
      object(() => COLUMN),
    ),
  },
  { storage: ['column', 'relation'] },
  [
    ...['relation', 'table', 'on', 'closure', 'unique', 'trust', 'where', 'columns', 'value'].map((name) => [
      'type',
      name,
    ]),
    ['columns', 'value'],
    ['unique', 'value'],
    ['unique', 'closure'],
  ],
);

function columns(description: string, ...rules: readonly Rule[]): DescribedField {
  return field(
    description,
    map(
      object(() => ATTRIBUTE),
      ...rules,
    ),
  );
}

function contents(): Readonly<Record<'nulls' | 'collation' | 'zone' | 'precision', DescribedField>> {
  return {
    nulls: field(
      'what a check receives for NULL: no attribute (`missing`, the default), an attribute that is null (`as-null`); or `never`: the column is NOT NULL',
      text(among([...NULLS.keys()])),
    ),
    collation: field(
      'how the column compares strings; by default as columns of the database do',
      text(among(COLLATIONS)),
    ),
    zone: field(
      'of a timestamp without a time zone: `utc`; of text in SQLite that ends so: `+00:00`',
      text(among(ZONES)),
    ),
    precision: field(
      'of a timestamp: what a check receives of it, such as `milliseconds` of a program that reads it as a Date; by default what the column has',
      text(among([...PRECISIONS.keys()])),
    ),
  };
}

/** The fields that an attribute has to have with another one. */
export const REQUIRED_WITH: { readonly [field in 'column' | 'relation']: readonly string[] } = {
  column: ['type'],
  relation: ['table', 'on'],
};
