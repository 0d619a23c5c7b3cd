import type { SchemaTerm } from '../ir/schema.js';

/** The kinds of JSON values; numbers without a fraction are a separate kind, as in JSON Schema. */
export type JsonKind = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'list' | 'map';

export type Scalar = null | boolean | number | string;

/**
 * The possible values according to the schemas: one of the alternatives. Never empty: a type without values is `OPEN`.
 */
export type JsonType = readonly Alternative[];

/** One way to satisfy the schemas. */
export interface Alternative {
  readonly kinds: ReadonlySet<JsonKind>;
  /** The possible values, apart from lists and maps; undefined for any value of its kinds. */
  readonly scalars: readonly Scalar[] | undefined;
  /** All of them hold for a map. */
  readonly maps: readonly MapFacts[];
  /** All of them hold for a list. */
  readonly lists: readonly ListFacts[];
  readonly required: ReadonlySet<string>;
  /** Whether a schema was not fully understood: it may list or require further attributes. */
  readonly isOpen: boolean;
}

/** The members of a map according to one schema object. */
export interface MapFacts {
  readonly listed: ReadonlyMap<string, SchemaTerm>;
  readonly patterns: readonly { readonly matches: (name: string) => boolean; readonly schema: SchemaTerm }[];
  /** Other members: they are forbidden, unrestricted, or have a schema. */
  readonly others: 'none' | 'unsaid' | SchemaTerm;
}

/** The items of a list according to one schema object. */
export interface ListFacts {
  readonly first: readonly SchemaTerm[];
  /** The items after the first ones. */
  readonly others: 'none' | 'unsaid' | SchemaTerm;
}

const ALL_KINDS: ReadonlySet<JsonKind> = new Set<JsonKind>([
  'null',
  'boolean',
  'integer',
  'fraction',
  'string',
  'list',
  'map',
]);
const NOTHING: ReadonlySet<string> = new Set();

/** The maximum number of alternatives that are distinguished. */
const MOST = 24;

/** Any value: the schema is fully understood and adds no constraints. */
export const ANYTHING: JsonType = [
  { kinds: ALL_KINDS, scalars: undefined, maps: [], lists: [], required: NOTHING, isOpen: false },
];

/** The type of a schema that is not understood here. */
export const OPEN: JsonType = [
  { kinds: ALL_KINDS, scalars: undefined, maps: [], lists: [], required: NOTHING, isOpen: true },
];

/** A type with some of the facts. */
export function typeWith(facts: Partial<Alternative>): JsonType {
  return ANYTHING.map((alternative) => ({ ...alternative, ...facts }));
}

export function ofKinds(...kinds: readonly JsonKind[]): JsonType {
  return typeWith({ kinds: new Set(kinds) });
}

/** Exactly these values, or any list or map. */
export function ofValues(scalars: readonly Scalar[], composites: readonly ('list' | 'map')[] = []): JsonType {
  return typeWith({ kinds: new Set([...scalars.map(findKind), ...composites]), scalars });
}

function findKind(value: Scalar): JsonKind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'integer' : 'fraction';
}

/** The values of both types. Undefined if there are none. */
export function both(a: JsonType, b: JsonType): JsonType | undefined {
  if (a === ANYTHING) return b;
  if (b === ANYTHING) return a;
  if (a.length * b.length > MOST) return a.map((alternative) => ({ ...alternative, isOpen: true }));
  const met = a.flatMap((left) => b.flatMap((right) => meet(left, right) ?? []));
  return met.length === 0 ? undefined : met;
}

/** The values of any of the types. */
export function either(types: readonly JsonType[]): JsonType {
  const alternatives = [...new Set(types.flat())];
  return alternatives.length === 0 || alternatives.length > MOST ? OPEN : alternatives;
}

function meet(a: Alternative, b: Alternative): Alternative | undefined {
  const shared = [...a.kinds].filter((kind) => b.kinds.has(kind));
  const scalars = sharedScalars(a.scalars, b.scalars)?.filter((value) => shared.includes(findKind(value)));
  const present = scalars && new Set(scalars.map(findKind));
  const kinds = new Set(
    shared.filter((kind) => present === undefined || kind === 'list' || kind === 'map' || present.has(kind)),
  );
  if (kinds.size === 0) return undefined;
  return {
    kinds,
    scalars,
    maps: [...new Set([...a.maps, ...b.maps])],
    lists: [...new Set([...a.lists, ...b.lists])],
    required: new Set([...a.required, ...b.required]),
    isOpen: a.isOpen || b.isOpen,
  };
}

function sharedScalars(
  a: readonly Scalar[] | undefined,
  b: readonly Scalar[] | undefined,
): readonly Scalar[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const known = new Set(b);
  return a.filter((value) => known.has(value));
}

/** Whether values of two types can be equal (docs/spec/conditions.md#equality): numbers of all kinds compare. */
export function mayBeEqual(a: JsonType, b: JsonType): boolean {
  return a.some((left) =>
    b.some((right) => [...left.kinds].some((kind) => right.kinds.has(kind) && shareValue(left, right, kind))),
  );
}

/**
 * Whether values of two types can be ordered: `<` and the like are defined for two numbers, two strings, two booleans.
 */
export function mayBeOrdered(a: JsonType, b: JsonType): boolean {
  const ofB = new Set(b.flatMap(({ kinds }) => [...kinds].map(findOrder)));
  return a.some(({ kinds }) => [...kinds].some((kind) => findOrder(kind) !== undefined && ofB.has(findOrder(kind))));
}

/** The values that a type is limited to; undefined if it has others. */
export function listValues(type: JsonType): readonly Scalar[] | undefined {
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
  const limit = listValues(type);
  if (limit !== undefined && limit.length > 0 && limit.length <= MOST_SHOWN) {
    return `${limit.length > 1 ? 'one of ' : ''}${limit.map((value) => JSON.stringify(value)).join(', ')}`;
  }
  const kinds = new Set(type.flatMap((alternative) => [...alternative.kinds]));
  const names = Object.entries(NAMES)
    .filter(([kind]) => kinds.has(kind as JsonKind))
    .map(([, name]) => name);
  return [...new Set(kinds.has('fraction') ? names.filter((name) => name !== NAMES.integer) : names)].join(' or ');
}

/** The maximum number of values that a message shows. */
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

/** The values of a kind that an alternative is limited to; undefined if it has others. */
function valuesOfKind(alternative: Alternative, kind: JsonKind): ReadonlySet<Scalar> | undefined {
  if (alternative.scalars === undefined) return undefined;
  const known = byKind.get(alternative) ?? new Map<JsonKind, ReadonlySet<Scalar>>();
  byKind.set(alternative, known);
  const values = known.get(kind) ?? new Set([...alternative.scalars].filter((value) => findKind(value) === kind));
  known.set(kind, values);
  return values;
}

// Thousands of rules may compare with one enumeration; types are immutable, and entries are collected with them.
const byKind = new WeakMap<Alternative, Map<JsonKind, ReadonlySet<Scalar>>>();

function findOrder(kind: JsonKind): string | undefined {
  if (kind === 'integer' || kind === 'fraction') return 'number';
  return kind === 'string' || kind === 'boolean' ? kind : undefined;
}
