import { type AccessRequest, type CheckRequest, type CheckResult, mergeErrors } from '../../../runtime/engine/index.js';
import { ALLOW } from '../../../runtime/policy/index.js';
import type { Explanation } from '../../../runtime/engine/parts.js';
import { prettyExplanation } from '../../analysis/explain/report/pretty.js';
import { shownPath } from '../../../compiler/diagnostics/format.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { explainDecisions, stoppedClock } from '../../analysis/explain/explain-decisions.js';
import {
  readAuxData,
  readPrincipal,
  readPrincipalAlone,
  readResource,
  requireOneReader,
} from '../policies/request-files.js';
import { policiesInMemory } from '../policies/compile.js';
import type { NowOption } from '../policies/now-option.js';
import { decidingEngine, type TenantRoleInUse, withTenantRoles } from '../policies/tenants.js';
import type { TenantsOption } from '../policies/tenants-option.js';
import { evaluationErrorText, warnOfNames } from '../policies/warnings.js';
import { choosePaint, printWarning } from '../report.js';

/** How decisions are shown: a line each, or as JSON. */
export type CheckFormat = 'text' | 'json';

/** The command line options of `authzc check`. */
export interface CheckOptions extends NowOption, TenantsOption {
  readonly principal: string;
  readonly resource: string;
  readonly action: readonly string[];
  readonly auxData?: string;
  /** Whether each decision is explained. */
  readonly explain?: boolean;
  readonly lenientScopeSearch?: boolean;
  readonly output: CheckFormat;
}

/**
 * `authzc check`: whether a principal may do the actions on one resource, by the policies of a folder. Returns the exit
 * code.
 */
export async function checkCommand(
  directory: string,
  {
    principal,
    resource: file,
    action,
    auxData,
    explain: explained = false,
    now,
    tenants,
    lenientScopeSearch = false,
    output,
  }: CheckOptions,
  context: CommandContext,
): Promise<number> {
  const { stdout } = context;
  requireOneReader([principal, file, auxData]);
  const resource = readResource(file, context);
  const actions = [...new Set(action)];
  const asked: CheckRequest = {
    principal: explained ? readPrincipalAlone(principal, context) : readPrincipal(principal, context),
    resources: [{ resource, actions }],
    auxData: auxData === undefined ? undefined : readAuxData(auxData, context),
    includeMeta: true,
  };
  const policies = await policiesInMemory(directory, context);
  if (policies === undefined) return EXIT.refused;
  const options = {
    schemaEnforcement: 'warn' as const,
    lenientScopeSearch,
    traced: await policies.traced(),
    clock: stoppedClock(now),
  };
  const deciding = decidingEngine(policies.policies, options, tenants, context);
  const names = { principal: asked.principal, resource, actions };
  warnOfNames(policies.policies, names, context, { lenientScopeSearch });
  const { engine } = deciding;
  for (const line of deciding.rolesWithoutEffect(asked.principal)) printWarning(context, line);
  const [result] = engine.check(asked);
  for (const error of mergeErrors(engine.explain(asked)))
    printWarning(context, evaluationErrorText(error), policies.placeOf(error.policy, error.rule));
  const explain = explained ? explainDecisions(policies.lowered, options) : undefined;
  const explanations = actions.flatMap((action) => {
    if (explain === undefined) return [];
    const request = { principal: asked.principal, resource, action, auxData: asked.auxData };
    const { request: decided, tenantRoles } = deciding.decided(request);
    return { request, explanation: explain(decided, engine.isAllowed(request)), tenantRoles };
  });
  const formatPath = (path: string): string => shownPath(path, directory);
  stdout.write(
    output === 'json'
      ? formatJson(result as CheckResult, explanations)
      : [
          ...formatLines(result as CheckResult).map(visible),
          ...explanations.flatMap(({ request, explanation, tenantRoles }) => [
            '',
            ...withTenantRoles(
              prettyExplanation(request, explanation, {
                paint: choosePaint(stdout, context),
                pathOf: formatPath,
                full: false,
              }),
              tenantRoles,
            ),
          ]),
        ]
          .map((line) => `${line}\n`)
          .join(''),
  );
  return EXIT.done;
}

interface Explained {
  readonly request: AccessRequest;
  readonly explanation: Explanation;
  readonly tenantRoles: readonly TenantRoleInUse[];
}

function formatJson(result: CheckResult, explanations: readonly Explained[]): string {
  const actions = result.actions.map((decision, index) => {
    const { explanation, tenantRoles = [] } = explanations[index] ?? {};
    return {
      ...decision,
      effect: effectName(decision.effect),
      explanation,
      ...(tenantRoles.length > 0 && { tenantRoles }),
    };
  });
  return `${visibleJson({ ...result, actions }, 2)}\n`;
}

function formatLines({ actions, effectiveDerivedRoles, outputs, validationErrors }: CheckResult): readonly string[] {
  return [
    ...actions.map(
      ({ action, effect, matchedPolicy, matchedScope }) =>
        `${action}: ${effectName(effect)} by ${matchedPolicy}${matchedScope === '' ? '' : `, scope ${matchedScope}`}`,
    ),
    ...(effectiveDerivedRoles.length === 0 ? [] : [`derived roles: ${effectiveDerivedRoles.join(', ')}`]),
    ...outputs.map(
      (output) => `output of ${output.src}: ${'val' in output ? JSON.stringify(output.val) : output.error}`,
    ),
    ...validationErrors.map(
      ({ source, path, message }) =>
        `schema violation, ${source === 'SOURCE_PRINCIPAL' ? 'principal' : 'resource'} ${path}: ${message}`,
    ),
  ];
}

function effectName(effect: number): string {
  return effect === ALLOW ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}
