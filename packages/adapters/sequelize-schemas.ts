/**
 * What a query of Sequelize says of its tables: the schema, as `Album.schema('tenant_b').findAll` reads related rows of that schema too, and
 * the alias.
 */
import type { Model, ModelStatic } from 'sequelize';

/** What Sequelize keeps of the schema of a model, beside what its types say. */
export type OfSchema = ModelStatic<Model> & {
  readonly _schema?: string | undefined;
  readonly _schemaDelimiter?: string | undefined;
  readonly options: { readonly schema?: string | undefined };
};

/** A schema that a query asked for. */
export interface QuerySchema {
  readonly schema: string;
  readonly delimiter: string | undefined;
}

/** The methods of Sequelize that write queries. */
interface Generator {
  selectQuery(...values: unknown[]): unknown;
  updateQuery(...values: unknown[]): unknown;
  deleteQuery(...values: unknown[]): unknown;
  arithmeticQuery(...values: unknown[]): unknown;
  whereItemQuery(...values: unknown[]): unknown;
  generateInclude(...values: unknown[]): unknown;
  addSchema(table: object): unknown;
  quoteTable(table: unknown): string;
}

type Schema = QuerySchema | undefined | 'unknown';

/** The schemas of the queries that are being written, the innermost last. */
const writing: Schema[] = [];
/** The aliases of the tables whose conditions and columns are being written, the innermost last. */
const aliases: unknown[] = [];
const watched = new WeakSet<Generator>();

/**
 * Makes the schema of each query known while Sequelize writes it. A literal has no other way to know it, and would read
 * related rows of the default schema: those of another tenant.
 */
export function watchQueries(model: ModelStatic<Model>): void {
  const generator = generatorOf(model);
  if (watched.has(generator)) return;
  watched.add(generator);
  const watch = <Of>(method: keyof Generator, known: Of[], valueOf: (values: readonly unknown[]) => Of): void => {
    const write = generator[method] as (...values: unknown[]) => never;
    generator[method] = (...values: unknown[]): never => {
      known.push(valueOf(values));
      try {
        return write.apply(generator, values);
      } finally {
        known.pop();
      }
    };
  };
  watch('selectQuery', writing, ([table, , asked]) => schemaOf(asked, table));
  watch('updateQuery', writing, ([table, , , options]) => schemaOf(modelIn(options), table));
  watch('deleteQuery', writing, ([table, , , asked]) => schemaOf(asked, table));
  watch('arithmeticQuery', writing, ([, table]) => schemaOf(undefined, table));
  watch('whereItemQuery', writing, ([, , options]) => {
    const asked = modelIn(options);
    return typeof asked === 'function' ? schemaOf(asked, undefined) : writing.at(-1);
  });
  watch('selectQuery', aliases, () => undefined);
  watch('whereItemQuery', aliases, ([, , options]) => (options as { readonly prefix?: unknown } | undefined)?.prefix);
  watch('generateInclude', aliases, ([include, parent, top]) => aliasOfInclude(include, parent, top));
}

/** The alias that Sequelize gives the table of an include. */
function aliasOfInclude(...given: unknown[]): string {
  const [include, parent, top] = given as [
    { readonly as: string },
    { readonly internalAs: string; readonly externalAs: string },
    { readonly names: { readonly name: unknown; readonly as: unknown } },
  ];
  const isOfTop = top.names.name === parent.externalAs || top.names.as === parent.externalAs;
  return isOfTop ? include.as : `${parent.internalAs}->${include.as}`;
}

/**
 * Refuses a condition or a column for a table with one alias where Sequelize writes it for another one: below an include, whose rows
 * would be judged by the row around them.
 */
export function requireAlias(alias: string): void {
  const written = aliases.at(-1);
  const text = typeof written === 'string' ? written : (written as { readonly val?: unknown } | undefined)?.val;
  if (typeof text !== 'string' || text === '') return;
  const name = text.replace(/^["`]|["`]$/g, '');
  if (name !== alias)
    throw new TypeError(
      `a condition or column for \`${alias}\` is used for \`${name}\`: pass the alias of the include to the adapter: \`alias: '${name}'\``,
    );
}

function modelIn(options: unknown): unknown {
  return (options as { readonly model?: unknown } | undefined)?.model;
}

/** The schema that a model asks for with `Model.schema`; undefined if it asks for none. */
function schemaOf(model: unknown, table: unknown): Schema {
  if (typeof model !== 'function') {
    const { schema } = Object(table) as { readonly schema?: string };
    return schema ? 'unknown' : undefined;
  }
  const { _schema: schema, _schemaDelimiter: delimiter, options } = model as unknown as OfSchema;
  return schema === undefined || schema === '' || schema === options.schema ? undefined : { schema, delimiter };
}

/**
 * The schema that the query being written asks for; undefined if it asks for none, and outside of queries.
 * @throws {TypeError} if Sequelize does not say which model the query is about.
 */
export function schemaOfQuery(): QuerySchema | undefined {
  const schema = writing.at(-1);
  if (schema === 'unknown')
    throw new TypeError(
      'the schema of this query is not known: pass it to the adapter, as `schema`, as the plan reads related rows',
    );
  return schema;
}

/** The name of the table of a related model, as Sequelize writes it. */
export function quotedTable(model: OfSchema, query: () => QuerySchema | undefined): string {
  const generator = generatorOf(model);
  if (model._schema) return generator.quoteTable(model.getTableName());
  const found = query();
  if (found === undefined) return generator.quoteTable(model.getTableName());
  const { schema, delimiter } = found;
  return generator.quoteTable(
    generator.addSchema({ tableName: model.tableName, _schema: schema, _schemaDelimiter: delimiter }),
  );
}

function generatorOf(model: ModelStatic<Model>): Generator {
  return (model as unknown as { readonly queryGenerator: Generator }).queryGenerator;
}
