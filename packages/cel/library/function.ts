import type { CelType } from './types.js';

/** One signature of a CEL function. The receiver of a member form is the first parameter. */
export interface Overload {
  readonly form: 'global' | 'member';
  readonly parameters: readonly CelType[];
  readonly result: CelType;
}

/** The reference documentation of a function: docs/conditions.md, and what editors show. */
export interface Documentation {
  readonly meaning: string;
  /** Pairs of expression and value. The tests of the documentation evaluate them. */
  readonly examples: readonly (readonly [expression: string, value: string])[];
}

/** A function that expressions can call. */
export interface CelFunction {
  /** The name as an author writes it, with its namespace: `startsWith`, `math.abs`, `base64.encode`. */
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** The export of `authz/runtime/cel` that does the work; the receiver is its first argument. All overloads share it. */
  readonly runtime: string;
  /** False for `now` and `timeSince`: they ask for the request's instant and are never folded. */
  readonly pure: boolean;
}

/**
 * A function of the language: a row of the table (functions.ts). Adding a function is adding a row to a section and an
 * export of the same name to packages/cel/runtime.
 */
export interface LibraryFunction extends CelFunction, Documentation {}

/** The functions of one subject. */
export interface FunctionSection {
  readonly title: string;
  readonly intro?: string;
  readonly rows: readonly LibraryFunction[];
}

/** A row whose runtime export is its name in camel case: `math.abs` -> `mathAbs`, `is_subset` -> `isSubset`. */
export function row(
  name: string,
  documentation: Documentation,
  ...overloads: readonly (Overload | readonly Overload[])[]
): LibraryFunction {
  return rowAs(name, camelCase(name), documentation, ...overloads);
}

/** A row whose runtime export has another name: conversions, words that JavaScript or another function took. */
export function rowAs(
  name: string,
  runtime: string,
  documentation: Documentation,
  ...overloads: readonly (Overload | readonly Overload[])[]
): LibraryFunction {
  return { name, ...documentation, overloads: overloads.flat(), runtime, pure: true };
}

/**
 * The row of a function that asks for the request's instant: never folded (docs/spec/conditions.md#the-current-time).
 */
export function impure(of: LibraryFunction): LibraryFunction {
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
