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
import { visible } from '../../../compiler/diagnostics/visible.js';
import { fold } from '../../../compiler/optimise/index.js';
import { type CommandContext, printNote } from '../context.js';
import { EXIT, printError, UsageError } from '../exit.js';
import { csvLine } from '../outputs/csv.js';
import { policiesInMemory } from '../policies/compile.js';
import type { EngineFlags } from '../policies/engine-flags.js';
import { decidingOptions } from '../policies/engine-options.js';
import type { NowOption } from '../policies/now-option.js';
import {
  readAuxData,
  readEnforcedTables,
  readPrincipals,
  readResource,
  requireOneReader,
} from '../policies/request-files.js';
import { decidingEngine } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { unknownNames } from '../policies/warnings.js';
import { InputError, printWarning, reportInputError } from '../report.js';
import { DatabaseError } from '../rls/database.js';

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
    if (!(error instanceof DatabaseError)) return reportInputError(error, context);
    printError(error, context);
    return EXIT.usage;
  }
}

async function listUsers(directory: string, options: WhoCanUsersOptions, context: CommandContext): Promise<number> {
  const { action, resource: file, users, data, auxData, output, now, tenants } = options;
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
  for (const line of unknownNames(policies.policies, { kind: request.resource.kind, actions: [action], principal: '' }))
    printWarning(context, line);
  const engineOptions = {
    ...decidingOptions(options, context),
    clock: stoppedClock(now),
    traced: await policies.traced(),
    use: [subjectPlans(fold(policies.lowered))],
  };
  const { engine } = decidingEngine(policies.policies, engineOptions, tenants, context);
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
  const users = requireUsers(file, context);
  const url = database === true ? context.env['DATABASE_URL'] : database;
  if (output !== 'sql' && (url === undefined || url === ''))
    throw new UsageError('no database: set DATABASE_URL, name one by `--database <url>`, or print the query: `-o sql`');
  const { detectDialect, openTables } = await import('../tables/open-tables.js');
  const dialect = named ?? (url === undefined || url === '' ? 'postgresql' : detectDialect(url));
  const query = subjectQuery(engine, request, users, dialect);
  if (query.kind === 'refused') {
    for (const problem of query.problems) printNote(context, problemText(problem));
    return EXIT.failed;
  }
  if (output === 'sql') {
    const parameters = query.parameters.map((value, index) => {
      const name = dialect === 'postgresql' ? `$${index + 1}` : `parameter ${index + 1}`;
      return `-- ${name}: ${JSON.stringify(value)}`;
    });
    context.stdout.write([query.text, ...parameters].map((line) => `${visible(line)}\n`).join(''));
    return EXIT.done;
  }
  const tables = await openTables(url as string);
  try {
    const rows = await tables.select(query.text, query.parameters);
    return writeUsers(
      rows.map(({ id }) => String(id)),
      request,
      output,
      context,
    );
  } finally {
    await tables.close();
  }
}

/** The users of a file of tables. Throws an InputError if it has none. */
export function requireUsers(file: string, context: CommandContext): SqlUsers {
  const { users } = readEnforcedTables(file, context);
  if (users === undefined)
    throw new InputError(
      'the file declares no users',
      undefined,
      [{ message: 'add `users` with the table, `id` and `roles`: docs/who-may.md' }],
      file,
    );
  return users;
}

/** A query of the ids of the users who may do something, or why there is none. */
export function subjectQuery(
  engine: Engine,
  request: SubjectPlanRequest,
  users: SqlUsers,
  dialect: SqlDialect,
): SqlStatement {
  const plan = engine.planSubjects(request);
  return plan.kind === 'refused' ? plan : renderSubjectQuery(plan.filter, users, { dialect, rules: plan.rules });
}

function writeUsers(
  ids: readonly string[],
  { resource, action }: { readonly resource: ResourceInput; readonly action: string },
  output: WhoCanUsersOptions['output'],
  { stdout }: CommandContext,
): number {
  const sorted = [...new Set(ids)].sort();
  if (output === 'json') stdout.write(`${JSON.stringify({ resource, action, users: sorted }, undefined, 2)}\n`);
  else if (output === 'csv') stdout.write([csvLine(['id']), ...sorted.map((id) => csvLine([id]))].join(''));
  else stdout.write(sorted.map((id) => `${visible(id)}\n`).join(''));
  return EXIT.done;
}

function problemText({ reason, part, policy, rule, place }: SqlProblem): string {
  const of = policy === undefined ? '' : ` (rule \`${rule}\` of ${policy})`;
  const where = place === undefined || place === '' ? '' : `${place}: `;
  return visible(`${where}error: ${reason}${part === '' ? '' : `: ${part}`}${of}`);
}
