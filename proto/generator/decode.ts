import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm } from './messages.js';
import { fullName, typeName } from './options.js';

/**
 * `read...`, which reads a message from its protobuf encoding. Unknown fields and fields with an unexpected wire type
 * are skipped; a message that occurs more than once is merged; of a scalar, the last one counts
 * (https://protobuf.dev/programming-guides/encoding/).
 */
export function readFunction(message: DescMessage, isItem: boolean): string {
  const name = typeName(message);
  const fields = sortedFields(message);
  return [
    ...(isItem
      ? [
          '/** An empty item, of which a small request can hold millions: all are this one. */',
          `const ${emptyName(message)}: Draft<${name}> = Object.freeze(${emptyObject(message)});`,
          '',
        ]
      : []),
    `/** Reads the fields of ${message.typeName} up to \`end\`, and adds them to what is known of the message. */`,
    `export function read${name}(reader: WireReader, end: number, known?: Draft<${name}>): Draft<${name}> {`,
    `  const message: Draft<${name}> = known ?? ${emptyObject(message)};`,
    '  while (reader.at < end) {',
    '    const tag = reader.tag();',
    '    switch (tag) {',
    ...fields.flatMap((field) => [
      `      case (${field.number} << 3) | ${wireType(field)}:`,
      `        ${readStatement(field)}`,
      '        break;',
    ]),
    '      default:',
    '        reader.skip(tag);',
    '    }',
    '  }',
    '  reader.checkEnd(end);',
    '  return message;',
    '}',
    '',
  ].join('\n');
}

/** `decode...`, which reads a whole request. */
export function decodeFunction(message: DescMessage): string {
  const name = typeName(message);
  return [
    `/** ${name} from its protobuf encoding. Throws a WireError for bytes that are not such a message. */`,
    `export function decode${name}(bytes: Buffer, table?: TextTable): ${name} {`,
    `  return read${name}(new WireReader(bytes, table), bytes.length);`,
    '}',
    '',
  ].join('\n');
}

function emptyName(message: DescMessage): string {
  return `EMPTY${typeName(message)
    .replace(/([A-Z])/g, '_$1')
    .toUpperCase()}`;
}

/** `read...Item`, which reads an item of a list. */
export function readItemFunction(message: DescMessage): string {
  const name = typeName(message);
  return [
    `/** Reads ${message.typeName} as an item of a list. */`,
    `export function read${name}Item(reader: WireReader): Draft<${name}> {`,
    '  const end = reader.messageEnd();',
    `  return end === reader.at ? ${emptyName(message)} : read${name}(reader, end);`,
    '}',
    '',
  ].join('\n');
}

/** A message without any field set. */
function emptyObject(message: DescMessage): string {
  const members = new Map(
    sortedFields(message).map(
      (field) =>
        [
          field.oneof?.localName ?? field.localName,
          field.oneof === undefined ? emptyValue(field) : 'undefined',
        ] as const,
    ),
  );
  return `{ ${[...members].map(([name, value]) => `${name}: ${value}`).join(', ')} }`;
}

function emptyValue(field: DescField): string {
  switch (fieldForm(field)) {
    case 'string':
      return "''";
    case 'bool':
      return 'false';
    case 'uint32':
    case 'enum':
      return '0';
    case 'message':
    case 'moment':
      return 'undefined';
    case 'strings':
    case 'messages':
      return '[]';
    case 'values':
      return '{}';
    case 'messageMap':
      return 'new Map()';
    default:
      throw new Error(`no code that reads ${fullName(field)}`);
  }
}

function wireType(field: DescField): 'VARINT' | 'BYTES' {
  const form = fieldForm(field);
  return form === 'bool' || form === 'uint32' || form === 'enum' ? 'VARINT' : 'BYTES';
}

function readStatement(field: DescField): string {
  const member = `message.${field.localName}`;
  switch (fieldForm(field)) {
    case 'strings':
      return `${member}.push(reader.string());`;
    case 'messages':
      return `${member}.push(read${typeName(field.message as DescMessage)}Item(reader));`;
    case 'values':
      return `readJsonEntry(reader, ${member});`;
    case 'messageMap':
      return `readMapEntry(reader, ${member}, read${typeName(field.message as DescMessage)});`;
  }
  const { oneof } = field;
  if (oneof === undefined) return `${member} = ${readValue(field, member)};`;
  const chosen = `message.${oneof.localName}`;
  return `${chosen} = { by: '${field.localName}', value: ${readValue(field, `${chosen}?.by === '${field.localName}' ? ${chosen}.value : undefined`)} };`;
}

function readValue(field: DescField, known: string): string {
  switch (fieldForm(field)) {
    case 'string':
      return 'reader.string()';
    case 'bool':
      return 'reader.bool()';
    case 'uint32':
    case 'enum':
      return 'reader.uint32()';
    default:
      return readCall(field, known);
  }
}

function readCall(field: DescField, known?: string): string {
  const reads = fieldForm(field) === 'moment' ? 'readMoment' : `read${typeName(field.message as DescMessage)}`;
  return `${reads}(reader, reader.messageEnd()${known === undefined ? '' : `, ${known}`})`;
}
