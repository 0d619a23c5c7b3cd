import { quoteName, quotePath } from '../../packages/adapters/column-source.js';
import { renderRowFilter } from '../../runtime/residual/sql/render.js';
import { isRelation, type SqlColumns, type SqlRelation, type SqlRowFilter } from '../../runtime/residual/sql/table.js';
import type { RunQuery } from './read-only-pool.js';

/** A table whose rows are read with those that are related to them. */
export interface RowsToRead {
  readonly name: string;
  /** The column of the id. */
  readonly id: string;
  /** The attributes that are read; related rows are below `relatedTo` of their path. */
  readonly columns: SqlColumns;
  /** Which rows count; the others are not there. */
  readonly where?: SqlRowFilter | undefined;
}

/** The most rows that are related to all rows of one call. */
const MOST_RELATED = 100_000;

/** The property of a row that has its related rows: no column has such a name. */
export function relatedTo(path: string): string {
  return `\0${path}`;
}

/** The name of a column without that of its table. */
export function plainName(column: string): string {
  return column.slice(column.lastIndexOf('.') + 1);
}

/**
 * Reads the rows with some ids from PostgreSQL, with the rows that are related to them: a statement for each relation. The database
 * compares the columns of a relation, as it does where a condition follows it. Rejects if too many rows are related.
 */
export async function readRelatedRows(
  run: RunQuery,
  { name, id, columns, where }: RowsToRead,
  ids: readonly unknown[],
): Promise<readonly object[]> {
  const alias = 'r0';
  const found: FoundRows = (parameters) => {
    parameters.push(ids);
    const position = parameters.length;
    return allOf(
      `FROM ${quotePath(name, 'postgresql')} AS ${alias} WHERE ${quoteColumn(alias, id)} = ANY($${position})`,
      filterOf(alias, where, parameters),
    );
  };
  const parameters: unknown[] = [];
  const { list, read } = select(alias, columns, [id]);
  const rows = await run(`SELECT ${list.join(', ')} ${found(parameters)}`, parameters);
  return new RelatedReader(run).attach(rows.map(read), { alias, columns, found, depth: 0 });
}

/** `FROM` and `WHERE` of the rows of a table that are read, whose parameters are added to some. */
type FoundRows = (parameters: unknown[]) => string;

/** The rows of one table, and how the database finds them. */
interface Level {
  readonly alias: string;
  readonly columns: SqlColumns;
  readonly found: FoundRows;
  readonly depth: number;
}

/** A row by its columns, and what its related rows are found by. */
interface KeyedRow {
  readonly row: { [column: string]: unknown };
  /** The keys by column of the row, as text. */
  readonly keys: ReadonlyMap<string, string | null>;
}

class RelatedReader {
  private count = 0;

  constructor(private readonly run: RunQuery) {}

  /** Rows with their related rows. */
  async attach(rows: readonly KeyedRow[], level: Level): Promise<readonly KeyedRow['row'][]> {
    for (const [path, stored] of Object.entries(level.columns)) {
      if (!isRelation(stored)) continue;
      const related = rows.length === 0 ? new Map<string, readonly object[]>() : await this.related(stored, level);
      const ours = Object.values(stored.on);
      for (const { row, keys } of rows) {
        const key = keyOf(ours.map((column) => keys.get(plainName(column)) ?? null));
        row[relatedTo(path)] = key === undefined ? [] : (related.get(key) ?? []);
      }
    }
    return rows.map(({ row }) => row);
  }

  /** The rows of a relation by the keys of the rows that they are related to. */
  private async related(
    relation: SqlRelation,
    { alias: above, found, depth }: Level,
  ): Promise<ReadonlyMap<string, readonly object[]>> {
    const { table, on, where, columns, value } = relation;
    const alias = `r${depth + 1}`;
    const pairs = Object.entries(on);
    const own = columns ?? (value === undefined ? {} : { value });
    const { list, read } = select(alias, own, []);
    const parameters: unknown[] = [];
    // Of texts that the database takes for equal, each is a key of its own.
    const keys = pairs.flatMap(([, ours], index) => {
      const column = quoteColumn(above, ours);
      return [`${column} AS o${index}`, `${column}::text COLLATE "C" AS t${index}`];
    });
    const startsBy = (given: unknown[]): string => `SELECT DISTINCT ${keys.join(', ')} ${found(given)}`;
    const starts = startsBy(parameters);
    const isNext = pairs.map(([theirs], index) => `${quoteColumn(alias, theirs)} = k.o${index}`).join(' AND ');
    const reached = relation.closure === undefined ? starts : reachedKeys(relation, starts, depth, parameters);
    const from = `FROM (${reached}) AS k JOIN ${quotePath(table, 'postgresql')} AS ${alias} ON ${isNext}`;
    const filter = filterOf(alias, where, parameters);
    const text =
      `SELECT ${[...pairs.map((_, index) => `k.t${index}`), ...list].join(', ')} ${from}` +
      `${filter === '' ? '' : ` WHERE ${filter}`} LIMIT ${MOST_RELATED + 1 - this.count}`;
    const answer = await this.run(text, parameters);
    this.count += answer.length;
    if (this.count > MOST_RELATED) throw new Error(`more than ${MOST_RELATED} rows are related`);
    const rows = await this.attach(answer.map(read), {
      alias,
      columns: own,
      depth: depth + 1,
      found: (given) => {
        const isRelated =
          relation.closure === undefined
            ? `EXISTS (SELECT 1 ${allOf(
                found(given),
                ...pairs.map(([theirs, ours]) => `${quoteColumn(alias, theirs)} = ${quoteColumn(above, ours)}`),
              )})`
            : `EXISTS (SELECT 1 FROM (${reachedKeys(relation, startsBy(given), depth, given)}) AS k WHERE ${isNext})`;
        return allOf(
          `FROM ${quotePath(table, 'postgresql')} AS ${alias} WHERE ${isRelated}`,
          filterOf(alias, where, given),
        );
      },
    });
    const byKey = new Map<string, object[]>();
    for (const [index, row] of rows.entries()) {
      const given = answer[index] as { readonly [name: string]: string };
      const key = keyOf(pairs.map((_, position) => given[`t${position}`] ?? null)) as string;
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [row]);
      else same.push(row);
    }
    return byKey;
  }
}

/**
 * The query of the keys of the rows that others reach by any number of steps, each with the keys at which they start. Of a cycle, the
 * database has every key once. Keys and steps are columns of one table, so that each step has the types of the first one.
 *
 * @param starts the query of the keys of the first step.
 */
function reachedKeys(
  { table, on, closure = {}, where }: SqlRelation,
  starts: string,
  depth: number,
  parameters: unknown[],
): string {
  const [set, next] = [`s${depth + 1}`, `n${depth + 1}`];
  const keys = Object.keys(on);
  const numbered = (name: string, of = ''): readonly string[] => keys.map((_, index) => `${of}${name}${index}`);
  const own = [...keys, ...keys.map((key) => closure[key] as string)].map((column) => quoteColumn(next, column));
  const stored = `JOIN ${quotePath(table, 'postgresql')} AS ${next} ON`;
  const follow = (from: string, ends: string): string =>
    `SELECT ${[...numbered('t', `${ends}.`), ...own].join(', ')} FROM ${from} AS ${ends} ${stored} ` +
    allOf(
      ...keys.map((key, index) => `${quoteColumn(next, key)} = ${ends}.${from === set ? 'n' : 'o'}${index}`),
      filterOf(next, where, parameters),
    );
  const names = [...numbered('t'), ...numbered('o'), ...numbered('n')].join(', ');
  return (
    `WITH RECURSIVE ${set}(${names}) AS (${follow(`(${starts})`, 'f')} UNION ${follow(set, 'e')}) ` +
    `SELECT DISTINCT ${[...numbered('t'), ...numbered('o')].join(', ')} FROM ${set}`
  );
}

/** What is selected of a table for some attributes, and the row that it is. */
function select(
  alias: string,
  columns: SqlColumns,
  further: readonly string[],
): { readonly list: readonly string[]; readonly read: (answer: object) => KeyedRow } {
  const stored = Object.values(columns);
  const names = [
    ...new Set([...further, ...stored.flatMap((one) => (isRelation(one) ? [] : [one.column]))].map(plainName)),
  ];
  const keys = [...new Set(stored.flatMap((one) => (isRelation(one) ? Object.values(one.on).map(plainName) : [])))];
  const list = [
    ...names.map((name, index) => `${quoteColumn(alias, name)} AS c${index}`),
    ...keys.map((name, index) => `${quoteColumn(alias, name)}::text AS k${index}`),
  ];
  return {
    list: list.length === 0 ? ['1 AS c'] : list,
    read: (answer) => {
      const given = answer as { readonly [name: string]: unknown };
      const row = Object.create(null) as KeyedRow['row'];
      for (const [index, name] of names.entries()) row[name] = given[`c${index}`];
      return { row, keys: new Map(keys.map((name, index) => [name, given[`k${index}`] as string | null])) };
    },
  };
}

/** Undefined for NULL, which equals nothing. */
function keyOf(values: readonly (string | null)[]): string | undefined {
  return values.includes(null) ? undefined : JSON.stringify(values);
}

function filterOf(alias: string, where: SqlRowFilter | undefined, parameters: unknown[]): string {
  const filter = renderRowFilter({ name: alias, columns: {} }, where, 'postgresql', parameters.length);
  parameters.push(...(filter?.parameters ?? []));
  return filter?.text ?? '';
}

function allOf(...conditions: readonly string[]): string {
  return conditions.filter((condition) => condition !== '').join(' AND ');
}

function quoteColumn(alias: string, column: string): string {
  return `${alias}.${quoteName(plainName(column), 'postgresql')}`;
}
