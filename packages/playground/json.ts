/** A JSON value, read only. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json;
}

/** One step into a value: the name of a member or the place in a list. */
export type Step = string | number;

/** The value at a path; undefined if there is none. */
export function at(value: Json | undefined, path: readonly Step[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (node, step) =>
      typeof node === 'object' && node !== null && Object.hasOwn(node, step) ? (node as JsonObject)[step] : undefined,
    value,
  );
}

/** The value with another one at a path; missing parents are created. */
export function withAt(value: Json | undefined, [step, ...rest]: readonly Step[], item: Json): Json {
  if (step === undefined) return item;
  if (typeof step === 'number') {
    const list = Array.isArray(value) ? [...value] : [];
    list[step] = withAt(list[step], rest, item);
    return list;
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  return { ...object, [step]: withAt(at(object, [step]), rest, item) };
}

/** Whether two values are equal, regardless of the order of members. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** An object's members; empty for any other value. */
export function toMembers(value: Json | undefined): readonly (readonly [string, Json])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** A list's items; empty for any other value. */
export function toItems(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A string; empty for any other value. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function sorted(value: Json | undefined): Json | undefined {
  if (Array.isArray(value)) return value.map((item) => sorted(item) as Json);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    toMembers(value)
      .map(([name, item]) => [name, sorted(item) as Json] as const)
      .sort(([x], [y]) => (x < y ? -1 : 1)),
  );
}
