import * as cel from '../../cel/runtime/index.js';
import type { Script } from './script.js';
import { intConstant, or, realConstant, stringConstant } from './smt.js';

/** The image of a value in a query, and what is known about it. */
export interface Term {
  /** A term of the sort V. */
  readonly text: string;
  /** Whether it is certainly plain JSON, or a failure. Equality of plain JSON is identity. */
  readonly isJson: boolean;
  /** What it is where it does not fail, if that is known. A known value says so itself. */
  readonly kind?: TermKind | undefined;
  /** The value, if it does not depend on the request. */
  readonly value?: cel.Value;
  /** The elements of a list that was written down. */
  readonly elements?: readonly Term[];
  /** The entries of a map that was written down, all of whose keys are strings. */
  readonly entries?: ReadonlyMap<string, Term>;
  /** What an optional contains: a failure if it is none. The term itself fails where there is no optional. */
  readonly content?: Term;
  /** The roles of the principal. */
  readonly isRoles?: boolean;
  /** All that may be in a list, and where it is, as terms of the sort Bool. */
  readonly candidates?: readonly { readonly element: Term; readonly isIn: string }[];
  /** Whether candidates may be in the list more than once. */
  readonly mayRepeat?: boolean;
  /** Whether an element is in a list that is known by what it contains, as a term of the sort Bool. */
  readonly contains?: (element: Term) => string;
}

/** Values that are compared as integers: instants, numbers of nanoseconds, and the integers of CEL. */
export type TermKind = 'time' | 'duration' | 'integer';

/** A failure. */
export const FAILURE: Term = { text: 'Err', isJson: true };

/** Longer lists and larger maps are known by name, but not by content. */
const MOST_ELEMENTS = 1000;

/** A term that is not known to be anything. */
export function unknown(text: string, isJson = false): Term {
  return { text, isJson };
}

/** A term of a kind, or a failure. */
export function ofKind(kind: TermKind | undefined, text: string): Term {
  return { text, isJson: false, kind };
}

/** What a term is where it does not fail; undefined if that is not known. */
export function kindOf({ kind, value }: Term): TermKind | undefined {
  if (typeof value === 'bigint') return 'integer';
  if (value instanceof cel.Timestamp) return 'time';
  return value instanceof cel.Duration ? 'duration' : kind;
}

/** A value that is known; undefined for kinds that have no image of their own, such as IP addresses. */
export function constant(value: cel.Value, script: Script): Term | undefined {
  const text = scalar(value, script);
  if (text !== undefined) return { text, isJson: isJsonScalar(value), value };
  if (Array.isArray(value)) {
    const elements = (value as readonly cel.Value[]).map((element) => constant(element, script));
    if (elements.length > MOST_ELEMENTS || elements.includes(undefined)) return undefined;
    return { ...list(elements as Term[], script), value };
  }
  const entries = listEntries(value)?.map(([key, of]) => [key, constant(of, script)] as const);
  if (entries === undefined) return undefined;
  const isPlain = entries.every(([key, of]) => typeof key === 'string' && of !== undefined);
  if (!isPlain || entries.length > MOST_ELEMENTS) return undefined;
  return { ...map(new Map(entries as [string, Term][]), script), value };
}

/** A list of so many elements; fails if one of them does. */
export function list(elements: readonly Term[], script: Script): Term {
  const texts = elements.map(({ text }) => text);
  const image = script.define(
    'L',
    script.uninterpreted(`list ${elements.length}`, 'L', texts.map(() => 'V').join(' '), ...texts),
  );
  script.lists.set(image, texts);
  script.assert(`(= (len ${image}) ${elements.length})`);
  for (const [at, text] of texts.entries()) script.assert(`(= (elem ${image} ${at}) ${text})`);
  return {
    text: script.define('V', unlessFailed(elements, `(Lst ${image})`)),
    isJson: elements.every(({ isJson }) => isJson),
    elements,
  };
}

/** A map with strings as keys; fails if an entry does. Maps with the same entries are one map in any order. */
export function map(entries: ReadonlyMap<string, Term>, script: Script): Term {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const terms = sorted.map(([, term]) => term);
  const keys = sorted.map(([key]) => key);
  const image = script.define(
    'M',
    script.uninterpreted(
      `map ${JSON.stringify(keys)}`,
      'M',
      terms.map(() => 'V').join(' '),
      ...terms.map(({ text }) => text),
    ),
  );
  script.maps.set(image, new Set(keys.map(stringConstant)));
  for (const [key, { text }] of sorted) script.assert(`(= (entry ${image} ${stringConstant(key)}) ${text})`);
  return {
    text: script.define('V', unlessFailed(terms, `(Map ${image})`)),
    isJson: terms.every(({ isJson }) => isJson),
    entries,
  };
}

/** A term that fails where one of others does. */
export function unlessFailed(terms: readonly Term[], text: string): string {
  const failing = or(...terms.filter(({ value }) => value === undefined).map((term) => `(isErr ${term.text})`));
  return failing === 'false' ? text : `(ite ${failing} Err ${text})`;
}

/**
 * A value as plain JSON that equals the same values: its integers as the doubles that they are compared as, and -0.0 as
 * 0.0 (docs/spec/conditions.md#equality). Of lists and maps that were written down, all that is known. The value itself
 * where it is not known to have such a form.
 */
export function besideJson(term: Term, script: Script): Term {
  if (term.isJson) return term;
  if (term.value !== undefined) {
    const json = toJson(term.value);
    return (json === undefined ? undefined : constant(json, script)) ?? term;
  }
  const { elements, entries } = term;
  if (elements !== undefined)
    return unlessOther(
      term,
      list(
        elements.map((own) => besideJson(own, script)),
        script,
      ),
    );
  if (entries === undefined) return term;
  const named = [...entries].map(([key, own]) => [key, besideJson(own, script)] as const);
  return unlessOther(term, map(new Map(named), script));
}

/** A form of a term, which fails where the term does; the term if the form is not plain JSON. */
function unlessOther(term: Term, form: Term): Term {
  return form.isJson ? { ...form, text: `(ite (isErr ${term.text}) Err ${form.text})` } : term;
}

function scalar(value: cel.Value, script: Script): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return `(Bool ${value})`;
    case 'string':
      return `(Str ${stringConstant(value)})`;
    case 'bigint':
      return integer('Int', value, script);
    case 'number':
      return double(value);
    default:
      if (value === null) return 'Null';
      if (value instanceof cel.Uint) return integer('Uint', value.value, script);
      if (value instanceof cel.Duration) return `(Dur ${intConstant(value.nanos)})`;
      if (!(value instanceof cel.Timestamp)) return undefined;
      return `(Ts ${intConstant(toInstant(value))} ${intConstant(value.offset)})`;
  }
}

/** Nanoseconds since 1970. */
export function toInstant({ seconds, nanos }: Pick<cel.Timestamp, 'seconds' | 'nanos'>): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(nanos);
}

/** An integer of the query; the double that one beyond 2^53 is compared as is stated. */
function integer(kind: 'Int' | 'Uint', value: bigint, script: Script): string {
  if (value > 2n ** 53n || value < -(2n ** 53n))
    script.assert(`(= (rounded ${intConstant(value)}) ${realConstant(Number(value))})`);
  return `(${kind} ${intConstant(value)})`;
}

function double(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'PInf' : 'NInf';
  return Object.is(value, -0) ? 'NegZero' : `(Dbl ${realConstant(value)})`;
}

function isJsonScalar(value: cel.Value): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function toJson(value: cel.Value): cel.Value | undefined {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof cel.Uint) return Number(value.value);
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) {
    const elements = (value as readonly cel.Value[]).map(toJson);
    return elements.includes(undefined) ? undefined : (elements as cel.Value[]);
  }
  const entries = listEntries(value)?.map(([key, of]) => [key, toJson(of)] as const);
  if (entries === undefined || entries.some(([key, of]) => typeof key !== 'string' || of === undefined))
    return undefined;
  return Object.fromEntries(entries as [string, cel.Value][]);
}

/** The entries of a map of either sort. */
function listEntries(value: cel.Value): readonly (readonly [cel.Value, cel.Value])[] | undefined {
  if (value instanceof cel.ValueMap) return [...value.entries.values()];
  return cel.kindOf(value) === 'map' ? Object.entries(value as cel.JsonMap) : undefined;
}
