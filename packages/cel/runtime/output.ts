import { type Json, toJson } from './json.js';
import { VARIABLES } from './type-names.js';
import { CelError, isFailure, Message, Opaque, Optional, type Result, TypeValue, type Value } from './values.js';

/**
 * What leaves an evaluation as an output (docs/spec/conditions.md#output-conversion,
 * docs/spec/conditions.md#output-entries): a JSON value, or the bare text of what failed.
 */
export type OutputValue = { readonly val: Json } | { readonly error: string };

/**
 * A result as a rule output. NaN and the infinities are an error of that output here; the reference fails
 * its whole response with the same text.
 */
export function toOutput(result: Result): OutputValue {
  const json = isFailure(result) ? (result ?? UNEXPLAINED) : toJson(result);
  return json instanceof CelError ? { error: json.message } : { val: json };
}

/**
 * What a variable keeps of a result (docs/spec/conditions.md#policy-variables): wrapper kinds are lost at the top, not
 * inside lists and maps. A failure stays one.
 */
export function stored(result: Result): Result {
  if (isFailure(result)) return result;
  let value: Value = result;
  // No recursion: optionals may be nested as deep as a list is long.
  while (value instanceof Optional) value = value.value ?? null;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Opaque) return value.stored();
  return value instanceof Message && value.typeName === VARIABLES ? value.fields : value;
}

// Fast code reads attributes without asking why they are missing; outputs are evaluated by traced code, so this is not
// expected.
const UNEXPLAINED = new CelError('the expression could not be evaluated');
