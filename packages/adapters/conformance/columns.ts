/** The part of the kit about types of columns: each word of a mapping for each type of column that a store has. */
import { type Filter, type JsonValue, selects } from '../../../runtime/residual/filters.js';
import { COLUMN_CASES } from './column-cases.js';

/** A plan about `R.attr.x`. */
export interface ColumnCase {
  /** The condition of the rule: `R.attr.x < 10.0`. */
  readonly condition: string;
  /** How the rule uses it, as in `ConformanceCase`. */
  readonly place: 'allow' | 'deny' | 'none';
  readonly filter: Filter;
}

/**
 * A column that an adapter was created for, as `R.attr.x`. Create one for each word of a mapping and each type of column; a
 * word that does not fit should throw there, and is left out.
 */
export interface ColumnUnderTest {
  /** The name in findings: `numeric as number`. */
  readonly name: string;
  /** The ids of the rows. One should have NULL, and the others values at the bounds of the type. */
  readonly ids: readonly string[];
  /**
   * The attributes of a row that was read from the store: `{ x: 10 }`, or `{}`.
   * @throws for a row that cannot be read; it is not compared.
   */
  attributesOf(id: string): object | Promise<object>;
  /**
   * Returns the ids that the store selects for the plan, in any order.
   * @throws an error named `UnsupportedPlanError` for a plan that the adapter refuses. Any other error is a failure.
   */
  select(plan: ColumnCase): readonly string[] | Promise<readonly string[]>;
}

/** Every plan about a column. */
export function columnCases(): readonly ColumnCase[] {
  return COLUMN_CASES.flatMap(([condition, plans]) =>
    Object.entries(plans).map(([place, filter]) => ({
      condition,
      place: place as ColumnCase['place'],
      filter: filter as Filter,
    })),
  );
}

/** What check decides about the rows of a column, by what the adapter reads of them. */
export async function readRows(
  column: ColumnUnderTest,
): Promise<ReadonlyMap<string, { readonly [name: string]: JsonValue }>> {
  const rows = new Map<string, { readonly [name: string]: JsonValue }>();
  for (const id of column.ids)
    try {
      rows.set(id, (await column.attributesOf(id)) as { readonly [name: string]: JsonValue });
    } catch {
      // A row that no program can send to check.
    }
  return rows;
}

/** The rows that check allows. */
export function allowedBy(
  { filter }: ColumnCase,
  rows: ReadonlyMap<string, { readonly [name: string]: JsonValue }>,
): ReadonlySet<string> {
  return new Set([...rows].filter(([, attr]) => selects(filter, { attr })).map(([id]) => id));
}
