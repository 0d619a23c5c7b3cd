import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { sortedFields, fieldForm } from './messages.js';
import {
  findEntries,
  fullName,
  findHolder,
  isAlways,
  isJsonType,
  isRecurring,
  sentValues,
  typeName,
  findUnprintable,
} from './options.js';
import { isOptional } from './types.js';

/** `print...`, the JSON form of a message: fields ordered by number, empty ones omitted. */
export function printFunction(message: DescMessage): string {
  const name = typeName(message);
  const fields = sortedFields(message);
  const first = fields.findIndex(isAlways);
  const body = fields.flatMap((field, index) =>
    // Every field after one that is always present follows a comma.
    statements(field, index <= first || first < 0 ? 'after' : 'before', index === first),
  );
  return [
    ...fields.flatMap(enumTable),
    `/** ${name} in its JSON form. */`,
    `export function print${name}(message: ${name}): string {`,
    ...fields.flatMap(unprintableCheck),
    ...(first === 0
      ? [body[0]?.replace(/text \+= (.)/, 'let text = $1{'), ...body.slice(1)]
      : ["  let text = '{';", ...body]),
    first < 0 ? "  return text === '{' ? '{}' : `${text.slice(0, -1)}}`;" : '  return `${text}}`;',
    '}',
    '',
  ].join('\n');
}

/** Where the comma of a field is. The first field that is always present has none. */
type Comma = 'before' | 'after';

function statements(field: DescField, comma: Comma, isFirst: boolean): readonly string[] {
  const lines = printed(field);
  const holder = findHolder(field);
  const name = `"${field.jsonName}":${holder === undefined ? '' : `{"${holder.key}":`}`;
  const head = comma === 'before' ? `,${name}` : name;
  const end = `${holder === undefined ? '' : '}'}${comma === 'after' && !isFirst ? ',' : ''}`;
  const body =
    typeof lines === 'string'
      ? [`  text += \`${head}\${${lines}}${end}\`;`]
      : [`  text += '${head}${lines.open}';`, ...lines.loop, `  text += '${lines.close}${end}';`];
  const condition = isAlways(field) ? undefined : presenceCode(field);
  if (condition === undefined) return body;
  const note = unprintable(field);
  return [
    `  if (${condition}) {`,
    ...body.map((line) => `  ${line}`),
    ...(note === undefined
      ? ['  }']
      : [`  } else if (${note}) {`, `    text += \`${head}\${UNPRINTABLE}${end}\`;`, '  }']),
  ];
}

function memberCode(field: DescField): string {
  return `message.${findHolder(field)?.member ?? field.localName}`;
}

/** Whether to print a field that may be empty. */
function presenceCode(field: DescField): string {
  const member = memberCode(field);
  if (findHolder(field) !== undefined) return `${member} !== undefined`;
  if (isJsonType(field.parent)) {
    if (fieldForm(field) === 'value' && 'field' in findUnprintable(field)) return `${field.localName} !== undefined`;
    const isThere = `'${field.localName}' in message`;
    if (field.oneof !== undefined) return isThere;
    return `${member} !== undefined${['string', 'messages', 'strings'].includes(fieldForm(field)) ? ` && ${notEmpty(field)}` : ''}`;
  }
  return isOptional(field) ? `${member} !== undefined` : notEmpty(field);
}

function notEmpty(field: DescField): string {
  const member = memberCode(field);
  switch (fieldForm(field)) {
    case 'string':
      return `${member} !== ''`;
    case 'bool':
      return member;
    case 'strings':
    case 'messages':
      return `${member}.length > 0`;
    case 'values':
      return `!isEmptyObject(${member})`;
    case 'messageMap':
      return findEntries(field) === undefined ? `${member}.size > 0` : `${member}.length > 0`;
    case 'enumMap':
      return `${member}.length > 0`;
    case 'stringMap':
      return `${member}.size > 0`;
    default:
      throw new Error(`no code that prints ${fullName(field)}`);
  }
}

interface Loop {
  readonly open: string;
  readonly loop: readonly string[];
  readonly close: string;
}

/** The expression of a value, or the statements that print its items. */
function printed(field: DescField): string | Loop {
  const member = memberCode(field);
  const holder = findHolder(field);
  if (holder !== undefined) return `print${holder.message}(${member})`;
  switch (fieldForm(field)) {
    case 'string':
      return `${isRecurring(field) ? 'quoteName' : 'quote'}(${member})`;
    case 'bool':
      return member;
    case 'strings':
      return `printStrings(${member})`;
    case 'values':
      return `printedValue(${member}, '\`${field.localName}\` has a value that JSON cannot represent')`;
    case 'value': {
      const unprintable = findUnprintable(field);
      return 'field' in unprintable ? field.localName : `printedValue(${member}, '${unprintable.error}')`;
    }
    case 'message':
      return `${printerName(field)}(${member})`;
    case 'messages':
      return loop(member, typeName(field.message as DescMessage), '[]', `${printerName(field)}(item)`);
    case 'messageMap': {
      const entries = findEntries(field);
      return entries === undefined
        ? `printMessageMap(${member}, ${printerName(field)})`
        : loop(
            member,
            `(typeof ${member})[number]`,
            '{}',
            `quote(item.${entries.key}) + ':' + ${printerName(field)}(item)`,
          );
    }
    case 'enumMap': {
      const { key = '', value = '' } = findEntries(field) ?? {};
      const quoted = `${isRecurring(field) ? 'quoteName' : 'quote'}(item.${key})`;
      return loop(member, `(typeof ${member})[number]`, '{}', `${quoted} + ${tableName(field)}[item.${value}]`);
    }
    case 'stringMap':
      return `printStringMap(${member})`;
    case 'enum':
      if (isJsonType(field.parent)) return `'"' + ${member} + '"'`;
      throw new Error(`no code that prints ${fullName(field)}`);
    case 'uint32':
    case 'int32':
    case 'int64':
    case 'bytes':
    case 'moment':
      throw new Error(`no code that prints ${fullName(field)}`);
  }
}

function loop(member: string, type: string, [open = '', close = '']: string, item: string): Loop {
  return {
    open,
    loop: [
      `  for (let index = 0; index < ${member}.length; index++) {`,
      `    const item = ${member}[index] as ${type};`,
      `    text += (index === 0 ? '' : ',') + ${item};`,
      '  }',
    ],
    close,
  };
}

function printerName(field: DescField): string {
  return `print${typeName(field.message as DescMessage)}`;
}

/** The variable of a value that may turn out to be unprintable. */
function unprintableCheck(field: DescField): readonly string[] {
  if (fieldForm(field) !== 'value' || !('field' in findUnprintable(field))) return [];
  return [
    `  const ${field.localName} = '${field.localName}' in message ? printValue(${memberCode(field)}) : undefined;`,
  ];
}

/** The condition under which a field reports that another one is unprintable. */
function unprintable(field: DescField): string | undefined {
  const value = field.parent.fields.find((one) => {
    const option = fieldForm(one) === 'value' ? findUnprintable(one) : undefined;
    return option !== undefined && 'field' in option && option.field === field.localName;
  });
  return value && `'${value.localName}' in message && ${value.localName} === undefined`;
}

/** The names of an enum, prefixed with a colon, by number. */
function enumTable(field: DescField): readonly string[] {
  if (fieldForm(field) !== 'enumMap' || field.enum === undefined) return [];
  const names = [...sentValues(field.enum)].map(([number, name]) => `${number}: ':"${name}"'`);
  return [`const ${tableName(field)} = { ${names.join(', ')} } as const;`, ''];
}

function tableName(field: DescField): string {
  return `${typeName(field.parent)}_${field.name}`.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
}
