import type { ComputedValue } from './computed-values.js';
import type { Command } from '../../../compiler/tables/row-security.js';

/** What a database enforces, before it is written in a format. Equal policies and tables have equal values. */
export interface Protection {
  /** Whether it is about all tables of the file, so that policies of other tables are of an earlier one. */
  readonly isWhole: boolean;
  /** The roles of the database that the policies are for, sorted. */
  readonly roles: readonly string[];
  /** Whether a value of a session counts only with a signature. */
  readonly isSigned: boolean;
  /** The functions that policies call, in the schema `authz`. */
  readonly helpers: readonly Helper[];
  /** What reads related tables; undefined if no policy does. */
  readonly reader?: Reader;
  /** Sorted by name. */
  readonly tables: readonly TableProtection[];
  /** Twelve digits of a hash of everything above, by which a database knows whether it is up to date. */
  readonly version: string;
  /** What an application computes for each principal, sorted by id. */
  readonly computed: readonly ComputedValue[];
}

/** A function in the schema `authz`. */
export interface Helper {
  /** `has_role(VARIADIC names text[])`. */
  readonly signature: string;
  /** The type of its result. */
  readonly type: string;
  /** Its body in plpgsql. */
  readonly body: string;
}

/** The role that reads related tables, whose rows the roles of an application may not see. */
export interface Reader {
  readonly role: string;
  /** Sorted by name. */
  readonly tables: readonly ReadTable[];
  /** Sorted by name. */
  readonly functions: readonly KeyFunction[];
  /** Functions that are called for each row. Sorted by name. */
  readonly rowFunctions: readonly RowFunction[];
}

/** A related table, and the columns of it that conditions read. */
export interface ReadTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A function that returns the keys of the related rows for which a condition about them and the principal holds. */
export interface KeyFunction {
  /** `shares_1f2e3d4c5b6a`. */
  readonly name: string;
  readonly table: string;
  /** The columns of the table that it returns, at least one. */
  readonly columns: readonly string[];
  readonly query: string;
}

/** A function that decides a condition about a row, related rows and the principal. */
export interface RowFunction {
  /** `documents_1f2e3d4c5b6a`. */
  readonly name: string;
  /** The table of the row. */
  readonly table: string;
  /** The columns of the row, which are its parameters. */
  readonly columns: readonly string[];
  readonly query: string;
}

/** A table whose rows a database protects. */
export interface TableProtection {
  readonly kind: string;
  /** The name with its schema, as the table file has it: `public.invoices`. */
  readonly name: string;
  readonly roles: readonly string[];
  /** Columns that no UPDATE changes. */
  readonly frozen: readonly string[];
  /** The policies, in the order of the statements. */
  readonly policies: readonly TablePolicy[];
  /** Related tables that they read in sub-selects, sorted: everyone sees all rows of them. Absent if there is none. */
  readonly plain?: readonly string[];
}

/** A permissive policy of a table. */
export interface TablePolicy {
  /** `authz_select`. */
  readonly name: string;
  readonly command: Command;
  /** The condition on rows that are stored; undefined for INSERT. */
  readonly using?: string;
  /** The condition on rows that are written; undefined for SELECT and DELETE. */
  readonly check?: string;
  /** `authz 1 8c7d… invoice: view`: a hash of its conditions, its kind and its actions. */
  readonly comment: string;
  /** The rules that decide, for readers: `view: allowed by "owners", album.yaml:12`. */
  readonly rules: readonly string[];
}
