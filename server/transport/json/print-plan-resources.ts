import type { Plan, PlanOperand, PlanResourcesResponse, UnplannedRule } from '../../../proto/messages.js';
import { RpcError } from '../../service/rpc-error.js';
import { printValidationErrors } from './print-check-resources.js';
import { printValue, quote } from '../../../proto/wire/json-text.js';

/**
 * PlanResourcesResponse in its JSON form (docs/spec/plans.md#plan-response): fields in the order of their numbers,
 * empty ones left out.
 */
export function printPlanResourcesResponse(response: PlanResourcesResponse): string {
  const { requestId, action, resourceKind, policyVersion, plan, includeMeta, authzCallId, actions } = response;
  const { validationErrors } = plan;
  const fields = [
    text('requestId', requestId),
    text('action', action),
    text('resourceKind', resourceKind),
    text('policyVersion', policyVersion),
    `"filter":${printFilter(plan.filter)}`,
    includeMeta ? `"meta":${printMeta(plan, action)}` : '',
    printValidationErrors(validationErrors).slice(1),
    text('authzCallId', authzCallId),
    actions.length === 0 ? '' : `"actions":[${actions.map(quote).join(',')}]`,
  ];
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}

function text(name: string, value: string): string {
  return value === '' ? '' : `"${name}":${quote(value)}`;
}

function printFilter({ kind, condition }: Plan['filter']): string {
  return condition === undefined ? `{"kind":"${kind}"}` : `{"kind":"${kind}","condition":${printOperand(condition)}}`;
}

function printOperand(operand: PlanOperand): string {
  if ('variable' in operand) return `{"variable":${quote(operand.variable)}}`;
  if ('value' in operand) return `{"value":${printFilterValue(operand.value)}}`;
  const { operator, operands } = operand.expression;
  const list = operands.length === 0 ? '' : `,"operands":[${operands.map(printOperand).join(',')}]`;
  return `{"expression":{"operator":${quote(operator)}${list}}}`;
}

/** What JSON cannot say must not become another value: the filter would select other rows. */
function printFilterValue(value: unknown): string {
  const printed = printValue(value);
  if (printed === undefined)
    throw new RpcError('internal', 'the filter has a value that is too deep, or a number that JSON cannot represent');
  return printed;
}

/** One action has a scope, which may be empty and is then left out; several have a map, which holds them all. */
function printMeta({ filterDebug, matchedScopes, unplanned }: Plan, action: string): string {
  const fields = [text('filterDebug', filterDebug)];
  if (action !== '') fields.push(text('matchedScope', matchedScopes?.get(action) ?? ''));
  else if (matchedScopes !== undefined && matchedScopes.size > 0) {
    fields.push(
      `"matchedScopes":{${[...matchedScopes].map(([name, scope]) => `${quote(name)}:${quote(scope)}`).join(',')}}`,
    );
  }
  if (unplanned.length > 0) fields.push(`"unplanned":[${unplanned.map(printUnplanned).join(',')}]`);
  return `{${fields.filter((field) => field !== '').join(',')}}`;
}

function printUnplanned({ policy, rule, reason }: UnplannedRule): string {
  return `{${[text('policy', policy), text('rule', rule), text('reason', reason)].filter((field) => field !== '').join(',')}}`;
}
