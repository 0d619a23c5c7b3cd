import type { DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { decodeFunction, readFunction, readItemFunction } from './decode.js';
import { decodeResponseFunction, readResponseFunction } from './decode-response.js';
import { encodeFunction, writeFunction } from './encode.js';
import { fileName } from './validate.js';
import { fieldForm, Reach, typeModule, type WrittenModule } from './messages.js';
import { functionModules, moduleText } from './module.js';
import { isJsonType, typeName } from './options.js';
import { sizeFunction, sizeName } from './size.js';

/** The protobuf encoding of requests and responses: a module for each .proto file, by name. */
export function wireModules(registry: FileRegistry): ReadonlyMap<string, string> {
  const reach = new Reach(registry);
  const items = new Set(
    [...reach.received].flatMap(({ fields }) =>
      fields.flatMap((field) => (fieldForm(field) === 'messages' ? [field.message as DescMessage] : [])),
    ),
  );
  const modules = functionModules(reach.all, {
    functions: (message) => [
      ...(reach.requests.includes(message) ? [decodeFunction(message)] : []),
      ...(reach.received.has(message) ? [readFunction(message, items.has(message))] : []),
      ...(items.has(message) ? [readItemFunction(message)] : []),
      ...(reach.responses.includes(message) && reach.read.has(message) ? [decodeResponseFunction(message)] : []),
      ...(reach.read.has(message) ? [readResponseFunction(message)] : []),
      ...(reach.isRoot(message) && (reach.sent.has(message) || reach.answered.has(message))
        ? [encodeFunction(message)]
        : []),
      ...(reach.sent.has(message) || reach.answered.has(message) ? [writeFunction(message)] : []),
      ...(reach.measured.has(message) ? [sizeFunction(message)] : []),
    ],
    namesOf: (message) => [
      ...(reach.isRoot(message) ? ['decode', 'encode'] : ['read', 'write']).map((verb) => verb + typeName(message)),
      `read${typeName(message)}Item`,
      sizeName(message),
    ],
    isRequest: (message) => reach.isRoot(message),
    primitives: PRIMITIVES,
  });
  return new Map([...modules, ...reach.written.map((written) => [written.file, writtenModule(written)] as const)]);
}

function writtenModule({ file, types, roots, messages }: WrittenModule): string {
  return moduleText({
    file,
    messages,
    all: new Set(messages),
    functions: (message) => [
      ...(roots.includes(message) ? [encodeFunction(message)] : []),
      writeFunction(message, true),
    ],
    namesOf: (message) => [(roots.includes(message) ? 'encode' : 'write') + typeName(message)],
    isRequest: (message) => roots.includes(message),
    moduleOf: (message) => (isJsonType(message) ? fileName(message) : file),
    typesOf: (message) => (isJsonType(message) ? typeModule(message) : types),
    primitives: PRIMITIVES,
  });
}

const PRIMITIVES: { readonly [path: string]: readonly string[] } = {
  '../../wire/reader.js': [
    'BYTES',
    'type Draft',
    'missing',
    'once',
    'readEntryOnce',
    'readMapEntry',
    'readMoment',
    'readNumberEntryOnce',
    'readStringEntry',
    'sentValue',
    'type TextTable',
    'VARINT',
    'WireReader',
  ],
  '../../wire/size.js': ['field', 'mapSize', 'text', 'texts'],
  '../../wire/value.js': [
    'readJsonEntry',
    'readJsonValue',
    'readSentValue',
    'writeJsonEntries',
    'writeJsonText',
    'writeJsonValue',
  ],
  '../../wire/writer.js': [
    'type WireWriter',
    'writeMessageMap',
    'writeObject',
    'writeStringMap',
    'writeStringObject',
    'writeText',
    'writeTexts',
    'writeTimestamp',
  ],
  '../json/response.js': ['printCheckResourcesResponse'],
};
