import type { ValidationError } from '../messages.js';
import { BYTES, VARINT, WireError, type WireReader } from '../wire/reader.js';

/** What reads one field: by its number, whatever its wire type; the reader stands behind the tag. */
export type FieldReaders = { readonly [field: number]: { readonly type: number; readonly read: () => void } };

/**
 * Reads the fields of a message up to `end`; those without a reader are skipped. Throws a WireError, also for a field
 * of another wire type: other readers take it for unknown or for damage, and of an answer all have to think the same.
 */
export function readFields(reader: WireReader, end: number, readers: FieldReaders): void {
  while (reader.at < end) {
    const tag = reader.tag();
    const field = readers[tag >>> 3];
    if (field === undefined) reader.skip(tag);
    else if (field.type !== (tag & 7)) throw new WireError(`wire type ${tag & 7} for field ${tag >>> 3}`);
    else field.read();
  }
  reader.checkEnd(end);
}

/** authz.schema.v1.ValidationError. Begins before the length of the message. */
export function readValidationError(reader: WireReader): ValidationError {
  let path = '';
  let message = '';
  let source = 0;
  readFields(reader, reader.messageEnd(), {
    1: text(() => {
      path = reader.string();
    }),
    2: text(() => {
      message = reader.string();
    }),
    3: varint(() => {
      source = reader.uint32();
    }),
  });
  if (source !== 1 && source !== 2) throw new WireError('validation error of no source');
  return { path, message, source: source === 1 ? 'SOURCE_PRINCIPAL' : 'SOURCE_RESOURCE' };
}

/** A field of bytes: a text or a message. */
export function text(read: () => void): { readonly type: number; readonly read: () => void } {
  return { type: BYTES, read };
}

/** A field of a number, an enum or a truth. */
export function varint(read: () => void): { readonly type: number; readonly read: () => void } {
  return { type: VARINT, read };
}
