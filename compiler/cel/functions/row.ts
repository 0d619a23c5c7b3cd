import type { CelFunction, Overload } from '../function.js';
import type { CelType } from '../types.js';

/** A row whose runtime export is its name in camel case: `math.abs` -> `mathAbs`, `is_subset` -> `isSubset`. */
export function row(name: string, ...overloads: readonly (Overload | readonly Overload[])[]): CelFunction {
  return rowAs(name, camelCase(name), ...overloads);
}

/** A row whose runtime export has another name: conversions, words that JavaScript or another function took. */
export function rowAs(
  name: string,
  runtime: string,
  ...overloads: readonly (Overload | readonly Overload[])[]
): CelFunction {
  return { name, overloads: overloads.flat(), runtime, pure: true };
}

/**
 * The row of a function that asks for the request's instant: never folded (docs/spec/conditions.md#the-current-time).
 */
export function impure(of: CelFunction): CelFunction {
  return { ...of, pure: false };
}

/** `f(a, b)`. */
export function global(parameters: readonly CelType[], result: CelType): Overload {
  return { form: 'global', parameters, result };
}

/** `a.f(b)`: the receiver is the first parameter. */
export function member(parameters: readonly CelType[], result: CelType): Overload {
  return { form: 'member', parameters, result };
}

/** `f(a, b)` and `a.f(b)` alike. */
export function either(parameters: readonly CelType[], result: CelType): readonly Overload[] {
  return [global(parameters, result), member(parameters, result)];
}

function camelCase(name: string): string {
  return name.replace(/[._]([a-zA-Z])/g, (_, letter: string) => letter.toUpperCase());
}
