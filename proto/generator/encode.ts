import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { fieldsOf, formOf, typeName } from './messages.js';

/** `write...`, which writes a message in its protobuf encoding: from the end to the front, as the writer does it. What is empty is left out. */
export function writeFunction(message: DescMessage): string {
  const name = typeName(message);
  return [
    `/** Writes the fields of ${message.typeName}. */`,
    `export function write${name}(writer: WireWriter, message: ${name}): void {`,
    ...[...fieldsOf(message)].reverse().flatMap((field) => writeStatements(field).map((line) => `  ${line}`)),
    '}',
    '',
  ].join('\n');
}

/** `encode...`, which writes a whole request. */
export function encodeFunction(message: DescMessage): string {
  const name = typeName(message);
  return [
    `/** ${name} in its protobuf encoding. */`,
    `export function encode${name}(message: ${name}, writer: WireWriter): Buffer {`,
    '  writer.begin();',
    `  write${name}(writer, message);`,
    '  return writer.finish();',
    '}',
    '',
  ].join('\n');
}

function writeStatements(field: DescField): readonly string[] {
  const { number, localName } = field;
  const member = `message.${localName}`;
  switch (formOf(field)) {
    case 'string':
      return [`writeText(writer, ${number}, ${member});`];
    case 'bool':
      return [`if (${member}) writer.varintField(${number}, 1);`];
    case 'strings':
      return [`writeTexts(writer, ${number}, ${member});`];
    case 'values':
      return [`writeJsonEntries(writer, ${number}, ${member});`];
    case 'message':
      return [`writeMessage(writer, ${number}, ${member}, ${writerOf(field)});`];
    case 'messages':
      return [`writeMessages(writer, ${number}, ${member}, ${writerOf(field)});`];
    case 'messageMap':
      return [`writeMessageMap(writer, ${number}, ${member}, ${writerOf(field)});`];
    case 'uint32':
    case 'enum':
    case 'moment':
      throw new Error(`no code that writes ${field.parent.typeName}.${field.name}`);
  }
}

function writerOf(field: DescField): string {
  return `write${typeName(field.message as DescMessage)}`;
}
