import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm, isRecursive } from './messages.js';
import { findEntries, fullName, isAlways, isClosed, isJsonType, sentValues, typeName } from './options.js';

/**
 * `read...` of a response in JSON, for clients: values must have the right type, a missing part is an error if servers
 * always write it, and unknown names are skipped unless the message is closed: servers may be newer.
 */
export function readResponseJsonFunction(message: DescMessage): string {
  const name = typeName(message);
  const fields = sortedFields(message);
  const [oneof] = message.oneofs;
  const isUnion = isJsonType(message) && oneof?.fields.length === message.fields.length;
  return [
    `/** ${name} from its JSON form. Throws a JsonError. */`,
    `export function read${name}(value: unknown, name: string${isRecursive(message) ? ', depth = 0' : ''}): ${name} {`,
    '  const object = responseObject(value, name);',
    ...(isRecursive(message) ? ['  checkDepth(depth, name);'] : []),
    ...(isClosed(message)
      ? [`  checkNames(object, [${fields.map((field) => `'${field.jsonName}'`).join(', ')}], ${isUnion}, name);`]
      : []),
    ...(isUnion
      ? [
          ...fields.map(
            (field) =>
              `  if (Object.hasOwn(object, '${field.jsonName}')) return { ${field.localName}: ${valueCode(field)} };`,
          ),
          '  throw wrong(name);',
        ]
      : [
          ...fields.filter(isSpread).map((field) => `  const ${field.localName} = ${valueCode(field)};`),
          '  return {',
          ...fields.map(
            (field) => `    ${isSpread(field) ? spread(field) : `${field.localName}: ${valueCode(field)}`},`,
          ),
          '  };',
        ]),
    '}',
    '',
  ].join('\n');
}

/** Whether the type has the property only if it is in the response. */
function isSpread(field: DescField): boolean {
  return isJsonType(field.parent) && !isAlways(field) && ['string', 'value', 'message'].includes(fieldForm(field));
}

function spread(field: DescField): string {
  const { localName } = field;
  return `...(${localName} !== ${fieldForm(field) === 'string' ? "''" : 'undefined'} && { ${localName} })`;
}

function valueCode(field: DescField): string {
  const at = `object, '${field.jsonName}'`;
  const inner = field.message;
  const reader = inner === undefined ? '' : `read${typeName(inner)}`;
  const isDeeper = inner !== undefined && isRecursive(inner) && isRecursive(field.parent);
  const read = isDeeper ? `${reader}, depth + 1` : reader;
  switch (fieldForm(field)) {
    case 'string':
      return `stringIn(${at})`;
    case 'strings':
      return `stringsIn(${at})`;
    case 'value':
      return field.oneof === undefined ? `readMember(${at})` : `object['${field.jsonName}']`;
    case 'message':
      return `${isAlways(field) || field.oneof !== undefined ? 'messageIn' : 'optionalMessageIn'}(${at}, ${read})`;
    case 'messages':
      return `messagesIn(${at}, ${read})`;
    case 'messageMap': {
      const { key = '' } = findEntries(field) ?? {};
      return `entriesIn(${at}, (${key}, value) => ({ ${key}, ...${reader}(value, '${field.jsonName}') }))`;
    }
    case 'enumMap': {
      const { key = '', value = '' } = findEntries(field) ?? {};
      return `entriesIn(${at}, (${key}, value) => ({ ${key}, ${value}: sentNumber(value, ${numbers(field)}, '${field.jsonName}') }))`;
    }
    case 'stringMap':
      return `stringMapIn(${at})`;
    case 'enum':
      return `sentName(${at}, [${names(field)}])`;
    default:
      throw new Error(`no code that reads ${fullName(field)} of a response`);
  }
}

function names(field: DescField): string {
  return [...sentValues(requireEnum(field)).values()].map((name) => `'${name}'`).join(', ');
}

function numbers(field: DescField): string {
  return `{ ${[...sentValues(requireEnum(field))].map(([number, name]) => `${name}: ${number}`).join(', ')} } as const`;
}

function requireEnum(field: DescField): NonNullable<DescField['enum']> {
  if (field.enum === undefined) throw new Error(`${fullName(field)} is not an enum`);
  return field.enum;
}
