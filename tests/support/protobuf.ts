import {
  createFileRegistry,
  type DescMessage,
  type DescService,
  type FileRegistry,
  fromBinary,
  fromJson,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { descriptorSet } from '../../proto/gen/descriptors.js';

/** A message type of the committed descriptors, read and written by a library that is independent of our codec. */
export interface MessageType {
  readonly encode: (json: JsonValue) => Buffer;
  readonly decode: (bytes: Uint8Array) => JsonValue;
}

/** The descriptor of the message with a full name. Throws when there is none. */
export function findMessage(name: string): DescMessage {
  const type = registry.getMessage(name);
  if (type === undefined) throw new Error(`no message ${name}`);
  return type;
}

/** The descriptor of the service with a full name. Throws when there is none. */
export function findService(name: string): DescService {
  const service = registry.getService(name);
  if (service === undefined) throw new Error(`no service ${name}`);
  return service;
}

/** The type with a full name. Throws when there is none. */
export function messageType(name: string): MessageType {
  const type = findMessage(name);
  return {
    encode: (json) => Buffer.from(toBinary(type, fromJson(type, json))),
    decode: (bytes) => toJson(type, fromBinary(type, bytes)),
  };
}

/** The committed descriptors, for a library that is independent of our codec. */
export const registry: FileRegistry = createFileRegistry(
  fromBinary(FileDescriptorSetSchema, Buffer.from(descriptorSet, 'base64')),
);

/** A generator of numbers below a bound, the same in every run. */
export function randomNumbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Damages bytes: cuts them off, replaces some, or doubles a piece. */
export function damaged(bytes: Buffer, next: (bound: number) => number): Buffer {
  const cut = bytes.subarray(0, next(3) === 0 ? next(bytes.length) : bytes.length);
  const from = next(cut.length + 1);
  const copy = next(4) === 0 ? Buffer.concat([cut, cut.subarray(from, from + next(40))]) : Buffer.from(cut);
  for (let edits = next(4); edits > 0 && copy.length > 0; edits--) copy[next(copy.length)] = next(256);
  return copy;
}
