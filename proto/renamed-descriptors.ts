import { BYTES, WireReader } from './wire/reader.js';

/** New names in descriptors. */
export interface Renaming {
  /** What package names begin with, and what they are to begin with. */
  readonly root: readonly [from: string, to: string];
  /** The last parts of the names of services, by those that they have. */
  readonly services: { readonly [name: string]: string };
  /** The JSON names of fields, by those that they have. */
  readonly fields: { readonly [jsonName: string]: string };
}

/** An encoded google.protobuf.FileDescriptorProto with other names, for its imports and the types it refers to as well. */
export function renamedFile(file: Buffer, renaming: Renaming): Buffer {
  return renamed(file, FILE, renaming);
}

/** Says how a length-delimited field is renamed: by a function of its text, or message by message. */
type Rename = ((text: string, renaming: Renaming) => string) | Fields;
interface Fields {
  readonly [number: number]: Rename;
}

const path: Rename = (text, { root: [from, to] }) => startingWith(text, `${from}/`, `${to}/`);
const packageName: Rename = (text, { root: [from, to] }) => startingWith(`${text}.`, `${from}.`, `${to}.`).slice(0, -1);
const typeName: Rename = (text, { root: [from, to] }) => startingWith(text, `.${from}.`, `.${to}.`);
const serviceName: Rename = (text, { services }) => services[text] ?? text;
const jsonName: Rename = (text, { fields }) => fields[text] ?? text;
const fieldName: Rename = (text, { fields }) =>
  snakeCase(Object.entries(fields).find(([from]) => snakeCase(from) === text)?.[1] ?? text);

/** Fields by number, as google/protobuf/descriptor.proto has them. */
const FIELD: Fields = { 1: fieldName, 2: typeName, 6: typeName, 10: jsonName };
const MESSAGE: { [number: number]: Rename } = { 2: FIELD, 6: FIELD };
MESSAGE[3] = MESSAGE;
const SERVICE: Fields = { 1: serviceName, 2: { 2: typeName, 3: typeName } };
const FILE: Fields = { 1: path, 2: packageName, 3: path, 4: MESSAGE, 6: SERVICE, 7: FIELD };

function renamed(bytes: Buffer, fields: Fields, renaming: Renaming): Buffer {
  const parts: Buffer[] = [];
  const reader = new WireReader(bytes);
  while (reader.at < bytes.length) {
    const start = reader.at;
    const tag = reader.tag();
    const rename = (tag & 7) === BYTES ? fields[tag >>> 3] : undefined;
    if (rename === undefined) {
      reader.skip(tag);
      parts.push(bytes.subarray(start, reader.at));
      continue;
    }
    const content = reader.bytesField();
    const replaced =
      typeof rename === 'function'
        ? Buffer.from(rename(content.toString('utf8'), renaming))
        : renamed(content, rename, renaming);
    parts.push(varint(tag), varint(replaced.length), replaced);
  }
  return Buffer.concat(parts);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

function startingWith(text: string, from: string, to: string): string {
  return text.startsWith(from) ? to + text.slice(from.length) : text;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
