/** What the adapters for query builders share: a mapping that names columns of a schema, and the condition of a plan. */
import {
  renderSql,
  type RuleFilter,
  type SqlColumn,
  type SqlDialect,
  type SqlParameter,
  type SqlProblem,
  type SqlRelation,
} from '../runtime/residual/sql/index.js';
import type { Filter } from '../runtime/residual/filters.js';

/** A column of a schema, and how its values become attributes for check. */
export type MappedColumn<Column extends string> = Omit<SqlColumn, 'column'> & { readonly column: Column };

/** An attribute that is stored in another table, related by columns of the schema. */
export type MappedRelation<Column extends string> = Omit<SqlRelation, 'on'> & {
  /** The columns of the other table, each with the column here that it equals: `{ id: 'owner_id' }`. */
  readonly on: { readonly [column: string]: Column };
};

/** Where the attributes of a resource are stored, by names of columns that the schema has. */
export interface Mapping<Column extends string> {
  readonly dialect: SqlDialect;
  /** The id of the resource as check receives it; a string. */
  readonly id?: MappedColumn<Column>;
  /** By attribute: `owner`; `address.city` for a field of one. Plans that read other attributes are refused. */
  readonly attributes: { readonly [attributePath: string]: MappedColumn<Column> | MappedRelation<Column> };
}

/** A plan, as `engine.plan` returns it. */
export interface PlannedFilter {
  readonly filter: Filter;
}

/** How a condition is written for one query. */
export interface ConditionOptions {
  /** The alias of the table in the query, if it has one. */
  readonly alias?: string;
  /** The filter of each rule of the plan, as `ruleFilters` returns them; a refusal then names its rule. */
  readonly rules?: () => readonly RuleFilter[];
}

/** The pieces of SQL between the parameters, one more than there are parameters. */
export interface ConditionParts {
  readonly parts: TemplateStringsArray;
  readonly parameters: readonly SqlParameter[];
}

/** A plan that an adapter cannot translate with the semantics of check, so it translates none of it. */
export class UnsupportedPlanError extends Error {
  override readonly name = 'UnsupportedPlanError';

  /** @param problems the parts that cannot be translated; never empty. */
  constructor(
    table: string,
    readonly problems: readonly SqlProblem[],
  ) {
    super(
      `the plan has no condition for the table \`${table}\`: ${problems.map(problemText).join('; ')}. ` +
        'Map the attribute, change the rule, or load the rows and check each',
    );
  }
}

/**
 * The condition that is true exactly for the rows that check allows.
 * @param columnName the name that a column of the mapping has in the database.
 * @throws {UnsupportedPlanError} if the plan cannot be translated exactly.
 */
export function conditionOf<Column extends string>(
  plan: PlannedFilter,
  table: string,
  mapping: Mapping<Column>,
  options: ConditionOptions = {},
  columnName: (column: Column) => string = (column) => column,
): ConditionParts {
  const { alias, rules } = options;
  const condition = renderSql(
    plan.filter,
    {
      name: table,
      ...(alias !== undefined && { alias }),
      ...(mapping.id && { id: { ...mapping.id, column: columnName(mapping.id.column) } }),
      columns: Object.fromEntries(
        Object.entries(mapping.attributes).map(([path, stored]) => [path, storedAs(stored, columnName)]),
      ),
    },
    { dialect: mapping.dialect, ...(rules && { rules }) },
  );
  if (condition.kind === 'refused') throw new UnsupportedPlanError(table, condition.problems);
  return condition;
}

function storedAs<Column extends string>(
  stored: MappedColumn<Column> | MappedRelation<Column>,
  columnName: (column: Column) => string,
): SqlColumn | SqlRelation {
  if (!('relation' in stored)) return { ...stored, column: columnName(stored.column) };
  const on = Object.fromEntries(Object.entries(stored.on).map(([column, own]) => [column, columnName(own)]));
  return { ...stored, on };
}

function problemText({ operator, reason, part, policy, rule, place }: SqlProblem): string {
  const owner =
    rule === undefined ? '' : `rule \`${rule}\` of \`${policy}\`${place === undefined ? '' : ` (${place})`}: `;
  return `${owner}\`${operator}\`: ${reason}, in \`${part}\``;
}
