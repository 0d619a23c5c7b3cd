import { BYTES, FIXED64, VARINT } from './reader.js';

const FIRST_CAPACITY = 4096;
const KEPT_CAPACITY = 1024 * 1024;
/** ASCII strings up to this length are written by hand; calling the platform costs more. */
const SHORT_TEXT = 64;

/**
 * Writes a protobuf encoding from its end to its front, so that the length of every message is known when it must be
 * written: fields and list items are passed in reverse. The buffer is reused for the next message.
 */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  #at = FIRST_CAPACITY;

  /** Begins a message. Discards the remains of a failed one, and a buffer that an unusually large one required. */
  begin(): void {
    if (this.#bytes.length > KEPT_CAPACITY) this.#bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
    this.#at = this.#bytes.length;
  }

  /** A copy of everything that was written. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#at));
  }

  /** Marks the end of a message that is about to be written: the number of bytes behind it. */
  mark(): number {
    return this.#bytes.length - this.#at;
  }

  /** Closes the message whose end was marked, by writing its length and tag. */
  messageField(field: number, mark: number): void {
    this.#varint(this.#bytes.length - this.#at - mark);
    this.#varint((field << 3) | BYTES);
  }

  /** Written even if empty: the callers decide what absence means. */
  stringField(field: number, text: string): void {
    const mark = this.mark();
    this.#text(text);
    this.messageField(field, mark);
  }

  bytesField(field: number, bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
    this.messageField(field, this.#bytes.length - this.#at - bytes.length);
  }

  /** A number of 0 to 2^53 - 1. */
  varintField(field: number, value: number): void {
    this.#varint(value);
    this.#varint((field << 3) | VARINT);
  }

  /** An integer of 64 bits, or its decimal digits. A negative one takes ten bytes. */
  integerField(field: number, value: number | string): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
    this.#varint((field << 3) | VARINT);
  }

  doubleField(field: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
    this.#varint((field << 3) | FIXED64);
  }

  #text(text: string): void {
    const length = text.length;
    if (length <= SHORT_TEXT && this.#ascii(text, length)) return;
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at, size, 'utf8');
  }

  #ascii(text: string, length: number): boolean {
    this.#reserve(length);
    const start = this.#at - length;
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 0x80) return false;
      this.#bytes[start + index] = code;
    }
    this.#at = start;
    return true;
  }

  #varint(value: number): void {
    this.#reserve(8);
    if (value < 0x80) {
      this.#at -= 1;
      this.#bytes[this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) size += 1;
    this.#at -= size;
    let rest = value;
    for (let index = 0; index < size - 1; index++) {
      this.#bytes[this.#at + index] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#at + size - 1] = rest;
  }

  #reserve(size: number): void {
    if (this.#at >= size) return;
    const used = this.#bytes.length - this.#at;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, used + size));
    this.#bytes.copy(grown, grown.length - used, this.#at);
    this.#bytes = grown;
    this.#at = grown.length - used;
  }
}

/** Writes the fields of a message, in reverse. */
export type WriteMessage<Message> = (writer: WireWriter, message: Message) => void;

/** A map from string to message, in its order. */
export function writeMessageMap<Message>(
  writer: WireWriter,
  field: number,
  messages: ReadonlyMap<string, Message>,
  write: WriteMessage<Message>,
): void {
  for (const [key, message] of [...messages].reverse()) {
    const entry = writer.mark();
    const value = writer.mark();
    write(writer, message);
    writer.messageField(2, value);
    writer.stringField(1, key);
    writer.messageField(field, entry);
  }
}

/** A map from string to string, in its order; empty strings are written too. */
export function writeStringMap(writer: WireWriter, field: number, strings: ReadonlyMap<string, string>): void {
  for (const [key, value] of [...strings].reverse()) {
    const mark = writer.mark();
    writer.stringField(2, value);
    writer.stringField(1, key);
    writer.messageField(field, mark);
  }
}

/** A map from string to message that is an object, sorted by key. */
export function writeObject<Message>(
  writer: WireWriter,
  field: number,
  object: { readonly [key: string]: Message },
  write: WriteMessage<Message>,
): void {
  for (const key of Object.keys(object).sort().reverse()) {
    const entry = writer.mark();
    const value = writer.mark();
    write(writer, object[key] as Message);
    writer.messageField(2, value);
    writer.stringField(1, key);
    writer.messageField(field, entry);
  }
}

/** A map from string to string that is an object, sorted by key. */
export function writeStringObject(writer: WireWriter, field: number, object: { readonly [key: string]: string }): void {
  writeStringMap(writer, field, new Map(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** google.protobuf.Timestamp from an RFC 3339 string; any other string becomes the beginning of 1970. */
export function writeTimestamp(writer: WireWriter, field: number, text: string): void {
  const mark = writer.mark();
  const milliseconds = Date.parse(text);
  if (milliseconds >= 0) {
    const nanos = Number((/\.(\d{1,9})/.exec(text)?.[1] ?? '').padEnd(9, '0'));
    if (nanos !== 0) writer.varintField(2, nanos);
    const seconds = Math.floor(milliseconds / 1000);
    if (seconds !== 0) writer.varintField(1, seconds);
  }
  writer.messageField(field, mark);
}

/** A string field: omitted if empty. */
export function writeText(writer: WireWriter, field: number, text: string): void {
  if (text !== '') writer.stringField(field, text);
}

/** A list of strings. */
export function writeTexts(writer: WireWriter, field: number, texts: readonly string[]): void {
  for (let index = texts.length - 1; index >= 0; index--) writer.stringField(field, texts[index] as string);
}
