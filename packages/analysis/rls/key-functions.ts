import { sql, type Sql } from '../../../runtime/residual/sql/fragment.js';
import { columnIn, constantText, type KeySet } from '../../../runtime/residual/sql/policy-condition.js';
import { isPlain } from '../../../runtime/residual/sql/key-sets.js';
import { Refusal } from '../../../runtime/residual/sql/refusal.js';

import type { Operand } from '../../../runtime/residual/operand.js';
import { isRelation, type SqlRelation, type SqlTable } from '../../../runtime/residual/sql/table.js';
import { quotedPart } from '../sql-names.js';
import { digest } from './names.js';
import type { KeyFunction, Reader, RowFunction } from './protection.js';

/**
 * The functions through which policies read related tables. A sub-select of a policy would see of another table what that
 * table's own policies show: a hidden row would deny nothing, and tables that refer to each other could not be read at all.
 */
export class KeyFunctions {
  private readonly functions = new Map<string, KeyFunction>();
  private readonly rowFunctions = new Map<string, RowFunction>();
  private readonly columns = new Map<string, Set<string>>();

  /** A query of the keys of related rows. */
  readonly read = ({ relation, theirs, from, where }: KeySet): Sql => {
    const { table } = relation;
    requireSchema(relation);
    const columns = Object.keys(relation.on);
    const query = constantText(sql`SELECT DISTINCT ${list(theirs)} FROM ${from} WHERE ${where}`);
    const name = makeName(table, query);
    this.functions.set(name, { name, table, columns, query });
    this.addColumns(relation);
    return columns.length === 1 ? sql`SELECT authz.${name}()` : sql`SELECT * FROM authz.${name}()`;
  };

  /**
   * A call of a function that decides a condition for one row, by the columns of the row that it reads.
   *
   * @param condition its SQL, in which the alias of the table names the row.
   */
  test(condition: string, operand: Operand, table: SqlTable): string {
    const { columns, relations } = partsReadBy(operand, table);
    for (const relation of relations) {
      requireSchema(relation);
      this.addColumns(relation);
    }
    const alias = quotedPart(table.alias ?? table.name);
    const row = columns.map((_, position) => `$${position + 1}`).join(', ');
    const query = `SELECT (${condition}) IS TRUE FROM (VALUES (${row})) AS ${alias}(${columns.map(quotedPart).join(', ')})`;
    const name = makeName(table.name, JSON.stringify([query, columns]));
    this.rowFunctions.set(name, { name, table: table.name, columns, query });
    const values = columns.map((column) => columnIn(table, column)).join(', ');
    return `authz.${name}(${values})`;
  }

  /** All that were made, and what they read; undefined if there is none. */
  reader(role: string): Reader | undefined {
    if (this.functions.size + this.rowFunctions.size === 0) return undefined;
    const sorted = <Named extends { readonly name: string }>(all: Iterable<Named>): readonly Named[] =>
      [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
    return {
      role,
      tables: sorted([...this.columns].map(([name, columns]) => ({ name, columns: [...columns].sort() }))),
      functions: sorted(this.functions.values()),
      rowFunctions: sorted(this.rowFunctions.values()),
    };
  }

  private addColumns({ table, on, where = {}, columns = {}, value, closure = {} }: SqlRelation): void {
    const known = this.columns.get(table) ?? new Set();
    this.columns.set(table, known);
    const inner = Object.values(columns);
    for (const column of [...Object.keys(on), ...Object.keys(where), ...Object.entries(closure).flat()])
      if (column !== undefined) known.add(column);
    if (value !== undefined) known.add(value.column);
    for (const stored of inner) {
      if (!isRelation(stored)) known.add(stored.column);
      else {
        for (const ours of Object.values(stored.on)) known.add(ours);
        this.addColumns(stored);
      }
    }
  }
}

function requireSchema({ table, columns = {} }: SqlRelation): void {
  if (!table.includes('.'))
    throw new Refusal('relation', `the table \`${table}\` needs its schema: \`public.${table}\``);
  for (const stored of Object.values(columns)) if (isRelation(stored)) requireSchema(stored);
}

/** The related tables that a condition reads and whose rows everyone sees. */
export function plainTables(operand: Operand, table: SqlTable): readonly string[] {
  const within = (relation: SqlRelation): readonly string[] => [
    relation.table,
    ...Object.values(relation.columns ?? {}).flatMap((stored) => (isRelation(stored) ? within(stored) : [])),
  ];
  return partsReadBy(operand, table).relations.filter(isPlain).flatMap(within);
}

/** The columns of a row that a condition reads, and the relations. */
function partsReadBy(
  operand: Operand,
  { id, columns }: SqlTable,
): { readonly columns: readonly string[]; readonly relations: readonly SqlRelation[] } {
  const read = Object.entries(columns)
    .filter(([path]) => reads(operand, `request.resource.attr.${path}`))
    .map(([, stored]) => stored);
  const relations = read.filter(isRelation);
  const own = read.flatMap((stored) => (isRelation(stored) ? Object.values(stored.on) : [stored.column]));
  const ofId = id !== undefined && reads(operand, 'request.resource.id') ? [id.column] : [];
  return { columns: [...new Set([...ofId, ...own])].sort(), relations };
}

/** Whether an operand reads a variable, a part of it, or an object that it is in. */
function reads(operand: Operand, path: string): boolean {
  if ('value' in operand) return false;
  if ('expression' in operand) return operand.expression.operands.some((part) => reads(part, path));
  const { variable } = operand;
  return variable === path || variable.startsWith(`${path}.`) || path.startsWith(`${variable}.`);
}

/** A name that tells a reader which table it is about, and that no other query has. */
function makeName(table: string, query: string): string {
  const readable = (table.split('.').at(-1) as string).toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return `${readable.slice(0, 40)}_${digest(query)}`;
}

function list(columns: readonly Sql[]): Sql {
  return columns.reduce((before, column) => sql`${before}, ${column}`);
}
