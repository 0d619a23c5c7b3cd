import type { Attributes } from '../messages.js';
import { writeJsonValue } from '../wire/value.js';
import { type WireWriter, type WriteMessage, writeMessageEntry } from '../wire/writer.js';

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

/** A map from string to message, sorted by key. */
export function writeMap<T>(
  writer: WireWriter,
  field: number,
  map: { readonly [key: string]: T } | undefined,
  write: WriteMessage<T>,
): void {
  for (const key of Object.keys(map ?? {})
    .sort()
    .reverse())
    writeMessageEntry(writer, field, key, map?.[key] as T, write);
}

/** A map from string to google.protobuf.Value. */
export function writeValueMap(writer: WireWriter, field: number, map: Attributes | undefined): void {
  writeMap(writer, field, map, writeJsonValue);
}
