import { DATABASE_TYPES, fitsType, normalType, typeWord, wordInYaml } from '../../adapters/column-types.js';
import type { Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Place } from '../../../compiler/diagnostics/span.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import {
  isRelation,
  type SqlColumn,
  type SqlColumns,
  type SqlRelation,
  type SqlTable,
  type SqlUsers,
} from '../../../runtime/residual/sql/table.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import type { ReadTables, StoredColumn, StoredTable } from './stored-table.js';

/** Reports what a file of tables declares otherwise than a database has it. */
export async function compareTables(
  file: Pick<TableFile, 'tables' | 'users' | 'placeOf'>,
  read: ReadTables,
  dialect: SqlDialect,
  report: Diagnostics,
): Promise<void> {
  const { users } = file;
  const all = [...file.tables.values(), ...(users === undefined ? [] : [users])];
  const selectColumns = (table: SqlTable): SqlColumns =>
    table === users ? { ...users.columns, roles: users.roles } : table.columns;
  const names = new Set(all.flatMap((table) => [table.name, ...relatedNames(selectColumns(table))]));
  const comparison = new Comparison(await read([...names]), file.placeOf, dialect, report);
  for (const [kind, table] of file.tables) comparison.table(table, `tables[${JSON.stringify(kind)}]`);
  if (users !== undefined) comparison.users(users);
}

function relatedNames(columns: SqlColumns): readonly string[] {
  return Object.values(columns).flatMap((stored) =>
    isRelation(stored) ? [stored.table, ...relatedNames(stored.columns ?? {})] : [],
  );
}

class Comparison {
  constructor(
    private readonly stored: ReadonlyMap<string, StoredTable>,
    private readonly placeOf: (declared: object, field: string) => Place | undefined,
    private readonly dialect: SqlDialect,
    private readonly report: Diagnostics,
  ) {}

  table(table: SqlTable, field: string): void {
    const found = this.find(table, table.name, 'name', field);
    if (found === undefined) return;
    if (table.id !== undefined) this.column(table.id, found, table.name, `${field}.id`);
    this.columns(table.columns, found, table.name, field);
  }

  users(users: SqlUsers): void {
    this.table(users, 'users');
    const found = this.stored.get(users.name);
    if (found === undefined) return;
    const { name, roles, scope, where = {} } = users;
    for (const column of Object.keys(where)) this.require(users, column, found, name, 'users.where');
    if (typeof scope === 'object') this.column(scope, found, name, 'users.scope');
    if (isRelation(roles)) this.relation(roles, found, name, 'users.roles');
    // A list of roles in MySQL is JSON, which it has no other columns for.
    else if (this.dialect === 'mysql' && roles.type === 'list')
      this.require(roles, roles.column, found, name, 'users.roles');
    else this.column(roles, found, name, 'users.roles');
  }

  private columns(columns: SqlColumns, table: StoredTable, name: string, field: string): void {
    for (const [attribute, declared] of Object.entries(columns)) {
      const path = `${field}.columns[${JSON.stringify(attribute)}]`;
      if (isRelation(declared)) this.relation(declared, table, name, path);
      else this.column(declared, table, name, path);
    }
  }

  private relation(relation: SqlRelation, table: StoredTable, name: string, field: string): void {
    const other = this.find(relation, relation.table, 'table', field);
    if (other === undefined) return;
    const { on, closure = {}, where = {} } = relation;
    const theirs = [...Object.keys(on), ...Object.keys(closure), ...Object.values(closure), ...Object.keys(where)];
    for (const column of new Set(theirs)) this.require(relation, column, other, relation.table, field);
    for (const column of Object.values(on)) this.require(relation, column, table, name, field);
    const isKept = other.uniques.some((columns) => columns.every((column) => Object.hasOwn(on, column)));
    if (relation.relation === 'one' && relation.unique === true && !isKept)
      this.report.add('tables/not-unique', this.placeOf(relation, 'unique'), {
        field,
        table: relation.table,
        columns: Object.keys(on),
      });
    if (relation.value !== undefined) this.column(relation.value, other, relation.table, `${field}.value`);
    this.columns(relation.columns ?? {}, other, relation.table, field);
  }

  private column(declared: SqlColumn, table: StoredTable, tableName: string, field: string): void {
    const column = this.require(declared, declared.column, table, tableName, field);
    if (column === undefined) return;
    const at = { field, column: `${tableName}.${plainName(declared.column)}` };
    this.type(declared, column, at);
    this.collation(declared, column, at);
    if (declared.null === 'never' && column.isNullable)
      this.report.add('tables/nullable', this.placeOf(declared, 'nulls'), at);
  }

  private type(declared: SqlColumn, { type }: StoredColumn, at: At): void {
    const row = DATABASE_TYPES[this.dialect][normalType(type, this.dialect)] ?? { words: [] };
    if (fitsType(row, declared)) return;
    this.report.add('tables/column-type', this.placeOf(declared, 'type'), {
      ...at,
      type,
      declared: wordInYaml(typeWord(declared)),
      right: row.words.map(wordInYaml),
      why: row.why,
    });
  }

  private collation(declared: SqlColumn, { collation }: StoredColumn, at: At): void {
    if (declared.type !== 'text' || collation === undefined) return;
    const wanted = declared.collation ?? DEFAULTS[this.dialect];
    const order = ['other', 'deterministic', 'binary'];
    if (order.indexOf(collation.kind) >= order.indexOf(wanted)) return;
    this.report.add('tables/collation', this.placeOf(declared, 'collation') ?? this.placeOf(declared, 'column'), {
      ...at,
      declared: wanted,
      isDefault: declared.collation === undefined,
      collation: collation.name,
      right: collation.kind,
    });
  }

  private find(declared: object, name: string, key: string, field: string): StoredTable | undefined {
    const found = this.stored.get(name);
    if (found === undefined)
      this.report.add('tables/missing', this.placeOf(declared, key), { field, what: `table \`${name}\`` });
    return found;
  }

  private require(
    declared: object,
    column: string,
    table: StoredTable,
    tableName: string,
    field: string,
  ): StoredColumn | undefined {
    const name = plainName(column);
    const found = table.columns.get(name) ?? (this.dialect === 'postgresql' ? undefined : ignoringCase(table, name));
    if (found === undefined)
      this.report.add('tables/missing', this.placeOf(declared, 'column') ?? this.placeOf(declared, 'on'), {
        field,
        what: `column \`${name}\` in \`${tableName}\``,
      });
    return found;
  }
}

interface At {
  readonly field: string;
  readonly column: string;
}

/** How columns of a dialect compare strings if the file does not say it. */
const DEFAULTS = { postgresql: 'deterministic', mysql: 'other', sqlite: 'binary' } as const;

/** MySQL and SQLite find columns whatever the case of their names. */
function ignoringCase({ columns }: StoredTable, name: string): StoredColumn | undefined {
  return [...columns].find(([column]) => column.toLowerCase() === name.toLowerCase())?.[1];
}

/** The name without that of its table. */
function plainName(column: string): string {
  return column.split('.').at(-1) as string;
}
