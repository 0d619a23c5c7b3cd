import { type Alternative, type JsonKind, type JsonType, kindOf, type Scalar } from './json-type.js';

/** Whether values of two types can be equal (docs/spec/conditions.md#equality): numbers of all kinds compare. */
export function mayBeEqual(a: JsonType, b: JsonType): boolean {
  return a.some((left) =>
    b.some((right) => [...left.kinds].some((kind) => right.kinds.has(kind) && shareValue(left, right, kind))),
  );
}

/**
 * Whether values of two types can be put in order: `<` and its like are defined for two numbers, two strings, two
 * booleans.
 */
export function mayBeOrdered(a: JsonType, b: JsonType): boolean {
  const ofB = new Set(b.flatMap(({ kinds }) => [...kinds].map(orderOf)));
  return a.some(({ kinds }) => [...kinds].some((kind) => orderOf(kind) !== undefined && ofB.has(orderOf(kind))));
}

/** The values a type is limited to; undefined when it has others. */
export function valuesOf(type: JsonType): readonly Scalar[] | undefined {
  const known = values.get(type) ?? { all: findValues(type) };
  values.set(type, known);
  return known.all;
}

const values = new WeakMap<JsonType, { readonly all: readonly Scalar[] | undefined }>();

function findValues(type: JsonType): readonly Scalar[] | undefined {
  const found = type.flatMap(({ kinds, scalars = [undefined] }): readonly (Scalar | undefined)[] =>
    kinds.has('list') || kinds.has('map') ? [undefined] : scalars,
  );
  return found.includes(undefined) ? undefined : [...new Set(found as readonly Scalar[])];
}

/** A type in a message: `a string or null`, `one of "a", "b"`. */
export function describe(type: JsonType): string {
  const limit = valuesOf(type);
  if (limit !== undefined && limit.length > 0 && limit.length <= MOST_SHOWN) {
    return `${limit.length > 1 ? 'one of ' : ''}${limit.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  const kinds = new Set(type.flatMap((alternative) => [...alternative.kinds]));
  const names = Object.entries(NAMES)
    .filter(([kind]) => kinds.has(kind as JsonKind))
    .map(([, name]) => name);
  return [...new Set(kinds.has('fraction') ? names.filter((name) => name !== NAMES.integer) : names)].join(' or ');
}

/** More values are not shown. */
const MOST_SHOWN = 8;

const NAMES: { readonly [kind in JsonKind]: string } = {
  string: 'a string',
  integer: 'an integer',
  fraction: 'a number',
  boolean: 'a boolean',
  list: 'a list',
  map: 'a map',
  null: 'null',
};

function shareValue(a: Alternative, b: Alternative, kind: JsonKind): boolean {
  if (kind === 'list' || kind === 'map') return true;
  const [few, many] = [valuesOfKind(a, kind), valuesOfKind(b, kind)].sort(
    (x, y) => (x?.size ?? Infinity) - (y?.size ?? Infinity),
  );
  if (few === undefined) return true;
  return many === undefined ? few.size > 0 : [...few].some((value) => many.has(value));
}

/** The values of a kind that an alternative is limited to; undefined when it has others. */
function valuesOfKind(alternative: Alternative, kind: JsonKind): ReadonlySet<Scalar> | undefined {
  if (alternative.scalars === undefined) return undefined;
  const known = byKind.get(alternative) ?? new Map<JsonKind, ReadonlySet<Scalar>>();
  byKind.set(alternative, known);
  const values = known.get(kind) ?? new Set([...alternative.scalars].filter((value) => kindOf(value) === kind));
  known.set(kind, values);
  return values;
}

// An enumeration is compared with in thousands of rules; types never change, and entries go with them.
const byKind = new WeakMap<Alternative, Map<JsonKind, ReadonlySet<Scalar>>>();

function orderOf(kind: JsonKind): string | undefined {
  if (kind === 'integer' || kind === 'fraction') return 'number';
  return kind === 'string' || kind === 'boolean' ? kind : undefined;
}
