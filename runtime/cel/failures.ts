import { noSuchOverload, noSuchOverloadFor } from './overload-errors.js';
import { CelError, isFailure, type Result, type Value } from './values.js';

/** Class A of conditions.md 2, made once: it is what most failing conditions of the hot path give. */
export const NO_SUCH_OVERLOAD = noSuchOverload();

/** The first argument that failed, else class C: a function handed types it has nothing for (conditions.md 2). */
export function refuse(name: string, ...args: readonly Result[]): CelError | undefined {
  for (const argument of args) {
    if (isFailure(argument)) return argument;
  }
  return noSuchOverloadFor(name, args as readonly Value[]);
}

/** What is wrong with an operand that should have been a boolean: its own failure, or class A (3.8). */
export function problemOf(operand: Result): CelError | undefined {
  return isFailure(operand) ? operand : NO_SUCH_OVERLOAD;
}

/** The failure of reading a variable, constant or global that is not set (conditions.md 1.7). */
export function undefinedField(name: string): CelError {
  return new CelError(`undefined field '${name}'`);
}
