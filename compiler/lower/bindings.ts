import { append } from '../append.js';
import type { Types } from '../ast/checked.js';
import type { Bindings } from '../ast/policy-set.js';
import type { Constant, Variable } from '../ir/program.js';
import type { Value } from '../ir/value.js';
import { mapParts, namesIn } from '../ir/visit.js';
import { lowerExpression } from './rules.js';

/**
 * What of a document's variables and constants exists at run time: the used ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export interface UsedBindings {
  /** In dependency order. */
  readonly variables: readonly Variable[];
  /** By name. */
  readonly constants: readonly Constant[];
}

/** The variables and constants that some of the values select, directly or through another used variable. */
export function usedBindings(values: readonly Value[], bindings: Bindings, types: Types): UsedBindings {
  const used = new Map<string, Variable>();
  const reached = [...values];
  const pending = [...namesIn(values, 'variable')];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = bindings.variables.get(name);
    if (definition === undefined || used.has(name)) continue;
    const value = seenFrom(name, lowerExpression(definition.expression, types));
    used.set(name, { name, text: definition.expression.text, value });
    reached.push(value);
    append(pending, namesIn([value], 'variable'));
  }
  const order = used.size > 1 ? placesIn(bindings) : NO_PLACES;
  return {
    variables: [...used.values()].sort((a, b) => (order.get(a.name) as number) - (order.get(b.name) as number)),
    constants: [...namesIn(reached, 'constant')].sort().flatMap((name) => {
      const constant = bindings.constants.get(name);
      return constant === undefined ? [] : [{ name, value: constant.value }];
    }),
  };
}

/** The definition of a variable, where `V` as a whole has no more than the variables before it. */
function seenFrom(name: string, value: Value): Value {
  if (value.kind === 'bindings' && value.of === 'variables') return { ...value, before: name };
  return mapParts(value, (part) => seenFrom(name, part));
}

/** Where each variable stands in the dependency order. */
function placesIn(bindings: Bindings): ReadonlyMap<string, number> {
  const known = places.get(bindings) ?? new Map([...bindings.variables.keys()].map((name, place) => [name, place]));
  places.set(bindings, known);
  return known;
}

const NO_PLACES: ReadonlyMap<string, number> = new Map();

// Asked for each rule of a principal policy; bindings never change, and entries go with them.
const places = new WeakMap<Bindings, ReadonlyMap<string, number>>();
