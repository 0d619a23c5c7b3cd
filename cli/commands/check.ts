import { type CheckRequest, type CheckResult, createAuditedEngine } from '#runtime/engine';
import { ALLOW } from '#runtime/policy';
import { visible } from '../../compiler/diagnostics/visible.js';
import { EXIT } from '../exit.js';
import { readAuxData, readPrincipal, readResource, requireOneReader } from '../policies/request-files.js';
import { policiesInMemory } from '../policies/compile.js';
import { evaluationErrorText, unknownNames } from '../policies/warnings.js';
import { printWarning, reportInputError } from '../report.js';

/** How decisions are shown: a line each, or as JSON. */
export type CheckFormat = 'text' | 'json';

/** The command line options of `authzc check`. */
export interface CheckOptions {
  readonly principal: string;
  readonly resource: string;
  readonly action: readonly string[];
  readonly auxData?: string;
  readonly output: CheckFormat;
}

/**
 * `authzc check`: whether a principal may do the actions on one resource, by the policies of a folder. Returns the exit
 * code.
 */
export async function checkCommand(directory: string, options: CheckOptions): Promise<number> {
  try {
    return await checked(directory, options);
  } catch (error) {
    return reportInputError(error);
  }
}

async function checked(
  directory: string,
  { principal, resource: file, action, auxData, output }: CheckOptions,
): Promise<number> {
  requireOneReader([principal, file, auxData]);
  const resource = readResource(file);
  const actions = [...new Set(action)];
  const request: CheckRequest = {
    principal: readPrincipal(principal),
    resources: [{ resource, actions }],
    auxData: auxData === undefined ? undefined : readAuxData(auxData),
    includeMeta: true,
  };
  const policies = await policiesInMemory(directory);
  if (policies === undefined) return EXIT.refused;
  for (const line of unknownNames(policies.policies, { kind: resource.kind, actions, principal: request.principal.id }))
    printWarning(line);
  const engine = createAuditedEngine(policies.policies, { schemaEnforcement: 'warn', traced: await policies.traced() });
  const [result] = engine.check(request);
  for (const error of engine.evaluationErrors(request))
    printWarning(evaluationErrorText(error), policies.placeOf(error.policy, error.rule));
  process.stdout.write(textOf(result as CheckResult, output));
  return EXIT.done;
}

function textOf(result: CheckResult, format: CheckOptions['output']): string {
  switch (format) {
    case 'text':
      return linesOf(result)
        .map((line) => `${visible(line)}\n`)
        .join('');
    case 'json':
      return `${JSON.stringify({ ...result, actions: result.actions.map(withEffectName) }, undefined, 2)}\n`;
  }
}

function linesOf({ actions, effectiveDerivedRoles, outputs, validationErrors }: CheckResult): readonly string[] {
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

function withEffectName(decision: CheckResult['actions'][number]): unknown {
  return { ...decision, effect: effectName(decision.effect) };
}

function effectName(effect: number): string {
  return effect === ALLOW ? 'EFFECT_ALLOW' : 'EFFECT_DENY';
}
