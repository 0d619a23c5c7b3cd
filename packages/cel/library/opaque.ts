import { listParts } from './type-parts.js';
import type { CelType } from './types.js';

/**
 * Whether a value of a type may be one whose `==` depends on the side that it is on and may fail: a hierarchy, a SPIFFE
 * ID, a trust domain, or a value that contains one (docs/spec/conditions.md#equality).
 */
export function mayBeOpaque(type: CelType): boolean {
  switch (type.kind) {
    case 'opaque':
    case 'parameter':
    // Authors can put any value into the attributes of a message that they write.
    case 'message':
      return true;
    case 'dyn':
    case 'error':
      return !type.json;
    // Keys are booleans, numbers and strings.
    case 'map':
      return mayBeOpaque(type.value);
    // A type is compared by its name.
    case 'type':
      return false;
    default:
      return listParts(type).some(mayBeOpaque);
  }
}

/** Whether `a == b` is `b == a` for all values of two types. */
export function isSymmetric(a: CelType, b: CelType): boolean {
  if (a.kind === 'opaque' && b.kind === 'opaque' && a.name === b.name) return true;
  return !mayBeOpaque(a) && !mayBeOpaque(b);
}
