import { type Alternative, type JsonKind, type JsonType, kindOf, type Scalar } from './json-type.js';

/** Whether values of two types can be equal (conditions.md 3.3): numbers of all kinds compare. */
export function mayBeEqual(a: JsonType, b: JsonType): boolean {
  return a.some((left) => b.some((right) => [...left.kinds].some((kind) => right.kinds.has(kind) && shareValue(left, right, kind))));
}

/** Whether values of two types can be put in order: `<` and its like are defined for two numbers, two strings, two booleans. */
export function mayBeOrdered(a: JsonType, b: JsonType): boolean {
  const ofB = new Set(b.flatMap(({ kinds }) => [...kinds].map(orderOf)));
  return a.some(({ kinds }) => [...kinds].some((kind) => orderOf(kind) !== undefined && ofB.has(orderOf(kind))));
}

/** The values a type is limited to; undefined when it has others. */
export function valuesOf(type: JsonType): readonly Scalar[] | undefined {
  const values = type.flatMap(({ kinds, scalars }): readonly (Scalar | undefined)[] => (kinds.has('list') || kinds.has('map') ? [undefined] : (scalars ?? [undefined])));
  return values.includes(undefined) ? undefined : [...new Set(values as readonly Scalar[])];
}

/** A type in a message: `a string or null`, `one of "a", "b"`. */
export function describe(type: JsonType): string {
  const values = valuesOf(type);
  if (values !== undefined && values.length > 0 && values.length <= MOST_SHOWN) return `${values.length > 1 ? 'one of ' : ''}${values.map((value) => JSON.stringify(value)).join(', ')}`;
  const kinds = new Set(type.flatMap((alternative) => [...alternative.kinds]));
  const names = Object.entries(NAMES).filter(([kind]) => kinds.has(kind as JsonKind)).map(([, name]) => name);
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
  const known = b.scalars && new Set(b.scalars);
  const ofA = a.scalars?.filter((value) => kindOf(value) === kind);
  if (ofA === undefined) return known === undefined || [...known].some((value) => kindOf(value) === kind);
  return ofA.some((value) => known === undefined || known.has(value));
}

function orderOf(kind: JsonKind): string | undefined {
  if (kind === 'integer' || kind === 'fraction') return 'number';
  return kind === 'string' || kind === 'boolean' ? kind : undefined;
}
