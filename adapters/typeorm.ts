/** Plans as conditions of TypeORM. */
import { Brackets, type EntityMetadata, type ObjectLiteral, type Repository } from 'typeorm';
import { type ConditionOptions, conditionOf, type Mapping, type PlannedFilter } from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/**
 * Creates the function that turns a plan into a condition for `where` and `andWhere` of a query builder.
 * @param mapping names columns as the properties of the entity do: `authorId`, not `author_id`. Columns of related
 * tables have their names in the database.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. Without an alias in the
 * options, the condition is for `repository.createQueryBuilder()`, whose alias is the name of the entity.
 */
export function typeormAdapter<Entity extends ObjectLiteral>(
  { metadata }: Pick<Repository<Entity>, 'metadata'>,
  mapping: Mapping<keyof Entity & string>,
): (plan: PlannedFilter, options?: ConditionOptions) => Brackets {
  return (plan, options) => {
    const { parts, parameters } = conditionOf(
      plan,
      metadata.tableName,
      mapping,
      { ...options, alias: options?.alias ?? metadata.name },
      (property) => columnOf(metadata, property),
    );
    // A query has one set of names for all of its conditions.
    conditions += 1;
    const prefix = `authz${conditions}_`;
    const condition = parts.reduce((before, part, index) => `${before}:${prefix}${index - 1}${part}`);
    const named = Object.fromEntries(parameters.map((parameter, index) => [`${prefix}${index}`, parameter]));
    return new Brackets((query) => {
      query.where(condition, named);
    });
  };
}

let conditions = 0;

/** The name that the column of a property has in the database. */
function columnOf({ columns, name }: EntityMetadata, property: string): string {
  const column = columns.find(({ propertyPath }) => propertyPath === property);
  if (column === undefined) throw new TypeError(`the entity \`${name}\` has no column \`${property}\``);
  const { databaseName } = column;
  // TypeORM replaces names of properties in a condition by those of their columns.
  const isReplaced = columns.some(
    (other) =>
      (other.propertyPath === databaseName || other.propertyName === databaseName) &&
      other.databaseName !== databaseName,
  );
  if (isReplaced)
    throw new TypeError(
      `the column \`${databaseName}\` of the entity \`${name}\` has the name of a property of another column: rename the property`,
    );
  return databaseName;
}
