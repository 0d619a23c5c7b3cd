/** The conformance kit: plans over hostile rows with the decisions of check, for authors of adapters. */
import type { Filter, RuleFilter } from '../../../runtime/residual/filters.js';
import { CASES } from './cases.js';
import { ROWS } from './rows.js';

export { type ConformanceField, type ConformanceRow, FIELDS, ROWS } from './rows.js';

/** A plan, and the rows that it must select. */
export interface ConformanceCase {
  /** The condition of the rule: `R.attr.owner == P.id`; the principal is anna. */
  readonly condition: string;
  /** How the rule uses it: to allow, to deny what is allowed otherwise, or in a `none`. */
  readonly place: 'allow' | 'deny' | 'none';
  readonly filter: Filter;
  /** For `rules` of our adapters: a refusal then names the rule. */
  readonly rules: () => readonly RuleFilter[];
  /** The ids of the rows that check allows. */
  readonly allowed: ReadonlySet<string>;
}

/** An adapter, and the store that it queries. */
export interface AdapterUnderTest {
  /** The rows that were loaded: those that are typed, or all. */
  readonly rows: 'typed' | 'all';
  /**
   * Returns the ids that the store selects for the plan, in any order.
   * @throws an error named `UnsupportedPlanError` for a plan that the adapter refuses. Any other error is a failure.
   */
  select(plan: ConformanceCase): readonly string[] | Promise<readonly string[]>;
}

/** A case, and what was wrong. */
export interface Finding {
  readonly condition: string;
  readonly place: string;
  /** The rows, or the message of the error. */
  readonly detail: string;
  readonly ids: readonly string[];
}

export interface ConformanceReport {
  readonly cases: number;
  /** The cases that select exactly the rows that check allows. */
  readonly exact: number;
  /** Rows that check denies: never acceptable. */
  readonly overGrants: readonly Finding[];
  /** Rows that check allows and the store does not select. Document why. */
  readonly underGrants: readonly Finding[];
  readonly refusals: readonly Finding[];
  /** Errors that are no refusals, ids that no row has, and ids that are selected twice. */
  readonly failures: readonly Finding[];
}

/** Runs every case, one after the other. It reports, and throws for nothing that the adapter does. */
export async function conformance(adapter: AdapterUnderTest): Promise<ConformanceReport> {
  const loaded = new Set(ROWS.filter(({ isTyped }) => isTyped || adapter.rows === 'all').map(({ id }) => id));
  const findings = { overGrants: [], underGrants: [], refusals: [], failures: [] } satisfies {
    [kind in keyof ConformanceReport]?: Finding[];
  } as { [kind in 'overGrants' | 'underGrants' | 'refusals' | 'failures']: Finding[] };
  const cases = conformanceCases();
  let exact = 0;
  for (const one of cases) {
    const report = (kind: keyof typeof findings, ids: readonly string[], detail = ids.join(', ')): void => {
      findings[kind].push({ condition: one.condition, place: one.place, detail, ids });
    };
    let selected: readonly string[];
    try {
      selected = await adapter.select(one);
    } catch (error) {
      const isRefusal = error instanceof Error && error.name === 'UnsupportedPlanError';
      report(isRefusal ? 'refusals' : 'failures', [], error instanceof Error ? error.message : String(error));
      continue;
    }
    const ids = new Set(selected);
    const over = [...ids].filter((id) => loaded.has(id) && !one.allowed.has(id));
    const under = [...loaded].filter((id) => one.allowed.has(id) && !ids.has(id));
    const strange = [...ids].filter((id) => !loaded.has(id));
    if (over.length > 0) report('overGrants', over);
    if (under.length > 0) report('underGrants', under);
    if (strange.length > 0 || ids.size < selected.length)
      report('failures', strange, `selects rows twice, or rows that were not loaded: ${selected.join(', ')}`);
    if (over.length === 0 && under.length === 0 && strange.length === 0) exact += 1;
  }
  return { cases: cases.length, exact, ...findings };
}

/** Every case, in the same order each time. */
export function conformanceCases(): readonly ConformanceCase[] {
  return CASES.flatMap(([condition, plans]) =>
    Object.entries(plans).map(([place, [filter, allowed]]) => ({
      condition,
      place: place as ConformanceCase['place'],
      filter: filter as Filter,
      rules: () => [{ policy: 'resource.note.vdefault', rule: condition, filter: filter as Filter }],
      allowed: new Set(idsOf(allowed)),
    })),
  );
}

/** The ids of the rows at positions: `0-2,5`. */
function idsOf(ranges: string): readonly string[] {
  if (ranges === '') return [];
  return ranges.split(',').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number) as [number, number?];
    return ROWS.slice(from, to + 1).map(({ id }) => id);
  });
}
