/** A field of a model that has a column. */
export interface PrismaColumn<Field extends string> {
  readonly field: Field;
  /**
   * What check receives: a string of a `String` or of a `String @db.Uuid`, a number or a string of an `Int` or `BigInt`, a
   * number of a `Float`, a `Boolean`, a `DateTime`, or a `String[]`.
   */
  readonly type: 'text' | 'uuid' | 'integer' | 'integer-as-text' | 'number' | 'boolean' | 'timestamp' | 'list';
  /**
   * What check receives for NULL: no attribute, null, or the column is never NULL. `missing` if absent; a list is never
   * missing.
   */
  readonly null?: 'missing' | 'null' | 'never';
  /** The values of an enum. Prisma rejects others. */
  readonly values?: readonly string[];
  /** Declares that a text column has the order of bytes: `COLLATE "C"` of PostgreSQL. SQLite has it by default. */
  readonly collation?: 'binary';
}

/** A related record: an object. */
export interface PrismaRecord<Field extends string, Where> {
  readonly field: Field;
  readonly relation: 'one';
  /** `never` for a required relation. `missing` if absent. */
  readonly null?: 'missing' | 'never';
  /** Which records count; another one is missing: `{ deletedAt: null }`. */
  readonly where?: PrismaValues<Where>;
  readonly attributes: PrismaAttributes<Where>;
}

/** Related records: a list, which is never missing. */
export interface PrismaRecords<Field extends string, Where> {
  readonly field: Field;
  readonly relation: 'many';
  /** Which records count, for those that the application hides: `{ deletedAt: null }`. */
  readonly where?: PrismaValues<Where>;
  /** The attributes of records that are objects. */
  readonly attributes?: PrismaAttributes<Where>;
  /** The field with the values, if the list has no objects. */
  readonly value?: PrismaColumn<FieldName<Where>>;
}

/** The values that fields have. */
export type PrismaValues<Where> = { readonly [Field in FieldName<Where>]?: string | number | boolean | null };

/** Columns and relations by attribute: `owner`, or `home.city` for a field of one. */
export interface PrismaAttributes<Where> {
  readonly [attributePath: string]: PrismaAttribute<Where>;
}

/** Where an attribute is stored: by the names of fields that the model has. */
export type PrismaAttribute<Where> = {
  readonly [Field in FieldName<Where>]:
    | PrismaColumn<Field>
    | PrismaRecord<Field, RecordWhere<Where[Field]>>
    | PrismaRecords<Field, RecordsWhere<Where[Field]>>;
}[FieldName<Where>];

type FieldName<Where> = Exclude<keyof Where & string, 'AND' | 'OR' | 'NOT'>;
type RecordWhere<Filter> = Filter extends { is?: infer Where } ? NonNullable<Where> : never;
type RecordsWhere<Filter> = Filter extends { some?: infer Where } ? NonNullable<Where> : never;

/** The types of an id; an integer is a string for check. */
type IdType = 'text' | 'uuid' | 'integer' | 'integer-as-text';

/** Where the attributes of a resource are stored. */
export interface PrismaMapping<Where> {
  readonly provider: 'postgresql' | 'sqlite';
  /** The id of the resource: a `String`, a `String @db.Uuid`, or an `Int` or `BigInt` that check receives as a string. */
  readonly id?: FieldName<Where> | { readonly field: FieldName<Where>; readonly type: IdType };
  /** Plans that read other attributes are refused. */
  readonly attributes: PrismaAttributes<Where>;
}

/** A mapping, by names that may be any. */
export interface NamedMapping {
  readonly provider: 'postgresql' | 'sqlite';
  readonly id?: string | { readonly field: string; readonly type: IdType; readonly bits?: IntegerBits };
  readonly attributes: NamedAttributes;
}
export interface NamedAttributes {
  readonly [attributePath: string]: NamedColumn | NamedRecord | NamedRecords;
}
export interface NamedColumn extends PrismaColumn<string> {
  /** The size of its integers, where the schema is known. */
  readonly bits?: IntegerBits;
  /** What other fields are compared with it by, where the client is known. */
  readonly reference?: FieldReference;
}
/** A field as an operand: `prisma.note.fields.owner`. */
export interface FieldReference {
  readonly ref: object;
  readonly type: string;
  readonly native: string;
  /** The digits of the seconds of a time. */
  readonly digits?: number;
}
export type IntegerBits = 16 | 32 | 64;
/** A relation. */
export interface NamedRelation {
  readonly field: string;
  readonly where?: { readonly [field: string]: string | number | boolean | null | undefined };
  /** The fields of `where` that may be NULL, where the schema is known. */
  readonly optional?: readonly string[];
}
export interface NamedRecord extends NamedRelation {
  readonly relation: 'one';
  readonly null?: 'missing' | 'never';
  readonly attributes: NamedAttributes;
}
export interface NamedRecords extends NamedRelation {
  readonly relation: 'many';
  readonly attributes?: NamedAttributes;
  readonly value?: NamedColumn;
}

/** The column of the id. */
export function idColumn({ id }: NamedMapping): NamedColumn | undefined {
  if (id === undefined) return undefined;
  if (typeof id === 'string') return { field: id, type: 'text', null: 'never' };
  return { ...id, type: id.type === 'integer' ? 'integer-as-text' : id.type, null: 'never' };
}

/** A `where` object. */
export interface Where {
  readonly [field: string]: unknown;
}

/** What selects everything. Prisma drops it from a list of conditions. */
export const ALWAYS: Where = {};
/** What selects nothing. It is never passed to Prisma, which has no such condition. */
export const NEVER: Where = { OR: [] };
