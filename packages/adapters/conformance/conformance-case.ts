import type { Filter, RuleFilter } from '../../../runtime/residual/filters.js';

/** A plan, and the rows that it must select. */
export interface ConformanceCase {
  /** The condition of the rule: `R.attr.owner == P.id`; the principal is anna. */
  readonly condition: string;
  /** How the rule uses it: to allow, to deny what is allowed otherwise, or in a `none`. */
  readonly place: 'allow' | 'deny' | 'none';
  readonly filter: Filter;
  /** The option `rules` of our adapters: a refusal then names the rule. */
  readonly rules: () => readonly RuleFilter[];
  /** The ids of the rows that check allows. */
  readonly allowed: ReadonlySet<string>;
}
