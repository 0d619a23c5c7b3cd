import type { WireWriter } from './wire-writer.js';

type Write<Message> = (writer: WireWriter, message: Message) => void;

/** A field that is a message. */
export function writeMessage<Message>(
  writer: WireWriter,
  field: number,
  message: Message,
  write: Write<Message>,
): void {
  const mark = writer.mark();
  write(writer, message);
  writer.messageField(field, mark);
}

/** A list of messages. */
export function writeMessages<Message>(
  writer: WireWriter,
  field: number,
  messages: readonly Message[],
  write: Write<Message>,
): void {
  for (let index = messages.length - 1; index >= 0; index--)
    writeMessage(writer, field, messages[index] as Message, write);
}

/** A map from string to message, in its order. */
export function writeMessageMap<Message>(
  writer: WireWriter,
  field: number,
  messages: ReadonlyMap<string, Message>,
  write: Write<Message>,
): void {
  for (const [key, message] of [...messages].reverse()) {
    const mark = writer.mark();
    writeMessage(writer, 2, message, write);
    writer.stringField(1, key);
    writer.messageField(field, mark);
  }
}
