import type { WireWriter } from './wire-writer.js';

/** Writes the fields of a message, last one first. */
export type WriteMessage<Message> = (writer: WireWriter, message: Message) => void;

/** A message; nothing when it is absent. */
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

/** A list of messages; nothing when it is absent. */
export function writeMessages<Message>(
  writer: WireWriter,
  field: number,
  messages: readonly Message[] | undefined,
  write: WriteMessage<Message>,
): void {
  if (messages === undefined) return;
  for (let index = messages.length - 1; index >= 0; index--) writeMessage(writer, field, messages[index], write);
}

/** A map from string to message, in its order. */
export function writeMessageMap<Message>(
  writer: WireWriter,
  field: number,
  messages: ReadonlyMap<string, Message>,
  write: WriteMessage<Message>,
): void {
  for (const [key, message] of [...messages].reverse()) writeMessageEntry(writer, field, key, message, write);
}

/** One entry of such a map. */
export function writeMessageEntry<Message>(
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
