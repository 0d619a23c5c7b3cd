/** The conformance kit: plans over hostile rows with the decisions of check, for authors of adapters. */
import type { Filter } from '../../../runtime/residual/filters.js';
import { CASES } from './cases.js';
import { type Combined, combinations, combinationText, holds } from './combinations.js';
import { allowedBy, columnCases, type ColumnUnderTest, readRows } from './columns.js';
import type { ConformanceCase } from './conformance-case.js';
import { ROWS } from './rows.js';

export type { ColumnCase, ColumnUnderTest } from './columns.js';
export type { Combined } from './combinations.js';
export type { ConformanceCase } from './conformance-case.js';
export { type ConformanceField, type ConformanceRow, FIELDS, HIDDEN, ROWS } from './rows.js';

/** An adapter, and the store that it queries. */
export interface AdapterUnderTest {
  /** The rows that were loaded: those that are typed, or all. */
  readonly rows: 'typed' | 'all';
  /**
   * Returns the ids that the store selects for the plan, in any order.
   * @throws an error named `UnsupportedPlanError` for a plan that the adapter refuses. Any other error is a failure.
   */
  select(plan: ConformanceCase): readonly string[] | Promise<readonly string[]>;
  /**
   * Other ways in which applications ask with a plan, by name: a count, which is a number; an update, a query of another
   * table, a query with an alias or a schema, which have the ids of the rows that they reach.
   */
  readonly ways?: {
    readonly [name: string]: (
      plan: ConformanceCase,
    ) => readonly string[] | number | Promise<readonly string[] | number>;
  };
  /** Returns the ids that the store selects for a combination of plans and conditions of the application. */
  combine?(combined: Combined): readonly string[] | Promise<readonly string[]>;
  /** Whether the condition of a plan may be negated: `{ not: { plan } }`. True unless it is said. */
  readonly negates?: boolean;
  /** The attributes of a row that was read from the store, as `attributesOf` of our adapters makes them. */
  attributesOf?(id: string): object | Promise<object>;
}

/** A case, and what was wrong. */
export interface Finding {
  readonly condition: string;
  /** The place of a case, `combined`, `attributes`, or the name of a way. */
  readonly place: string;
  /** The rows, or the message of the error. */
  readonly detail: string;
  readonly ids: readonly string[];
}

export interface ConformanceReport {
  readonly cases: number;
  /** The cases that select exactly the rows that check allows. */
  readonly exact: number;
  /**
   * The number of questions in other ways, of combinations, and of attributes. They are asked with plans for which the rows
   * are exactly right; what is wrong with them is in the lists below.
   */
  readonly asked: { readonly ways: number; readonly combinations: number; readonly attributes: number };
  /** Rows that check denies: never acceptable. */
  readonly overGrants: readonly Finding[];
  /** Rows that check allows and the store does not select. Document why. */
  readonly underGrants: readonly Finding[];
  readonly refusals: readonly Finding[];
  /** Errors that are no refusals, ids that no row has, and ids that are selected twice. */
  readonly failures: readonly Finding[];
}

/**
 * Runs every case, one after the other. It reports, and throws for nothing that the adapter does.
 *
 * @example
 * import { conformance, ROWS } from 'authz/adapters/conformance';
 * import { selects } from 'authz/residual';
 *
 * // Your adapter and database stand in place of `selects` over rows in memory.
 * const report = await conformance({
 *   rows: 'all',
 *   select: ({ filter }) => ROWS.filter((row) => selects(filter, row)).map(({ id }) => id),
 * });
 * console.log(report.overGrants, report.failures); // => [] []
 */
export async function conformance(adapter: AdapterUnderTest): Promise<ConformanceReport> {
  const rows = ROWS.filter(({ isTyped }) => isTyped || adapter.rows === 'all');
  const questions = new Questions(rows.map(({ id }) => id));
  const cases = conformanceCases();
  const exact: ConformanceCase[] = [];
  for (const one of cases)
    if (await questions.ask(one.condition, one.place, one.allowed, () => adapter.select(one))) exact.push(one);
  const asked = { ways: 0, combinations: 0, attributes: 0 };
  for (const [name, way] of Object.entries(adapter.ways ?? {}))
    for (const one of exact.filter((_, position) => position % EACH_WAY === 0)) {
      asked.ways += 1;
      await questions.ask(one.condition, name, one.allowed, () => way(one));
    }
  const combined = exact.filter((_, position) => position % EACH_COMBINATION === 0);
  for (const one of adapter.combine === undefined
    ? []
    : combinations([...combined, ...CONSTANTS], questions.ids, { negates: adapter.negates ?? true })) {
    asked.combinations += 1;
    const allowed = new Set(questions.ids.filter((id) => holds(one, id)));
    await questions.ask(combinationText(one), 'combined', allowed, () => adapter.combine?.(one) ?? []);
  }
  for (const { id, attr } of adapter.attributesOf === undefined ? [] : rows) {
    asked.attributes += 1;
    const found = await adapter.attributesOf?.(id);
    if (canonical(found) !== canonical(attr))
      questions.report('failures', { condition: id, place: 'attributes', detail: canonical(found), ids: [id] });
  }
  return { cases: cases.length, exact: exact.length, asked, ...questions.findings };
}

/** What was found about columns. */
export interface ColumnReport extends Pick<ConformanceReport, 'overGrants' | 'underGrants' | 'refusals' | 'failures'> {
  /** The number of plans that a column was asked with and answered. */
  readonly answered: number;
}

/**
 * Compares what a store selects for plans about a column with what check decides about the attributes that the adapter
 * reads of the same rows: dates, decimals, large integers and strings that a database compares in ways of its own. It
 * reports, and throws for nothing that the adapter does.
 *
 * @example
 * import { columnConformance } from 'authz/adapters/conformance';
 * import { selects } from 'authz/residual';
 *
 * // Your adapter and database stand in place of `selects` over rows in memory.
 * const rows = new Map<string, { x?: string }>([['1', { x: 'anna' }], ['2', {}]]);
 * const report = await columnConformance([
 *   {
 *     name: 'text as text',
 *     ids: [...rows.keys()],
 *     attributesOf: (id) => rows.get(id) ?? {},
 *     select: ({ filter }) => [...rows].filter(([, attr]) => selects(filter, { attr })).map(([id]) => id),
 *   },
 * ]);
 * console.log(report.overGrants, report.failures); // => [] []
 */
export async function columnConformance(columns: readonly ColumnUnderTest[]): Promise<ColumnReport> {
  const cases = columnCases();
  const reports: ColumnReport[] = [];
  for (const column of columns) {
    const rows = await readRows(column);
    const questions = new Questions([...rows.keys()], column.ids);
    for (const one of cases)
      await questions.ask(one.condition, `${column.name}, ${one.place}`, allowedBy(one, rows), () =>
        column.select(one),
      );
    const { findings } = questions;
    reports.push({ answered: cases.length - findings.refusals.length, ...findings });
  }
  return {
    answered: reports.reduce((sum, { answered }) => sum + answered, 0),
    overGrants: reports.flatMap(({ overGrants }) => overGrants),
    underGrants: reports.flatMap(({ underGrants }) => underGrants),
    refusals: reports.flatMap(({ refusals }) => refusals),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

/** One of so many plans that are right is asked in each way, and one is combined. */
const EACH_WAY = 4;
const EACH_COMBINATION = 25;

/** Plans for everything and nothing, which libraries treat in ways of their own. */
const CONSTANTS: readonly ConformanceCase[] = [true, false].map((outcome) => {
  const filter: Filter = { kind: outcome ? 'KIND_ALWAYS_ALLOWED' : 'KIND_ALWAYS_DENIED' };
  const allowed = new Set(outcome ? ROWS.map(({ id }) => id) : []);
  return { condition: String(outcome), place: 'allow', filter, rules: () => [], allowed };
});

type Kind = 'overGrants' | 'underGrants' | 'refusals' | 'failures';

/** Asks the store, and keeps what is wrong with its answers. */
class Questions {
  readonly findings: { readonly [kind in Kind]: Finding[] } = {
    overGrants: [],
    underGrants: [],
    refusals: [],
    failures: [],
  };

  /** @param stored the rows that there are, of which `ids` are compared. */
  constructor(
    readonly ids: readonly string[],
    private readonly stored: readonly string[] = ids,
  ) {}

  report(kind: Kind, finding: Finding): void {
    this.findings[kind].push(finding);
  }

  /** Returns whether the answer is exactly what check allows. */
  async ask(
    condition: string,
    place: string,
    allowed: ReadonlySet<string>,
    answer: () => readonly string[] | number | Promise<readonly string[] | number>,
  ): Promise<boolean> {
    const report = (kind: Kind, ids: readonly string[], detail = ids.join(', ')): void =>
      this.report(kind, { condition, place, detail, ids });
    const expected = this.ids.filter((id) => allowed.has(id));
    let selected: readonly string[] | number;
    try {
      selected = await answer();
    } catch (error) {
      const isRefusal = error instanceof Error && error.name === 'UnsupportedPlanError';
      report(isRefusal ? 'refusals' : 'failures', [], error instanceof Error ? error.message : String(error));
      return false;
    }
    if (typeof selected === 'number') {
      if (selected !== expected.length)
        report(selected > expected.length ? 'overGrants' : 'underGrants', [], `${selected} of ${expected.length} rows`);
      return selected === expected.length;
    }
    const found = new Set(selected);
    const over = [...found].filter((id) => this.ids.includes(id) && !allowed.has(id));
    const under = expected.filter((id) => !found.has(id));
    const strange = [...found].filter((id) => !this.stored.includes(id));
    if (over.length > 0) report('overGrants', over);
    if (under.length > 0) report('underGrants', under);
    if (strange.length > 0 || found.size < selected.length)
      report('failures', strange, `selects rows twice, or rows that were not loaded: ${selected.join(', ')}`);
    return over.length === 0 && under.length === 0 && strange.length === 0;
  }
}

/** JSON whose fields are sorted, in which -0 is 0. The order of a list of related rows is that of the store. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (Array.isArray(inner)) return [...(inner as unknown[])].sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1));
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/**
 * Every case, in the same order each time.
 *
 * @example
 * import { conformanceCases } from 'authz/adapters/conformance';
 *
 * const [first] = conformanceCases();
 * console.log(first?.filter.kind); // => KIND_CONDITIONAL
 */
export function conformanceCases(): readonly ConformanceCase[] {
  return CASES.flatMap(([condition, plans]) =>
    Object.entries(plans).map(([place, [filter, allowed]]) => ({
      condition,
      place: place as ConformanceCase['place'],
      filter: filter as Filter,
      rules: () => [{ policy: 'resource.note.vdefault', rule: condition, filter: filter as Filter }],
      allowed: new Set(expandIds(allowed)),
    })),
  );
}

/** The ids of the rows at positions: `0-2,5`. */
function expandIds(ranges: string): readonly string[] {
  if (ranges === '') return [];
  return ranges.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return ROWS.slice(from, to + 1).map(({ id }) => id);
  });
}
