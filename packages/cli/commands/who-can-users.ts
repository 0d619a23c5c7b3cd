import type { Engine, ResourceInput, SubjectPlanRequest } from '../../../runtime/engine/index.js';
import {
  renderSubjectQuery,
  type SqlDialect,
  type SqlProblem,
  type SqlStatement,
  type SqlUsers,
} from '../../../runtime/residual/sql/index.js';
import { subjectPlans } from '../../analysis/subjects/subject-plans.js';
import { stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { csvLine } from '../outputs/csv.js';
import { policiesInMemory } from '../policies/compile.js';
import { policiesWithout } from '../policies/without-rule.js';
import { renderRowFilter } from '../../../runtime/residual/sql/render.js';
import { readRows } from '../tables/read-rows.js';
import type { SelectRows } from '../tables/stored-table.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import type { NowOption } from '../policies/now-option.js';
import {
  readAuxData,
  readEnforcedTables,
  requireUsers,
  readPrincipals,
  readResource,
  requireOneReader,
} from '../policies/request-files.js';
import { decidingEngine } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { unknownNames } from '../policies/warnings.js';
import { printWarning } from '../report.js';
import { DatabaseError, reportDatabaseError } from '../rls/database.js';

/** The command line options of `authzc who-can` for the users of a database or of a file. */
export interface WhoCanUsersOptions extends EngineFlags, NowOption, TenantsOption {
  readonly action: string;
  /** A file of the resource. */
  readonly resource?: string;
  /** A file of tables with `users`. */
  readonly users?: string;
  /** A file of principals. */
  readonly data?: string;
  /** A database; true for that of the environment. */
  readonly database?: string | true;
  readonly dialect?: SqlDialect;
  readonly auxData?: string;
  /** The name of a rule that is left out. */
  readonly without?: string;
  readonly output: 'pretty' | 'json' | 'sql' | 'csv';
}

/** `authzc who-can` with users: those who may do an action on a resource. Returns the exit code. */
export async function whoCanUsersCommand(
  directory: string,
  options: WhoCanUsersOptions,
  context: CommandContext,
): Promise<number> {
  try {
    return await listUsers(directory, options, context);
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

async function listUsers(directory: string, options: WhoCanUsersOptions, context: CommandContext): Promise<number> {
  const { action, resource: file, users, data, auxData, output, now, tenants, without } = options;
  if (file === undefined) throw new UsageError('`--users` needs the resource: `--resource album.yaml`');
  if ((users === undefined) === (data === undefined))
    throw new UsageError('name the users once: by `--users tables.yaml` with a database, or by `--data users.yaml`');
  requireOneReader([file, users, data, auxData]);
  const request = {
    resource: readResource(file, context),
    action,
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
  };
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const deciding = await policiesWithout(policies, without);
  const settings = decidingOptions(options, context);
  for (const line of unknownNames(policies.policies, { ...request, actions: [action], principal: '' }, settings))
    printWarning(context, line);
  const engineOptions = {
    ...settings,
    clock: stoppedClock(now),
    traced: deciding.traced,
    use: [subjectPlans(deciding.program)],
  };
  const { engine } = decidingEngine(deciding.policies, engineOptions, tenants, context);
  if (data !== undefined) {
    if (output === 'sql') throw new UsageError('`-o sql` needs a table of users: `--users tables.yaml`');
    const allowed = readPrincipals(data, context).filter((principal) => engine.isAllowed({ ...request, principal }));
    return writeUsers(
      allowed.map(({ id }) => id),
      request,
      output,
      context,
    );
  }
  return await listStoredUsers(engine, request, options, context);
}

/** The users of a database. */
async function listStoredUsers(
  engine: Engine,
  request: SubjectPlanRequest,
  { users: file = '', database, dialect: named, output }: WhoCanUsersOptions,
  context: CommandContext,
): Promise<number> {
  const users = requireUsers(readEnforcedTables(file, context), file);
  const url = database === true ? context.env['DATABASE_URL'] : database;
  if (output !== 'sql' && (url === undefined || url === ''))
    throw new UsageError('no database: set DATABASE_URL, name one by `--database <url>`, or print the query: `-o sql`');
  const { detectDialect, withTables } = await import('../tables/open-tables.js');
  const dialect = named ?? (url === undefined || url === '' ? 'postgresql' : detectDialect(url));
  const isOfColumn = typeof users.scope === 'object';
  if (output === 'sql') {
    if (isOfColumn)
      throw new UsageError('users have different scopes, and each scope needs its own query: use -o csv or -o json');
    const query = subjectQuery(engine, request, users, dialect, users.scope as string | undefined);
    if (query.kind === 'refused') return printProblems(query.problems, context);
    const parameters = query.parameters.map((value, index) => {
      const name = dialect === 'postgresql' ? `$${index + 1}` : `parameter ${index + 1}`;
      return `-- ${name}: ${JSON.stringify(value)}`;
    });
    context.stdout.write([query.text, ...parameters].map((line) => `${visible(line)}\n`).join(''));
    return EXIT.done;
  }
  return withTables(url as string, async ({ select }) => {
    const scopes = isOfColumn ? await readScopes(select, users, dialect) : [users.scope as string | undefined];
    const ids: string[] = [];
    for (const scope of scopes) {
      const query = subjectQuery(engine, request, users, dialect, scope);
      if (query.kind === 'refused') return printProblems(query.problems, context);
      const rows = await select(query.text, query.parameters);
      ids.push(...rows.map(({ id }) => String(id)));
    }
    return writeUsers(ids, request, output, context);
  });
}

/** The scopes that users have; that of users without one is empty. */
async function readScopes(select: SelectRows, users: SqlUsers, dialect: SqlDialect): Promise<readonly string[]> {
  const { name, scope, where } = users;
  const table = { name, columns: typeof scope === 'object' ? { scope } : {} };
  const rows = await readRows(select, table, dialect, {}, renderRowFilter(users, where, dialect));
  const scopes = rows.map((row) => {
    if (row.kind === 'unreadable') throw new DatabaseError(row.problem);
    return typeof row.attr['scope'] === 'string' ? row.attr['scope'] : '';
  });
  return [...new Set(scopes)].sort();
}

function printProblems(problems: readonly SqlProblem[], context: CommandContext): number {
  for (const problem of problems) printNote(context, problemText(problem));
  return EXIT.failed;
}

/** A query of the ids of the users who may do something, or why there is none. */
function subjectQuery(
  engine: Engine,
  request: SubjectPlanRequest,
  users: SqlUsers,
  dialect: SqlDialect,
  scope: string | undefined,
): SqlStatement {
  const plan = engine.planSubjects({ ...request, principal: { scope } });
  return plan.kind === 'refused' ? plan : renderSubjectQuery(plan.filter, users, { dialect, rules: plan.rules, scope });
}

function writeUsers(
  ids: readonly string[],
  { resource, action }: { readonly resource: ResourceInput; readonly action: string },
  output: WhoCanUsersOptions['output'],
  { stdout }: CommandContext,
): number {
  const sorted = [...new Set(ids)].sort();
  if (output === 'json') stdout.write(`${visibleJson({ resource, action, users: sorted }, 2)}\n`);
  else if (output === 'csv') stdout.write([csvLine(['id']), ...sorted.map((id) => csvLine([id]))].join(''));
  else stdout.write(sorted.map((id) => `${visible(id)}\n`).join(''));
  return EXIT.done;
}

function problemText({ reason, part, policy, rule, place }: SqlProblem): string {
  const of = policy === undefined ? '' : ` (rule \`${rule}\` of ${policy})`;
  const where = place === undefined || place === '' ? '' : `${place}: `;
  return visible(`${where}error: ${reason}${part === '' ? '' : `: ${part}`}${of}`);
}
