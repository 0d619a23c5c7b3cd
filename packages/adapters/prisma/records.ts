/** The attributes of records, made by the mapping that conditions are made by. */
import { convertAttribute, isStored } from '../attribute-values.js';
import { putAttribute, type RowAttributes, type RowReader } from '../attributes.js';
import { refuseOverlaps } from '../overlaps.js';
import type { JsonValue } from '../../../runtime/residual/filters.js';
import { idColumn, type NamedAttributes, type NamedColumn, type NamedMapping } from './mapping.js';

interface Attributes {
  [name: string]: JsonValue;
}

/** Creates the functions that read records of a model, with the related records that the mapping names. */
export function recordReader(model: string, mapping: NamedMapping): RowReader<object, object> {
  const { attributes, provider: dialect } = mapping;
  requireApart(attributes, 'R.attr.');
  const id = idColumn(mapping);
  const read = (record: object, field: string): unknown => {
    const value = (record as { readonly [field: string]: unknown })[field];
    if (value === undefined)
      throw new TypeError(`\`${field}\` of a record of \`${model}\` was not read: select or include it`);
    return value;
  };
  const valueOf = (record: object, { field, type, null: absence = 'missing' }: NamedColumn): JsonValue | undefined => {
    const place = `\`${field}\` of a record of \`${model}\``;
    const value = read(record, field);
    if (value !== null)
      return convertAttribute(
        value,
        { column: field, type: type === 'list' ? 'text[]' : type },
        { dialect, isParsed: true, isUtc: true },
        place,
      );
    if (type === 'list') return [];
    if (absence === 'never') throw new TypeError(`${place} is NULL, and the mapping declares \`null: 'never'\``);
    return absence === 'null' ? null : undefined;
  };
  const attributesOf = (record: object, mapped: NamedAttributes): Attributes => {
    const found: Attributes = {};
    for (const [path, stored] of Object.entries(mapped)) {
      const names = path.split('.');
      if (!('relation' in stored)) {
        putAttribute(found, names, valueOf(record, stored));
        continue;
      }
      const counts = (one: object): boolean =>
        Object.entries(stored.where ?? {}).every(
          ([field, value]) =>
            value === undefined ||
            isStored(read(one, field), value, `\`${path}\` of \`${model}\`: \`${field}\` of a related record`),
        );
      const related = read(record, stored.field) as object | readonly object[] | null;
      if (stored.relation === 'one') {
        const isThere = related !== null && counts(related);
        putAttribute(found, names, isThere ? attributesOf(related, stored.attributes) : undefined);
        continue;
      }
      const { value, attributes: fields = {} } = stored;
      const elements = (related as readonly object[]).filter(counts).flatMap((one): readonly JsonValue[] => {
        if (value === undefined) return [attributesOf(one, fields)];
        const element = valueOf(one, value);
        return element === undefined ? [] : [element];
      });
      putAttribute(found, names, elements);
    }
    return found;
  };
  const attributesOfRecord = (record: object): RowAttributes<object> =>
    attributesOf(record, attributes) as RowAttributes<object>;
  return {
    attributesOf: attributesOfRecord,
    resourceOf(record) {
      if (id === undefined) throw new TypeError(`the mapping of \`${model}\` has no \`id\``);
      const value = valueOf(record, id);
      return { id: value as string, attr: attributesOfRecord(record) };
    },
  };
}

/** Checks the attributes of related records, too. */
function requireApart(attributes: NamedAttributes, before: string): void {
  refuseOverlaps(attributes, before);
  for (const [path, stored] of Object.entries(attributes))
    if ('relation' in stored && stored.attributes !== undefined) requireApart(stored.attributes, `${before}${path}.`);
}
