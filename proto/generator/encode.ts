import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm } from './messages.js';
import { findEntries, fullName, findHolder, isJsonType, sentValues, typeName } from './options.js';
import { hasPresence, isOptional } from './types.js';

/**
 * `write...`, which writes a message in its protobuf encoding, from the end to the front, as the writer requires. Empty
 * fields are omitted.
 */
export function writeFunction(message: DescMessage, isJson = isJsonType(message)): string {
  const name = typeName(message);
  const fields = sortedFields(message)
    .filter(({ deprecated }) => !isJson || !deprecated)
    .reverse();
  return [
    ...(isJson ? new Set(fields.flatMap(enumTable)) : []),
    `/** Writes the fields of ${message.typeName}. */`,
    `export function write${name}(writer: WireWriter, message: ${name}): void {`,
    ...fields.flatMap((field) => (isJson ? jsonStatements(field) : statements(field, memberCode(field)))),
    '}',
    '',
  ].join('\n');
}

/** `encode...`, which writes a whole request or response. */
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

function memberCode(field: DescField): string {
  return `message.${field.localName}`;
}

/** A property that may be missing. */
function jsonStatements(field: DescField): readonly string[] {
  const isThere = `'${field.localName}' in message`;
  return [
    `  if (${fieldForm(field) === 'value' ? isThere : `${isThere} && ${memberCode(field)} !== undefined`}) {`,
    ...statements(field, memberCode(field), true).map((line) => `  ${line}`),
    '  }',
  ];
}

function statements(field: DescField, member: string, isJson = false): readonly string[] {
  const { number } = field;
  const isPresent = isOptional(field) && !isJson;
  const holder = findHolder(field);
  if (holder !== undefined)
    return [`  writeJsonText(writer, ${number}, '${holder.key}', message.${holder.member}, print${holder.message});`];
  switch (fieldForm(field)) {
    case 'string':
      // The field of a oneof identifies it.
      if (field.oneof !== undefined || hasPresence(field)) return [`  writer.stringField(${number}, ${member});`];
      return [`  writeText(writer, ${number}, ${member});`];
    case 'bool':
      return [
        isPresent
          ? `  if (${member} !== undefined) writer.varintField(${number}, ${member} ? 1 : 0);`
          : hasPresence(field) || field.oneof !== undefined
            ? `  writer.varintField(${number}, ${member} ? 1 : 0);`
            : `  if (${member}) writer.varintField(${number}, 1);`,
      ];
    case 'strings':
      return [`  writeTexts(writer, ${number}, ${member});`];
    case 'values':
      return [`  writeJsonEntries(writer, ${number}, ${member});`];
    case 'value':
      return message(number, [`  writeJsonValue(writer, ${member});`]);
    case 'message':
      return isPresent
        ? [
            `  if (${member} !== undefined) {`,
            ...message(number, [`  ${writerName(field)}(writer, ${member});`]).map(indented),
            '  }',
          ]
        : message(number, [`  ${writerName(field)}(writer, ${member});`], field.localName);
    case 'messages':
      return loop(member, typeName(field.message as DescMessage), [
        '    const mark = writer.mark();',
        `    ${writerName(field)}(writer, item);`,
        `    writer.messageField(${number}, mark);`,
      ]);
    case 'messageMap': {
      const entries = findEntries(field);
      if (isJson) return [`  writeObject(writer, ${number}, ${member}, ${writerName(field)});`];
      if (entries === undefined) return [`  writeMessageMap(writer, ${number}, ${member}, ${writerName(field)});`];
      return loop(member, `(typeof ${member})[number]`, [
        '    const entry = writer.mark();',
        '    const value = writer.mark();',
        `    ${writerName(field)}(writer, item);`,
        '    writer.messageField(2, value);',
        `    writer.stringField(1, item.${entries.key});`,
        `    writer.messageField(${number}, entry);`,
      ]);
    }
    case 'enumMap': {
      const { key = '', value = '' } = findEntries(field) ?? {};
      return loop(member, `(typeof ${member})[number]`, [
        '    const mark = writer.mark();',
        `    writer.varintField(2, item.${value});`,
        `    writer.stringField(1, item.${key});`,
        `    writer.messageField(${number}, mark);`,
      ]);
    }
    case 'stringMap':
      return isJson
        ? [`  writeStringObject(writer, ${number}, ${member});`]
        : [`  writeStringMap(writer, ${number}, ${member});`];
    case 'enum':
      if (isJson) return [`  writer.varintField(${number}, ${tableName(field)}[${member}]);`];
      throw new Error(`no code that writes ${fullName(field)}`);
    case 'uint32':
      return [`  if (${member} !== 0) writer.varintField(${number}, ${member});`];
    case 'int32':
    case 'int64': {
      const line = `  writer.integerField(${number}, ${member});`;
      if (hasPresence(field) || field.oneof !== undefined) return [line];
      return [`  if (${member} !== ${fieldForm(field) === 'int32' ? 0 : "'0'"})${line.slice(1)}`];
    }
    case 'bytes':
      return [`  writer.bytesField(${number}, ${member});`];
    case 'moment':
      if (isJson) return [`  writeTimestamp(writer, ${number}, ${member});`];
      throw new Error(`no code that writes ${fullName(field)}`);
  }
}

/** Marks are named after the field if a function has several of them. */
function message(number: number, lines: readonly string[], name = ''): readonly string[] {
  const mark = name === '' ? 'mark' : `${name}Mark`;
  return [`  const ${mark} = writer.mark();`, ...lines, `  writer.messageField(${number}, ${mark});`];
}

function indented(line: string): string {
  return `  ${line}`;
}

function loop(member: string, type: string, lines: readonly string[]): readonly string[] {
  return [
    `  for (let index = ${member}.length - 1; index >= 0; index--) {`,
    `    const item = ${member}[index] as ${type};`,
    ...lines,
    '  }',
  ];
}

function writerName(field: DescField): string {
  return `write${typeName(field.message as DescMessage)}`;
}

/** The numbers of an enum whose values are represented by their names. */
function enumTable(field: DescField): readonly string[] {
  if (fieldForm(field) !== 'enum' || field.enum === undefined) return [];
  const numbers = [...sentValues(field.enum)].map(([number, name]) => `${name}: ${number}`);
  return [`const ${tableName(field)} = { ${numbers.join(', ')} } as const;\n`];
}

function tableName(field: DescField): string {
  return `${typeName(field.parent)}_${field.enum?.name}_NUMBERS`.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
