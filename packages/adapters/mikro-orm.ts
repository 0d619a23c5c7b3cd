/** Plans as conditions of MikroORM. */
import {
  type EntityKey,
  type EntityMetadata,
  type EntityName,
  type ObjectQuery,
  type MetadataStorage,
  raw,
  ReferenceKind,
  Utils,
} from '@mikro-orm/core';
import type { SqlParameter } from '../../runtime/residual/sql/index.js';
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

/** The properties of several entities. */
export type MikroOrmTables<Entities> = { readonly [Name in keyof Entities]: EntityKey<Entities[Name]> };

/**
 * Creates the function that turns a plan into a condition for `em.find` and `where` of a query builder, alone or in a
 * list of `$and`.
 * @param orm the ORM or an entity manager.
 * @param mapping names columns as the properties of the entities do: `authorId`, not `author_id`.
 * @param related the entities that relations of the mapping name, by these names: `{ users: User }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. A condition is for one query.
 * Without an alias in the options, it has the one that the query gives to the entity.
 */
export function mikroOrmAdapter<Entity extends object, Related extends object = Record<never, never>>(
  orm: { getMetadata(): MetadataStorage },
  entity: EntityName<Entity>,
  mapping: NoInfer<Mapping<EntityKey<Entity>, MikroOrmTables<Related>>>,
  related?: { readonly [Name in keyof Related]: EntityName<Related[Name]> },
): (plan: PlannedFilter, options?: ConditionOptions) => ObjectQuery<Entity> {
  const metadata: EntityMetadata = orm.getMetadata().get(Utils.className(entity));
  const relatedTable = relatedIn<unknown>(related ?? {}, (other) => {
    const found: EntityMetadata = orm.getMetadata().get(Utils.className(other as EntityName<object>));
    const { schema, tableName, className } = found;
    if (schema === '*') throw new TypeError(`the entity \`${className}\` has no fixed schema: it cannot be related`);
    return { ...storedTable(found), name: schema === undefined ? tableName : `${schema}.${tableName}` };
  });
  return (plan, options) => {
    const bound: SqlParameter[] = [];
    const write = (alias: string): string => {
      const own = { ...options, alias: options?.alias ?? alias };
      const { parts, parameters } = conditionOf(plan, storedTable(metadata), mapping, own, relatedTable);
      const placeholders = parameters.map((parameter) => {
        const pieces = mapping.dialect === 'sqlite' ? piecesOf(parameter) : [parameter];
        bound.push(...pieces);
        return pieces.length === 1 ? '?' : `(${pieces.map(() => '?').join(' || char(0) || ')})`;
      });
      // MikroORM passes it to Knex, which reads `?` as a placeholder.
      const [first = '', ...others] = parts.map((part) => part.replaceAll('?', '\\?'));
      return others.reduce((before, part, index) => before + placeholders[index] + part, first);
    };
    return { [raw<Entity, string>(write, bound)]: [] } as ObjectQuery<Entity>;
  };
}

/** The parts of a string between NULs: MikroORM writes parameters into statements of SQLite, which end at a NUL. */
function piecesOf(parameter: SqlParameter): readonly SqlParameter[] {
  return typeof parameter === 'string' ? parameter.split('\0') : [parameter];
}

function storedTable({ className, tableName, properties }: EntityMetadata): StoredTable {
  return {
    name: tableName,
    columnName(name) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const isStored =
        property !== undefined &&
        property.persist !== false &&
        property.formula === undefined &&
        (property.kind !== ReferenceKind.EMBEDDED || property.object === true);
      const [column, second] = isStored ? (property.fieldNames ?? []) : [];
      if (column === undefined || second !== undefined)
        throw new TypeError(`the entity \`${className}\` has no column \`${name}\``);
      return column;
    },
  };
}
