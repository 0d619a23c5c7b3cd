import { CelError, isFailure, type Result, type Value } from '../../../packages/cel/runtime/index.js';
import { typeNameOf } from '../../../packages/cel/runtime/type-names.js';

/** What the interpreter throws when an evaluation fails (docs/spec/conditions.md#kinds-of-values). */
export class Failure {
  constructor(readonly message: string) {}
}

export function fail(message: string): never {
  throw new Failure(message);
}

/** Class A of docs/spec/conditions.md#error-classes. */
export function failA(): never {
  return fail('no such overload');
}

/** Class B: with the name only. */
export function failB(name: string): never {
  return fail(`no such overload: ${name}`);
}

/** Class C: with the runtime types of all arguments, receiver first. */
export function failC(name: string, ...args: readonly Value[]): never {
  return fail(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

/** A value, or the failure of computing it. Any other exception is a bug and propagates. */
export function attempt(evaluate: () => Value): Value | Failure {
  try {
    return evaluate();
  } catch (problem) {
    if (problem instanceof Failure) return problem;
    throw problem;
  }
}

/** Unwraps the result of a leaf function of the runtime. */
export function unwrap(result: Result): Value {
  if (isFailure(result)) throw new Failure(result?.message ?? 'undefined');
  return result;
}

/** A failure in the form that the runtime returns. */
export function asResult(outcome: Value | Failure): Result {
  return outcome instanceof Failure ? new CelError(outcome.message) : outcome;
}
