import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm, isRecursive } from './messages.js';
import { findEntries, fullName, isAlways, isJsonType, sentValues, typeName } from './options.js';

/**
 * `read...` of a response, for clients: stricter than the encoding requires, because ambiguous input must not become an
 * answer. A field with a different wire type, a duplicate message or entry, an enum with a value that responses do not
 * have, and a missing part are errors. Unknown fields are skipped: servers may be newer.
 */
export function readResponseFunction(message: DescMessage): string {
  const name = typeName(message);
  const fields = sortedFields(message);
  const union = findUnion(message);
  return [
    `/** Reads ${message.typeName} up to \`end\`. */`,
    `export function read${name}(reader: WireReader, end: number): ${name} {`,
    ...(isRecursive(message) ? ['  reader.enter();'] : []),
    ...(union === undefined
      ? fields.map((field) => `  ${declaration(field)}`)
      : [`  let ${union}: ${name} | undefined;`]),
    '  while (reader.at < end) {',
    '    const tag = reader.tag();',
    '    switch (tag) {',
    ...fields.flatMap((field) => [
      `      case (${field.number} << 3) | ${wireType(field)}:`,
      `        ${union === undefined ? statement(field) : `${union} = once(${union}, { ${field.localName}: ${value(field)} }, '${union}');`}`,
      '        break;',
    ]),
    '      default:',
    `        reader.skipUnknown(tag, [${fields.map(({ number }) => number).join(', ')}]);`,
    '    }',
    '  }',
    '  reader.checkEnd(end);',
    ...(isRecursive(message) ? ['  reader.leave();'] : []),
    ...(union === undefined
      ? [
          ...fields
            .filter(isRequired)
            .map(({ localName }) => `  if (${localName} === undefined) throw missing('${localName}');`),
          `  return { ${fields.map(member).join(', ')} };`,
        ]
      : [`  if (${union} === undefined) throw missing('${union}');`, `  return ${union};`]),
    '}',
    '',
  ].join('\n');
}

/** `decode...`, which reads a whole response. */
export function decodeResponseFunction(message: DescMessage): string {
  const name = typeName(message);
  return [
    `/** ${name} from its protobuf encoding. Throws a WireError for bytes that are not such a message. */`,
    `export function decode${name}(bytes: Buffer): ${name} {`,
    `  return read${name}(new WireReader(bytes), bytes.length);`,
    '}',
    '',
  ].join('\n');
}

/** The single oneof of a message whose type is its JSON form. */
function findUnion(message: DescMessage): string | undefined {
  const [oneof] = message.oneofs;
  return isJsonType(message) && oneof?.fields.length === message.fields.length ? oneof.localName : undefined;
}

/** Whether a response without the field is an error. */
function isRequired(field: DescField): boolean {
  const form = fieldForm(field);
  return isAlways(field) && (form === 'message' || form === 'enum');
}

function declaration(field: DescField): string {
  const { localName } = field;
  switch (fieldForm(field)) {
    case 'string':
      return `let ${localName} = '';`;
    case 'strings':
      return `const ${localName}: string[] = [];`;
    case 'messages':
      return `const ${localName}: ${innerName(field)}[] = [];`;
    case 'messageMap':
      return `const ${localName} = new Map<string, ${innerName(field)}>();`;
    case 'enumMap':
      return `const ${localName} = new Map<string, ${[...sentValues(requireEnum(field)).keys()].join(' | ')}>();`;
    case 'stringMap':
      return `const ${localName} = new Map<string, string>();`;
    case 'message':
      return `let ${localName}: ${innerName(field)} | undefined;`;
    case 'value':
      return `let ${localName}: unknown;`;
    case 'enum':
      return `let ${localName}: ${typeName(field.parent)}['${localName}'] | undefined;`;
    default:
      throw new Error(`no code that reads ${fullName(field)} of a response`);
  }
}

function wireType(field: DescField): 'VARINT' | 'BYTES' {
  return fieldForm(field) === 'enum' ? 'VARINT' : 'BYTES';
}

function statement(field: DescField): string {
  const { localName } = field;
  switch (fieldForm(field)) {
    case 'strings':
    case 'messages':
      return `${localName}.push(${value(field)});`;
    case 'messageMap':
      return `readEntryOnce(reader, ${localName}, '${localName}', read${innerName(field)});`;
    case 'enumMap':
      return `readNumberEntryOnce(reader, ${localName}, '${localName}', [${[...sentValues(requireEnum(field)).keys()].join(', ')}]);`;
    case 'stringMap':
      return `readStringEntry(reader, ${localName});`;
    case 'message':
      return `${localName} = once(${localName}, ${value(field)}, '${localName}');`;
    default:
      return `${localName} = ${value(field)};`;
  }
}

function value(field: DescField): string {
  switch (fieldForm(field)) {
    case 'string':
    case 'strings':
      return 'reader.string()';
    case 'value':
      return 'readSentValue(reader, reader.messageEnd())';
    case 'message':
    case 'messages':
      return `read${innerName(field)}(reader, reader.messageEnd())`;
    case 'enum':
      return `sentValue(reader.uint32(), { ${[...sentValues(requireEnum(field))].map(([number, name]) => `${number}: '${name}'`).join(', ')} } as const, '${field.localName}')`;
    default:
      throw new Error(`no code that reads ${fullName(field)} of a response`);
  }
}

/** A property of the returned object. */
function member(field: DescField): string {
  const { localName } = field;
  const entries = findEntries(field);
  if (entries !== undefined)
    return entries.value === undefined
      ? `${localName}: [...${localName}].map(([${entries.key}, value]) => ({ ${entries.key}, ...value }))`
      : `${localName}: [...${localName}].map(([${entries.key}, ${entries.value}]) => ({ ${entries.key}, ${entries.value} }))`;
  if (!isJsonType(field.parent) || isAlways(field)) return localName;
  const isThere = fieldForm(field) === 'string' ? `${localName} !== ''` : `${localName} !== undefined`;
  return fieldForm(field) === 'messages' || fieldForm(field) === 'strings'
    ? localName
    : `...(${isThere} && { ${localName} })`;
}

function innerName(field: DescField): string {
  return typeName(field.message as DescMessage);
}

function requireEnum(field: DescField): NonNullable<DescField['enum']> {
  if (field.enum === undefined) throw new Error(`${fullName(field)} is not an enum`);
  return field.enum;
}
