import { JsonError, type ParsedObject } from './json-shape.js';

/*
 * The parts of a response in JSON, as clients read them: own properties only; absent and null properties are empty. All
 * throw a JsonError for a property of another type. Uses no platform APIs: browsers load it.
 */

/** The maximum nesting depth of messages. */
const MAX_DEPTH = 2002;

/** A value that is an object. */
export function responseObject(value: unknown, name: string): ParsedObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as ParsedObject;
  throw wrong(name);
}

/** A property; undefined if it is absent, null or inherited. */
export function readMember(object: ParsedObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

export function stringIn(object: ParsedObject, name: string): string {
  const value = readMember(object, name) ?? '';
  if (typeof value === 'string') return value;
  throw wrong(name);
}

export function stringsIn(object: ParsedObject, name: string): readonly string[] {
  return listIn(object, name).map((value) => {
    if (typeof value === 'string') return value;
    throw wrong(name);
  });
}

/** Reads a message; `depth` counts the enclosing messages that may contain themselves. */
type Read<Message> = (value: unknown, name: string, depth: number) => Message;

export function messageIn<Message>(object: ParsedObject, name: string, read: Read<Message>, depth = 0): Message {
  return read(readMember(object, name), name, depth);
}

export function optionalMessageIn<Message>(
  object: ParsedObject,
  name: string,
  read: Read<Message>,
  depth = 0,
): Message | undefined {
  const value = readMember(object, name);
  return value === undefined ? undefined : read(value, name, depth);
}

export function messagesIn<Message>(
  object: ParsedObject,
  name: string,
  read: Read<Message>,
  depth = 0,
): readonly Message[] {
  const messages: Message[] = [];
  // A callback would take two more stack frames for each nested message.
  for (const value of listIn(object, name)) messages.push(read(value, name, depth));
  return messages;
}

/** A map, as a list of objects. */
export function entriesIn<Entry>(
  object: ParsedObject,
  name: string,
  entryOf: (key: string, value: unknown) => Entry,
): readonly Entry[] {
  const map = responseObject(readMember(object, name) ?? {}, name);
  return Object.keys(map).map((key) => entryOf(key, map[key]));
}

export function stringMapIn(object: ParsedObject, name: string): ReadonlyMap<string, string> {
  const map = responseObject(readMember(object, name) ?? {}, name);
  return new Map(Object.keys(map).map((key) => [key, stringIn(map, key)]));
}

/** The number of an enum value by its name. Accepts only names that responses have. */
export function sentNumber<Numbers extends { readonly [name: string]: number }>(
  value: unknown,
  numbers: Numbers,
  name: string,
): Numbers[keyof Numbers] {
  if (typeof value === 'string' && Object.hasOwn(numbers, value)) return numbers[value] as Numbers[keyof Numbers];
  throw wrong(name);
}

/** An enum value as its name, with the same check. */
export function sentName<const Name extends string>(object: ParsedObject, name: string, names: readonly Name[]): Name {
  const value = names.find((one) => one === readMember(object, name));
  if (value === undefined) throw wrong(name);
  return value;
}

/** Rejects properties with other names and, in a oneof, all but one property. */
export function checkNames(object: ParsedObject, known: readonly string[], isOneof: boolean, name: string): void {
  const names = Object.keys(object);
  if ((isOneof && names.length !== 1) || names.some((one) => !known.includes(one))) throw wrong(name);
}

export function checkDepth(depth: number, name: string): void {
  if (depth > MAX_DEPTH) throw wrong(name);
}

export function wrong(name: string): JsonError {
  return new JsonError(`the answer has a wrong \`${name}\``);
}

function listIn(object: ParsedObject, name: string): readonly unknown[] {
  const value = readMember(object, name) ?? [];
  if (Array.isArray(value)) return value;
  throw wrong(name);
}
