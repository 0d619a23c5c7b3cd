import { BYTES, type WireReader } from './wire-reader.js';

/**
 * Reads one entry of a map from string to message into `map`. Begins before the length of the entry; a key that occurs
 * twice is replaced.
 */
export function readMapEntry<Value>(
  reader: WireReader,
  map: Map<string, Value>,
  read: (reader: WireReader, end: number, known?: Value) => Value,
): void {
  const end = reader.messageEnd();
  let key = '';
  let value: Value | undefined;
  while (reader.at < end) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) key = reader.string();
    else if (tag === ((2 << 3) | BYTES)) value = read(reader, reader.messageEnd(), value);
    else reader.skip(tag);
  }
  reader.checkEnd(end);
  // An entry without a value has an empty one: nothing is left to read.
  map.set(key, value ?? read(reader, reader.at));
}
