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
import { findTable, findUsers, parseTableFile, type TableFile } from '../config/table-file.js';
import { explainReadError } from '../read-error.js';

/** Where a source finds its rows: the table of a kind, or of users with their roles. */
export type SourceTable =
  | { readonly kind: 'rows'; readonly table: SqlTable }
  | { readonly kind: 'users'; readonly table: SqlUsers };

/** The tables of the sources that have one, by the names of the sources. */
export type SourceTables = ReadonlyMap<string, SourceTable>;

/** Reads the tables of sources from their files, each file once. Throws a ConfigError if one cannot be read. */
export function readSourceTables(from: SourcesConfig['from']): SourceTables {
  const files = new Map<string, TableFile>();
  const tables = new Map<string, SourceTable>();
  for (const [source, { sql }] of Object.entries(from)) {
    if (sql === undefined) continue;
    const file = files.get(sql.tables) ?? readTableFile(sql.tables);
    files.set(sql.tables, file);
    const found: SourceTable =
      sql.table === undefined
        ? { kind: 'users', table: findUsers(file) }
        : { kind: 'rows', table: findTable(file, sql.table) };
    const problem = findRelationProblem(found.table.columns);
    if (problem !== undefined) throw new ConfigError(problem, sql.tables);
    tables.set(source, found);
  }
  return tables;
}

function readTableFile(path: string): TableFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError(explainReadError(error), path);
  }
  return parseTableFile(text, path);
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
