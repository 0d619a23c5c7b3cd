import { AuthzError } from '../authz-error.js';

/** A JSON object that came from a server; what is not there is empty, what is there must be of its type. */
export type JsonObject = { readonly [name: string]: unknown };

/** A text. Throws an AuthzError, as all here do, for what is something else. */
export function textField(object: JsonObject, name: string): string {
  const value = own(object, name) ?? '';
  if (typeof value === 'string') return value;
  throw wrong(name);
}

/** A list of texts. */
export function textsField(object: JsonObject, name: string): readonly string[] {
  return listField(object, name).map((value) => {
    if (typeof value === 'string') return value;
    throw wrong(name);
  });
}

/** A list of objects. */
export function objectsField(object: JsonObject, name: string): readonly JsonObject[] {
  return listField(object, name).map((value) => asObject(value, name));
}

/** An object by name. */
export function objectField(object: JsonObject, name: string): JsonObject {
  return asObject(own(object, name) ?? {}, name);
}

/** A value that is an object. */
export function asObject(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw wrong(name);
}

/** A member; undefined for what is inherited. */
export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The answer is none. */
export function wrong(name: string): AuthzError {
  return new AuthzError('internal', `the answer has a wrong \`${name}\``);
}

function listField(object: JsonObject, name: string): readonly unknown[] {
  const value = own(object, name) ?? [];
  if (Array.isArray(value)) return value;
  throw wrong(name);
}
