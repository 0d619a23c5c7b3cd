import { readFileSync } from 'node:fs';
import {
  isRelation,
  type SqlColumn,
  type SqlColumns,
  type SqlRelation,
  type SqlTable,
  type SqlUsers,
} from '../../runtime/residual/sql/table.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { readTable, readUsers } from '../config/table-file.js';
import { explainReadError } from '../read-error.js';

/** The attributes that a source is said to provide; undefined: all of its columns. */
export function listProvided(provides: SourcesConfig['from'][string]['provides']): readonly string[] | undefined {
  return provides === undefined || Array.isArray(provides) ? provides : Object.keys(provides);
}

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
  return table === undefined
    ? { kind: 'users', table: readUsers(text, tables) }
    : { kind: 'rows', table: readTable(text, tables, table) };
}

/** The attributes of a table that a source can read. */
export function listReadable(columns: SqlColumns): readonly string[] {
  const isRead = (name: string): boolean =>
    Object.entries(columns).every(([path, stored]) => firstName(path) !== name || isReadable(stored));
  return [...new Set(Object.keys(columns).map(firstName))].filter(isRead);
}

/** Whether a source reads an attribute: related rows of any number of steps are not read. */
export function isReadable(stored: SqlColumn | SqlRelation): boolean {
  if (!isRelation(stored)) return true;
  return stored.closure === undefined && Object.values(stored.columns ?? {}).every(isReadable);
}

/** The attribute that a path begins with. */
export function firstName(path: string): string {
  return path.split('.')[0] as string;
}
