import type { SchemaTerm } from '../ir/schema.js';

/** What JSON tells apart; numbers without a fraction are a kind of their own, as in JSON Schema. */
export type JsonKind = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'list' | 'map';

export type Scalar = null | boolean | number | string;

/**
 * What a value may be, by the schemas it must obey: one of the alternatives. Never empty: what nothing can be is
 * `OPEN`.
 */
export type JsonType = readonly Alternative[];

/** One way to obey the schemas. */
export interface Alternative {
  readonly kinds: ReadonlySet<JsonKind>;
  /** All that it may be, apart from lists and maps; undefined for anything of its kinds. */
  readonly scalars: readonly Scalar[] | undefined;
  /** All of them hold for a map. */
  readonly maps: readonly MapFacts[];
  /** All of them hold for a list. */
  readonly lists: readonly ListFacts[];
  readonly required: ReadonlySet<string>;
  /** Whether there is more to it than is understood here: attributes it may list, attributes it may require. */
  readonly isOpen: boolean;
}

/** The members of a map, as one schema object has them. */
export interface MapFacts {
  readonly listed: ReadonlyMap<string, SchemaTerm>;
  readonly patterns: readonly { readonly matches: (name: string) => boolean; readonly schema: SchemaTerm }[];
  /** Other members: there are none, nothing is said about them, or they have a schema. */
  readonly others: 'none' | 'unsaid' | SchemaTerm;
}

/** The items of a list, as one schema object has them. */
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

/** More alternatives than these are not kept apart. */
const MOST = 24;

/** Anything, and surely nothing else is said about it. */
export const ANYTHING: JsonType = [
  { kinds: ALL_KINDS, scalars: undefined, maps: [], lists: [], required: NOTHING, isOpen: false },
];

/** Whatever it is, it is not understood here. */
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
  return typeWith({ kinds: new Set([...scalars.map(kindOf), ...composites]), scalars });
}

export function kindOf(value: Scalar): JsonKind {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'integer' : 'fraction';
}

/** What obeys both. Undefined when nothing can. */
export function both(a: JsonType, b: JsonType): JsonType | undefined {
  if (a === ANYTHING) return b;
  if (b === ANYTHING) return a;
  if (a.length * b.length > MOST) return a.map((alternative) => ({ ...alternative, isOpen: true }));
  const met = a.flatMap((left) => b.flatMap((right) => meet(left, right) ?? []));
  return met.length === 0 ? undefined : met;
}

/** What obeys one of them. */
export function either(types: readonly JsonType[]): JsonType {
  const alternatives = [...new Set(types.flat())];
  return alternatives.length === 0 || alternatives.length > MOST ? OPEN : alternatives;
}

function meet(a: Alternative, b: Alternative): Alternative | undefined {
  const shared = [...a.kinds].filter((kind) => b.kinds.has(kind));
  const scalars = sharedScalars(a.scalars, b.scalars)?.filter((value) => shared.includes(kindOf(value)));
  const present = scalars && new Set(scalars.map(kindOf));
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
