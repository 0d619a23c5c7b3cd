import type { Shape } from '../../proto/wire/json-shape.js';

/** How one field of a message is read, and what stands for it when it is absent or null. */
export interface Field<T> {
  readonly absent: T;
  readonly read: (value: unknown, name: string, shape: Shape) => T;
}

export type Fields<T> = { readonly [K in keyof T & string]: Field<T[K]> };

/**
 * Reads a message of a published service that is not generated, whose fields stand in a table by their JSON names. A
 * field is also known by its protobuf name, which is the same in snake_case; both in one object are one field twice, a
 * name that is neither is refused.
 */
export function messageReader<T extends object>(fields: Fields<T>): (value: unknown, shape: Shape) => T {
  const known = new Map<string, KnownField>();
  const absent: Record<string, unknown> = {};
  for (const [index, [name, { absent: value, read }]] of Object.entries<Field<unknown>>(fields).entries()) {
    const field = { name, bit: 1 << index, read };
    known.set(name, field);
    known.set(snakeCase(name), field);
    absent[name] = value;
  }
  return (value, shape) => {
    const object = shape.object(value, '');
    const message = { ...absent };
    let met = 0;
    for (const key in object) {
      shape.keys += 1;
      const field = known.get(key);
      if (field === undefined) return shape.unknownField(key, '');
      met = shape.once(met, field.bit, key);
      if (object[key] !== null) message[field.name] = field.read(object[key], field.name, shape);
    }
    return message as T;
  };
}

interface KnownField extends Pick<Field<unknown>, 'read'> {
  readonly name: string;
  readonly bit: number;
}

export const text: Field<string> = { absent: '', read: (value, name, shape) => shape.string(value, name) };

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
