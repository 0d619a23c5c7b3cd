import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm, uncapitalized } from './messages.js';
import { typeName } from './options.js';

/** `...Size`, which computes the size of a message in its protobuf encoding without writing it. */
export function sizeFunction(message: DescMessage): string {
  const name = typeName(message);
  const terms = sortedFields(message).flatMap((field) => sizeTerm(field) ?? []);
  const loops = sortedFields(message).flatMap((field) => sizeLoop(field) ?? []);
  const sum = terms.length === 0 ? '0' : terms.join(terms.length > 3 ? ' +\n    ' : ' + ');
  return [
    `/** The size of ${message.typeName} in its protobuf encoding, in bytes. Attributes may be nested without bound. */`,
    `export function ${sizeName(message)}(message: ${name}): number {`,
    ...(loops.length === 0
      ? [`  return ${sum};`]
      : [`  let size = ${sum};`, ...loops.map((loop) => `  ${loop}`), '  return size;']),
    '}',
    '',
  ].join('\n');
}

/** The name of a message's function. */
export function sizeName(message: DescMessage): string {
  return `${uncapitalized(typeName(message))}Size`;
}

/** The size of a field that occurs once; undefined for a list or map of messages. */
function sizeTerm(field: DescField): string | undefined {
  const member = `message.${field.localName}`;
  const form = fieldForm(field);
  // Tags take one byte: no other field of a request has a higher number.
  if (field.number > 15 && form !== 'messages')
    throw new Error(`no code that measures ${placeName(field)}, whose tag takes two bytes`);
  switch (form) {
    case 'string':
      return `text(${member})`;
    case 'bool':
      return `(${member} ? 2 : 0)`;
    case 'uint32':
    case 'enum':
      // The tag and the number take as many bytes as a tag and a length.
      return `(${member} === 0 ? 0 : field(${member}) - ${member})`;
    case 'strings':
      return `texts(${member})`;
    case 'values':
      return `mapSize(${member})`;
    case 'message':
      return `(${member} === undefined ? 0 : field(${sizeOf(field)}(${member})))`;
    case 'messages':
    case 'messageMap':
      return undefined;
    default:
      throw new Error(`no code that measures ${placeName(field)}`);
  }
}

function sizeLoop(field: DescField): string | undefined {
  const member = `message.${field.localName}`;
  const form = fieldForm(field);
  if (form === 'messages') {
    const longTag = field.number > 15 ? '1 + ' : '';
    return `for (const item of ${member}) size += ${longTag}field(${sizeOf(field)}(item));`;
  }
  if (form === 'messageMap')
    return `for (const [key, value] of ${member}) size += field(field(Buffer.byteLength(key)) + field(${sizeOf(field)}(value)));`;
  return undefined;
}

function placeName(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

function sizeOf(field: DescField): string {
  return sizeName(field.message as DescMessage);
}
