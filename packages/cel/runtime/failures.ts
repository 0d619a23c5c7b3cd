import { noSuchOverload, noSuchOverloadFor } from './overload-errors.js';
import { CelError, isFailure, type Result, type Value } from './values.js';

/**
 * Class A of docs/spec/conditions.md#error-classes, made once: it is what most failing conditions of the hot path give.
 */
export const NO_SUCH_OVERLOAD = noSuchOverload();

/**
 * The first argument that failed, else class C: a function handed types it has nothing for
 * (docs/spec/conditions.md#error-classes).
 */
export function refuse(name: string, ...args: readonly Result[]): CelError | undefined {
  for (const argument of args) {
    if (isFailure(argument)) return argument;
  }
  return noSuchOverloadFor(name, args as readonly Value[]);
}

/**
 * What is wrong with an operand that should have been a boolean: its own failure, or class A
 * (docs/spec/conditions.md#logical-operators).
 */
export function findProblem(operand: Result): CelError | undefined {
  return isFailure(operand) ? operand : NO_SUCH_OVERLOAD;
}

/** The failure of reading a variable, constant or global that is not set (docs/spec/conditions.md#policy-variables). */
export function undefinedField(name: string): CelError {
  return new CelError(`undefined field '${name}'`);
}
