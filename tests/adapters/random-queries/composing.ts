/** What every library of the random queries has, and what they share. */
import type { PlannedFilter } from '../../../packages/adapters/condition.js';
import type { PlannedCapabilities } from '../../../runtime/residual/sql/capabilities.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import type { Connections } from '../libraries.js';
import type { Column, TimeFormat } from './tables.js';

/** What a query is about. */
export interface Asked {
  readonly plan: PlannedFilter;
  readonly other: PlannedFilter;
  /** The same two plans, as the actions `a` and `b`. */
  readonly cans: PlannedCapabilities;
  /** The positions that the application asks for: from the first, before the second. */
  readonly range: readonly [number, number];
  /** Positions that the application adds by OR. */
  readonly few: readonly number[];
}

/** Rows by their positions, in the order of the query, or numbers that it computes. */
export type Answer = readonly number[] | number;

/** The ways in which a library asks. `expected.ts` says what each must answer. */
export type WayName =
  | 'select'
  | 'or'
  | 'both'
  | 'negated'
  | 'page'
  | 'count'
  | 'inner join'
  | 'left join'
  | 'self join'
  | 'subquery'
  | 'through'
  | 'included'
  | 'update'
  | 'delete'
  | 'can: order'
  | 'can: group'
  | 'can: distinct'
  | 'can: derived table'
  | 'can: outer join'
  | 'can: having';

export interface ComposingLibrary {
  /** How it stores times in SQLite. */
  readonly times: TimeFormat;
  /** What check receives of each document, by its position, as `resourceOf` makes it of the rows that were loaded. */
  resources(): Promise<ReadonlyMap<number, object>>;
  readonly ways: { readonly [Way in WayName]?: (asked: Asked) => Promise<Answer> };
  end(): Promise<unknown>;
}

export type Open<D extends SqlDialect> = (connection: Connections[D]) => Promise<ComposingLibrary>;

/** The rows of a page, and how many come before it. */
export const PAGE = { size: 7, skipped: 2 } as const;
export const LATER = 9;

export type Row = { readonly [name: string]: unknown };
export const positions = (rows: readonly object[]): readonly number[] =>
  rows.map((row) => Number((row as Row)['position']));
export const snake = ({ column }: Column): string => column;
export const camel = ({ property }: Column): string => property;
export const distinctOf = (all: readonly number[]): readonly number[] => [...new Set(all)];

/** How many rows have true, and how many false; NULL is neither. */
export function tally(rows: readonly object[]): readonly number[] {
  const counted = new Map<unknown, number>();
  for (const { can, count } of rows as readonly { readonly can: unknown; readonly count: unknown }[])
    counted.set(can === null ? null : Boolean(can), Number(count));
  return [counted.get(true) ?? 0, counted.get(false) ?? 0, counted.get(null) ?? 0];
}
/** The rows of an outer join: NULL where there is no document, as the application says it. */
export const tallyJoined = (rows: readonly object[]): readonly number[] => {
  const cans = (rows as readonly Row[]).map(({ canA, document }) => (document === null ? null : canA));
  return [true, false, null].map(
    (wanted) => cans.filter((can) => (can === null ? null : Boolean(can)) === wanted).length,
  );
};
export const pairs = (rows: readonly object[]): readonly number[] =>
  rows
    .map((row) => {
      const [a, b] = ['canA', 'canB'].map((name) => (row as Row)[name]);
      return a === null || b === null ? -1 : Number(Boolean(a)) * 2 + Number(Boolean(b));
    })
    .sort((a, b) => a - b);

/** Related rows that were loaded by queries of their own. */
export function withRelated(
  documents: readonly object[],
  folders: readonly object[],
  shares: readonly object[],
  names: readonly [string, string],
): readonly object[] {
  const byId = new Map(folders.map((folder) => [(folder as Row)['id'], folder]));
  return documents.map((document) => ({
    ...document,
    folder: byId.get((document as Row)[names[0]]) ?? null,
    shares: shares.filter((share) => (share as Row)[names[1]] === (document as Row)['id']),
  }));
}
export const byPosition = (rows: readonly object[], resourceOf: (row: never) => object): ReadonlyMap<number, object> =>
  new Map(rows.map((row) => [Number((row as Row)['position']), resourceOf(row as never)]));

/** A library in each database. */
export type OpenEach = { readonly [D in SqlDialect]: Open<D> };

/** Positions that are gone within a transaction that is not committed. */
export async function rolledBack(run: (fail: (left: readonly number[]) => never) => unknown): Promise<Answer> {
  class Left extends Error {
    constructor(readonly left: readonly number[]) {
      super('rolled back');
    }
  }
  try {
    await run((left) => {
      throw new Left(left);
    });
  } catch (error) {
    if (error instanceof Left) return error.left;
    throw error;
  }
  throw new Error('the transaction was committed');
}
