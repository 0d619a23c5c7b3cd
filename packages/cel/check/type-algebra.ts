import { mapParts, listParts } from '../library/type-parts.js';
import { type CelType, opaque, printType } from '../library/types.js';

/** Whether every type is assignable to it: dyn, and the type of an expression that already has a problem. */
export function isDynamic(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** Whether two types are identical in name and parts; dyn and json differ. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  if ('name' in a && 'name' in b && a.name !== b.name) return false;
  if ('json' in a && 'json' in b && a.json !== b.json) return false;
  const partsOfB = listParts(b);
  return listParts(a).every((part, i) => sameType(part, partsOfB[i] as CelType));
}

/**
 * The more general of two types, one of which is assignable to the other (docs/spec/conditions.md#types: binding
 * widens).
 */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isAsGeneral(a, b) ? a : b;
}

/** The number of nodes in a type, counted up to `limit`. */
export function measureType(type: CelType, limit: number): number {
  let size = 1;
  for (const part of listParts(type)) {
    if (size >= limit) return size;
    size += measureType(part, limit - size);
  }
  return size;
}

function isAsGeneral(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'parameter') return true;
  if (b.kind === 'dyn' || b.kind === 'parameter') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  const partsOfB = listParts(b);
  if (partsOfB.length === 0) return sameType(a, b);
  return listParts(a).every((part, i) => isAsGeneral(part, partsOfB[i] as CelType));
}

/**
 * The type of `google.protobuf.Int32Value{value: 5}` and similar messages (docs/spec/conditions.md#messages-as-values):
 * it and the scalar it wraps are assignable to each other, and null is assignable to it.
 */
export function wrapScalar(scalar: CelType): CelType {
  return opaque(`wrapper(${printType(scalar)})`);
}

/** Whether one of the two types is the wrapper of the other. */
export function isWrapperOf(a: CelType, b: CelType): boolean {
  return wraps(a, b) || wraps(b, a);
}

/** Whether the type is the wrapper of any scalar. */
export function isWrapper(type: CelType): boolean {
  return type.kind === 'opaque' && type.name.startsWith('wrapper(');
}

function wraps(wrapper: CelType, scalar: CelType): boolean {
  return wrapper.kind === 'opaque' && wrapper.name === `wrapper(${scalar.kind})`;
}

/**
 * The arguments of a call as the overload message prints them (docs/spec/conditions.md#overload-resolution): the
 * receiver before the dot.
 */
export function printArguments(types: readonly CelType[], form: 'global' | 'member'): string {
  const printed = types.map(printType);
  if (form === 'global') return `(${printed.join(', ')})`;
  return `${printed[0]}.(${printed.slice(1).join(', ')})`;
}

/** A type as the other messages print it: a free parameter by its own name. */
export function printOpenType(type: CelType): string {
  return printType(nameParameters(type));
}

function nameParameters(type: CelType): CelType {
  return type.kind === 'parameter' ? opaque(type.name) : mapParts(type, nameParameters);
}
