/** Plans as conditions of Sequelize. */
import { type Attributes, DataTypes, literal, type Model, type ModelStatic, Op, type Utils } from 'sequelize';
import type { SqlDialect, SqlParameter } from '../../runtime/residual/sql/index.js';
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

/** The attributes of several models. */
export type SequelizeTables<Models> = {
  readonly [Name in keyof Models]: Models[Name] extends ModelStatic<infer M> ? keyof Attributes<M> & string : never;
};

/** A condition for `where`. In a list, as Sequelize drops `Op.not` around a literal. */
export interface SequelizeCondition {
  readonly [Op.and]: [Utils.Literal];
}

/**
 * Creates the function that turns a plan into a condition for `where`, alone or combined with others.
 * @param mapping names columns as the attributes of the models do: `authorId`, not `author_id`.
 * @param related the models that relations of the mapping name, by these names: `{ users: User }`.
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly. Without an alias in the
 * options, the condition is for `findAll` and the like, in which the alias is the name of the model.
 */
export function sequelizeAdapter<
  M extends Model,
  Related extends { readonly [name: string]: ModelStatic<Model> } = Record<never, never>,
>(
  model: ModelStatic<M>,
  mapping: NoInfer<Mapping<keyof Attributes<M> & string, SequelizeTables<Related>>>,
  related?: Related,
): (plan: PlannedFilter, options?: ConditionOptions) => SequelizeCondition {
  const table = storedTable(model);
  const relatedTable = relatedIn<ModelStatic<Model>>(related ?? {}, storedTable);
  const literalOf = LITERALS[mapping.dialect];
  return (plan, options) => {
    const { parts, parameters } = conditionOf(
      plan,
      table,
      mapping,
      { ...options, alias: options?.alias ?? model.name },
      relatedTable,
    );
    const text = parts.reduce((before, part, index) => before + literalOf(parameters[index - 1] ?? null) + part);
    return { [Op.and]: [literal(text)] };
  };
}

function storedTable(model: ModelStatic<Model>): StoredTable {
  const table = model.getTableName();
  return {
    name: typeof table === 'string' ? table : [table.schema, table.tableName].filter(Boolean).join('.'),
    columnName(name) {
      const attributes = model.getAttributes();
      const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      if (attribute === undefined || attribute.type instanceof DataTypes.VIRTUAL)
        throw new TypeError(`the model \`${model.name}\` has no column \`${name}\``);
      return attribute.field ?? name;
    },
  };
}

/**
 * Parameters as literals of the type that they have as parameters of a statement (docs/decisions/filters-and-sql.md#0084). None contains
 * `$`, which Sequelize replaces in the whole statement where a query has `bind`, or depends on a setting of the
 * connection for where it ends.
 */
const LITERALS: { readonly [dialect in SqlDialect]: (parameter: SqlParameter) => string } = {
  // A string literal is untyped, as a parameter is.
  postgresql(parameter) {
    if (parameter === null) return 'NULL';
    const text = String(parameter).replaceAll("'", "''");
    return /[$\\]/.test(text)
      ? `U&'${text.replace(/[$\\]/g, (character) => `\\00${character.charCodeAt(0).toString(16)}`)}'`
      : `'${text}'`;
  },
  sqlite(parameter) {
    if (typeof parameter !== 'string') return numberOf(parameter);
    const pieces = parameter
      .split(/([$\0])/)
      .map((piece, index) => (index % 2 === 0 ? `'${piece.replaceAll("'", "''")}'` : `char(${piece.charCodeAt(0)})`));
    // The column can use its index with a single string.
    return pieces.length === 1 ? pieces.join('') : `(${pieces.join(' || ')})`;
  },
  mysql(parameter) {
    if (typeof parameter !== 'string') return numberOf(parameter);
    return /^[^'$\\\0]*$/.test(parameter) ? `'${parameter}'` : `_utf8mb4 x'${hexOf(parameter)}'`;
  },
};

/** A double, also if it is whole. In parentheses, because `--` begins a comment. */
function numberOf(parameter: number | boolean | null): string {
  if (parameter === null) return 'NULL';
  const text = String(Number(parameter));
  return `(${text.includes('e') ? text : `${text}e0`})`;
}

function hexOf(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
