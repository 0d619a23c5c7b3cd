import { append } from '../append.js';
import type { SchemaTerm } from '../ir/schema.js';
import { type Alternative, either, type JsonType, OPEN } from './json-type.js';
import type { SchemaReader } from './schema-reader.js';

/** A member of a map according to a schema. */
export interface Member {
  /**
   * `possible`: it may be present; `unlisted`: it may, but the schema lists others and not this one; `forbidden`: the
   * schema does not allow it; `no-map`: the value has no members.
   */
  readonly status: 'possible' | 'unlisted' | 'forbidden' | 'no-map';
  readonly type: JsonType;
  /** Whether it is certainly present, or the schema that requires it may not have been understood. */
  readonly isRequired: boolean;
}

/** The member with a given name in a value of a type. */
export function findMember(type: JsonType, name: string, reader: SchemaReader): Member {
  const maps = type.filter(({ kinds }) => kinds.has('map'));
  if (maps.length === 0) return { status: 'no-map', type: OPEN, isRequired: true };
  const members = maps.map((alternative) => memberOfOne(alternative, name, reader));
  const present = members.filter(({ status }) => status !== 'forbidden');
  if (present.length === 0) return { status: 'forbidden', type: OPEN, isRequired: true };
  return {
    status: present.every(({ status }) => status === 'unlisted') ? 'unlisted' : 'possible',
    type: either(present.map((member) => member.type)),
    isRequired: present.every(({ isRequired }) => isRequired),
  };
}

/** The items of a list of a type, or its item at an index, if that is known. */
export function findItem(type: JsonType, index: number | undefined, reader: SchemaReader): JsonType {
  const items = type
    .filter(({ kinds }) => kinds.has('list'))
    .flatMap(({ lists }) => either(possibleItems(lists, index, reader)));
  return items.length === 0 ? OPEN : either([items]);
}

/** The names that a type lists, for suggestions. */
export function namesListedIn(type: JsonType): readonly string[] {
  return type.flatMap(({ maps }) => maps.flatMap(({ listed }) => [...listed.keys()]));
}

function memberOfOne({ maps, required, isOpen }: Alternative, name: string, reader: SchemaReader): Member {
  const schemas: SchemaTerm[] = [];
  const forbidden: Member = { status: 'forbidden', type: OPEN, isRequired: true };
  for (const { listed, patterns, others } of maps) {
    const own = listed.get(name);
    const said = [
      ...(own === undefined ? [] : [own]),
      ...patterns.filter(({ matches }) => matches(name)).map(({ schema }) => schema),
    ];
    if (said.length === 0 && others === 'none') return forbidden;
    append(schemas, said);
    if (said.length === 0 && typeof others === 'object') schemas.push(others);
  }
  const type = reader.readType(schemas);
  if (type === undefined) return forbidden;
  const listsOthers = maps.some(({ listed, patterns }) => listed.size > 0 || patterns.length > 0);
  const isUnlisted = schemas.length === 0 && listsOthers && !isOpen;
  return { status: isUnlisted ? 'unlisted' : 'possible', type, isRequired: isOpen || required.has(name) };
}

function possibleItems(
  lists: Alternative['lists'],
  index: number | undefined,
  reader: SchemaReader,
): readonly JsonType[] {
  const fixed = Math.max(0, ...lists.map(({ first }) => first.length));
  const indexes = index === undefined ? Array.from({ length: fixed + 1 }, (_, at) => at) : [index];
  return indexes.map((at) => {
    const schemas = lists.flatMap(({ first, others }) => first[at] ?? (typeof others === 'object' ? [others] : []));
    return reader.readType(schemas) ?? OPEN;
  });
}
