import type { AccessRequest } from '../../../runtime/engine/index.js';
import { prettyExplanation } from '../../analysis/explain/report/pretty.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { NowOption } from '../policies/now-option.js';
import { decidingEngine, withTenantRoles } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { readAuxData, readPrincipalAlone, readResource, requireOneReader } from '../policies/request-files.js';
import { readStoredPair } from '../review/stored-pair.js';
import { warnOfNames } from '../policies/warnings.js';
import { policiesWithout } from '../policies/without-rule.js';
import { choosePaint, printWarning } from '../report.js';
import { reportDatabaseError } from '../rls/database.js';

/** The command line options of `authzc explain`. */
export interface ExplainOptions extends NowOption, TenantsOption {
  /** A file of the principal. */
  readonly principal?: string;
  /** A file of the resource. */
  readonly resource?: string;
  readonly action: string;
  /** The id of a user of a table, in place of a file. */
  readonly user?: string;
  /** A file of tables with `users`. */
  readonly users?: string;
  /** A database; true for that of the environment. */
  readonly database?: string | true;
  /** With `user`: the kind and the id of a resource of a table, in place of a file. */
  readonly kind?: string;
  readonly id?: string;
  readonly auxData?: string;
  readonly output: 'pretty' | 'json';
  /** The number of sets of changes to show. */
  readonly near: number;
  /** The part of the request that changes leave alone. */
  readonly keep?: 'principal' | 'resource';
  /** Whether values are shown whole. */
  readonly full?: boolean;
  readonly strictEvaluation?: boolean;
  /** The name of a rule that is left out. */
  readonly without?: string;
  readonly lenientScopeSearch?: boolean;
}

/**
 * `authzc explain`: why a principal may, or may not, do an action on a resource, and the smallest changes that would
 * give another decision. Returns the exit code.
 */
export async function explainCommand(
  directory: string,
  options: ExplainOptions,
  context: CommandContext,
): Promise<number> {
  try {
    return await explained(directory, options, context);
  } catch (error) {
    return reportDatabaseError(error, context);
  }
}

async function explained(directory: string, given: ExplainOptions, context: CommandContext): Promise<number> {
  const { stdout } = context;
  const {
    action,
    auxData,
    output,
    near,
    keep,
    full = false,
    strictEvaluation = false,
    lenientScopeSearch = false,
    now,
    tenants,
    without,
  } = given;
  requireOneReader([given.principal, given.resource, auxData]);
  const request: AccessRequest = {
    ...(await readPair(given, context)),
    action,
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
  };
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  warnOfNames(policies.policies, { ...request, actions: [action] }, context, { lenientScopeSearch });
  const { policies: asked, program, traced } = await policiesWithout(policies, without);
  const options = { clock: stoppedClock(now), strictEvaluation, lenientScopeSearch, traced };
  const deciding = decidingEngine(asked, options, tenants, context);
  const { engine } = deciding;
  for (const line of deciding.rolesWithoutEffect(request.principal)) printWarning(context, line);
  const { request: decided, tenantRoles } = deciding.decided(request);
  const search = near === 0 ? undefined : { near, keep };
  const explanation = explainDecisions(program, options)(decided, engine.isAllowed(request), search);
  if (output === 'json') {
    const shown = { ...explanation, ...(tenantRoles.length > 0 && { tenantRoles }) };
    stdout.write(`${JSON.stringify(shown, undefined, 2)}\n`);
  } else {
    const formatPath = (file: string): string => shownPath(file, directory);
    const lines = prettyExplanation(request, explanation, {
      paint: choosePaint(stdout, context),
      pathOf: formatPath,
      full,
    });
    stdout.write(
      withTenantRoles(lines, tenantRoles)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return EXIT.done;
}

/** The principal and the resource: of files, or of tables. */
async function readPair(
  { principal, resource, user, users, database, kind, id }: ExplainOptions,
  context: CommandContext,
): Promise<Pick<AccessRequest, 'principal' | 'resource'>> {
  if ((principal === undefined) === (user === undefined))
    throw new UsageError(
      'name the principal once: by `--principal FILE`, or by `--user ID` with `--users tables.yaml`',
    );
  if ((resource === undefined) === (kind === undefined))
    throw new UsageError('name the resource once: by `--resource FILE`, or by `--kind KIND --id ID` with `--user`');
  if (principal !== undefined) {
    if (resource === undefined) throw new UsageError('`--kind` and `--id` need `--user` and `--users tables.yaml`');
    return { principal: readPrincipalAlone(principal, context), resource: readResource(resource, context) };
  }
  if (user === undefined || users === undefined)
    throw new UsageError('`--user` needs the tables: `--users tables.yaml`');
  const stored = await readStoredPair({ user, users, database, kind, id }, context);
  if (resource !== undefined) return { principal: stored.principal, resource: readResource(resource, context) };
  return { principal: stored.principal, resource: stored.resource as AccessRequest['resource'] };
}
