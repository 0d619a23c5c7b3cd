/** What a store without SQL can say: its queries, and the tests of its fields. */
import type { Operand } from '../../runtime/residual/filters.js';

/** The first and the last time that check reads, in milliseconds. */
export const FIRST_TIME = Date.parse('0001-01-01T00:00:00.000Z');
export const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Which outcomes of an operand select a row. An operand is true, false, or cannot be evaluated; what is selected is
 * `outcome`, with `orFails` also where it cannot be evaluated.
 */
export interface Wanted {
  readonly outcome: boolean;
  readonly orFails: boolean;
}

/** The queries of a test: each selects exactly the rows where it has this outcome. */
export interface Outcomes<Query> {
  is(outcome: boolean): Query;
  /** Where it cannot be evaluated. */
  fails(): Query;
  /** Where it is not `outcome`, if the store says this in fewer words than both other outcomes. */
  isNot?(outcome: boolean): Query;
}

export type Comparison = 'eq' | 'lt' | 'le' | 'gt' | 'ge';
export type TextTest = 'startsWith' | 'endsWith' | 'contains';

/**
 * A store: its queries, and the tests of its fields. A method throws a `Refusal` for what the store cannot say exactly;
 * a test that is absent is one that it never can.
 */
export interface Store<Query, Field> {
  /** `the model `Note``, for errors. */
  readonly target: string;
  readonly always: Query;
  readonly never: Query;
  allOf(queries: readonly Query[]): Query;
  anyOf(queries: readonly Query[]): Query;
  id(): Field;
  attribute(path: readonly string[]): Field;
  /** A field of an object. */
  below(object: Field, name: string): Field;
  /** `field == constant`, and the order of both; the constant is a string, a number, a boolean or null. */
  compared(field: Field, comparison: Comparison, constant: Scalar): Outcomes<Query>;
  /** `field in constants`; there is at least one. */
  among(field: Field, constants: readonly Scalar[]): Outcomes<Query>;
  /** `has(field)`. */
  presence(field: Field): Outcomes<Query>;
  text(field: Field, test: TextTest, constant: string): Outcomes<Query>;
  /** Whether a list has one of the constants. There is at least one. */
  sharing?(list: Field, constants: readonly Scalar[]): Outcomes<Query>;
  /** Whether a list has the value of a field. */
  sharingField?(list: Field, element: Field): Outcomes<Query>;
  /** Whether a list has these elements in this order; there is at least one. */
  sameList?(list: Field, constants: readonly Scalar[]): Outcomes<Query>;
  /** Whether a list has strings alone, and is searched for each spelling in place of a string in one case. */
  spellsElements?(list: Field): boolean;
  size?(field: Field, comparison: Comparison, size: number): Outcomes<Query>;
  typed?(field: Field, type: string): Outcomes<Query>;
  comparedFields?(left: Field, comparison: Comparison, right: Field): Outcomes<Query>;
  /** `timestamp(field)` compared with a time in milliseconds. */
  moment?(field: Field, comparison: Comparison, at: number): Outcomes<Query>;
  /** `timestamp(left)` compared with `timestamp(right)`. */
  moments?(left: Field, comparison: Comparison, right: Field): Outcomes<Query>;
  /** How far `timestamp(left)` and `timestamp(right)` are apart, compared with a time in nanoseconds. */
  apart?(left: Field, comparison: Comparison, right: Field, nanos: bigint): Outcomes<Query>;
  /** `timestamp(field).getHours()` compared with a number; the offset is in seconds east of UTC. */
  calendar?(field: Field, asked: CalendarTest): Outcomes<Query>;
  /**
   * A string compared with another one, or tested for one, where letters of ASCII are the same in either case; the
   * constant has no capital letters. Without a constant, no string passes.
   */
  lowered?(field: Field, test: 'eq' | TextTest, constant: string | undefined): Outcomes<Query>;
  /** The number of pieces of a string that is split. */
  pieces?(field: Field, separator: string, comparison: Comparison, count: number): Outcomes<Query>;
  /** Whether one of the pieces is a string; it fails where there are not so many. */
  piece?(field: Field, separator: string, position: number, constant: string): Outcomes<Query>;
  /** Whether a field is a string wherever it is not missing or null. */
  isText?(field: Field): boolean;
  /** The elements of a list. */
  elements?(list: Field): Elements<Query, Field>;
  /** Another way to say a test that is refused. */
  otherwise?(test: Operand, wanted: Wanted, translation: Translates): Query;
}

/** The translation of operands for any store. */
export interface Translates {
  where<Query, Field>(
    operand: Operand,
    wanted: Wanted,
    store: Store<Query, Field>,
    bound: ReadonlyMap<string, Field>,
  ): Query;
}

/** A field of a time in the calendar, compared with a number. */
export interface CalendarTest {
  /** `getHours`. */
  readonly accessor: string;
  readonly offset: number;
  readonly comparison: Comparison;
  readonly constant: number;
}

export type Scalar = string | number | boolean | null;

export interface Elements<Query, Field> {
  /** An element, in the queries about it. */
  readonly element: Field;
  some(isWanted: () => Query): Query;
  /** Where the value is a list, and every element is wanted; the store says it in one of both ways. */
  every(isWanted: () => Query, isUnwanted: () => Query): Query;
  /** Where the value is not a list. */
  fails(): Query;
  /** Where the number of elements that are wanted compares with another one. */
  count?(isWanted: () => Query, comparison: Comparison, count: number): Query;
}

/** What a filter may cost in a store. */
export interface Bounds {
  /** The number of tests and of constants together. */
  readonly steps: number;
  /** How deep a query is nested, as JSON. */
  readonly depth: number;
}
