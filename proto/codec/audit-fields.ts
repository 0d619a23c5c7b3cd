import type { Attributes } from '../wire/json-shape.js';
import { writeJsonValue } from '../wire/value.js';
import type { WireWriter, WriteMessage } from '../wire/writer.js';

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

export function writeMessage<Message>(
  writer: WireWriter,
  field: number,
  message: Message | undefined,
  write: WriteMessage<Message>,
): void {
  if (message === undefined) return;
  const mark = writer.mark();
  write(writer, message);
  writer.messageField(field, mark);
}

export function writeMessages<Message>(
  writer: WireWriter,
  field: number,
  messages: readonly Message[] | undefined,
  write: WriteMessage<Message>,
): void {
  if (messages === undefined) return;
  for (let index = messages.length - 1; index >= 0; index--) writeMessage(writer, field, messages[index], write);
}

function writeMessageEntry<Message>(
  writer: WireWriter,
  field: number,
  key: string,
  message: Message,
  write: WriteMessage<Message>,
): void {
  const mark = writer.mark();
  writeMessage(writer, 2, message, write);
  writer.stringField(1, key);
  writer.messageField(field, mark);
}
