import { adviseEnum, adviseField, adviseKey, adviseType } from './advice.js';
import type { ParseProblems } from './problems.js';
import { jsonConstant } from './json-value.js';
import type { Field, Kind, MessageType } from './schema/field.js';
import type { FieldValue, ListValue, MapValue, ObjectValue, Value } from './schema/value.js';
import type { YamlEntry, YamlKey, YamlMapping, YamlNode } from './yaml/node.js';

/**
 * Maps a document onto the fields of its type (docs/spec/policy-language.md#yaml-dialect). Values that do not fit are
 * reported and left out.
 */
export function decodeObject(node: YamlMapping, type: MessageType, problems: ParseProblems): ObjectValue {
  const fields = new Map<string, FieldValue>();
  for (const entry of node.entries) {
    // The key may be a part of what is broken.
    if (entry.value.type === 'Broken' && !type.bySpelling.has(entry.key.text)) {
      problems.damage.add(entry.key.place);
      continue;
    }
    const field = findField(entry.key, type, node, problems);
    if (field === undefined) continue;
    const taken = takenBy(field, type, fields);
    if (taken !== undefined) {
      problems.note(
        taken.field === field ? 'policy/duplicate-field' : 'policy/alternative-set',
        entry.key.place,
        lineAndColumn(taken),
      );
      continue;
    }
    const value = decode(entry.value, field.kind, problems);
    // Recorded even if the value did not fit, so that a second spelling is still reported as a duplicate.
    fields.set(field.name, {
      field,
      value: value ?? NOTHING,
      place: { ...entry.key.place, span: entry.value.place.span },
    });
  }
  return { kind: 'object', type, node, fields };
}

const NOTHING: Value = { kind: 'json', value: null };

function findField(key: YamlKey, type: MessageType, mapping: YamlMapping, problems: ParseProblems): Field | undefined {
  if (key.type !== 'String') {
    problems.note('yaml/key-type', key.place, { type: key.type }, () => adviseKey(key));
    return undefined;
  }
  const field = type.bySpelling.get(key.text);
  if (field === undefined) {
    const hints = (): ReturnType<typeof adviseField> => adviseField(key.text, type, mapping);
    problems.note('policy/unknown-field', key.place, { name: key.text }, hints);
  }
  return field;
}

/** The conflicting field: the same field in another spelling, or another field of a group that allows only one. */
function takenBy(field: Field, type: MessageType, fields: ReadonlyMap<string, FieldValue>): FieldValue | undefined {
  const same = fields.get(field.name);
  if (same !== undefined) return same;
  const group = type.exclusive.find((names) => names.includes(field.name));
  const rival = group?.find((name) => fields.has(name));
  return rival === undefined ? undefined : fields.get(rival);
}

function lineAndColumn({ place }: FieldValue): { line: number; column: number } {
  return place.span.source.lineAndColumn(place.anchor);
}

function decode(node: YamlNode, kind: Kind, problems: ParseProblems): Value | undefined {
  if (node.type === 'Broken') {
    problems.damage.add(node.place);
    return undefined;
  }
  switch (kind.kind) {
    case 'text':
      return decodeText(node, problems);
    case 'bool':
      if (node.type === 'Bool') return { kind: 'bool', value: node.text.toLowerCase() === 'true' };
      return wrongType('boolean value', node, problems);
    case 'uint64':
      return decodeUint64(node, problems);
    case 'json':
      return { kind: 'json', value: jsonConstant(node, problems) };
    case 'enum':
      return decodeEnum(node, kind.names, problems);
    case 'list':
      return decodeList(node, kind.item, problems);
    case 'map':
      return decodeMap(node, kind.value, problems);
    case 'object':
      if (node.type !== 'Mapping') return wrongType('object', node, problems, kind.type());
      return decodeObject(node, kind.type(), problems);
  }
}

function wrongType(expected: string, node: YamlNode, problems: ParseProblems, type?: MessageType): undefined {
  problems.note('policy/wrong-type', node.place, { expected, type: node.type }, () => adviseType(expected, node, type));
  return undefined;
}

function decodeText(node: YamlNode, problems: ParseProblems): Value | undefined {
  switch (node.type) {
    case 'Null':
    case 'Bool':
    case 'Integer':
    case 'String':
      return { kind: 'text', text: node.text, node };
    case 'Float':
    case 'Nan':
    case 'Infinity':
    case 'Sequence':
    case 'Mapping':
    case 'Broken':
      return wrongType('string value', node, problems);
  }
}

function decodeUint64(node: YamlNode, problems: ParseProblems): Value | undefined {
  if (node.type === 'Null') return { kind: 'number', number: 0 };
  if (node.type !== 'Integer' && node.type !== 'String') return wrongType('integer value', node, problems);
  if (/^[0-9]{1,20}$/.test(node.text) && BigInt(node.text) < 2n ** 64n)
    return { kind: 'number', number: Number(node.text) };
  problems.note('policy/integer', node.place, { text: node.text });
  return undefined;
}

function decodeEnum(node: YamlNode, names: readonly string[], problems: ParseProblems): Value | undefined {
  if (node.type === 'Null') return { kind: 'number', number: 0 };
  if (node.type === 'Integer') return { kind: 'number', number: Number(node.text) };
  const name = node.type === 'String' && node.style !== 'block' ? node.text : undefined;
  const number = name === undefined ? -1 : names.indexOf(name);
  if (number >= 0) return { kind: 'number', number };
  problems.note('policy/enum-name', node.place, { name }, () => adviseEnum('text' in node ? node.text : '', names));
  return undefined;
}

function decodeList(node: YamlNode, kind: Kind, problems: ParseProblems): ListValue | undefined {
  if (node.type !== 'Sequence') return wrongType('sequence', node, problems);
  const items: ListValue['items'][number][] = [];
  for (const item of node.items) {
    const value = decode(item, kind, problems) ?? emptyObject(item, kind);
    if (value !== undefined) items.push({ value, place: item.place });
  }
  return { kind: 'list', items };
}

/** Stands for an item that is not an object, so that messages count those after it as the author does. */
function emptyObject(node: YamlNode, kind: Kind): ObjectValue | undefined {
  return kind.kind === 'object' ? { kind: 'object', type: kind.type(), node, fields: new Map() } : undefined;
}

function decodeMap(node: YamlNode, kind: Kind, problems: ParseProblems): MapValue | undefined {
  if (node.type !== 'Mapping') return wrongType('map', node, problems);
  const entries: MapValue['entries'][number][] = [];
  for (const entry of node.entries) {
    const decoded = decodeEntry(entry, kind, problems);
    if (decoded !== undefined) entries.push(decoded);
  }
  return { kind: 'map', entries };
}

function decodeEntry(
  { key, value: node }: YamlEntry,
  kind: Kind,
  problems: ParseProblems,
): MapValue['entries'][number] | undefined {
  if (key.type !== 'String') {
    problems.note('yaml/text-key', key.place, { type: key.type }, () => adviseKey(key));
    return undefined;
  }
  const value = decode(node, kind, problems);
  return value && { name: { value: key.text, place: key.place }, value, place: node.place };
}
