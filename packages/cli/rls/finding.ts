import type { Command } from '../../../compiler/tables/row-security.js';

/**
 * How certain it is that a database enforces on an object what check decides: `proved`, `refuted`, or `unknown` if
 * nothing that was read tells.
 */
export type Certainty = 'proved' | 'refuted' | 'unknown';

/** What is wrong with an object of a database, or worth knowing if it is proved. */
export interface RlsFinding {
  readonly id: FindingId;
  readonly certainty: Certainty;
  /** `policy authz_select on public.invoices`. */
  readonly object: string;
  /** The table that it is about; undefined for the roles and the functions of all tables. */
  readonly table?: string;
  /** The statement that a finding about a policy is about. */
  readonly command?: Command;
  readonly message: string;
  /** Statements that correct it. */
  readonly fix?: string;
  /** A row and a principal for which the database and check differ. */
  readonly witness?: Witness;
}

/** A row that a principal can reach in the database, and check denies it; or the reverse. */
export interface Witness {
  readonly command: Command;
  readonly principal: unknown;
  readonly row: unknown;
  /** What check decides. */
  readonly check: 'allowed' | 'denied';
}

/** The ids of findings, with what each means. Each is a section of docs/row-level-security-verify.md. */
export const FINDINGS = {
  off: 'The table does not have row level security, so grants alone decide.',
  'not-forced': 'The policies do not apply to the owner of the table.',
  'missing-policy': 'The table file maps a statement, and the table has no policy for it: it finds no rows.',
  'missing-check': 'A policy does not test the row that is written.',
  'always-true': 'The condition of a policy is true for every row and every principal.',
  differs: 'A policy differs from the one that `authzc rls` writes.',
  'extra-permissive': 'Another permissive policy applies to the same roles, and permissive policies add up.',
  'extra-restrictive': 'A restrictive policy hides rows that check allows.',
  'to-public': 'A policy is for PUBLIC, and the table file names roles.',
  bypass: 'Policies do not apply to a role, or to a role that it can act as.',
  superuser: 'A role is a superuser, or can act as one.',
  'view-definer': 'A view reads the table with the rights of its owner, to whom policies do not apply.',
  'materialized-view': 'A materialized view has a copy of rows, which no policy protects.',
  'definer-function': 'A SECURITY DEFINER function names the table, and policies do not apply to its owner.',
  'child-unprotected': 'Rows of the table can be read through another table, without its policies.',
  'truncate-granted': 'A role has a privilege that no policy restricts.',
  'frozen-column-granted': 'A role may update a column that the table file freezes.',
  'helper-changed': 'A function that policies call is missing, or is not the one that `authzc rls` writes.',
  'helper-immutable': 'A function that policies call is IMMUTABLE, so a cached plan keeps an earlier principal.',
  'helper-writable': 'A role can replace functions that policies call.',
  'reader-login': 'The role that reads related tables can be used for something else.',
  'related-hidden': 'Policies hide rows of a related table from the conditions that read it.',
  stale: 'The database has the policies of another version.',
  'user-metadata': 'A condition reads metadata that users can edit themselves.',
  'setting-forgeable': 'Anyone who can run any SQL can set the principal of the session.',
  'default-principal': 'Sessions of a role or a database begin with a principal.',
  'unique-leak': 'A unique constraint reveals whether a row exists that the principal cannot see.',
  cascade: 'A foreign key changes rows without asking the policies.',
  publication: 'The table is published: subscribers receive all rows.',
  'old-server': 'This version of PostgreSQL has known faults in row level security.',
  'table-missing': 'The table does not exist.',
  'column-missing': 'A column of the table file does not exist.',
  'role-missing': 'A role of the table file does not exist.',
  'column-type': 'A column does not have the type that the table file declares.',
  collation: 'A column does not compare strings as the table file declares.',
  'nulls-never': 'A column can be NULL, and the table file declares that it never is.',
} as const;

/** The id of a kind of finding. */
export type FindingId = keyof typeof FINDINGS;

/** How findings are corrected that no statement corrects. */
export const RUN_SCRIPT = '-- run the script of `authzc rls`';

/** A finding that the object does not do what check decides. */
export function refuted(
  id: FindingId,
  object: string,
  message: string,
  more: Pick<RlsFinding, 'table' | 'command' | 'fix' | 'witness'> = {},
): RlsFinding {
  return { id, certainty: 'refuted', object, message, ...more };
}

/** A finding about an object of which nothing tells whether it does what check decides. */
export function unknown(
  id: FindingId,
  object: string,
  message: string,
  more: Pick<RlsFinding, 'table' | 'command' | 'fix'> = {},
): RlsFinding {
  return { id, certainty: 'unknown', object, message, ...more };
}

/** A note about an object that does what check decides. */
export function note(
  id: FindingId,
  object: string,
  message: string,
  more: Pick<RlsFinding, 'table' | 'command' | 'fix'> = {},
): RlsFinding {
  return { id, certainty: 'proved', object, message, ...more };
}
