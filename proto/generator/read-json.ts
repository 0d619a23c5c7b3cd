import type { DescField, DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { sortedFields, fieldForm, innerMessage, Reach, typeModule } from './messages.js';
import { fullName, typeName } from './options.js';
import { printFunction } from './print-json.js';
import { readResponseJsonFunction } from './read-response-json.js';
import { functionModules } from './module.js';

/**
 * The readers of the requests' JSON form: a module for each .proto file, by name. They read the result of JSON.parse by
 * the rules of the protobuf JSON mapping: both spellings of a name are one field, null is an absent field, and an
 * unknown field is refused, except in AuthZEN, which requires ignoring the fields of later versions.
 */
export function jsonModules(registry: FileRegistry): ReadonlyMap<string, string> {
  const reach = new Reach(registry);
  const places = findPlaces(reach.requests);
  return functionModules(reach.all, {
    functions: (message) => [
      ...(reach.received.has(message) ? [readFunction(message, places)] : []),
      ...(reach.read.has(message) ? [readResponseJsonFunction(message)] : []),
      ...(reach.sent.has(message) || reach.answered.has(message) ? [printFunction(message)] : []),
    ],
    namesOf: (message) => [readerName(message), `print${typeName(message)}`],
    isRequest: (message) => reach.isRoot(message),
    primitives: PRIMITIVES,
  });
}

const PRIMITIVES: { readonly [path: string]: readonly string[] } = {
  '../../wire/json-response.js': [
    'checkDepth',
    'checkNames',
    'entriesIn',
    'readMember',
    'messageIn',
    'messagesIn',
    'optionalMessageIn',
    'responseObject',
    'sentName',
    'sentNumber',
    'stringIn',
    'stringMapIn',
    'stringsIn',
    'wrong',
  ],
  '../../wire/json-shape.js': ['type Attributes', 'NO_ATTRIBUTES', 'NO_ITEMS', 'type Shape'],
  '../../wire/json-text.js': [
    'isEmptyObject',
    'printedValue',
    'printMessageMap',
    'printStringMap',
    'printStrings',
    'printValue',
    'quote',
    'quoteName',
    'UNPRINTABLE',
  ],
  '../../wire/moment.js': ['type Moment'],
  './response.js': ['printCheckResourcesResponse'],
};

/** The paths of messages in requests, as errors name them. */
type Places = ReadonlyMap<DescMessage, ReadonlySet<string>>;

function findPlaces(requests: readonly DescMessage[]): Places {
  const places = new Map<DescMessage, Set<string>>();
  const visit = (message: DescMessage, place: string): void => {
    places.set(message, (places.get(message) ?? new Set()).add(place));
    for (const field of message.fields) {
      const inner = innerMessage(field);
      if (inner !== undefined)
        visit(inner, within(place, `${field.localName}${fieldForm(field) === 'message' ? '' : '[]'}`));
    }
  };
  for (const request of requests) visit(request, '');
  return places;
}

function within(place: string, name: string): string {
  return place === '' ? name : `${place}.${name}`;
}

/**
 * Code for a path: a constant if a message occurs at one path only, so that reading requests does not concatenate
 * strings.
 */
class Place {
  readonly #only: string | undefined;

  constructor(places: ReadonlySet<string>) {
    this.#only = places.size === 1 ? [...places][0] : undefined;
  }

  get isKnown(): boolean {
    return this.#only !== undefined;
  }

  get message(): string {
    return this.#only === undefined ? 'place' : `'${this.#only}'`;
  }

  field(name: string): string {
    return this.#only === undefined ? `\`\${place}.${name}\`` : `'${within(this.#only, name)}'`;
  }
}

function readFunction(message: DescMessage, places: Places): string {
  const name = typeName(message);
  const place = new Place(places.get(message) as ReadonlySet<string>);
  const fields = sortedFields(message);
  const members = new Set(fields.map((field) => (field.oneof ?? field).localName));
  const spelledTwice = fields.filter((field) => spellings(field).length > 1);
  const cases = fields.flatMap((field) => [
    ...spellings(field).map((spelling) => `      case '${spelling}':`),
    ...(spelledTwice.includes(field)
      ? [`        met = shape.once(met, ${2 ** spelledTwice.indexOf(field)}, key);`]
      : []),
    `        if (field !== null) ${statement(field, place, places)}`,
    '        break;',
  ]);
  return [
    `/** ${name} from its JSON form. Throws a JsonError. */`,
    `export function ${readerName(message)}(value: unknown, ${place.isKnown ? '' : 'place: string, '}shape: Shape): ${name} {`,
    `  const object = shape.object(value, ${place.message});`,
    ...(spelledTwice.length > 0 ? ['  let met = 0;'] : []),
    ...[...members].map((member) => `  let ${variable(member)}${initial(message, member)};`),
    '  for (const key in object) {',
    '    shape.keys += 1;',
    ...(fields.length > 0 || typeModule(message) === 'authzen-messages' ? ['    const field = object[key];'] : []),
    '    switch (key) {',
    ...cases,
    '      default:',
    `        ${unknownField(message, place)}`,
    '    }',
    '  }',
    `  return { ${[...members].map((member) => (variable(member) === member ? member : `${member}: ${variable(member)}`)).join(', ')} };`,
    '}',
    '',
  ].join('\n');
}

function readerName(message: DescMessage): string {
  return `read${typeName(message)}`;
}

/** The accepted names of a field: its JSON name, and its name in the definition. */
function spellings({ localName, jsonName, name }: DescField): readonly string[] {
  return [...new Set([localName, jsonName, name])];
}

function unknownField(message: DescMessage, place: Place): string {
  if (typeModule(message) !== 'authzen-messages') return `shape.unknownField(key, ${place.message});`;
  return place.message === "''"
    ? 'shape.anything(field, key);'
    : `shape.anything(field, ${place.isKnown ? `\`${place.message.slice(1, -1)}.\${key}\`` : '`${place}.${key}`'});`;
}

/** The variable of a field, distinct from the readers' own variables. */
function variable(member: string): string {
  return ['value', 'place', 'shape', 'object', 'met', 'key', 'field', 'item'].includes(member)
    ? `${member}Field`
    : member;
}

/** The type and initial value of a variable, for an absent field. */
function initial(message: DescMessage, member: string): string {
  const field = message.fields.find((one) => one.oneof === undefined && one.localName === member);
  if (field === undefined) return `: ${typeName(message)}['${member}']`;
  switch (fieldForm(field)) {
    case 'string':
      return " = ''";
    case 'bool':
      return ' = false';
    case 'uint32':
    case 'enum':
      return ' = 0';
    case 'moment':
      return ': Moment | undefined';
    case 'message':
      return `: ${typeName(field.message as DescMessage)} | undefined`;
    case 'strings':
      return ': readonly string[] = NO_ITEMS';
    case 'messages':
      return `: readonly ${typeName(field.message as DescMessage)}[] = NO_ITEMS`;
    case 'values':
      return ' = NO_ATTRIBUTES';
    case 'messageMap':
      return `: ReadonlyMap<string, ${typeName(field.message as DescMessage)}> = new Map()`;
    default:
      throw new Error(`no code that reads ${fullName(field)}`);
  }
}

function statement(field: DescField, place: Place, places: Places): string {
  const { localName, oneof } = field;
  const value = valueCode(field, place.field(localName), places);
  if (oneof === undefined) return `${variable(localName)} = ${value};`;
  const chosen = variable(oneof.localName);
  return `${chosen} = shape.oneof(${chosen}, { by: '${localName}', value: ${value} });`;
}

function valueCode(field: DescField, name: string, places: Places): string {
  const inner = innerMessage(field);
  const isPlaced = inner !== undefined && new Place(places.get(inner) as ReadonlySet<string>).isKnown;
  const reader = inner === undefined ? '' : readerName(inner);
  switch (fieldForm(field)) {
    case 'string':
      return `shape.string(field, ${name})`;
    case 'bool':
      return `shape.bool(field, ${name})`;
    case 'uint32':
      return `shape.uint32(field, ${name})`;
    case 'enum':
      return `shape.enum(field, ${name}, [${field.enum?.values.map((value) => `'${value.name}'`).join(', ')}])`;
    case 'moment':
      return `shape.${field.message?.typeName === 'google.protobuf.Duration' ? 'duration' : 'timestamp'}(field, ${name})`;
    case 'strings':
      return `shape.strings(field, ${name})`;
    case 'values':
      return `shape.attributes(field, ${name})`;
    case 'message':
      return isPlaced ? `${reader}(field, shape)` : `${reader}(field, ${name}, shape)`;
    case 'messages':
      return `shape.list(field, ${name}).map((item) => ${reader}(item, ${isPlaced ? '' : `${itemName(name)}, `}shape))`;
    case 'messageMap':
      return `shape.messages(field, ${name}, ${isPlaced ? `(item) => ${reader}(item, shape)` : reader})`;
    default:
      throw new Error(`no code that reads ${fullName(field)}`);
  }
}

/** The name of an item of a list, from the list's quoted name. */
function itemName(name: string): string {
  return `${name.slice(0, -1)}[]${name.slice(-1)}`;
}
