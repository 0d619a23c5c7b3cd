import { type DescField, type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds } from '../../tests/support/effort.js';
import { damaged, messageType, randomNumbers, registry } from '../../tests/support/protobuf.js';
import { sortedFields, messageNamed, REQUESTS, RESPONSES, uncapitalized } from '../generator/messages.js';
import { typeName } from '../generator/options.js';
import { fileName } from '../generator/validate.js';
import { WireError } from './reader.js';

/** Each request that the server decodes, and each response that clients decode. */
const test = suite('damaged bytes');

/** A message that the generator makes a decoder for. */
interface Row {
  readonly message: DescMessage;
  /** All that is done to its bytes before its content is looked at. */
  readonly handle: (bytes: Buffer) => void;
}

const rows: readonly Row[] = await Promise.all([
  ...REQUESTS.map(async ({ message: name, isMeasured }) => {
    const message = messageNamed(name, registry);
    const wire = await functionsIn('wire', message);
    const { [`${uncapitalized(typeName(message))}Violations`]: violations } = await functionsIn('validate', message);
    const handle = (bytes: Buffer): void => {
      const request = findFunction(wire, `decode${typeName(message)}`)(bytes);
      violations?.(request, 0);
      if (isMeasured)
        assert.ok((findFunction(wire, `${uncapitalized(typeName(message))}Size`)(request) as number) >= 0);
    };
    return { message, handle };
  }),
  ...RESPONSES.filter(({ isRead }) => isRead).map(async ({ message: name }) => {
    const message = messageNamed(name, registry);
    const decode = findFunction(await functionsIn('wire', message), `decode${typeName(message)}`);
    return { message, handle: (bytes: Buffer) => void decode(bytes) };
  }),
]);

type Functions = { readonly [name: string]: ((...parameters: readonly unknown[]) => unknown) | undefined };

/** The generated functions of the file of a message; none for a file without rules. */
async function functionsIn(folder: 'wire' | 'validate', message: DescMessage): Promise<Functions> {
  const module: Functions | undefined = await import(`../gen/${folder}/${fileName(message)}.ts`).catch((error) => {
    if (folder === 'wire' || error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  });
  return module ?? {};
}

function findFunction(functions: Functions, name: string): (...parameters: readonly unknown[]) => unknown {
  const found = functions[name];
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

const ROUNDS = rounds(2500, 500);

/** Fields with this number are unknown to all messages. */
const UNKNOWN = Buffer.from([0x9a, 0x3f, 1, 65]);

/** The encoding of a message with all its fields set. */
function encodeWhole(message: DescMessage): Buffer {
  return Buffer.concat([messageType(message.typeName).encode(makeSample(message, 0)), UNKNOWN]);
}

const MAX_DEPTH = 5;

/** A message in its JSON form; of a oneof one field, another one in deeper messages. */
function makeSample(message: DescMessage, depth: number): JsonValue {
  const known = WELL_KNOWN[message.typeName];
  if (known !== undefined) return known;
  const sample: JsonObject = {};
  for (const field of sortedFields(message)) {
    const { oneof } = field;
    if (oneof !== undefined && oneof.fields[depth % oneof.fields.length] !== field) continue;
    if (depth < MAX_DEPTH || field.message === undefined) sample[field.jsonName] = makeValue(field, depth);
  }
  return sample;
}

const WELL_KNOWN: { readonly [name: string]: JsonValue } = {
  'google.protobuf.Value': { s: 'x'.repeat(300), n: -1.5, t: true, u: null, l: [1, [], {}], m: { '': ['é😀'] } },
  'google.protobuf.Timestamp': '2024-01-01T00:00:00.5Z',
  'google.protobuf.Duration': '3.5s',
};

function makeValue(field: DescField, depth: number): JsonValue {
  if (field.fieldKind === 'list') return Array.from({ length: depth < 2 ? 2 : 1 }, () => makeItem(field, depth));
  if (field.fieldKind === 'map') return { a: makeItem(field, depth), é: makeItem(field, depth) };
  return makeItem(field, depth);
}

function makeItem(field: DescField, depth: number): JsonValue {
  if (field.message !== undefined) return makeSample(field.message, depth + 1);
  if (field.enum !== undefined) return field.enum.values.find(({ number }) => number > 0)?.name ?? 0;
  if (field.scalar === ScalarType.STRING) return depth % 2 === 0 ? field.name : 'é'.repeat(30);
  return field.scalar === ScalarType.BOOL ? true : 7;
}

for (const { message, handle } of rows) {
  test(`are a ${message.typeName} or throw a WireError`, () => {
    const whole = encodeWhole(message);
    handle(whole);
    const next = randomNumbers(7);
    const counts = { read: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      try {
        handle(damaged(whole, next));
        counts.read += 1;
      } catch (error) {
        assert.instance(error, WireError);
        counts.refused += 1;
      }
    }
    assert.ok(counts.read > ROUNDS / 50 && counts.refused > ROUNDS / 50, JSON.stringify(counts));
  });
}

test('do not overflow the stack, whatever field number is nested endlessly', () => {
  for (let field = 1; field < 12; field++) {
    const bytes = nested((field << 3) | 2, 200_000);
    for (const { handle } of rows) {
      try {
        // A number that the message does not have is skipped whole.
        handle(bytes);
      } catch (error) {
        assert.instance(error, WireError);
      }
    }
  }
});

/** Messages in one another, each of one field, longer and longer towards the front. */
function nested(tag: number, depth: number): Buffer {
  const bytes = Buffer.alloc(depth * 5, 0xff);
  let at = bytes.length;
  for (let level = 0; level < depth && at > 5; level++) {
    const length = varint(bytes.length - at);
    at -= length.length;
    length.copy(bytes, at);
    at -= 1;
    bytes[at] = tag;
  }
  return bytes.subarray(at);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

test.run();
