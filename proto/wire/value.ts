import { setOwn } from '../../packages/cel/runtime/own-property.js';
import { BYTES, FIXED64, missing, once, readEntryOnce, VARINT, WireError, type WireReader } from './reader.js';
import type { WireWriter } from './writer.js';

/** The maximum nesting depth of lists and maps in a binary request; a deeper request is malformed. */
export const MAX_VALUE_DEPTH = 1000;

/**
 * google.protobuf.Value as plain JSON, directly from the bytes. A Value without a kind is null
 * (docs/spec/server.md#json-mapping); NaN and infinities are accepted. Starts at the length of the message.
 * @param known what was read of the message before, if its field is there again: then both are one message.
 */
export function readJsonValue(reader: WireReader, depth = 0, known: unknown = null): unknown {
  if (depth > MAX_VALUE_DEPTH) throw new WireError('values nested too deep');
  const end = reader.messageEnd();
  let value = known;
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | VARINT:
        reader.uint32();
        value = null;
        break;
      case (2 << 3) | FIXED64:
        value = reader.double();
        break;
      case (3 << 3) | BYTES:
        value = reader.string();
        break;
      case (4 << 3) | VARINT:
        value = reader.bool();
        break;
      case (5 << 3) | BYTES:
        value = readStruct(reader, depth, isStruct(value) ? value : {});
        break;
      case (6 << 3) | BYTES:
        value = readList(reader, depth, Array.isArray(value) ? value : []);
        break;
      default:
        reader.skip(tag);
    }
  }
  reader.checkEnd(end);
  return value;
}

/** One entry of a map from string to Value, put into `target`. Starts at the length of the entry. */
export function readJsonEntry(reader: WireReader, target: Record<string, unknown>, depth = 0): void {
  const end = reader.messageEnd();
  let key = '';
  let value: unknown = null;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | BYTES)) value = readJsonValue(reader, depth + 1, value);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  setOwn(target, key, value);
}

function isStruct(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Adds to what is known of the struct. */
function readStruct(reader: WireReader, depth: number, struct: Record<string, unknown>): Record<string, unknown> {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) readJsonEntry(reader, struct, depth);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return struct;
}

/** Adds to what is known of the list. */
function readList(reader: WireReader, depth: number, list: unknown[]): unknown[] {
  const end = reader.messageEnd();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) list.push(readJsonValue(reader, depth + 1));
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return list;
}

/** A google.protobuf.Value of a response as plain JSON, up to `end`: it has one kind, and maps have each key once. */
export function readSentValue(reader: WireReader, end: number, depth = 0): unknown {
  if (depth > MAX_VALUE_DEPTH) throw new WireError('values nested too deep');
  let value: unknown;
  while (reader.at < end) {
    const tag = reader.tag();
    switch (tag) {
      case (1 << 3) | VARINT:
        reader.uint32();
        value = once(value, null, 'value');
        break;
      case (2 << 3) | FIXED64:
        value = once(value, reader.double(), 'value');
        break;
      case (3 << 3) | BYTES:
        value = once(value, reader.string(), 'value');
        break;
      case (4 << 3) | VARINT:
        value = once(value, reader.bool(), 'value');
        break;
      case (5 << 3) | BYTES:
        value = once(value, readSentStruct(reader, depth), 'value');
        break;
      case (6 << 3) | BYTES:
        value = once(value, readSentList(reader, depth), 'value');
        break;
      default:
        reader.skipUnknown(tag, [1, 2, 3, 4, 5, 6]);
    }
  }
  reader.checkEnd(end);
  if (value === undefined) throw missing('value');
  return value;
}

function readSentStruct(reader: WireReader, depth: number): Record<string, unknown> {
  const end = reader.messageEnd();
  const fields = new Map<string, unknown>();
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES))
      readEntryOnce(reader, fields, 'fields', (inner, valueEnd) => readSentValue(inner, valueEnd, depth + 1));
    else reader.skipUnknown(tag, [1]);
  }
  reader.checkEnd(end);
  const struct: Record<string, unknown> = {};
  for (const [key, value] of fields) setOwn(struct, key, value);
  return struct;
}

function readSentList(reader: WireReader, depth: number): unknown[] {
  const end = reader.messageEnd();
  const list: unknown[] = [];
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) list.push(readSentValue(reader, reader.messageEnd(), depth + 1));
    else reader.skipUnknown(tag, [1]);
  }
  reader.checkEnd(end);
  return list;
}

/**
 * A JSON value as google.protobuf.Value, without tag and length. Map keys are sorted. A value that is nested several
 * thousand levels deep overflows the stack; the values that a binary request can contain (MAX_VALUE_DEPTH) do not.
 */
export function writeJsonValue(writer: WireWriter, value: unknown): void {
  if (value === null || value === undefined) writer.varintField(1, 0);
  else if (typeof value === 'number') writer.doubleField(2, value);
  else if (typeof value === 'string') writer.stringField(3, value);
  else if (typeof value === 'boolean') writer.varintField(4, value ? 1 : 0);
  else if (Array.isArray(value)) writeList(writer, value);
  else writeStruct(writer, value as Record<string, unknown>);
}

/** A map from string to Value, one field per entry, sorted by key. */
export function writeJsonEntries(writer: WireWriter, field: number, map: { readonly [key: string]: unknown }): void {
  for (const key of Object.keys(map).sort().reverse()) {
    const entry = writer.mark();
    const value = writer.mark();
    writeJsonValue(writer, map[key]);
    writer.messageField(2, value);
    writer.stringField(1, key);
    writer.messageField(field, entry);
  }
}

function writeList(writer: WireWriter, list: readonly unknown[]): void {
  const end = writer.mark();
  for (let index = list.length - 1; index >= 0; index--) {
    const item = writer.mark();
    writeJsonValue(writer, list[index]);
    writer.messageField(1, item);
  }
  writer.messageField(6, end);
}

function writeStruct(writer: WireWriter, struct: Record<string, unknown>): void {
  const end = writer.mark();
  writeJsonEntries(writer, 1, struct);
  writer.messageField(5, end);
}

/** A map from string to Value with one entry: a message in its JSON form. Writes nothing if there is no message. */
export function writeJsonText<Message>(
  writer: WireWriter,
  field: number,
  key: string,
  message: Message | undefined,
  print: (message: Message) => string,
): void {
  if (message === undefined) return;
  const entry = writer.mark();
  const value = writer.mark();
  writeJsonValue(writer, JSON.parse(print(message)));
  writer.messageField(2, value);
  writer.stringField(1, key);
  writer.messageField(field, entry);
}
