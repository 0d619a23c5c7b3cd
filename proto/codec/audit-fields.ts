import type { Attributes } from '../messages.js';
import { writeJsonValue } from './json-value.js';
import type { WireWriter } from './wire-writer.js';

/** Writes the fields of a message, last one first. */
export type WriteMessage<T> = (writer: WireWriter, message: T) => void;

/** A text; nothing when it is absent or empty. */
export function writeText(writer: WireWriter, field: number, text: string | undefined): void {
  if (text !== undefined && text !== '') writer.stringField(field, text);
}

export function writeTexts(writer: WireWriter, field: number, texts: readonly string[] | undefined): void {
  for (const text of [...(texts ?? [])].reverse()) writer.stringField(field, text);
}

export function writeBool(writer: WireWriter, field: number, value: boolean | undefined): void {
  if (value === true) writer.varintField(field, 1);
}

/** A message; nothing when it is absent. */
export function writeMessage<T>(
  writer: WireWriter,
  field: number,
  message: T | undefined,
  write: WriteMessage<T>,
): void {
  if (message === undefined) return;
  const mark = writer.mark();
  write(writer, message);
  writer.messageField(field, mark);
}

export function writeList<T>(
  writer: WireWriter,
  field: number,
  list: readonly T[] | undefined,
  write: WriteMessage<T>,
): void {
  for (const item of [...(list ?? [])].reverse()) writeMessage(writer, field, item, write);
}

/** A map from string to message, sorted by key. */
export function writeMap<T>(
  writer: WireWriter,
  field: number,
  map: { readonly [key: string]: T } | undefined,
  write: WriteMessage<T>,
): void {
  for (const key of Object.keys(map ?? {})
    .sort()
    .reverse()) {
    const mark = writer.mark();
    writeMessage(writer, 2, map?.[key] as T, write);
    writer.stringField(1, key);
    writer.messageField(field, mark);
  }
}

/** A map from string to google.protobuf.Value. */
export function writeValueMap(writer: WireWriter, field: number, map: Attributes | undefined): void {
  writeMap(writer, field, map, writeJsonValue);
}
