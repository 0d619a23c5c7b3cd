import type { Located } from '../../diagnostics/span.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { FieldValue, ListValue, MapValue, ObjectValue, TextValue } from '../schema/value.js';

/*
 * Reads fields of a decoded and validated object by name. A field of an unexpected kind is an internal error: the
 * tables and the builders disagree.
 */

export function findField(object: ObjectValue, name: string): FieldValue | undefined {
  return object.fields.get(name);
}

/** Returns a string, or undefined if the field is absent. */
export function readText(object: ObjectValue, name: string): Located<string> | undefined {
  const field = object.fields.get(name);
  if (field === undefined) return undefined;
  return { value: asText(field.value).text, place: field.place };
}

/** Returns a string that validation requires to be present. */
export function requiredText(object: ObjectValue, name: string): Located<string> {
  return readText(object, name) ?? invariant(`required field ${name} is absent after validation`);
}

/** Returns a string; an empty one counts as absent. */
export function nonEmptyText(object: ObjectValue, name: string): Located<string> | undefined {
  const text = readText(object, name);
  return text?.value === '' ? undefined : text;
}

export function readTexts(object: ObjectValue, name: string): readonly Located<string>[] {
  return readItems(object, name).map(({ value, place }) => ({ value: asText(value).text, place }));
}

/** Returns the number of an enum value; 0 if absent. */
export function readNumber(object: ObjectValue, name: string): number {
  const value = object.fields.get(name)?.value;
  if (value === undefined) return 0;
  return value.kind === 'number' ? value.number : invariant(`field ${name} is not an enum`);
}

export function readBool(object: ObjectValue, name: string): boolean {
  const value = object.fields.get(name)?.value;
  if (value === undefined) return false;
  return value.kind === 'bool' ? value.value : invariant(`field ${name} is not a bool`);
}

export function readObject(object: ObjectValue, name: string): ObjectValue | undefined {
  const value = object.fields.get(name)?.value;
  return value && asObject(value);
}

export function readObjects(object: ObjectValue, name: string): readonly Located<ObjectValue>[] {
  return readItems(object, name).map(({ value, place }) => ({ value: asObject(value), place }));
}

export function readEntries(object: ObjectValue, name: string): MapValue['entries'] {
  const value = object.fields.get(name)?.value;
  if (value === undefined) return [];
  return value.kind === 'map' ? value.entries : invariant(`field ${name} is not a map`);
}

export function asText(value: FieldValue['value']): TextValue {
  return value.kind === 'text' ? value : invariant('a value is not a string');
}

function readItems(object: ObjectValue, name: string): ListValue['items'] {
  const value = object.fields.get(name)?.value;
  if (value === undefined) return [];
  return value.kind === 'list' ? value.items : invariant(`field ${name} is not a list`);
}

function asObject(value: FieldValue['value']): ObjectValue {
  return value.kind === 'object' ? value : invariant('a value is not an object');
}
