import type { DescMessage, FileRegistry } from '@bufbuild/protobuf';
import { decodeFunction, readFunction } from './decode.js';
import { encodeFunction, writeFunction } from './encode.js';
import { messageNamed, REQUESTS, type RequestRow, typeName, withInner } from './messages.js';
import { functionModules } from './module.js';
import { sizeFunction, sizeName } from './size.js';

/** The protobuf encoding of the requests: a module for each .proto file, by its name. */
export function wireModules(registry: FileRegistry): ReadonlyMap<string, string> {
  const rows = new Map(REQUESTS.map((row) => [messageNamed(row.message, registry), row]));
  const reached = (wanted: (row: RequestRow) => boolean): ReadonlySet<DescMessage> =>
    withInner([...rows].flatMap(([message, row]) => (wanted(row) ? [message] : [])));
  const measured = reached(({ isMeasured }) => isMeasured);
  const sent = reached(({ isSent }) => isSent);
  return functionModules(
    reached(() => true),
    {
      functions: (message) => [
        ...(rows.has(message) ? [decodeFunction(message)] : []),
        readFunction(message),
        ...(rows.get(message)?.isSent ? [encodeFunction(message)] : []),
        ...(sent.has(message) ? [writeFunction(message)] : []),
        ...(measured.has(message) ? [sizeFunction(message)] : []),
      ],
      namesOf: (message) => [
        ...(rows.has(message) ? ['decode', 'encode'] : ['read', 'write']).map((verb) => verb + typeName(message)),
        sizeName(message),
      ],
      isRequest: (message) => rows.has(message),
      primitives: PRIMITIVES,
    },
  );
}

const PRIMITIVES: { readonly [path: string]: readonly string[] } = {
  '../../wire/reader.js': [
    'BYTES',
    'type Draft',
    'readMapEntry',
    'readMoment',
    'type TextTable',
    'VARINT',
    'WireReader',
  ],
  '../../wire/size.js': ['field', 'mapSize', 'text', 'texts'],
  '../../wire/value.js': ['readJsonEntry', 'writeJsonEntries'],
  '../../wire/writer.js': [
    'type WireWriter',
    'writeMessage',
    'writeMessageMap',
    'writeMessages',
    'writeText',
    'writeTexts',
  ],
};
