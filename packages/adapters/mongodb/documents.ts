/** The attributes of documents, made by the mapping that filters are made by. */
import type { JsonValue } from '../../../runtime/residual/filters.js';
import { refuseOverlaps } from '../overlaps.js';
import { putAttribute, type RowAttributes, type RowReader } from '../attributes.js';

/** A mapping, by names that may be any. */
export interface NamedFields {
  readonly id?: string;
  readonly attributes: { readonly [attributePath: string]: string | { readonly field: string } };
}

/** Creates the functions that read documents as the driver or `lean()` of Mongoose returns them. */
export function documentReader(collection: string, { id, attributes }: NamedFields): RowReader<object, object> {
  const fieldOf = (stored: string | { readonly field: string }): string =>
    typeof stored === 'string' ? stored : stored.field;
  refuseOverlaps(attributes, 'R.attr.', (inner, outer, below) => fieldOf(inner) === fieldOf(outer) + below);
  // The dates of objects in a list are read with the list.
  const isWithin = ([path]: readonly [string, unknown]): boolean =>
    path
      .split('.')
      .some((_, length, names) => length > 0 && Object.hasOwn(attributes, names.slice(0, length).join('.')));
  const read = Object.entries(attributes).filter((entry) => !isWithin(entry));
  const isDate = new Set(
    Object.values(attributes).flatMap((stored) => (typeof stored === 'string' ? [] : stored.field)),
  );
  const readField = (document: object, field: string): JsonValue | undefined => {
    if ('$isDefault' in document)
      throw new TypeError(
        `a document of \`${collection}\` is one of Mongoose, which fills in defaults and drops empty objects: read it with \`lean()\``,
      );
    const value = valueAt(document, field.split('.'));
    return value === undefined
      ? undefined
      : toJson(value, field, isDate, `\`${field}\` of a document of \`${collection}\``);
  };
  const attributesOf = (document: object): RowAttributes<object> => {
    const found = {};
    for (const [path, stored] of read) putAttribute(found, path.split('.'), readField(document, fieldOf(stored)));
    return found as RowAttributes<object>;
  };
  return {
    attributesOf,
    resourceOf(document) {
      if (id === undefined) throw new TypeError(`the mapping of \`${collection}\` has no \`id\``);
      const value = readField(document, id);
      if (typeof value !== 'string')
        throw new TypeError(`\`${id}\` of a document of \`${collection}\` must be a string`);
      return { id: value, attr: attributesOf(document) };
    },
  };
}

/** What is at a path of objects. Elements of a list have paths of their own, which no mapping names. */
function valueAt(document: object, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isPlain(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    document,
  );
}

/** @param field the path of the value, in which elements of lists have no position. */
function toJson(value: unknown, field: string, isDate: ReadonlySet<string>, place: string): JsonValue {
  if (Array.isArray(value)) return value.map((element) => toJson(element ?? null, field, isDate, place));
  if (value === null) return null;
  if (isDate.has(field) !== value instanceof Date)
    throw new TypeError(
      isDate.has(field)
        ? `${place} is not a date, and the mapping declares \`type: 'date'\``
        : `${place} is a date: map it with \`type: 'date'\``,
    );
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (!isPlain(value))
    throw new TypeError(
      `${place} is ${kindOf(value)}, which JSON does not have and no condition reads. Store a string or a number, or leave it out of the mapping`,
    );
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([name, inner]) => [name, toJson(inner, `${field}.${name}`, isDate, place)]));
}

function isPlain(value: unknown): value is { readonly [name: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${value as string} (${typeof value})`;
  return `of the type \`${value.constructor.name}\``;
}
