import { charge } from './meter.js';
import { typeNameOf } from './type-names.js';
import { CelError, type Value } from './values.js';

/** Class A of a wrong dynamic type (docs/spec/conditions.md#error-classes): no name, no types. */
export function noSuchOverload(): CelError {
  return new CelError('no such overload');
}

/** Class B: the name of the function or operator only. */
export function describeNoSuchOverload(name: string): CelError {
  charge(5);
  return new CelError(`no such overload: ${name}`);
}

/** Class C, the rule: the name and the runtime types of all arguments, receiver first. */
export function noSuchOverloadFor(name: string, args: readonly Value[]): CelError {
  charge(20);
  return new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}
