import type { Filter } from '../filter.js';
import type { SqlDialect } from './table.js';

/** What a statement is given beside its text. SQLite and MySQL are given 1 and 0 for booleans. */
export type SqlParameter = string | number | boolean | null;

export interface SqlOptions {
  readonly dialect: SqlDialect;
  /** PostgreSQL: how many parameters the statement has before those of the condition. 0 when absent. */
  readonly offset?: number;
  /** What each rule of the plan comes to alone, so that a refusal can name its rule; asked only then. */
  readonly rules?: () => readonly RuleFilter[];
}

/** What one rule leaves in a plan. */
export interface RuleFilter {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  /** Where it is written, where that is known: `album.yaml:12`. */
  readonly place?: string | undefined;
  readonly filter: Filter;
}

/** A condition for `WHERE`, or why there is none. */
export type SqlCondition =
  | {
      readonly kind: 'sql';
      /** With a placeholder for each parameter: `?`, or `$1` and so on in PostgreSQL. */
      readonly text: string;
      /**
       * The text between the parameters: one piece more than there are parameters, as the tag of a template literal is
       * called with.
       */
      readonly parts: TemplateStringsArray;
      readonly parameters: readonly SqlParameter[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly SqlProblem[] };

/** A part of a filter that SQL cannot say as check means it, over this table. */
export interface SqlProblem {
  /** The operator of the filter, or `variable`. */
  readonly operator: string;
  /** In one line: `no column is mapped for request.resource.attr.x`. */
  readonly reason: string;
  /** The part of the filter, as text. */
  readonly part: string;
  /** The rule it comes from, where `rules` were given. */
  readonly policy?: string;
  readonly rule?: string;
  readonly place?: string;
}
