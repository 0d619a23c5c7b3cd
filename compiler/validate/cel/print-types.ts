import { type CelType, opaque, printType } from '../../cel/types.js';
import { mapParts } from './type-algebra.js';

/**
 * The arguments of a call as the overload message shows them (docs/spec/conditions.md#overload-resolution): the
 * receiver before the dot.
 */
export function printArguments(types: readonly CelType[], form: 'global' | 'member'): string {
  const printed = types.map(printType);
  if (form === 'global') return `(${printed.join(', ')})`;
  return `${printed[0]}.(${printed.slice(1).join(', ')})`;
}

/** A type as the other messages show it: a free parameter by its own name. */
export function printOpenType(type: CelType): string {
  return printType(nameParameters(type));
}

function nameParameters(type: CelType): CelType {
  return type.kind === 'parameter' ? opaque(type.name) : mapParts(type, nameParameters);
}
