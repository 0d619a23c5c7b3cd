import type { CelType } from '../../packages/cel/library/types.js';

/**
 * Whether a value keeps its type when it is stored in a variable; hierarchies, optionals and types do not
 * (docs/spec/conditions.md#stored-values).
 */
export function survives(type: CelType): boolean {
  switch (type.kind) {
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'null':
    case 'timestamp':
    case 'duration':
      return true;
    case 'dyn':
      return type.json;
    case 'list':
      return survives(type.element);
    case 'map':
      return survives(type.key) && survives(type.value);
    case 'error':
    case 'optional':
    case 'type':
    case 'message':
    case 'opaque':
    case 'parameter':
      return false;
  }
}
