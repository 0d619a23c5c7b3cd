import { byAction } from '../../../proto/by-action.js';
import type {
  ActionDecision,
  CheckResourcesResponse,
  OutputEntry,
  Resource,
  ResultEntry,
  ValidationError,
} from '../../../proto/messages.js';
import { printValue, quote, quoteName } from '../../../proto/wire/json-text.js';

/**
 * CheckResourcesResponse in its JSON form (docs/spec/server.md#check-messages, docs/spec/server.md#json-mapping),
 * printed from the decisions: fields in the order of their numbers, empty ones left out, maps sorted. Hot: every REST
 * request (bench: server).
 */
export function printCheckResourcesResponse(response: CheckResourcesResponse): string {
  const { results, includeMeta } = response;
  let text = response.requestId === '' ? '{"results":[' : `{"requestId":${quote(response.requestId)},"results":[`;
  for (let index = 0; index < results.length; index++) {
    text += printResult(index === 0 ? '{"resource":' : ',{"resource":', results[index] as ResultEntry, includeMeta);
  }
  return response.authzCallId === '' ? `${text}]}` : `${text}],"authzCallId":"${response.authzCallId}"}`;
}

const EFFECTS = { 1: ':"EFFECT_ALLOW"', 2: ':"EFFECT_DENY"' } as const;

function printResult(start: string, result: ResultEntry, includeMeta: boolean): string {
  const { validationErrors, outputs, effectiveDerivedRoles } = result.decision;
  const actions = byAction(result.decision.actions);
  let text = `${start}${printResource(result.resource)},"actions":${printEffects(actions)}`;
  if (validationErrors.length > 0) text += printValidationErrors(validationErrors);
  if (includeMeta) text += `,"meta":${printDecisionMeta(actions, effectiveDerivedRoles)}`;
  if (outputs.length > 0) text += `,"outputs":[${outputs.map(printOutput).join(',')}]`;
  return `${text}}`;
}

function printResource(resource: Resource): string {
  let text = `{"id":${quote(resource.id)},"kind":${quoteName(resource.kind)}`;
  if (resource.policyVersion !== '') text += `,"policyVersion":${quoteName(resource.policyVersion)}`;
  if (resource.scope !== '') text += `,"scope":${quote(resource.scope)}`;
  return `${text}}`;
}

/** A map from action to effect. */
export function printEffects(actions: readonly ActionDecision[]): string {
  let text = '{';
  for (let index = 0; index < actions.length; index++) {
    const { action, effect } = actions[index] as ActionDecision;
    if (index > 0) text += ',';
    text += quoteName(action) + EFFECTS[effect];
  }
  return `${text}}`;
}

/**
 * The field `validationErrors` with a comma before it: attributes that do not satisfy their schemas. Empty when there
 * are none.
 */
export function printValidationErrors(errors: readonly ValidationError[]): string {
  return errors.length === 0 ? '' : `,"validationErrors":[${errors.map(printValidationError).join(',')}]`;
}

function printValidationError(error: ValidationError): string {
  return `{"path":${quote(error.path)},"message":${quote(error.message)},"source":"${error.source}"}`;
}

/** What decided each action, and the active derived roles. */
export function printDecisionMeta(
  actions: readonly ActionDecision[],
  effectiveDerivedRoles: readonly string[],
): string {
  const entries = actions.map(({ action, matchedPolicy, matchedScope }) => {
    const scope = matchedScope === '' ? '' : `,"matchedScope":${quote(matchedScope)}`;
    return `${quote(action)}:{"matchedPolicy":${quote(matchedPolicy)}${scope}}`;
  });
  const roles =
    effectiveDerivedRoles.length === 0
      ? ''
      : `,"effectiveDerivedRoles":[${effectiveDerivedRoles.map(quote).join(',')}]`;
  return `{"actions":{${entries.join(',')}}${roles}}`;
}

function printOutput(output: OutputEntry): string {
  const head = `{"src":${quote(output.src)}`;
  const action = `,"action":${quote(output.action)}`;
  if ('error' in output) return `${head}${action},"error":${quote(output.error)}}`;
  const value = printValue(output.val);
  if (value !== undefined) return `${head},"val":${value}${action}}`;
  return `${head}${action},"error":"the value is too deep, or has a number that JSON cannot represent"}`;
}
