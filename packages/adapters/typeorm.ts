/** Plans as conditions of TypeORM. */
import { Brackets, type EntityMetadata, type ObjectLiteral, type Repository } from 'typeorm';
import {
  type ConditionOptions,
  conditionOf,
  type Mapping,
  type PlannedFilter,
  relatedIn,
  type StoredTable,
} from './condition.js';

export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';

/** What the adapter needs of a repository. */
export type EntityRepository<Entity extends ObjectLiteral> = Pick<Repository<Entity>, 'metadata' | 'target'>;

/** The properties of several entities. */
export type TypeormTables<Entities> = { readonly [Name in keyof Entities]: keyof Entities[Name] & string };

/**
 * Creates the function that turns a plan into a condition for `where` and `andWhere` of a query builder.
 * @param mapping names columns as the properties of the entities do: `authorId`, not `author_id`.
 * @param related the repositories of the entities that relations of the mapping name: `{ users: source.getRepository(User) }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. Without an alias in the
 * options, the condition is for `repository.createQueryBuilder()`, whose alias is the name of the entity.
 */
export function typeormAdapter<
  Entity extends ObjectLiteral,
  Related extends { readonly [name: string]: ObjectLiteral } = Record<never, never>,
>(
  { metadata }: EntityRepository<Entity>,
  mapping: NoInfer<Mapping<keyof Entity & string, TypeormTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityRepository<Related[Name]> },
): (plan: PlannedFilter, options?: ConditionOptions) => Brackets {
  const relatedTable = relatedIn<Pick<Repository<ObjectLiteral>, 'metadata'>>(related ?? {}, (other) => ({
    name: other.metadata.tablePath,
    columnName: (property) => columnOf(other.metadata, property).databaseName,
  }));
  return (plan, options) => {
    const { parts, parameters } = conditionOf(
      plan,
      storedTable(metadata),
      mapping,
      { ...options, alias: options?.alias ?? metadata.name },
      relatedTable,
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

/** The table of the query. TypeORM replaces names of properties in a condition by those of their columns. */
function storedTable(metadata: EntityMetadata): StoredTable {
  const { columns, name, tableName } = metadata;
  return {
    name: tableName,
    columnName(property) {
      const { databaseName } = columnOf(metadata, property);
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
    },
  };
}

function columnOf({ columns, name }: EntityMetadata, property: string): EntityMetadata['columns'][number] {
  const column = columns.find(({ propertyPath }) => propertyPath === property);
  if (column === undefined) throw new TypeError(`the entity \`${name}\` has no column \`${property}\``);
  return column;
}
