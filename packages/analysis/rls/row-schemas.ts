import { compileSchema } from '../../../compiler/schema/index.js';
import {
  isRelation,
  type SqlColumn,
  type SqlColumns,
  type SqlRelation,
  type SqlTable,
  type SqlType,
} from '../../../runtime/residual/sql/table.js';
import type { AssumedSchema } from '../question/question.js';

/**
 * Schemas of the attributes of the rows that a table can have, as far as its declaration says. The second one accepts any
 * string for a UUID or digits, as policies compare them with ids of principals, which may be any strings.
 */
export function makeRowSchemas({ columns }: SqlTable): readonly AssumedSchema[] {
  return [FORMATTED, TYPES].map((types) => ({
    attributesOf: 'resource',
    at: { file: FILE, pointer: '' },
    modules: compileSchema(FILE, JSON.stringify(describeRow(columns, types))),
  }));
}

const FILE = 'row.json';

type Types = Readonly<Record<SqlType, object>>;

const STRING = { type: 'string' };
const TIME = { type: 'string', format: 'date-time' };

const TYPES: Types = {
  text: STRING,
  uuid: STRING,
  integer: { type: 'integer' },
  'integer-as-text': STRING,
  number: { type: 'number' },
  decimal: { type: 'number' },
  boolean: { type: 'boolean' },
  timestamp: TIME,
  'epoch-seconds': TIME,
  'epoch-milliseconds': TIME,
  json: {},
  list: { type: 'array' },
  'text[]': { type: 'array', items: STRING },
};

const FORMATTED: Types = {
  ...TYPES,
  uuid: { type: 'string', format: 'uuid' },
  // The first alternative is what examples have.
  'integer-as-text': { anyOf: [{ const: '1' }, { type: 'string', pattern: '^(0|-?[1-9][0-9]*)$' }] },
};

function describeRow(columns: SqlColumns, types: Types): object {
  const names = [...new Set(Object.keys(columns).map((path) => path.split('.')[0] as string))];
  const members = names.map((name) => {
    const stored = Object.hasOwn(columns, name) ? columns[name] : undefined;
    if (stored !== undefined) return { name, isRequired: isAlwaysThere(stored), schema: describeStored(stored, types) };
    const below = Object.entries(columns).flatMap(([path, one]) =>
      path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), one] as const] : [],
    );
    return { name, isRequired: true, schema: describeRow(Object.fromEntries(below), types) };
  });
  return {
    type: 'object',
    required: members.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])),
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
  };
}

function isAlwaysThere(stored: SqlColumn | SqlRelation): boolean {
  return isRelation(stored) ? stored.relation === 'many' : stored.null === 'null' || stored.null === 'never';
}

function describeStored(stored: SqlColumn | SqlRelation, types: Types): object {
  if (!isRelation(stored)) return describeColumn(stored, types);
  const { relation, columns = {}, value } = stored;
  const row = value === undefined ? describeRow(columns, types) : describeColumn(value, types);
  return relation === 'one' ? row : { type: 'array', items: row };
}

function describeColumn({ type, values, null: ofNull }: SqlColumn, types: Types): object {
  const own = values === undefined ? types[type] : { enum: values };
  return ofNull === 'null' ? { anyOf: [own, { type: 'null' }] } : own;
}
