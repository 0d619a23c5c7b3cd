/** The types of fields in a Prisma schema, and which words of a mapping are right for each. */
import { ColumnTypeError } from '../column-types.js';
import type { DataField, DataModel } from './data-model.js';
import {
  idColumn,
  type IntegerBits,
  type NamedAttributes,
  type NamedColumn,
  type NamedMapping,
  type NamedRecord,
  type NamedRecords,
  type NamedRelation,
} from './mapping.js';

type Word = NamedColumn['type'];

interface FieldRow {
  readonly words: readonly Word[];
  /** The types of the database that such a field may have; in SQLite, there are none. */
  readonly natives: readonly string[];
  /** Why no word is right, and the way out. */
  readonly why?: string;
}

const none = (why: string): FieldRow => ({ words: [], natives: [], why });

/** The words that fit a field, by its type; `list` has the lists of these types. */
const FIELD_TYPES: { readonly [type: string]: FieldRow } = {
  String: { words: ['text'], natives: ['Text', 'VarChar'] },
  'String @db.Uuid': { words: ['uuid'], natives: [] },
  Int: { words: ['integer', 'integer-as-text'], natives: ['Integer', 'SmallInt'] },
  BigInt: { words: ['integer', 'integer-as-text'], natives: ['BigInt'] },
  Float: { words: ['number'], natives: ['DoublePrecision'] },
  Boolean: { words: ['boolean'], natives: ['Boolean'] },
  DateTime: { words: ['timestamp'], natives: ['Timestamp', 'Timestamptz'] },
  enum: { words: ['text'], natives: [] },
  'String[]': { words: ['list'], natives: ['Text', 'VarChar'] },
  'enum[]': { words: ['list'], natives: [] },
  Decimal: none(
    'the database compares its digits, and check the nearest number. Make it `Float`, or an `Int` of cents',
  ),
  Json: none('conditions cannot read it. Store its values in fields or related records'),
  Bytes: none('check receives no bytes. Store a `String`'),
};

/** Why a type of the database is not right. */
const NATIVES: { readonly [native: string]: string } = {
  Char: 'it pads with blanks, which comparisons ignore and check does not. Make it `@db.Text` or `@db.VarChar`',
  Citext: 'it ignores case, and check does not. Make it `@db.Text`',
  Real: 'its values are rounded to fewer digits where they are read. Make it `@db.DoublePrecision`',
  Date: 'the database compares days, and check a time. Make it `@db.Timestamptz`',
  Time: 'no function of policies reads it. Store a timestamp, or a string',
  Timetz: 'no function of policies reads it. Store a timestamp, or a string',
};

/**
 * Checks a mapping against the schema, when an adapter is created.
 * @returns the mapping with what the schema says: which fields are required, the values of enums, and the size of integers.
 * @throws {ColumnTypeError} if a word is not right for the type of its field.
 */
export function requireFields(model: string, mapping: NamedMapping, data: DataModel): NamedMapping {
  if (data.provider !== undefined && data.provider !== mapping.provider)
    throw new TypeError(
      `the mapping of \`${model}\` is for the provider \`${mapping.provider}\`, and the schema for \`${data.provider}\``,
    );
  requireModel(model, data);
  const id = idColumn(mapping);
  return {
    ...mapping,
    ...(id && { id: requireColumn(id, 'R.id', model, data) as NamedMapping['id'] & object }),
    attributes: requireAttributes(mapping.attributes, 'R.attr.', model, data),
  };
}

function requireAttributes(
  attributes: NamedAttributes,
  before: string,
  model: string,
  data: DataModel,
): NamedAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([path, stored]) => [
      path,
      'relation' in stored
        ? requireRelation(stored, before + path, model, data)
        : requireColumn(stored, before + path, model, data),
    ]),
  );
}

function requireRelation(
  stored: NamedRecord | NamedRecords,
  attribute: string,
  model: string,
  data: DataModel,
): NamedRecord | NamedRecords {
  const field = requireField(stored.field, attribute, model, data);
  const what = `\`${attribute}\`: the field \`${stored.field}\` of \`${model}\``;
  if (field.kind !== 'object')
    throw new ColumnTypeError(`${what} has the type \`${written(field)}\`, which is not a relation`);
  const { isList = stored.relation === 'many' } = field;
  if (isList !== (stored.relation === 'many'))
    throw new ColumnTypeError(
      `${what} has the type \`${written(field)}\`, and the mapping declares \`relation: '${stored.relation}'\`. Write \`relation: '${isList ? 'many' : 'one'}'\``,
    );
  const optional = requireWhere(stored, attribute, field.type, data);
  if (stored.relation === 'many') {
    const { attributes, value } = stored;
    return {
      ...stored,
      optional,
      ...(attributes && { attributes: requireAttributes(attributes, `${attribute}.`, field.type, data) }),
      ...(value && { value: requireColumn(value, attribute, field.type, data) }),
    };
  }
  return {
    ...stored,
    optional,
    ...requireAbsence(stored.null, field, what),
    attributes: requireAttributes(stored.attributes, `${attribute}.`, field.type, data),
  };
}

/** The fields of `where` that may be NULL. */
function requireWhere(
  { where = {} }: NamedRelation,
  attribute: string,
  model: string,
  data: DataModel,
): readonly string[] {
  return Object.entries(where).flatMap(([name, value]) => {
    const { isRequired } = requireField(name, attribute, model, data);
    if (isRequired === true && value === null)
      throw new ColumnTypeError(
        `\`${attribute}\`: the field \`${name}\` of \`${model}\` is required, and \`where\` compares it with null`,
      );
    return isRequired === false ? [name] : [];
  });
}

function requireColumn(column: NamedColumn, attribute: string, model: string, data: DataModel): NamedColumn {
  const field = requireField(column.field, attribute, model, data);
  const what = `\`${attribute}\`: the field \`${column.field}\` of \`${model}\``;
  const typed = `${what} has the type \`${written(field)}\``;
  const row = findRow({ ...field, isList: field.isList ?? column.type === 'list' });
  if (row.words.length === 0) throw new ColumnTypeError(`${typed}, which no mapping supports: ${row.why}`);
  if (!row.words.includes(column.type))
    throw new ColumnTypeError(
      `${typed}, and the mapping declares \`type: '${column.type}'\`. Write ${row.words.map((word) => `\`type: '${word}'\``).join(', or ')}`,
    );
  const unknown = column.values?.filter((value) => field.values?.includes(value) === false) ?? [];
  if (unknown.length > 0)
    throw new ColumnTypeError(`${typed}, which has no value ${unknown.map((value) => `\`${value}\``).join(', ')}`);
  const values = column.values ?? field.values;
  return {
    ...column,
    ...(column.type === 'list' ? {} : requireAbsence(column.null, field, what)),
    ...(values && { values }),
    ...(BITS[field.type] !== undefined && { bits: field.native === 'SmallInt' ? 16 : BITS[field.type] }),
    ...findReference(column.field, field, model, data),
  };
}

/** How other fields are compared with a field. The schema has to say what it is in the database. */
function findReference(
  name: string,
  { type, native, digits = native === 'none' && type === 'DateTime' ? MIGRATED_DIGITS : undefined }: DataField,
  model: string,
  { referenceOf }: DataModel,
): Pick<NamedColumn, 'reference'> {
  const ref = native === undefined ? undefined : referenceOf?.(model, name);
  if (ref === undefined || native === undefined) return {};
  return { reference: { ref, type, native, ...(digits !== undefined && { digits }) } };
}

/** The digits of a `DateTime` that Prisma Migrate creates. */
const MIGRATED_DIGITS = 3;

const BITS: { readonly [type: string]: IntegerBits } = { Int: 32, BigInt: 64 };

/** A field that is required is never NULL, and Prisma rejects a test of one for null. */
function requireAbsence<Absence>(
  absence: Absence,
  { isRequired, kind }: DataField,
  what: string,
): { readonly null?: Absence | 'never' } {
  if (absence === 'never' && isRequired === false)
    throw new ColumnTypeError(
      `${what} is optional, and the mapping declares \`null: 'never'\`. Write \`null: 'missing'\`${kind === 'object' ? '' : " or `null: 'null'`"}, or make it required`,
    );
  return isRequired === true ? { null: 'never' } : {};
}

function requireModel(model: string, { models }: DataModel): ReadonlyMap<string, DataField> {
  const fields = models.get(model);
  if (fields === undefined) throw new TypeError(`the schema of Prisma has no model \`${model}\``);
  return fields;
}

function requireField(name: string, attribute: string, model: string, data: DataModel): DataField {
  const field = requireModel(model, data).get(name);
  if (field === undefined) throw new TypeError(`\`${attribute}\`: the model \`${model}\` has no field \`${name}\``);
  return field;
}

function findRow(field: DataField): FieldRow {
  const { kind, type, isList, native = 'none' } = field;
  if (kind === 'object') return none('it is a relation. Write `relation`');
  if (kind === 'unsupported') return none('Prisma cannot read it');
  if (native === 'Uuid' && isList !== true) return FIELD_TYPES['String @db.Uuid'] as FieldRow;
  const row = FIELD_TYPES[(kind === 'enum' ? 'enum' : type) + (isList === true ? '[]' : '')];
  if (row === undefined) return none('conditions cannot read it. Store related records');
  if (native === 'none' || row.words.length === 0 || row.natives.includes(native)) return row;
  return none(NATIVES[native] ?? 'conditions compare its values differently than check');
}

function written({ type, isList, isRequired, native = 'none' }: DataField): string {
  const marks = isList === true ? '[]' : isRequired === false ? '?' : '';
  return `${type}${marks}${native === 'none' ? '' : ` @db.${native}`}`;
}
