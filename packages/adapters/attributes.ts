/** The attributes of rows, made by the mapping that conditions are made by, so that lists and checks agree. */
import type { JsonValue } from '../../runtime/residual/filters.js';
import { setOwn } from '../cel/runtime/own-property.js';
import { convertAttribute, isStored } from './attribute-values.js';
import {
  type MappedColumn,
  type MappedColumns,
  type MappedRelation,
  type Mapping,
  shownWhere,
  storedColumn,
  type StoredTable,
} from './condition.js';

/** The attributes of a resource, as check receives them; by any name where the type of the mapping is not known. */
export type RowAttributes<Attributes> = [keyof Attributes] extends [never]
  ? { readonly [attribute: string]: JsonValue }
  : string extends keyof Attributes
    ? { readonly [attribute: string]: JsonValue }
    : Unflattened<{ readonly [Path in keyof Attributes]: Attribute<Attributes[Path]> }, Attributes>;

/** A resource, as check receives it, without its kind. */
export interface RowResource<Attributes> {
  readonly id: string;
  readonly attr: RowAttributes<Attributes>;
}

/** What an adapter offers beside conditions: what check must receive for the rows that they select. */
export interface RowReader<Row extends object, Attributes> {
  /**
   * The attributes of a row that the library returned, with the related rows that the mapping names.
   * @throws {TypeError} for a row without a column or a relation of the mapping, which was not selected.
   */
  attributesOf(row: Row): RowAttributes<Attributes>;
  /** The id and the attributes of a row, for a mapping with an `id`. */
  resourceOf(row: Row): RowResource<Attributes>;
}

type Attribute<Stored> = Stored extends { readonly relation: 'one'; readonly columns: infer Columns }
  ? RowAttributes<Columns>
  : Stored extends { readonly relation: 'many'; readonly columns: infer Columns }
    ? readonly RowAttributes<Columns>[]
    : Stored extends { readonly relation: 'many'; readonly value: infer Value }
      ? readonly Attribute<Value>[]
      : Stored extends { readonly type: infer Type; readonly null: 'null' }
        ? ValueOf<Type, Stored> | null
        : Stored extends { readonly type: infer Type }
          ? ValueOf<Type, Stored>
          : JsonValue;

/** What check receives for a type; one of the values that the mapping lists, if it does. */
type ValueOf<Type, Stored> = Stored extends { readonly type: 'text'; readonly values: readonly (infer Value)[] }
  ? Value
  : ValueOfType<Type>;

type ValueOfType<Type> = Type extends 'text' | 'uuid' | 'integer-as-text' | `epoch-${string}` | 'timestamp'
  ? string
  : Type extends 'integer' | 'number' | 'decimal'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'list' | 'text[]'
        ? readonly JsonValue[]
        : JsonValue;

/** Attributes that are always there, those that may be missing, and objects for the paths with dots. */
type Unflattened<Values, Attributes> = {
  readonly [Path in keyof Values as Path extends `${string}.${string}`
    ? never
    : IsThere<Attributes, Path>]: Values[Path];
} & {
  readonly [Path in keyof Values as Path extends `${string}.${string}`
    ? never
    : MayMiss<Attributes, Path>]?: Values[Path];
} & {
  readonly [Path in keyof Values as Path extends `${infer Parent}.${string}` ? Parent : never]: {
    readonly [field: string]: JsonValue;
  };
};
type IsThere<Attributes, Path extends keyof Attributes | PropertyKey> = Path extends keyof Attributes
  ? Attributes[Path] extends { readonly null: 'null' | 'never' } | { readonly relation: 'many' }
    ? Path
    : never
  : never;
type MayMiss<Attributes, Path> = IsThere<Attributes, Path & PropertyKey> extends never ? Path & PropertyKey : never;

/** Creates the functions that read rows. */
export function rowReader<Row extends object, Attributes>(
  table: StoredTable,
  mapping: Mapping<string>,
  relatedTable: (name: string) => StoredTable,
): RowReader<Row, Attributes> {
  const reader = new Reader(mapping, relatedTable);
  return {
    attributesOf: (row) => reader.attributes(row, mapping.attributes, table, '') as RowAttributes<Attributes>,
    resourceOf: (row) => ({
      id: reader.id(row, table),
      attr: reader.attributes(row, mapping.attributes, table, '') as RowAttributes<Attributes>,
    }),
  };
}

class Reader {
  constructor(
    private readonly mapping: Mapping<string>,
    private readonly relatedTable: (name: string) => StoredTable,
  ) {}

  id(row: object, table: StoredTable): string {
    const { id } = this.mapping;
    if (id === undefined) throw new TypeError(`the mapping of \`${table.name}\` has no \`id\``);
    const value = this.column(row, id, table, 'R.id');
    if (typeof value !== 'string') throw new TypeError(`\`R.id\` of a row of \`${table.name}\` must be a string`);
    return value;
  }

  attributes(row: object, columns: MappedColumns<string>, table: StoredTable, before: string): Attributes {
    const attributes: Attributes = {};
    for (const [path, stored] of Object.entries(columns)) {
      const attribute = `R.attr.${before}${path}`;
      const value =
        'relation' in stored
          ? this.related(row, stored, path, table, attribute)
          : this.column(row, stored, table, attribute);
      putAttribute(attributes, path.split('.'), value);
    }
    return attributes;
  }

  /** The value of a column; undefined if the attribute is missing. */
  private column(
    row: object,
    mapped: MappedColumn<string>,
    table: StoredTable,
    attribute: string,
  ): JsonValue | undefined {
    const place = `\`${attribute}\`: \`${mapped.column}\` of a row of \`${table.name}\``;
    const value = valueOf(row, mapped.column, table);
    if (value === undefined) throw new TypeError(`${place} was not read: select it`);
    const { dialect } = this.mapping;
    const { isParsed = dialect !== 'sqlite', mayBeRounded = false } = table.typeOf?.(mapped.column) ?? {};
    const reading = { dialect, isParsed, mayBeRounded, isUtc: table.typeOf !== undefined };
    const found =
      value === null
        ? null
        : convertAttribute(value, storedColumn(mapped, attribute, table, this.mapping), reading, place);
    if (found !== null) return found;
    const isDocument = mapped.type === 'json' || mapped.type === 'list';
    if (mapped.null === 'never' && !isDocument)
      throw new TypeError(`${place} is NULL, and the mapping declares \`null: 'never'\``);
    // A document that is never NULL may be the JSON value null.
    return (mapped.null ?? 'missing') === 'missing' ? undefined : null;
  }

  /** An object, or a list of objects or values; undefined if there is no row of a relation to one. */
  private related(
    row: object,
    relation: MappedRelation<string>,
    path: string,
    table: StoredTable,
    attribute: string,
  ): JsonValue | undefined {
    const other = this.relatedTable(relation.table);
    const property = relation.property ?? path;
    const found = (row as { readonly [name: string]: unknown })[property];
    if (found === undefined || isInherited(found, property))
      throw new TypeError(
        `\`${attribute}\`: the row has no related rows in \`${property}\`: load them, or name the property that has them in \`property\``,
      );
    const counting = listOf(found).filter((one) => this.counts(one, relation, other, attribute));
    const rows = relation.closure === undefined ? counting : this.reached(row, counting, relation, table, attribute);
    const each = (one: object): JsonValue | undefined =>
      relation.value === undefined
        ? this.attributes(one, relation.columns ?? {}, other, `${attribute.slice('R.attr.'.length)}.`)
        : this.column(one, relation.value, other, attribute);
    if (relation.relation === 'many') return rows.flatMap((one) => each(one) ?? ([] as never));
    if (rows.length > 1)
      throw new TypeError(`\`${attribute}\`: several rows are related, and the mapping declares one`);
    const [only] = rows;
    return only && each(only);
  }

  /** The rows of the first step and of all further ones, in the order in which they are found. */
  private reached(
    row: object,
    candidates: readonly object[],
    { on, closure = {}, ...relation }: MappedRelation<string>,
    table: StoredTable,
    attribute: string,
  ): readonly object[] {
    const other = this.relatedTable(relation.table);
    const keys = Object.keys(on);
    const keyOf = (one: object, columns: readonly (string | undefined)[], of: StoredTable): string | undefined => {
      const values = columns.map((column = '') => {
        const value = valueOf(one, column, of);
        if (value === undefined)
          throw new TypeError(`\`${attribute}\`: \`${column}\` of a row of \`${of.name}\` was not read: select it`);
        // As text, different bytes may be alike.
        return value instanceof Uint8Array ? value.join() : value;
      });
      return values.includes(null) ? undefined : JSON.stringify(values.map(String));
    };
    const byKey = new Map<string | undefined, object[]>();
    for (const one of candidates) {
      const key = keyOf(one, keys, other);
      const same = byKey.get(key);
      if (same !== undefined) same.push(one);
      else if (key !== undefined) byKey.set(key, [one]);
    }
    const first = keys.map((key) => on[key]);
    const found = new Set(byKey.get(keyOf(row, first, table)));
    const next = keys.map((key) => closure[key]);
    for (const one of found) for (const above of byKey.get(keyOf(one, next, other)) ?? []) found.add(above);
    return [...found];
  }

  /**
   * Whether a related row counts. A library returns those that its model hides only if the application asks for them, and
   * then with the column that hides them, unless that is left out.
   */
  private counts(row: object, { where = {} }: MappedRelation<string>, other: StoredTable, attribute: string): boolean {
    const ofModel = Object.entries(shownWhere(other.hidden)).filter(([column]) => where[column] === undefined);
    return [...ofModel, ...Object.entries(where)].every(([column, wanted]) => {
      if (wanted === undefined) return true;
      const place = `\`${attribute}\`: \`${column}\` of a related row`;
      const value = valueOf(row, column, other);
      if (value !== undefined) return isStored(value, wanted, place);
      if (where[column] === undefined) return true;
      throw new TypeError(`${place} was not read: select it, because it decides whether the row counts`);
    });
  }
}

/** What a row that the library returned has in a column; undefined if it was not read. */
function valueOf(row: object, column: string, { valueIn }: StoredTable): unknown {
  const value = valueIn === undefined ? (row as { readonly [name: string]: unknown })[column] : valueIn(row, column);
  return isInherited(value, column) ? undefined : value;
}

/** Whether it is what all objects inherit under a name, such as `constructor`, rather than a value of a row. */
function isInherited(value: unknown, name: string): boolean {
  return typeof value === 'function' && value === (Object.prototype as { readonly [name: string]: unknown })[name];
}

interface Attributes {
  [name: string]: JsonValue;
}

/** Collections of libraries are iterable; a reference to one row is the row. */
function listOf(found: unknown): readonly object[] {
  if (found === null) return [];
  if (Array.isArray(found)) return found as object[];
  const isCollection = typeof (found as Iterable<object>)[Symbol.iterator] === 'function';
  return isCollection ? [...(found as Iterable<object>)] : [found as object];
}

/** Sets an attribute at its path. The objects on the way are there even if the attribute is missing. */
export function putAttribute(attributes: Attributes, path: readonly string[], value: JsonValue | undefined): void {
  const [name, ...fields] = path as [string, ...string[]];
  if (fields.length === 0) {
    if (value !== undefined) setOwn(attributes, name, value);
    return;
  }
  if (!Object.hasOwn(attributes, name)) setOwn(attributes, name, {});
  putAttribute(attributes[name] as Attributes, fields, value);
}
