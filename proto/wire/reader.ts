import { isUtf8 } from 'node:buffer';
import type { Moment } from './moment.js';

/** Bytes that are not a protobuf message. */
export class WireError extends Error {}

/** The wire types of the protobuf encoding. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
const START_GROUP = 3;
const END_GROUP = 4;
const FIXED32 = 5;

/** The maximum nesting depth of groups in a skipped field. */
const MAX_GROUP_DEPTH = 100;
/** The maximum nesting depth of messages in a response. */
const MAX_MESSAGE_DEPTH = 2002;
/** Strings up to this many bytes are looked up before they are created: attribute names, roles, actions, kinds. */
const SHORT_TEXT = 24;

/** Reads a protobuf encoding front to back. Every method throws a WireError at the first invalid byte. */
export class WireReader {
  #at = 0;
  #depth = 0;
  readonly #view: DataView;
  readonly #texts: TextTable;

  constructor(
    readonly bytes: Buffer,
    texts: TextTable = new TextTable(),
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#texts = texts;
  }

  get at(): number {
    return this.#at;
  }

  /** The number of a field times eight, plus its wire type. */
  tag(): number {
    const tag = this.#size();
    if (tag >>> 3 === 0) throw new WireError('field number 0');
    return tag;
  }

  /** A varint of at most 32 bits; longer ones lose their upper bits, as the encoding requires. */
  uint32(): number {
    const byte = this.#byte();
    return byte < 0x80 ? byte : this.#longVarint(byte, 64) >>> 0;
  }

  bool(): boolean {
    let set = false;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      if (shift === 63 && byte > 1) break;
      if ((byte & 0x7f) !== 0) set = true;
      if (byte < 0x80) return set;
    }
    throw new WireError('varint of more than 64 bits');
  }

  double(): number {
    const at = this.#advance(8);
    return this.#view.getFloat64(at, true);
  }

  string(): string {
    const end = this.messageEnd();
    const start = this.#at;
    this.#at = end;
    const length = end - start;
    if (length === 0) return '';
    if (length > SHORT_TEXT) return this.#longText(start, end);
    return this.#texts.find(this.bytes, start, end) ?? this.#longText(start, end);
  }

  /** The content of a length-delimited field, not copied. */
  bytesField(): Buffer {
    const end = this.messageEnd();
    const start = this.#at;
    this.#at = end;
    return this.bytes.subarray(start, end);
  }

  /** Reads the length of a message and returns the offset of its end, which must be within the enclosing message. */
  messageEnd(): number {
    const length = this.#size();
    const end = this.#at + length;
    if (end > this.bytes.length) throw new WireError('unexpected end');
    return end;
  }

  /** Called after the fields of a message, which must end where its length says. */
  checkEnd(end: number): void {
    if (this.#at !== end) throw new WireError('field longer than its message');
  }

  /** Begins a message that may contain itself. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > MAX_MESSAGE_DEPTH) throw new WireError('messages nested too deep');
  }

  /** Ends such a message. */
  leave(): void {
    this.#depth -= 1;
  }

  /** A field of a response that is not handled; if its number is one of the given ones, its wire type is wrong. */
  skipUnknown(tag: number, known: readonly number[]): void {
    if (known.includes(tag >>> 3)) throw new WireError(`wire type ${tag & 7} for field ${tag >>> 3}`);
    this.skip(tag);
  }

  /** Skips an unknown field. */
  skip(tag: number, depth = 0): void {
    switch (tag & 7) {
      case VARINT:
        this.bool();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case BYTES:
        this.#at = this.messageEnd();
        return;
      case START_GROUP:
        this.#skipGroup(tag, depth);
        return;
      case FIXED32:
        this.#advance(4);
        return;
      default:
        throw new WireError(`wire type ${tag & 7} where a field begins`);
    }
  }

  #skipGroup(start: number, depth: number): void {
    if (depth === MAX_GROUP_DEPTH) throw new WireError('groups too deep');
    const end = (start & ~7) | END_GROUP;
    for (let tag = this.tag(); tag !== end >>> 0; tag = this.tag()) this.skip(tag, depth + 1);
  }

  #longText(start: number, end: number): string {
    const slice = this.bytes.subarray(start, end);
    if (!isUtf8(slice)) throw new WireError('string with invalid UTF-8');
    return slice.toString('utf8');
  }

  /** A tag or a length. Without its upper bits it would be another one, so it has none. */
  #size(): number {
    const byte = this.#byte();
    return byte < 0x80 ? byte : this.#longVarint(byte, 32) >>> 0;
  }

  /** The lower 32 bits of a varint after its first byte. Throws if it has more bits than `width`. */
  #longVarint(first: number, width: 32 | 64): number {
    let value = first & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift + 7 > width && bits >>> Math.max(0, width - shift) !== 0)
        throw new WireError(`varint of more than ${width} bits`);
      if (shift < 32) value |= bits << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError('varint of more than ten bytes');
  }

  #byte(): number {
    const byte = this.bytes[this.#at];
    if (byte === undefined) throw new WireError('unexpected end');
    this.#at += 1;
    return byte;
  }

  #advance(length: number): number {
    const at = this.#at;
    if (at + length > this.bytes.length) throw new WireError('unexpected end');
    this.#at = at + length;
    return at;
  }
}

/** A power of two. */
const SLOTS = 4096;

/**
 * A cache of recent short ASCII strings: attribute names, roles, actions and kinds recur in every request, and finding
 * one costs a tenth of creating it. Each slot holds one string and is overwritten, so the size is bounded and no lookup
 * takes longer than the length of the string.
 */
export class TextTable {
  readonly #slots: (string | undefined)[] = new Array(SLOTS).fill(undefined);

  /** The string of bytes `start` to `end`; undefined if they are not all ASCII. */
  find(bytes: Buffer, start: number, end: number): string | undefined {
    let hash = end - start;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80) return undefined;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1);
    const known = this.#slots[slot];
    if (known !== undefined && equalsBytes(known, bytes, start, end)) return known;
    const text = bytes.toString('latin1', start, end);
    this.#slots[slot] = text;
    return text;
  }
}

function equalsBytes(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== bytes[start + at]) return false;
  }
  return true;
}

/**
 * Reads one entry of a map from string to message into `map`. Starts at the length of the entry; a later duplicate key
 * replaces the earlier one.
 */
export function readMapEntry<Value>(
  reader: WireReader,
  map: Map<string, Value>,
  read: (reader: WireReader, end: number, known?: Value) => Value,
): void {
  const end = reader.messageEnd();
  let key = '';
  let value: Value | undefined;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | BYTES)) value = read(reader, reader.messageEnd(), value);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  // An entry without a value has an empty one: the reader is already at its end.
  map.set(key, value ?? read(reader, reader.at));
}

/** Reads a google.protobuf.Timestamp or Duration up to `end`, and merges it into an earlier value. */
export function readMoment(reader: WireReader, end: number, known: Moment = { seconds: 0, nanos: 0 }): Moment {
  let { seconds, nanos } = known;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | VARINT)) seconds = readInt64(reader, tag);
    else if (tag === ((2 << 3) | VARINT)) nanos = readInt64(reader, tag);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  return { seconds, nanos };
}

/** Beyond 2^53 the nearest double: such a time is out of range anyway. */
function readInt64(reader: WireReader, tag: number): number {
  const start = reader.at;
  reader.skip(tag);
  let value = 0n;
  for (let at = reader.at - 1; at >= start; at--) value = (value << 7n) | BigInt((reader.bytes[at] as number) & 0x7f);
  return Number(BigInt.asIntN(64, value));
}

/** A message that is being read: its type without readonly. */
export type Draft<Message> = Message extends string | number | boolean | undefined
  ? Message
  : Message extends ReadonlyMap<string, infer Value>
    ? Map<string, Draft<Value>>
    : Message extends readonly (infer Item)[]
      ? Draft<Item>[]
      : { -readonly [Name in keyof Message]: IsAny<Message[Name]> extends true ? unknown : Draft<Message[Name]> };

/** Attributes may have properties of any type. */
type IsAny<Type> = 0 extends 1 & Type ? true : false;

/* The rest is for responses, which clients read more strictly than the encoding requires. */

/** Accepts the first value of a field. Throws for a second one: the encoding would use the last one, or merge both. */
export function once<Value>(before: Value | undefined, value: Value, name: string): Value {
  if (before !== undefined) throw new WireError(`\`${name}\` is there twice`);
  return value;
}

/** The error for a response without a part that servers always write. */
export function missing(name: string): WireError {
  return new WireError(`no \`${name}\``);
}

/** The name of an enum value, which must be one that responses have. */
export function sentValue<Names extends { readonly [number: number]: string }>(
  number: number,
  names: Names,
  name: string,
): Names[keyof Names] {
  const value = names[number];
  if (value === undefined) throw new WireError(`\`${name}\` of a value that it cannot have`);
  return value as Names[keyof Names];
}

/** Adds an entry of a map from string to message. Throws for a duplicate key. */
export function readEntryOnce<Value>(
  reader: WireReader,
  map: Map<string, Value>,
  name: string,
  read: (reader: WireReader, end: number) => Value,
): void {
  const end = reader.messageEnd();
  let key = '';
  let value: Value | undefined;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | BYTES)) value = once(value, read(reader, reader.messageEnd()), name);
    else reader.skipUnknown(tag, [1, 2]);
  }
  reader.checkEnd(end);
  if (map.has(key)) throw new WireError(`two entries of \`${name}\` for one key`);
  map.set(key, value === undefined ? read(reader, reader.at) : value);
}

/**
 * Adds an entry of a map from string to an enum, which must have one of the given values. Throws for a duplicate key.
 */
export function readNumberEntryOnce<Value extends number>(
  reader: WireReader,
  map: Map<string, Value>,
  name: string,
  values: readonly Value[],
): void {
  const end = reader.messageEnd();
  let key = '';
  let number = 0;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | VARINT)) number = reader.uint32();
    else reader.skipUnknown(tag, [1, 2]);
  }
  reader.checkEnd(end);
  const value = values.find((one) => one === number);
  if (value === undefined) throw new WireError(`\`${name}\` of a value that it cannot have`);
  if (map.has(key)) throw new WireError(`two entries of \`${name}\` for one key`);
  map.set(key, value);
}

/** Adds an entry of a map from string to string. */
export function readStringEntry(reader: WireReader, map: Map<string, string>): void {
  const end = reader.messageEnd();
  let key = '';
  let value = '';
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | BYTES)) value = reader.string();
    else reader.skipUnknown(tag, [1, 2]);
  }
  reader.checkEnd(end);
  map.set(key, value);
}
