import { type CelType, dyn, json, listOf, mapOf, optionalOf, typeOf } from '../../cel/types.js';
import { sameType } from './type-algebra.js';

/**
 * What is certain of a value that is of one type or of the other. Plain JSON with plain JSON is plain JSON, else dyn.
 */
export function certainJoin(a: CelType, b: CelType): CelType {
  if (sameType(a, b)) return a;
  // A free parameter belongs to an empty list or map: there is no such element.
  if (a.kind === 'parameter') return b;
  if (b.kind === 'parameter') return a;
  if (a.kind === 'list' && b.kind === 'list') return listOf(certainJoin(a.element, b.element));
  if (a.kind === 'map' && b.kind === 'map') return mapOf(certainJoin(a.key, b.key), certainJoin(a.value, b.value));
  if (a.kind === 'optional' && b.kind === 'optional') return optionalOf(certainJoin(a.value, b.value));
  if (a.kind === 'type' && b.kind === 'type') return typeOf(dyn);
  return isPlainJson(a) && isPlainJson(b) ? json : dyn;
}

// A map may have been made by a literal, which is not a plain object.
function isPlainJson(type: CelType): boolean {
  switch (type.kind) {
    case 'null':
    case 'bool':
    case 'double':
    case 'string':
      return true;
    case 'dyn':
      return type.json;
    case 'list':
      return isPlainJson(type.element);
    case 'int':
    case 'uint':
    case 'bytes':
    case 'timestamp':
    case 'duration':
    case 'map':
    case 'optional':
    case 'type':
    case 'error':
    case 'message':
    case 'opaque':
    case 'parameter':
      return false;
  }
}
