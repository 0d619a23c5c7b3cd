import type { JsonValue } from '../../ast/policy.js';
import { json } from '../../cel/types.js';
import type { Program } from '../../ir/program.js';
import type { Value } from '../../ir/value.js';
import { mapParts } from '../../ir/visit.js';
import { mapValues } from '../map-values.js';

/** Puts the scalar constants of a policy (`C.limit`) where they are used; lists and maps stay constants of the module. */
export function inlineConstants(program: Program): Program {
  return mapValues(program, (value, module) => {
    const constants = new Map(module.constants.map(({ name, value }) => [name, value]));
    return constants.size === 0 ? value : inline(value, constants);
  });
}

function inline(value: Value, constants: ReadonlyMap<string, JsonValue>): Value {
  if (value.kind !== 'constant') return mapParts(value, (part) => inline(part, constants));
  const constant = constants.get(value.name);
  if (constant === null) return { kind: 'literal', literal: 'null', value: constant, type: json };
  if (typeof constant === 'boolean') return { kind: 'literal', literal: 'bool', value: constant, type: json };
  if (typeof constant === 'number') return { kind: 'literal', literal: 'double', value: constant, type: json };
  if (typeof constant === 'string') return { kind: 'literal', literal: 'string', value: constant, type: json };
  return value;
}
