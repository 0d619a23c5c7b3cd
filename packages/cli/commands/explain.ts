import { type AccessRequest, chainOf, MAX_ACTORS } from '../../../runtime/engine/index.js';
import { prettyExplanation } from '../../analysis/explain/report/pretty.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { Explanation } from '../../../runtime/engine/parts.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { NowOption } from '../policies/now-option.js';
import { decidingEngine, type TenantRoleInUse, withTenantRoles } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import {
  readAuxData,
  readPrincipal,
  readPrincipals,
  readResource,
  requireOneReader,
} from '../policies/request-files.js';
import { readStoredPair } from '../review/stored-pair.js';
import { warnOfNames } from '../policies/warnings.js';
import { policiesWithout } from '../policies/without-rule.js';
import { choosePaint, InputError, printWarning } from '../report.js';
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
  /** The kind and the id of a resource of a table, in place of a file; needs `user`. */
  readonly kind?: string;
  readonly id?: string;
  /** A file of principals that act for the principal, one through the other. */
  readonly actors?: string;
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
  requireOneReader([given.principal, given.resource, given.actors, auxData]);
  const request: AccessRequest = {
    ...withActors(await readPair(given, context), given.actors, context),
    action,
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
  };
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const { policies: asked, program, traced } = await policiesWithout(policies, without);
  const options = { clock: stoppedClock(now), strictEvaluation, lenientScopeSearch, traced };
  const deciding = decidingEngine(asked, options, tenants, context);
  warnOfNames(policies.policies, { ...request, actions: [action] }, context, { lenientScopeSearch });
  const { engine } = deciding;
  for (const line of deciding.rolesWithoutEffect(request.principal)) printWarning(context, line);
  const search = near === 0 ? undefined : { near, keep };
  const explain = explainDecisions(program, options);
  const links = chainOf(request.principal).map((principal) => {
    const own = { ...request, principal };
    const { request: decided, tenantRoles } = deciding.decided(own);
    return { request: own, tenantRoles, explanation: explain(decided, engine.isAllowed(own), search) };
  });
  const [first] = links as [Link, ...Link[]];
  const decision = engine.isAllowed(request) ? 'ALLOW' : 'DENY';
  if (output === 'json') {
    const shown = links.map(({ explanation, tenantRoles }) => ({
      ...explanation,
      ...(tenantRoles.length > 0 && { tenantRoles }),
    }));
    const chain = links.map(({ request: { principal } }, index) => ({ principal: principal.id, ...shown[index] }));
    stdout.write(`${visibleJson(links.length === 1 ? shown[0] : { decision, chain }, 2)}\n`);
    return EXIT.done;
  }
  const formatPath = (file: string): string => shownPath(file, directory);
  const paint = choosePaint(stdout, context);
  const formatLink = ({ request: own, explanation, tenantRoles }: Link): readonly string[] =>
    withTenantRoles(prettyExplanation(own, explanation, { paint, pathOf: formatPath, full }), tenantRoles);
  const lines =
    links.length === 1
      ? formatLink(first)
      : [visible(chainText(request, decision, links)), ...links.flatMap((link) => ['', ...formatLink(link)])];
  stdout.write(lines.map((line) => `${line}\n`).join(''));
  return EXIT.done;
}

/** The decision about a principal or an actor alone, of a chain in which all of them must be allowed. */
interface Link {
  readonly request: AccessRequest;
  readonly tenantRoles: readonly TenantRoleInUse[];
  readonly explanation: Explanation;
}

/** What a chain may do, and who keeps it from that: `DENY  ann through bot may not view album a1: bot may not`. */
function chainText(
  { action, resource }: AccessRequest,
  decision: Explanation['decision'],
  links: readonly Link[],
): string {
  const [principal = '', ...actors] = links.map((link) => link.request.principal.id);
  const denied = links.flatMap(({ explanation, request: { principal: one } }) =>
    explanation.decision === 'DENY' ? [one.id] : [],
  );
  const may = decision === 'ALLOW' ? 'may' : 'may not';
  const why = denied.length === 0 ? 'all of them may' : `${denied.join(' and ')} may not`;
  return `${decision}  ${principal} through ${actors.join(' and ')} ${may} ${action} ${resource.kind} ${resource.id}: ${why}`;
}

/** A pair with the actors of a file, who act for the principal. */
function withActors(
  { principal, resource }: Pick<AccessRequest, 'principal' | 'resource'>,
  file: string | undefined,
  context: CommandContext,
): Pick<AccessRequest, 'principal' | 'resource'> {
  if (file === undefined) return { principal, resource };
  if ((principal.actors?.length ?? 0) > 0)
    throw new UsageError('name the actors once: in the file of the principal, or by `--actors FILE`');
  const actors = readPrincipals(file, context);
  if (actors.length > MAX_ACTORS)
    throw new InputError(`a principal has at most ${MAX_ACTORS} actors`, undefined, [], file);
  return { principal: { ...principal, actors }, resource };
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
    return { principal: readPrincipal(principal, context), resource: readResource(resource, context) };
  }
  if (user === undefined || users === undefined)
    throw new UsageError('`--user` needs the tables: `--users tables.yaml`');
  const stored = await readStoredPair({ user, users, database, kind, id }, context);
  if (resource !== undefined) return { principal: stored.principal, resource: readResource(resource, context) };
  return { principal: stored.principal, resource: stored.resource as AccessRequest['resource'] };
}
