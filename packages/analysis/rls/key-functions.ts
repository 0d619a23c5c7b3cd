import { sql, type Sql } from '../../../runtime/residual/sql/fragment.js';
import { constantText, type KeySet } from '../../../runtime/residual/sql/policy-condition.js';
import { Refusal } from '../../../runtime/residual/sql/refusal.js';

import { isRelation, type SqlRelation } from '../../../runtime/residual/sql/table.js';
import { digest } from './names.js';
import type { KeyFunction, Reader } from './protection.js';

/**
 * The functions through which policies read related tables. A sub-select of a policy would see of another table what that
 * table's own policies show: a hidden row would deny nothing, and tables that refer to each other could not be read at all.
 */
export class KeyFunctions {
  private readonly functions = new Map<string, KeyFunction>();
  private readonly columns = new Map<string, Set<string>>();

  /** A query of the keys of related rows. */
  readonly read = ({ relation, theirs, from, where }: KeySet): Sql => {
    const { table } = relation;
    if (!table.includes('.'))
      throw new Refusal('relation', `the table \`${table}\` needs its schema: \`public.${table}\``);
    const columns = Object.keys(relation.on);
    const query = constantText(sql`SELECT DISTINCT ${list(theirs)} FROM ${from} WHERE ${where}`);
    const name = nameOf(table, query);
    this.functions.set(name, { name, table, columns, query });
    this.addColumns(relation);
    return columns.length === 1 ? sql`SELECT authz.${name}()` : sql`SELECT * FROM authz.${name}()`;
  };

  /** All that were made, and what they read; undefined if there is none. */
  reader(role: string): Reader | undefined {
    if (this.functions.size === 0) return undefined;
    return {
      role,
      tables: [...this.columns]
        .map(([name, columns]) => ({ name, columns: [...columns].sort() }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
      functions: [...this.functions.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }

  private addColumns({ table, on, where = {}, columns = {}, value }: SqlRelation): void {
    const known = this.columns.get(table) ?? new Set();
    this.columns.set(table, known);
    const inner = Object.values(columns);
    for (const column of [...Object.keys(on), ...Object.keys(where)]) known.add(column);
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

/** A name that tells a reader which table it is about, and that no other query has. */
function nameOf(table: string, query: string): string {
  const readable = (table.split('.').at(-1) as string).toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return `${readable.slice(0, 40)}_${digest(query)}`;
}

function list(columns: readonly Sql[]): Sql {
  return columns.reduce((before, column) => sql`${before}, ${column}`);
}
