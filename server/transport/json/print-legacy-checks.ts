import { byAction } from '../../../proto/by-action.js';
import type {
  CheckResourceBatchResponse,
  CheckResourceSetResponse,
  InstanceDecision,
} from '../../../proto/legacy-messages.js';
import type { Decision } from '../../../proto/messages.js';
import { printDecisionMeta, printEffects, printValidationErrors } from './print-check-resources.js';
import { quote } from '../../../proto/wire/json-text.js';

/** CheckResourceSetResponse in its JSON form (docs/spec/server.md#older-checks): maps sorted, empty fields left out. */
export function printCheckResourceSetResponse({ requestId, instances, includeMeta }: CheckResourceSetResponse): string {
  const head = requestId === '' ? '' : `"requestId":${quote(requestId)},`;
  const decisions = instances.map(({ id, decision }) => `${quote(id)}:{${printDecision(decision)}}`);
  const meta = includeMeta ? `,"meta":{"resourceInstances":{${instances.map(printInstanceMeta).join(',')}}}` : '';
  return `{${head}"resourceInstances":{${decisions.join(',')}}${meta}}`;
}

/** CheckResourceBatchResponse in its JSON form (docs/spec/server.md#older-checks). */
export function printCheckResourceBatchResponse({ requestId, results }: CheckResourceBatchResponse): string {
  const head = requestId === '' ? '' : `"requestId":${quote(requestId)},`;
  const list = results.map(({ id, decision }) => `{"resourceId":${quote(id)},${printDecision(decision)}}`);
  return `{${head}"results":[${list.join(',')}]}`;
}

function printDecision({ actions, validationErrors }: Decision): string {
  return `"actions":${printEffects(byAction(actions))}${printValidationErrors(validationErrors)}`;
}

function printInstanceMeta({ id, decision }: InstanceDecision): string {
  return `${quote(id)}:${printDecisionMeta(byAction(decision.actions), decision.effectiveDerivedRoles)}`;
}
