import * as cel from '../../../packages/cel/runtime/index.js';
import { evaluate, findFunction, type Surroundings } from '../../../compiler/evaluate.js';
import type { Predicate } from '../../../compiler/ir/predicate.js';

/** Whether a predicate is true, by its definition (compiler/ir/predicate.ts). */
export function isSatisfied(predicate: Predicate, within: Surroundings): boolean {
  switch (predicate.kind) {
    case 'constant':
      return predicate.value;
    case 'and':
      return predicate.operands.every((operand) => isSatisfied(operand, within));
    case 'or':
      return predicate.operands.some((operand) => isSatisfied(operand, within));
    case 'not':
      return !isSatisfied(predicate.operand, within);
    case 'compare': {
      const [left, right] = [evaluate(predicate.left, within), evaluate(predicate.right, within)];
      return findFunction(predicate.comparison)(left, right) === predicate.polarity;
    }
    case 'in':
      return (
        cel.inCollection(evaluate(predicate.element, within), evaluate(predicate.collection, within)) ===
        predicate.polarity
      );
    case 'has':
      return cel.has(evaluate(predicate.operand, within), predicate.name) === predicate.polarity;
    case 'is':
      return evaluate(predicate.value, within) === predicate.polarity;
    case 'quantifier': {
      const elements = elementsOf(evaluate(predicate.range, within), predicate.variables.length);
      const satisfies = (values: readonly cel.Result[]): boolean =>
        isSatisfied(predicate.body, { ...within, locals: withLocals(within.locals, predicate.variables, values) });
      if (elements === undefined) return false;
      return predicate.quantifier === 'some' ? elements.some(satisfies) : elements.every(satisfies);
    }
  }
}

/** The values of the variables of a macro for each element; undefined for what is not iterable. */
function elementsOf(range: cel.Result, variables: number): readonly (readonly cel.Result[])[] | undefined {
  if (Array.isArray(range))
    return (range as readonly cel.Value[]).map((element, at) => (variables === 1 ? [element] : [BigInt(at), element]));
  if (cel.isFailure(range) || cel.kindOf(range) !== 'map') return undefined;
  const entries =
    range instanceof cel.ValueMap
      ? [...range.entries.values()]
      : Object.entries(range as { readonly [key: string]: cel.Value });
  return entries.map(([key, value]) => (variables === 1 ? [key] : [key, value]));
}

function withLocals(
  outer: Surroundings['locals'],
  names: readonly string[],
  values: readonly cel.Result[],
): Surroundings['locals'] {
  return new Map([...outer, ...names.map((name, at) => [name, values[at]] as const)]);
}
