import type { AccessRequest } from '../../../runtime/engine/index.js';
import { prettyExplanation } from '../../analysis/explain/report/pretty.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { policiesInMemory } from '../policies/compile.js';
import type { NowOption } from '../policies/now-option.js';
import { decidingEngine, withTenantRoles } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import { readAuxData, readPrincipalAlone, readResource, requireOneReader } from '../policies/request-files.js';
import { warnOfNames } from '../policies/warnings.js';
import { policiesWithout } from '../policies/without-rule.js';
import { choosePaint, printWarning, reportInputError } from '../report.js';

/** The command line options of `authzc explain`. */
export interface ExplainOptions extends NowOption, TenantsOption {
  readonly principal: string;
  readonly resource: string;
  readonly action: string;
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
    return reportInputError(error, context);
  }
}

async function explained(directory: string, given: ExplainOptions, context: CommandContext): Promise<number> {
  const { stdout } = context;
  const {
    principal,
    resource,
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
  requireOneReader([principal, resource, auxData]);
  const request: AccessRequest = {
    principal: readPrincipalAlone(principal, context),
    resource: readResource(resource, context),
    action,
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
  };
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const { kind } = request.resource;
  warnOfNames(policies.policies, { kind, actions: [action], principal: request.principal }, context);
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
