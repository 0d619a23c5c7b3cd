import type { PlanResource, PlanResourcesRequest } from '../../proto/messages.js';
import {
  ANNOTATIONS,
  isScope,
  isUnique,
  isVersion,
  PRINCIPAL,
  report,
  SCOPE_RULE,
  validateAuxData,
  validateKeys,
  validatePrincipal,
  VERSION_RULE,
} from './validate-check-resources.js';
import { atMostRule, type FieldElement, ITEM_NOT_EMPTY, ONE_ACTION_FIELD, REQUIRED, UNIQUE, type Violation } from './violation.js';

/** Every rule of server.md 1.6 that a request for a plan breaks, in the order of `checkResourcesViolations`. */
export function planResourcesViolations(request: PlanResourcesRequest): readonly Violation[] {
  const found: Violation[] = [];
  if ((request.action !== '') === request.actions.length > 0) report(found, ONE_ACTION_FIELD, []);
  if (request.principal === undefined) report(found, REQUIRED, [PRINCIPAL]);
  else validatePrincipal(request.principal, found);
  if (request.resource === undefined) report(found, REQUIRED, [RESOURCE]);
  else validateResource(request.resource, found);
  if (request.auxData !== undefined) validateAuxData(request.auxData, found);
  validateActions(request.actions, found);
  if (request.requestContext !== undefined) validateKeys(request.requestContext.annotations, CONTEXT_PATH, ANNOTATIONS, found);
  return found;
}

const MOST_ACTIONS = 20;
const AT_MOST = atMostRule(MOST_ACTIONS);

const RESOURCE: FieldElement = { number: 4, name: 'resource', type: 'TYPE_MESSAGE' };
const KIND: FieldElement = { number: 1, name: 'kind', type: 'TYPE_STRING' };
const POLICY_VERSION: FieldElement = { number: 3, name: 'policy_version', type: 'TYPE_STRING' };
const SCOPE: FieldElement = { number: 4, name: 'scope', type: 'TYPE_STRING' };
const ACTIONS: FieldElement = { number: 7, name: 'actions', type: 'TYPE_STRING' };
const CONTEXT_PATH: readonly FieldElement[] = [{ number: 8, name: 'request_context', type: 'TYPE_MESSAGE' }];

function validateResource({ kind, policyVersion, scope }: PlanResource, found: Violation[]): void {
  if (kind === '') report(found, REQUIRED, [RESOURCE, KIND]);
  if (!isVersion(policyVersion)) report(found, VERSION_RULE, [RESOURCE, POLICY_VERSION]);
  if (!isScope(scope)) report(found, SCOPE_RULE, [RESOURCE, SCOPE]);
}

function validateActions(actions: readonly string[], found: Violation[]): void {
  if (actions.length > MOST_ACTIONS) report(found, AT_MOST, [ACTIONS]);
  if (!isUnique(actions)) report(found, UNIQUE, [ACTIONS]);
  for (const [index, action] of actions.entries()) {
    if (action === '') report(found, ITEM_NOT_EMPTY, [{ ...ACTIONS, index }]);
  }
}
