import type { Overload } from '../../cel/function.js';
import { type CelType, dyn, errorType } from '../../cel/types.js';
import { type Checking, report } from './checking.js';
import { printArguments } from './print-types.js';
import { mapParts, partsOf, sameType } from './type-algebra.js';

/** What is called, with the types of its arguments, receiver first, and where a mismatch is reported. */
export interface Application {
  readonly name: string;
  readonly form: 'global' | 'member';
  readonly arguments: readonly CelType[];
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/**
 * The result type of a call: that of the overloads that fit, dyn if they differ
 * (docs/spec/conditions.md#overload-resolution). None fits: a problem, and a type that suppresses what would follow
 * from it.
 */
export function resolve(checking: Checking, application: Application, overloads: readonly Overload[]): CelType {
  const { inference } = checking;
  let result: CelType | undefined;
  for (const overload of overloads) {
    if (overload.form !== application.form) continue;
    const instance = instantiate(overload, () => inference.freshParameter());
    if (!inference.assignableAll(application.arguments, instance.parameters)) continue;
    const type = inference.substitute(instance.result);
    if (result === undefined) result = type;
    else if (!sameType(result, type)) result = dyn;
  }
  if (result !== undefined) return result;
  const types = application.arguments.map((type) => inference.substitute(type));
  const { name, form, start, end, at } = application;
  report(checking, {
    message: `found no matching overload for '${name}' applied to '${printArguments(types, form)}'`,
    start,
    end,
    at,
  });
  return errorType;
}

// Each use of a signature has parameters of its own.
function instantiate(overload: Overload, fresh: () => CelType): Pick<Overload, 'parameters' | 'result'> {
  const types = [...overload.parameters, overload.result];
  if (!types.some(hasParameter)) return overload;
  const named = new Map<string, CelType>();
  const own = (type: CelType): CelType => {
    if (type.kind !== 'parameter') return mapParts(type, own);
    const known = named.get(type.name) ?? fresh();
    named.set(type.name, known);
    return known;
  };
  return { parameters: overload.parameters.map(own), result: own(overload.result) };
}

function hasParameter(type: CelType): boolean {
  return type.kind === 'parameter' || partsOf(type).some(hasParameter);
}
