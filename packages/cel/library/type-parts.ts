import type { CelType } from './types.js';

/** The type arguments of a type, in the order in which it is printed. */
export function listParts(type: CelType): readonly CelType[] {
  const parts: CelType[] = [];
  mapParts(type, (part) => {
    parts.push(part);
    return part;
  });
  return parts;
}

/** Returns the same type with each part replaced. */
export function mapParts(type: CelType, replace: (part: CelType) => CelType): CelType {
  switch (type.kind) {
    case 'list':
      return { kind: 'list', element: replace(type.element) };
    case 'map':
      return { kind: 'map', key: replace(type.key), value: replace(type.value) };
    case 'optional':
      return { kind: 'optional', value: replace(type.value) };
    case 'type':
      return { kind: 'type', of: replace(type.of) };
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'null':
    case 'timestamp':
    case 'duration':
    case 'dyn':
    case 'error':
    case 'message':
    case 'opaque':
    case 'parameter':
      return type;
  }
}
