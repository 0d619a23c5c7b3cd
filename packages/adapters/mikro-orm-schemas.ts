/** The schemas of queries of MikroORM: `em.find(Album, where, { schema: 'tenant_b' })` reads related rows of it too. */
import { type EntityMetadata, RawQueryFragment } from '@mikro-orm/core';

/** A related table without a schema of its own, as a parameter of a condition until its query is written. */
export class TableOfQuery {
  constructor(private readonly metadata: EntityMetadata) {}

  /** The name of the table in a schema; undefined for that of the connection. */
  named(schema: string | undefined): string {
    const { schema: own, tableName } = this.metadata;
    if (own === '*' && schema === undefined)
      throw new TypeError(`the table \`*.${tableName}\` has the schema of the query: pass it, as \`schema\``);
    return schema === undefined ? tableName : `${schema}.${tableName}`;
  }

  toString(): never {
    throw new TypeError(
      `the schema of this query is not known: pass it to the adapter, as \`schema\`, as the plan reads \`${this.metadata.tableName}\``,
    );
  }
}

/** What a query builder knows of the schema of its query: in version 6 as fields of its own, since version 7 in its state. */
interface QueryBuilder {
  readonly mainAlias: { readonly metadata?: EntityMetadata; readonly meta?: EntityMetadata };
  readonly _schema?: string | undefined;
  readonly state?: { readonly [part: string]: unknown; readonly schema?: string | undefined };
  readonly em?: { readonly schema?: string | undefined };
  readonly platform: { getDefaultSchemaName(): string | undefined };
  readonly driver: { readonly config: { getSchema(): string | undefined } };
  getKnexQuery?(...values: unknown[]): unknown;
  getNativeQuery?(...values: unknown[]): unknown;
}

interface Driver {
  createQueryBuilder(...values: unknown[]): QueryBuilder;
}

const watched = new WeakSet<object>();

/**
 * Makes query builders name the tables in conditions when they write a query. A condition has no other way to know the
 * schema, and would read related rows of the default one: those of another tenant.
 * @param orm the ORM or an entity manager.
 */
export function watchQueries(orm: object, entity: string): void {
  const { em = orm } = orm as { readonly em?: object };
  const driver = (em as { getDriver?(): Partial<Driver> }).getDriver?.();
  if (driver?.createQueryBuilder === undefined) return;
  const prototype = Object.getPrototypeOf(driver.createQueryBuilder(entity)) as QueryBuilder;
  if (watched.has(prototype)) return;
  watched.add(prototype);
  const writer = prototype.getKnexQuery === undefined ? 'getNativeQuery' : 'getKnexQuery';
  const write = prototype[writer];
  if (write === undefined)
    throw new TypeError('this version of MikroORM writes queries in a way that the adapter does not know');
  prototype[writer] = function (this: QueryBuilder, ...given) {
    requireApplied(this);
    nameTables(this);
    return write.apply(this, given);
  };
}

/**
 * MikroORM leaves fragments out of what `populateWhere` says of related entities, and would load those that are not
 * allowed.
 */
function requireApplied(builder: QueryBuilder): void {
  const own = builder as unknown as { readonly [part: string]: unknown };
  if (hasFragment(builder.state?.['populateWhere'] ?? own['_populateWhere'], false))
    throw new TypeError(
      'MikroORM does not apply a condition of SQL in `populateWhere`: find the related entities by a query of their own',
    );
}

function hasFragment(part: unknown, isRelated: boolean): boolean {
  if (Array.isArray(part)) return part.some((one) => hasFragment(one, isRelated));
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype) return false;
  return Reflect.ownKeys(part).some((key) => {
    if (typeof key === 'symbol' || key.startsWith('[raw]: ')) return isRelated;
    return hasFragment((part as { readonly [key: string]: unknown })[key], isRelated || !key.startsWith('$'));
  });
}

function nameTables(builder: QueryBuilder): void {
  const schema = schemaOf(builder);
  const own = builder as unknown as { readonly [part: string]: unknown };
  const [where, having, joins, fields, orderBy] = ['cond', 'having', 'joins', 'fields', 'orderBy'].map(
    (part) => builder.state?.[part] ?? own[`_${part}`],
  );
  const joined = Object.values((joins ?? {}) as { readonly [name: string]: { readonly cond?: unknown } });
  nameTablesIn([where, having, fields, orderBy, joined.map(({ cond }) => cond)], schema);
}

/** The schema that related tables without one have; undefined for that of the connection. */
function schemaOf({ mainAlias, _schema, state, em, platform, driver }: QueryBuilder): string | undefined {
  const own = (mainAlias.metadata ?? mainAlias.meta)?.schema;
  const given = state === undefined ? _schema : state.schema;
  // The schema of an entity that has one is that of the query too.
  const asked = given === own ? undefined : given;
  const schema = asked ?? em?.schema ?? driver.config.getSchema();
  return schema === platform.getDefaultSchemaName() || schema === '*' ? undefined : schema;
}

function nameTablesIn(part: unknown, schema: string | undefined): void {
  if (part instanceof RawQueryFragment) {
    if (part.params.some((value) => value instanceof TableOfQuery))
      Object.assign(part, {
        params: part.params.map((value) => (value instanceof TableOfQuery ? value.named(schema) : value)),
      });
    return;
  }
  if (Array.isArray(part)) {
    for (const one of part) nameTablesIn(one, schema);
    return;
  }
  if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype) return;
  // Fragments as keys are strings in version 6, and symbols since version 7.
  for (const key of Reflect.ownKeys(part)) {
    nameTablesIn(RawQueryFragment.getKnownFragment(key as string, false), schema);
    nameTablesIn((part as { readonly [key: string | symbol]: unknown })[key], schema);
  }
}
