import type { Shape } from '../../../proto/wire/json-shape.js';

/** ServerInfoRequest, a message without fields. Throws a JsonError. */
export function readServerInfoRequest(value: unknown, shape: Shape): Record<string, never> {
  for (const key in shape.object(value, '')) shape.unknownField(key, '');
  return {};
}

/** MetadataRequest, likewise; but AuthZEN asks to ignore the fields of its later versions. Throws a JsonError. */
export function readMetadataRequest(value: unknown, shape: Shape): Record<string, never> {
  const object = shape.object(value, '');
  for (const key in object) {
    shape.keys += 1;
    shape.anything(object[key], key);
  }
  return {};
}
