import type { Filter } from '../filter.js';
import type { SqlDialect } from './table.js';

/** A parameter of a statement. SQLite and MySQL receive 1 and 0 for booleans. */
export type SqlParameter = string | number | boolean | null;

export interface SqlOptions {
  readonly dialect: SqlDialect;
  /** PostgreSQL: the number of parameters of the statement before those of the condition. 0 if absent. */
  readonly offset?: number;
  /**
   * How closures of related tables are found: by a `set` that the database makes once, the default, or for each `row`, which
   * is faster for a page of rows that nearly all pass. MySQL has the set alone.
   */
  readonly closures?: 'set' | 'row' | undefined;
  /**
   * Whether to quote every name, even one that needs no quotes: for libraries that replace words of a condition, as TypeORM
   * does.
   */
  readonly quoteNames?: boolean | undefined;
  /** The filter of each rule of the plan, so that a refusal can name its rule; only called for a refusal. */
  readonly rules?: () => readonly RuleFilter[];
}

/** The residual of one rule in a plan. */
export interface RuleFilter {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  /** Its location, if known: `album.yaml:12`. */
  readonly place?: string | undefined;
  readonly filter: Filter;
}

/** A condition for `WHERE`, or the reasons why there is none. */
export type SqlCondition =
  | {
      readonly kind: 'sql';
      /** The SQL with a placeholder for each parameter: `?`, or `$1` and so on in PostgreSQL. */
      readonly text: string;
      /**
       * The text between the parameters: one piece more than there are parameters, as in a call of a tag of a template
       * literal.
       */
      readonly parts: TemplateStringsArray;
      readonly parameters: readonly SqlParameter[];
      /**
       * The tables whose closures are found for each row, as the condition counts their rows or compares them with the row
       * (`sql/closure-per-row`).
       */
      readonly closuresPerRow?: readonly string[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly SqlProblem[] };

/** A part of a filter that cannot be translated to SQL with the semantics of check, for this table. */
export interface SqlProblem {
  /** The operator of the filter, or `variable`. */
  readonly operator: string;
  /** The reason in one line: `no column is mapped for request.resource.attr.x`. */
  readonly reason: string;
  /** The part of the filter, as text. */
  readonly part: string;
  /** The rule it comes from, if `rules` was set. */
  readonly policy?: string;
  readonly rule?: string;
  readonly place?: string;
}
