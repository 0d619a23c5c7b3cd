/** A field of a model that has a column. */
export interface PrismaColumn<Field extends string> {
  readonly field: Field;
  /** `String`, `Int`, `Float`, `Boolean`, and `String[]`. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'list';
  /**
   * What check receives for NULL: no attribute, null, or the column is never NULL. `missing` if absent; a list is never
   * missing.
   */
  readonly null?: 'missing' | 'null' | 'never';
  /** Of an enum: its values. Prisma rejects others. */
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
  readonly attributes: PrismaAttributes<Where>;
}

/** Related records: a list, which is never missing. */
export interface PrismaRecords<Field extends string, Where> {
  readonly field: Field;
  readonly relation: 'many';
  /** Of objects. */
  readonly attributes?: PrismaAttributes<Where>;
  /** Of values: the field that has them. */
  readonly value?: PrismaColumn<FieldName<Where>>;
}

/** By attribute: `owner`, or `home.city` for a field of one. */
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

/** Where the attributes of a resource are stored. */
export interface PrismaMapping<Where> {
  readonly provider: 'postgresql' | 'sqlite';
  /** The id of the resource as check receives it: a `String`. */
  readonly id?: FieldName<Where>;
  /** Plans that read other attributes are refused. */
  readonly attributes: PrismaAttributes<Where>;
}

/** A mapping, by names that may be any. */
export interface NamedMapping {
  readonly provider: 'postgresql' | 'sqlite';
  readonly id?: string;
  readonly attributes: NamedAttributes;
}
export interface NamedAttributes {
  readonly [attributePath: string]: PrismaColumn<string> | NamedRecord | NamedRecords;
}
export interface NamedRecord {
  readonly field: string;
  readonly relation: 'one';
  readonly null?: 'missing' | 'never';
  readonly attributes: NamedAttributes;
}
export interface NamedRecords {
  readonly field: string;
  readonly relation: 'many';
  readonly attributes?: NamedAttributes;
  readonly value?: PrismaColumn<string>;
}

/** A `where` object. */
export interface Where {
  readonly [field: string]: unknown;
}

/** What selects everything. Prisma drops it from a list of conditions. */
export const ALWAYS: Where = {};
/** What selects nothing. It is never passed to Prisma, which has no such condition. */
export const NEVER: Where = { OR: [] };
