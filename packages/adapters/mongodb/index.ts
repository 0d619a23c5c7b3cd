/** Plans as filters of MongoDB, also for Mongoose. */
import { refuseClosures } from '../closures.js';
import {
  type Bounds,
  type Comparison,
  type FilterOptions,
  type Outcomes,
  type PlannedFilter,
  Refusal,
  type Scalar,
  type Store,
  type TextTest,
  translated,
  type Translates,
  type Wanted,
} from '../translation.js';
import type { Operand } from '../../../runtime/residual/filters.js';
import type { RowReader } from '../attributes.js';
import { documentReader, type NamedFields } from './documents.js';
import {
  type Expression,
  Expressions,
  fieldName,
  LARGEST,
  LARGEST_LONG,
  literalPattern,
  type Read,
} from './expressions.js';

export type { RowAttributes, RowReader, RowResource } from '../attributes.js';
export { type FilterOptions, type PlannedFilter, UnsupportedPlanError } from '../translation.js';

/** A filter of `find`. */
export interface MongoFilter {
  readonly [field: string]: unknown;
}

/** The names of the fields of a document, and of the fields of its objects: `home.city`. */
export type MongoField<Document> = (keyof Document & string) | `${keyof Document & string}.${string}`;

/** Where the attributes of a resource are stored. */
export interface MongoMapping<Document> {
  /** The field with the id of the resource as check receives it; a string. */
  readonly id?: MongoField<Document>;
  /** Fields by attribute: `owner`; `home.city` for a field of one. Plans that read other attributes are refused. */
  readonly attributes: { readonly [attributePath: string]: MongoField<Document> | MongoDate<Document> };
}

/**
 * A field that has a date, which policies read with `timestamp(...)`: check receives it as `toISOString` writes it. For the
 * dates of objects in a list, the attribute has the path `shares.until`.
 */
export interface MongoDate<Document> {
  readonly field: MongoField<Document> | `${string}.${string}`;
  readonly type: 'date';
}

/**
 * Creates the function that turns a plan into a filter for `find`: `mongodbAdapter<Note>('notes', ...)`.
 *
 * @example
 * import { mongodbAdapter } from 'authz/adapters/mongodb';
 * import { createEngine } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * interface Album {
 *   _id: string;
 *   ownerId: string;
 *   status?: string;
 * }
 * const allowed = mongodbAdapter<Album>('albums', { id: '_id', attributes: { owner: 'ownerId', status: 'status' } });
 * const principal = { id: 'ann', roles: ['user'] };
 * const plan = createEngine(policies).plan({ principal, resource: { kind: 'album' }, actions: ['edit'] });
 * // In a query: db.collection<Album>('albums').find(allowed(plan))
 * console.log(Object.keys(allowed(plan))); // => [ '$and' ]
 *
 * @returns throws an `UnsupportedPlanError` for a plan that cannot be translated exactly.
 */
export function mongodbAdapter<Document extends object>(
  collection: string,
  mapping: MongoMapping<Document>,
): MongoAdapter {
  refuseClosures(mapping.attributes, 'MongoDB');
  const filterOf = (plan: PlannedFilter, options?: FilterOptions): MongoFilter =>
    translated(plan, new Matches(`the collection \`${collection}\``, mapping), BOUNDS, options);
  return Object.assign(filterOf, documentReader(collection, mapping));
}

/** Turns a plan into a filter for `find`, and reads documents as the driver or `lean()` of Mongoose returns them. */
export interface MongoAdapter extends RowReader<object, object> {
  /** @throws {UnsupportedPlanError} for a plan that cannot be translated exactly. */
  (plan: PlannedFilter, options?: FilterOptions): MongoFilter;
}

/** MongoDB reads documents of at most 200 levels. */
const BOUNDS: Bounds = { steps: 5_000, depth: 150 };

/** A field of a document, by its names. */
type Path = readonly string[];

/**
 * Tests as operators of `find`, which use indexes: where a comparison is true. Everything else is an aggregation
 * expression.
 */
class Matches implements Store<MongoFilter, Path> {
  readonly always: MongoFilter = {};
  readonly never: MongoFilter = { _id: { $in: [] }, $expr: false };
  private readonly expressions: Expressions;

  constructor(
    readonly target: string,
    private readonly mapping: NamedFields,
  ) {
    const dates = Object.values(mapping.attributes).flatMap((stored) =>
      typeof stored === 'string' ? [] : stored.field,
    );
    this.expressions = new Expressions(
      target,
      () => resolveRead(this.id()),
      (path) => resolveRead(this.attribute(path)),
      new Set(dates),
    );
  }

  allOf(filters: readonly MongoFilter[]): MongoFilter {
    if (filters.includes(this.never)) return this.never;
    return joined(
      '$and',
      filters.filter((filter) => filter !== this.always),
      this.always,
    );
  }

  anyOf(filters: readonly MongoFilter[]): MongoFilter {
    if (filters.includes(this.always)) return this.always;
    return joined(
      '$or',
      filters.filter((filter) => filter !== this.never),
      this.never,
    );
  }

  id(): Path {
    if (this.mapping.id === undefined) throw new Refusal('variable', 'no field is mapped for request.resource.id');
    return this.mapping.id.split('.').map(fieldName);
  }

  attribute(path: readonly string[]): Path {
    const { attributes } = this.mapping;
    for (let length = path.length; length > 0; length -= 1) {
      const name = path.slice(0, length).join('.');
      const stored = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      const field = typeof stored === 'object' ? stored.field : stored;
      if (field !== undefined) return [...field.split('.'), ...path.slice(length)].map(fieldName);
    }
    throw new Refusal('variable', `no field is mapped for request.resource.attr.${path.join('.')}`);
  }

  below(object: Path, name: string): Path {
    return [...object, fieldName(name)];
  }

  compared(path: Path, comparison: Comparison, constant: Scalar): Outcomes<MongoFilter> {
    if (comparison === 'eq') return this.among(path, [constant]);
    const isTrue = this.expressions.compared(resolveRead(path), comparison, constant);
    const operator = { lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte' }[comparison];
    if (typeof constant === 'string') return narrowedTo(isTrue, () => at(path, { [operator]: constant }));
    // NaN is not ordered, and infinity is not JSON.
    const range = { $gte: -LARGEST, $lte: LARGEST, [operator]: constant };
    return narrowedTo(isTrue, () =>
      joined(
        '$or',
        [
          at(path, { ...range, $type: ['int', 'double'] }),
          at(path, {
            $gte: -LARGEST_LONG,
            $lte: LARGEST_LONG,
            $type: 'long',
            ...narrowed(operator, constant as number),
          }),
        ],
        this.never,
      ),
    );
  }

  among(path: Path, constants: readonly Scalar[]): Outcomes<MongoFilter> {
    return narrowedTo(this.expressions.among(resolveRead(path), constants), () => among(path, constants));
  }

  presence(): Outcomes<MongoFilter> {
    throw new Refusal('has', 'is an expression');
  }

  text(path: Path, test: TextTest, constant: string): Outcomes<MongoFilter> {
    if (test !== 'startsWith') throw new Refusal(test, 'is an expression');
    const isTrue = this.expressions.text(resolveRead(path), test, constant);
    return narrowedTo(isTrue, () => at(path, { $regex: `^${literalPattern(constant)}` }));
  }

  sharing(path: Path, constants: readonly Scalar[]): Outcomes<MongoFilter> {
    const isTrue = this.expressions.sharing(resolveRead(path), constants);
    return narrowedTo(isTrue, () => at(path, { $elemMatch: valueAmong(constants) }, false));
  }

  moment(path: Path, comparison: Comparison, time: number): Outcomes<MongoFilter> {
    const isTrue = this.expressions.moment(resolveRead(path), comparison, time);
    const operator = { eq: '$eq', lt: '$lt', le: '$lte', gt: '$gt', ge: '$gte' }[comparison];
    return narrowedTo(isTrue, () => at(path, { [operator]: new Date(time) }));
  }

  moments(): Outcomes<MongoFilter> {
    throw new Refusal('timestamp', 'is an expression');
  }

  otherwise(test: Operand, wanted: Wanted, translation: Translates): MongoFilter {
    const expression: Expression = translation.where(test, wanted, this.expressions, new Map());
    if (expression === true) return this.always;
    return expression === false ? this.never : { $expr: expression };
  }
}

/**
 * A test by operators of `find`, and the same as an expression. Mongoose drops the operators if its schema does not have
 * the field, and an application may write another test of the field beside them; neither touches the expression.
 */
function narrowedTo(isTrue: Outcomes<Expression>, match: () => MongoFilter): Outcomes<MongoFilter> {
  const refuse = (): never => {
    throw new Refusal('not', 'is an expression');
  };
  return { is: (outcome) => (outcome ? { ...match(), $expr: isTrue.is(true) } : refuse()), fails: refuse };
}

function resolveRead(path: Path): Read {
  return path.reduce<Read | undefined>(
    (object, name) => ({
      reference: object === undefined ? `$${name}` : `${object.reference}.${name}`,
      object,
      path: object === undefined ? name : `${object.path}.${name}`,
    }),
    undefined,
  ) as Read;
}

/** MongoDB compares the elements of an array too: each object on the path, and the value, must not be one. */
const NO_ARRAY = { $not: { $type: 'array' } };

function at(path: Path, condition: MongoFilter, isOne = true): MongoFilter {
  const objects = path.slice(1).map((_, position) => [path.slice(0, position + 1).join('.'), NO_ARRAY] as const);
  return {
    ...Object.fromEntries(objects),
    [path.join('.')]: isOne ? { ...condition, ...NO_ARRAY } : condition,
  };
}

function among(path: Path, constants: readonly Scalar[]): MongoFilter {
  return at(path, valueAmong(constants));
}

/** A value that is one of the constants. Null is also what is missing, and decimals equal numbers. */
function valueAmong(constants: readonly Scalar[]): MongoFilter {
  const types = new Set(constants.map((constant) => (constant === null ? 'null' : typeof constant)));
  if (types.size > 1) throw new Refusal('in', 'is an expression');
  const [type] = types;
  if (type === 'null') return { $type: 'null', ...NO_ARRAY };
  const equal = constants.length === 1 ? { $eq: constants[0] } : { $in: constants };
  if (type !== 'number') return { ...equal, ...NO_ARRAY };
  const isExact = constants.every((constant) => Math.abs(constant as number) <= LARGEST_LONG);
  return { ...equal, $type: isExact ? ['int', 'double', 'long'] : ['int', 'double'], ...NO_ARRAY };
}

/** The bounds of integers, with that of a comparison. */
function narrowed(operator: string, constant: number): MongoFilter {
  if (operator === '$gte') return { $gte: Math.max(constant, -LARGEST_LONG) };
  if (operator === '$lte') return { $lte: Math.min(constant, LARGEST_LONG) };
  return { [operator]: constant };
}

function joined(operator: '$and' | '$or', filters: readonly MongoFilter[], neutral: MongoFilter): MongoFilter {
  const parts = filters.flatMap((filter) =>
    Object.keys(filter).length === 1 && operator in filter ? (filter[operator] as MongoFilter[]) : [filter],
  );
  return parts.length < 2 ? (parts[0] ?? neutral) : { [operator]: parts };
}
