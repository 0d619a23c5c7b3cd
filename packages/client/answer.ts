import type { Filter, JsonValue } from '../../runtime/residual/index.js';
import { setOwn } from '../cel/runtime/own-property.js';
import type {
  CheckResourcesRequest,
  CheckResourcesResponse,
  OutputEntry,
  PlanFilter,
  PlanOperand,
  PlanResourcesRequest,
  PlanResourcesResponse,
  ResourceEntry,
  ResultEntry,
} from '../../proto/gen/messages.js';
import { plainValue } from '../cel/runtime/plain-json.js';
import type { CheckAllAnswer, PlanAnswer, ResourceAnswer } from './authz-client.js';
import { AuthzError } from './authz-error.js';
import type { Received } from './transport.js';

/**
 * Converts a response after checking that it answers the request: for each resource, in order, a decision about each
 * action. Throws an AuthzError otherwise.
 */
export function checkAnswer(
  request: CheckResourcesRequest,
  { message: response, bundleHash }: Received<CheckResourcesResponse>,
): CheckAllAnswer {
  if (response.results.length !== request.resources.length) throw unanswered('has not one result for each resource');
  const results = request.resources.map((entry, index) => {
    const result = response.results[index];
    if (result === undefined || !isAbout(result.resource, entry)) throw unanswered('is about other resources');
    return resourceAnswer(entry, result, request.includeMeta);
  });
  return { results, callId: response.authzCallId, requestId: response.requestId, bundleHash };
}

/** The same for a plan, whose filter must be for the requested kind and actions. */
export function planAnswer(
  request: PlanResourcesRequest,
  { message: response, bundleHash }: Received<PlanResourcesResponse>,
): PlanAnswer {
  const { authzCallId, requestId, actions, resourceKind, meta } = response;
  if (resourceKind !== request.resource?.kind) throw unanswered('is about other resources');
  if (actions.length !== request.actions.length || actions.some((action, index) => action !== request.actions[index]))
    throw unanswered('is about other actions');
  const matchedScopes: Record<string, string> = {};
  for (const [action, scope] of meta?.matchedScopes ?? []) setOwn(matchedScopes, action, scope);
  return {
    filter: plainFilter(response.filter),
    validationErrors: response.validationErrors,
    meta: request.includeMeta
      ? { filterDebug: meta?.filterDebug ?? '', matchedScopes, unplanned: meta?.unplanned ?? [] }
      : undefined,
    callId: authzCallId,
    requestId,
    bundleHash,
  };
}

function isAbout(resource: ResultEntry['resource'], asked: ResourceEntry): boolean {
  return resource.id === asked.resource?.id && resource.kind === asked.resource.kind;
}

function resourceAnswer(
  { actions, resource }: ResourceEntry,
  result: ResultEntry,
  includeMeta: boolean,
): ResourceAnswer {
  const { kind = '', id = '' } = resource ?? {};
  const decisions = new Map(result.actions.map((decided) => [decided.action, decided.effect]));
  const matched = new Map(result.meta?.actions.map((effect) => [effect.action, effect]));
  const allowed: Record<string, boolean> = {};
  const lacking = new Map(result.meta?.unknown.map(({ action, facts }) => [action, facts]));
  const meta: Record<string, { readonly matchedPolicy: string; readonly matchedScope: string }> = {};
  const unknown: Record<string, readonly string[]> = {};
  for (const action of actions) {
    const decided = decisions.get(action);
    if (decided === undefined) throw unanswered('leaves out an action');
    setOwn(allowed, action, decided === 1);
    const { matchedPolicy = '', matchedScope = '' } = matched.get(action) ?? {};
    setOwn(meta, action, { matchedPolicy, matchedScope });
    const facts = lacking.get(action);
    if (facts !== undefined) setOwn(unknown, action, facts);
  }
  return {
    resource: { kind, id },
    allowed,
    outputs: result.outputs.map(toOutput),
    validationErrors: result.validationErrors,
    meta: includeMeta
      ? { actions: meta, effectiveDerivedRoles: result.meta?.effectiveDerivedRoles ?? [], unknown }
      : undefined,
  };
}

/** A value that JSON cannot represent becomes an error, as on a server that responds in JSON. */
function toOutput(output: OutputEntry): ResourceAnswer['outputs'][number] {
  const { src, action } = output;
  if (output.error !== undefined) return { src, action, error: output.error };
  try {
    return { src, action, val: plainValue(output.val ?? null, 'val', 0) };
  } catch {
    return { src, action, error: 'the value is too deep, or has a number that JSON cannot represent' };
  }
}

/** A filter has no place for such an error, and another value would select other rows. */
function plainFilter({ kind, condition }: PlanFilter): Filter {
  if (kind !== 'KIND_CONDITIONAL') return { kind };
  if (condition === undefined || !hasOperators(condition)) throw unanswered('has a wrong `filter`');
  try {
    return { kind, condition: plainValue(condition, 'condition', 0) as { readonly value: JsonValue } };
  } catch {
    throw new AuthzError('internal', 'the filter has a value that is too deep, or a number that JSON cannot represent');
  }
}

function hasOperators(operand: PlanOperand): boolean {
  if (!('expression' in operand)) return true;
  const { operator, operands } = operand.expression;
  return operator !== '' && operands.every(hasOperators);
}

function unanswered(what: string): AuthzError {
  return new AuthzError('internal', `the answer ${what}`);
}
