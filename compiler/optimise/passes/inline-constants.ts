import type { JsonValue } from '../../ast/policy.js';
import { json } from '../../cel/types.js';
import type { Program } from '../../ir/program.js';
import type { Value } from '../../ir/value.js';
import { mapParts } from '../../ir/visit.js';
import { mapValues } from '../map-values.js';

/**
 * Puts the scalar constants of a policy (`C.limit`, `C.limits.large`) where they are used; lists and maps stay
 * constants of the module.
 */
export function inlineConstants(program: Program): Program {
  return mapValues(program, (module) => {
    if (module.constants.length === 0) return undefined;
    const constants = new Map(module.constants.map(({ name, value }) => [name, value]));
    return (value) => inline(value, constants);
  });
}

function inline(value: Value, constants: ReadonlyMap<string, JsonValue>): Value {
  const constant = constantAt(value, constants);
  if (constant === null) return { kind: 'literal', literal: 'null', value: constant, type: json };
  if (typeof constant === 'boolean') return { kind: 'literal', literal: 'bool', value: constant, type: json };
  if (typeof constant === 'number') return { kind: 'literal', literal: 'double', value: constant, type: json };
  if (typeof constant === 'string') return { kind: 'literal', literal: 'string', value: constant, type: json };
  return mapParts(value, (part) => inline(part, constants));
}

/** The constant, or the part of one, that a value selects; undefined for anything else, and for what is not there. */
function constantAt(value: Value, constants: ReadonlyMap<string, JsonValue>): JsonValue | undefined {
  if (value.kind === 'constant') return constants.get(value.name);
  if (value.kind !== 'select') return undefined;
  const object = constantAt(value.operand, constants);
  if (typeof object !== 'object' || object === null || Array.isArray(object)) return undefined;
  return Object.hasOwn(object, value.name) ? (object as { readonly [key: string]: JsonValue })[value.name] : undefined;
}
