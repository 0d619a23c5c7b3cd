/**
 * Whether two JSON values are deeply equal; undefined equals only itself. Recursion is bounded by the nesting limits of
 * documents and outputs.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, index) => sameJson(item, b[index]))
    );
  }
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && sameJson(valueAt(a, key), valueAt(b, key)))
  );
}

function valueAt(object: object, key: string): unknown {
  return (object as { readonly [name: string]: unknown })[key];
}
