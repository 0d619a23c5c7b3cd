import type { PrincipalInput, ResourceInput } from '../../../runtime/engine/index.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../exit.js';
import { InputError } from '../report.js';
import { readResources, readUsers } from './population.js';
import { readEnforcedTables } from '../policies/request-files.js';

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
  const { users, tables: declared, rowSecurity } = readEnforcedTables(file, context);
  const table = kind === undefined ? undefined : declared.get(kind);
  if (users === undefined) throw new InputError('the file declares no users', undefined, [], file);
  if (kind !== undefined && table === undefined)
    throw new InputError(`no table is declared for \`${kind}\``, undefined, [], file);
  const { detectDialect, openTables, requireUrl } = await import('../tables/open-tables.js');
  const url = requireUrl(database, context);
  const dialect = detectDialect(url);
  const tables = await openTables(url);
  try {
    const found = (await readUsers(tables.select, users, dialect)).users.filter((one) => one.id === user);
    const [one] = found;
    if (one === undefined)
      throw new InputError(`no row of \`${users.name}\` has the id \`${user}\``, undefined, [], file);
    if (found.length > 1) throw new InputError(`${found.length} rows have the id \`${user}\``, undefined, [], file);
    if (one.principal === undefined)
      throw new InputError(`\`${user}\` is not a principal: ${one.problem}`, undefined, [], file);
    if (kind === undefined || table === undefined) return { principal: one.principal, resource: undefined };
    const scope = rowSecurity.get(kind)?.scope;
    const stored = (await readResources(tables.select, kind, table, dialect, scope)).resources;
    const resource = stored.find((row) => row.id === id);
    if (resource === undefined)
      throw new InputError(`no row of \`${table.name}\` has the id \`${id}\``, undefined, [], file);
    return { principal: one.principal, resource };
  } finally {
    await tables.close();
  }
}
