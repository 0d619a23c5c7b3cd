import { Evaluated } from './evaluated.js';
import { Place } from './place.js';
import type { Run, Schema } from './run.js';

/** Applies a schema to a member or an item of the value at a place. */
export function below(schema: Schema, value: unknown, place: Place, name: string, run: Run): boolean {
  const { evaluated } = run;
  run.evaluated = undefined;
  const valid = schema(value, new Place(place, name), run);
  run.evaluated = evaluated;
  return valid;
}

/** Applies a schema to the value itself. What it evaluated counts only if the value satisfies it. */
export function beside(schema: Schema, value: unknown, place: Place, run: Run): boolean {
  const { evaluated } = run;
  if (evaluated === undefined) return schema(value, place, run);
  const own = new Evaluated();
  run.evaluated = own;
  const valid = schema(value, place, run);
  run.evaluated = evaluated;
  if (valid) evaluated.merge(own);
  return valid;
}

/** Whether the value satisfies a schema, without reporting violations. */
export function satisfies(schema: Schema, value: unknown, place: Place, run: Run): boolean {
  const mark = run.mark;
  const valid = beside(schema, value, place, run);
  run.forget(mark);
  return valid;
}
