import type { Collation, SqlColumn, SqlRelation, SqlType } from '../../runtime/residual/sql/table.js';
import {
  bool,
  type DescribedField,
  field,
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
export const TYPES = ['text', 'integer', 'number', 'boolean', 'timestamp', 'json', 'list'] as const satisfies SqlType[];
/** What NULL stands for. YAML reads the word `null` as no value, so neither the key nor a word is `null`. */
export const NULLS: ReadonlyMap<string, NonNullable<SqlColumn['null']>> = new Map([
  ['missing', 'missing'],
  ['as-null', 'null'],
  ['never', 'never'],
]);
/** How columns compare strings. */
export const COLLATIONS = ['binary', 'deterministic', 'other'] as const satisfies Collation[];
/** To how many rows of another table an attribute refers. */
export const RELATIONS = ['one', 'many'] as const satisfies SqlRelation['relation'][];

const required: Rule = { rule: 'required' };

/** One of the words. Absent and empty are accepted, unless the field is required. */
const among = (words: readonly string[]): Rule => {
  const pattern: Pattern = { text: `^(|${words.join('|')})$`, accepts: new RegExp(`^(?:|${words.join('|')})$`) };
  return { rule: 'pattern', pattern };
};

/** A file that says where the attributes of resources are stored. */
export const TABLES: MessageType = messageType({
  tables: field(
    'the table of each kind of resource',
    map(
      object(() => TABLE),
      required,
    ),
  ),
  $schema: field('JSON Schema of the file, for editors', text()),
});

const TABLE: MessageType = messageType({
  name: field('name of the table', text(required)),
  alias: field('its alias in queries', text()),
  id: field(
    'the column of the id that checks receive, which must be text',
    object(() => COLUMN),
  ),
  columns: columns('the column of each attribute, by its path: `owner`, `address.city`', required),
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
    unique: field('whether the database guarantees that no second row is related', bool()),
    columns: columns('the columns of the other table by field: of the object, or of each element'),
    value: field(
      'the column of the elements, if they are not objects',
      object(() => COLUMN),
    ),
  },
  { storage: ['column', 'relation'] },
  [
    ...['relation', 'table', 'on', 'unique', 'columns', 'value'].map((name) => ['type', name]),
    ['columns', 'value'],
    ['unique', 'value'],
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

function contents(): Readonly<Record<'nulls' | 'collation', DescribedField>> {
  return {
    nulls: field(
      'what a check receives for NULL: no attribute (`missing`, the default), an attribute that is null (`as-null`); or `never`: the column is NOT NULL',
      text(among([...NULLS.keys()])),
    ),
    collation: field(
      'how the column compares strings; by default as columns of the database do',
      text(among(COLLATIONS)),
    ),
  };
}

/** The fields that an attribute has to have with another one. */
export const REQUIRED_WITH: { readonly [field in 'column' | 'relation']: readonly string[] } = {
  column: ['type'],
  relation: ['table', 'on'],
};
