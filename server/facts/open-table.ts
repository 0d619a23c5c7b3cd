import { readFileSync } from 'node:fs';
import {
  findClosureProblem,
  isRelation,
  type SqlColumns,
  type SqlTable,
  type SqlUsers,
} from '../../runtime/residual/sql/table.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { readTable, readUsers } from '../config/table-file.js';
import { explainReadError } from '../read-error.js';

/** Where a source finds its rows: the table of a kind, or of users with their roles. */
export type SourceTable =
  | { readonly kind: 'rows'; readonly table: SqlTable }
  | { readonly kind: 'users'; readonly table: SqlUsers };

/** Reads the table of a source from its file of tables. Throws a ConfigError if it cannot. */
export function openTable({ tables, table }: NonNullable<SourcesConfig['from'][string]['sql']>): SourceTable {
  let text: string;
  try {
    text = readFileSync(tables, 'utf8');
  } catch (error) {
    throw new ConfigError(explainReadError(error), tables);
  }
  const found: SourceTable =
    table === undefined
      ? { kind: 'users', table: readUsers(text, tables) }
      : { kind: 'rows', table: readTable(text, tables, table) };
  const problem = findRelationProblem(found.table.columns);
  if (problem !== undefined) throw new ConfigError(problem, tables);
  return found;
}

/** Why related rows cannot be found by several steps; undefined if they can. */
function findRelationProblem(columns: SqlColumns): string | undefined {
  for (const stored of Object.values(columns)) {
    if (!isRelation(stored)) continue;
    const { table, relation, on, closure, columns: own = {} } = stored;
    const problem = closure && findClosureProblem({ relation, on, closure });
    if (problem !== undefined) return `\`closure\` of the relation to \`${table}\`: ${problem}`;
    const below = findRelationProblem(own);
    if (below !== undefined) return below;
  }
  return undefined;
}

/** The attributes of a table. */
export function listAttributes(columns: SqlColumns): readonly string[] {
  return [...new Set(Object.keys(columns).map(firstName))];
}

/** The attribute that a path begins with. */
export function firstName(path: string): string {
  return path.split('.')[0] as string;
}
