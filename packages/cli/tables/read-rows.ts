import { rowReader } from '../../adapters/attributes.js';
import { quoteName, quotePath } from '../../adapters/column-source.js';
import { type Mapping, type StoredTable, tableNamed } from '../../adapters/condition.js';
import {
  isRelation,
  type SqlColumns,
  type SqlDialect,
  type SqlRelation,
  type SqlRowFilter,
  type SqlTable,
} from '../../../runtime/residual/sql/table.js';
import { expression } from '../../../runtime/residual/operand.js';
import { renderSql, type SqlCondition, type SqlParameter } from '../../../runtime/residual/sql/index.js';
import { renderRowFilter } from '../../../runtime/residual/sql/render.js';
import { DatabaseError } from '../rls/database.js';
import type { SelectRows } from './stored-table.js';

/** A row of a table as checks receive it, or why its values cannot be read. */
export type ReadRow =
  | { readonly kind: 'row'; readonly id: string | null; readonly attr: { readonly [name: string]: unknown } }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** A condition of a statement. */
export type RowFilter = Pick<SqlCondition & { readonly kind: 'sql' }, 'text' | 'parameters'>;

type Row = { readonly [column: string]: unknown };

/**
 * The row of an id, if it is among those that count, as a condition.
 * @throws DatabaseError for a table that the id cannot be looked for in.
 */
export function filterOfRow(table: SqlTable, id: string, dialect: SqlDialect, where?: SqlRowFilter): RowFilter {
  const isOne = expression('eq', { variable: 'request.resource.id' }, { value: id });
  const counting = renderRowFilter(table, where, dialect);
  const offset = counting?.parameters.length ?? 0;
  const own = renderSql({ kind: 'KIND_CONDITIONAL', condition: isOne }, table, { dialect, offset });
  if (own.kind === 'refused')
    throw new DatabaseError(`rows of \`${table.name}\` cannot be found by their ids: ${own.problems[0]?.reason}`);
  return {
    text: [...(counting === undefined ? [] : [counting.text]), own.text].map((text) => `(${text})`).join(' AND '),
    parameters: [...(counting?.parameters ?? []), ...own.parameters],
  };
}

/**
 * Reads all rows of a table with their related rows, by the words of a file of tables.
 *
 * @param filter which rows are read; all of them without it.
 * @param more columns that are no attributes, such as the roles of users; they are attributes of the rows that are read.
 */
export async function readRows(
  select: SelectRows,
  table: SqlTable,
  dialect: SqlDialect,
  more: SqlColumns = {},
  filter?: RowFilter,
): Promise<readonly ReadRow[]> {
  const columns = { ...table.columns, ...more };
  const loader = new RowLoader(select, dialect);
  const id = table.id;
  const rows = await loader.load(table.name, columns, id === undefined ? [] : [id.column], filter);
  const mapping: Mapping<string> = { dialect, attributes: columns as Mapping<string>['attributes'] };
  const named = (name: string): StoredTable => ({
    ...tableNamed(name, 'SQL'),
    columnName: (column) => plainName(column),
    valueIn: (row, column) => (row as Row)[plainName(column)],
  });
  const reader = rowReader<Row, { readonly [name: string]: unknown }>(named(table.name), mapping, named);
  return rows.map((row) => {
    try {
      const own = id === undefined ? undefined : row[plainName(id.column)];
      return {
        kind: 'row',
        id: own === null || own === undefined ? null : String(own),
        attr: reader.attributesOf(row) as { readonly [name: string]: unknown },
      };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      return { kind: 'unreadable', problem: error.message };
    }
  });
}

/** Loads rows with the rows that are related to them, below the paths of attributes. */
class RowLoader {
  constructor(
    private readonly select: SelectRows,
    private readonly dialect: SqlDialect,
  ) {}

  async load(
    table: string,
    columns: SqlColumns,
    further: readonly string[],
    filter?: RowFilter,
  ): Promise<readonly Row[]> {
    const relations = Object.entries(columns).flatMap(([path, stored]) =>
      isRelation(stored) ? [[path, stored] as const] : [],
    );
    const names = new Set(
      [
        ...further,
        ...Object.values(columns).flatMap((stored) =>
          isRelation(stored) ? Object.values(stored.on) : [stored.column],
        ),
      ].map(plainName),
    );
    const list = [...names].map((name) => quoteName(name, this.dialect)).join(', ');
    const name = quotePath(table, this.dialect);
    const where = filter === undefined ? '' : ` WHERE ${filter.text}`;
    const rows = await this.select(`SELECT ${list === '' ? '1' : list} FROM ${name}${where}`, filter?.parameters ?? []);
    const related = await Promise.all(relations.map(([path, relation]) => this.related(path, relation, rows)));
    return rows.map((row) => ({ ...row, ...Object.fromEntries(related.map((of) => of(row))) }));
  }

  /**
   * The rows of another table by those that they are related to, of few rows only these. Those that do not count are left out
   * by the reader.
   */
  private async related(
    path: string,
    relation: SqlRelation,
    of: readonly Row[],
  ): Promise<(row: Row) => readonly [string, unknown]> {
    const { on, closure = {}, where = {}, columns = {}, value } = relation;
    const keys = Object.keys(on);
    const further = [...keys, ...Object.keys(closure), ...Object.values(closure), ...Object.keys(where)];
    const filter = relation.closure === undefined ? this.filterOfRelated(relation, of) : undefined;
    const rows = await this.load(relation.table, value === undefined ? columns : { value }, further, filter);
    // A closure is followed by the reader.
    if (relation.closure !== undefined) return () => [path, rows];
    const byKey = new Map<string, Row[]>();
    for (const row of rows) {
      const key = keyOf(row, keys);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), row]);
    }
    const ours = Object.values(on);
    return (row) => {
      const found = byKey.get(keyOf(row, ours) ?? '') ?? [];
      return [path, found];
    };
  }

  /** The rows that are related to few others; undefined for many, and for keys that are no parameters. */
  private filterOfRelated({ on }: SqlRelation, rows: readonly Row[]): RowFilter | undefined {
    if (rows.length > FEW) return undefined;
    const parameters: SqlParameter[] = [];
    const conditions: string[] = [];
    for (const row of rows) {
      const pairs = Object.entries(on).map(([theirs, ours]) => [theirs, row[plainName(ours)]] as const);
      if (pairs.some(([, key]) => key === null || key === undefined)) continue;
      const equal: string[] = [];
      for (const [theirs, key] of pairs) {
        if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'bigint') return undefined;
        parameters.push(typeof key === 'bigint' ? String(key) : key);
        const given = this.dialect === 'postgresql' ? `$${parameters.length}` : '?';
        equal.push(`${quoteName(plainName(theirs), this.dialect)} = ${given}`);
      }
      conditions.push(`(${equal.join(' AND ')})`);
    }
    return { text: conditions.length === 0 ? '1 = 0' : conditions.join(' OR '), parameters };
  }
}

/** The most rows whose related rows are looked for by their keys, in place of reading a table. */
const FEW = 50;

/** Undefined for NULL, which equals nothing. */
function keyOf(row: Row, columns: readonly string[]): string | undefined {
  const values = columns.map((column) => row[plainName(column)]);
  return values.some((value) => value === null || value === undefined) ? undefined : JSON.stringify(values.map(String));
}

function plainName(column: string): string {
  return column.slice(column.lastIndexOf('.') + 1);
}
