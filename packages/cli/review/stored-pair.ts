import type { PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../exit.js';
import { InputError } from '../report.js';
import { readResources, readUsers } from './population.js';
import { readEnforcedTables, requireTable, requireUsers } from '../policies/request-files.js';

/** A user, and a resource if one is named, by their ids in tables. */
export interface StoredPairOptions {
  readonly user: string;
  /** A file of tables with `users`. */
  readonly users: string;
  /** A database; true for that of the environment. */
  readonly database: string | true | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
}

/** Reads the row of a user as the principal of a check, and that of a resource if a kind is named. */
export async function readStoredPair(
  { user, users: file, database, kind, id }: StoredPairOptions,
  context: CommandContext,
): Promise<{ readonly principal: PrincipalInput; readonly resource: ResourceInput | undefined }> {
  if ((kind === undefined) !== (id === undefined)) throw new UsageError('`--kind` and `--id` name a resource together');
  const declared = readEnforcedTables(file, context);
  const users = requireUsers(declared, file);
  const table = kind === undefined ? undefined : requireTable(declared, kind, file);
  const { requireUrl, withTables } = await import('../tables/open-tables.js');
  return withTables(requireUrl(database, context), async ({ select }, dialect) => {
    const own = await readUsers(select, users, dialect, user);
    const one = requireOne(own.users, own.unread, user, users.name, file);
    if (one.principal === undefined)
      throw new InputError(`\`${user}\` is not a principal: ${one.problem}`, undefined, [], file);
    if (kind === undefined || table === undefined) return { principal: one.principal, resource: undefined };
    const scope = declared.rowSecurity.get(kind)?.scope;
    const stored = await readResources(select, kind, table, dialect, scope, id);
    const resource = requireOne(stored.resources, stored.unread, id as string, table.name, file);
    return { principal: one.principal, resource };
  });
}

/** The only row of an id. Throws an InputError if there is none, or several, or if one cannot be read. */
function requireOne<Row>(
  rows: readonly Row[],
  unread: readonly string[],
  id: string,
  table: string,
  file: string,
): Row {
  const refuse = (problem: string): never => {
    throw new InputError(problem, undefined, [], file);
  };
  const [row] = rows;
  if (unread.length > 0) refuse(`the row of \`${table}\` with the id \`${id}\` cannot be read: ${unread[0]}`);
  if (rows.length > 1) refuse(`${rows.length} rows have the id \`${id}\``);
  return row ?? refuse(`no row of \`${table}\` has the id \`${id}\``);
}
