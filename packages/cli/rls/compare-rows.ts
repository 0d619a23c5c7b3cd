import type { AskedActions, Command } from '../../../compiler/tables/row-security.js';
import { COMMANDS } from '../../../compiler/tables/schema.js';
import type { TableFile } from '../../../compiler/tables/read-tables.js';
import type { Program } from '../../../compiler/ir/program.js';
import { quotedName } from '../../analysis/sql-names.js';
import type { ComputedValues } from '../../../runtime/engine/parts.js';
import type { TableProtection } from '../../analysis/rls/protection.js';
import { LOCAL_SEARCH_PATH } from '../../analysis/rls/search-path.js';
import type { CatalogueTable } from './catalogue.js';
import { type Connection, DatabaseError, INSUFFICIENT_PRIVILEGE, rolledBack, selectJson } from './database.js';
import type { Witness } from './finding.js';
import { principalsFor, type SessionPrincipal } from './principals.js';
import { type Tried, tryStatement, type WritingCommand } from './tried-statements.js';
import { readRows, ROW_KEY, type StoredRow } from './stored-rows.js';

/** A request to check about a row. */
export interface RowRequest {
  readonly principal: SessionPrincipal;
  readonly resource: {
    readonly kind: string;
    readonly id: string;
    readonly attr: { readonly [name: string]: unknown };
    readonly scope: string;
    readonly policyVersion: string;
  };
  readonly action: string;
}

/** How rows are compared. */
export interface RowComparison {
  readonly rows: number;
  readonly file: TableFile;
  readonly program: Program;
  /** Principals beside those that are made. */
  readonly principals: readonly SessionPrincipal[];
  /** Whether statements that change rows are tried and rolled back, instead of reading the conditions of policies. */
  readonly writes?: boolean;
  readonly isAllowed: (request: RowRequest) => boolean;
}

/** What a comparison of the rows of a table found. */
export interface ComparedRows {
  /** Rows times principals, for each statement that was compared. */
  readonly cells: number;
  /** The first difference of each statement. */
  readonly witnesses: readonly Witness[];
}

/**
 * Compares what principals reach in a table with what check decides. The rows that SELECT finds are read as a role of the
 * table file. Conditions of other statements are evaluated on the stored rows, or the statements are tried: nothing is kept.
 *
 * @param computed what SQL cannot compute of a principal.
 * @returns undefined if the attributes of the table cannot be read.
 */
export function compareRows(
  connection: Connection,
  protection: TableProtection,
  table: CatalogueTable,
  { rows: limit, file, program, principals, writes = false, isAllowed }: RowComparison,
  computed: ComputedValues,
): Promise<ComparedRows | undefined> {
  return rolledBack(connection, `BEGIN ISOLATION LEVEL REPEATABLE READ${writes ? '' : ' READ ONLY'}`, async () => {
    await connection.query(
      `${LOCAL_SEARCH_PATH}; SET LOCAL TimeZone = 'UTC'; SET LOCAL jit = off; SET LOCAL row_security = off`,
    );
    const declared = file.tables.get(protection.kind);
    const security = file.rowSecurity.get(protection.kind);
    const column = typeof security?.scope === 'object' ? security.scope.column : undefined;
    const rows = declared && (await readAllRows(connection, declared, limit, column));
    const [role] = protection.roles.filter((name) => name !== 'PUBLIC');
    if (rows === undefined || security === undefined || role === undefined) return undefined;
    const { scope, version, commands } = security;
    const decide = (principal: SessionPrincipal, { id, attr, scope: own }: StoredRow, asked: AskedActions): boolean => {
      const resource = {
        kind: protection.kind,
        id,
        attr,
        scope: typeof scope === 'string' ? scope : own,
        policyVersion: version,
      };
      const allows = (action: string): boolean => isAllowed({ principal, resource, action });
      return asked.of === 'any' ? asked.actions.some(allows) : asked.actions.every(allows);
    };
    const allowsAll =
      (...all: readonly (AskedActions | undefined)[]) =>
      (principal: SessionPrincipal, row: StoredRow): boolean =>
        all.every((asked) => asked === undefined || decide(principal, row, asked));
    const questions = COMMANDS.flatMap((command): readonly Question[] => {
      const { using, check } = commands[command] ?? {};
      if (writes && command !== 'select' && commands[command] !== undefined) {
        // An UPDATE or a DELETE finds its row by a column.
        const isFound = command === 'insert' ? undefined : (commands.select?.using ?? NO_ACTION);
        return [{ command, isAllowed: allowsAll(isFound, using, check) }];
      }
      return Object.entries({ using, check }).flatMap(([clause, asked]) =>
        asked === undefined ? [] : [{ command, clause: clause as 'using' | 'check', isAllowed: allowsAll(asked) }],
      );
    });
    const tried = [
      ...principals,
      ...principalsFor(rows, file.session.attributes, program, (principal) =>
        questions.map((question) => rows.map((row) => Number(question.isAllowed(principal, row))).join('')).join(' '),
      ),
    ];
    const witnesses = new Map<Command, Witness>();
    let cells = 0;
    for (const principal of tried)
      for (const { command, clause, isAllowed: decides } of questions) {
        if (witnesses.has(command)) continue;
        const session = JSON.stringify({ ...principal, computed: computed(principal) });
        const keys = rows.map(({ key }) => key);
        const asked = { session, command, clause, role };
        const found =
          clause === undefined
            ? await tryStatement(connection, table, { ...asked, command: command as WritingCommand }, keys)
            : await reachedRows(connection, table, { ...asked, clause });
        if (found === undefined) continue;
        for (const row of rows) {
          if (found.failed.has(row.key)) continue;
          cells += 1;
          const allowed = decides(principal, row);
          if (allowed === found.reached.has(row.key)) continue;
          const check = allowed ? 'allowed' : 'denied';
          witnesses.set(command, { command, principal, row: { id: row.id, ...row.attr }, check });
          break;
        }
      }
    return { cells, witnesses: [...witnesses.values()] };
  });
}

/** Reads rows, as `readRows` does, without policies. Throws a DatabaseError if the role may not. */
async function readAllRows(...asked: Parameters<typeof readRows>): ReturnType<typeof readRows> {
  try {
    return await readRows(...asked);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new DatabaseError(
      `--rows needs a role that sees all rows, such as a superuser or one with BYPASSRLS: ${(error as Error).message}`,
    );
  }
}

/** What is compared: the condition of a clause, or with none of them the statement. */
interface Question {
  readonly command: Command;
  readonly clause?: 'using' | 'check';
  readonly isAllowed: (principal: SessionPrincipal, row: StoredRow) => boolean;
}

/** What nobody may do. */
const NO_ACTION: AskedActions = { of: 'any', actions: [] };

interface Reach {
  /** The value of the session. */
  readonly session: string;
  readonly command: Command;
  readonly clause: 'using' | 'check';
  readonly role: string;
}

/** The places of the rows that a principal reaches; undefined if PostgreSQL does not tell. */
async function reachedRows(
  connection: Connection,
  table: CatalogueTable,
  { session, command, clause, role }: Reach,
): Promise<Tried | undefined> {
  await connection.query('SAVEPOINT asked');
  try {
    const isRead = command === 'select';
    const condition = isRead ? 'true' : joinConditions(table, command, clause, role);
    await connection.query(
      `SELECT set_config('authz.principal', $1, true)${isRead ? ", set_config('role', $2, true), set_config('row_security', 'on', true)" : ''}`,
      [session, ...(isRead ? [role] : [])],
    );
    const found = await selectJson<{ readonly key: string }>(
      connection,
      `SELECT ${ROW_KEY} AS key FROM ${quotedName(table.name)} WHERE ${condition}`,
    );
    return { reached: new Set(found.map(({ key }) => key)), failed: new Set() };
  } catch {
    // Such as a privilege for a part of the columns, or a condition that fails on a row.
    return undefined;
  } finally {
    await connection.query('ROLLBACK TO asked');
  }
}

const LETTERS: Readonly<Record<Command, string>> = { select: 'r', insert: 'a', update: 'w', delete: 'd' };

/** What the policies of a table require for a statement, as one condition. */
function joinConditions(table: CatalogueTable, command: Command, clause: 'using' | 'check', role: string): string {
  const held = table.privileges.find((each) => each.role === role)?.privileges ?? [];
  if (!held.includes(command.toUpperCase())) return 'false';
  if (!table.isSecured) return 'true';
  const applying = table.policies.filter(
    (policy) => policy.appliesTo.includes(role) && (policy.command === '*' || policy.command === LETTERS[command]),
  );
  const listTexts = (permissive: boolean): readonly string[] =>
    applying
      .filter((policy) => policy.permissive === permissive)
      .map(({ using, check, command: own }) => {
        if (clause === 'using') return using ?? 'true';
        return check ?? (command === 'insert' && own !== '*' ? 'false' : (using ?? 'true'));
      })
      .map((text) => `(${text})`);
  const permissive = listTexts(true);
  if (permissive.length === 0) return 'false';
  return [`(${permissive.join(' OR ')})`, ...listTexts(false)].join(' AND ');
}
