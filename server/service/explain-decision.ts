import { type AccessRequest, type DecidingRoles, EvaluationLimitError } from '../../runtime/engine/index.js';
import type * as tree from '../../runtime/engine/parts.js';
import type * as message from '../../proto/gen/explain-messages.js';
import type { ExplainDecisionRequest, Principal, Resource } from '../../proto/gen/messages.js';
import { explainDecisionRequestViolations } from '../../proto/gen/validate/request.js';
import { explainDecisionRequestSize } from '../../proto/gen/wire/request.js';
import { prepared } from './prepare-call.js';
import type { Call } from './call.js';
import { accept, withClaims } from './check-resources.js';
import { explanationMessage } from './explanation-message.js';
import { fewViolations } from './few-violations.js';
import { refused, RpcError, tooLarge } from './rpc-error.js';
import type { CheckCall, CheckEntry, VerifiedAuxData } from './decider.js';
import { authenticatedToRead, type Explainer, type Services } from './services.js';
import { provideDocuments } from './tenants.js';

/** The reason why calls fail on a server that does not explain. */
export const NOT_EXPLAINING = 'explaining decisions is disabled by the configuration: see `server.explain.enabled`';

/** Size in bytes. An explanation repeats attributes for every part of a condition that reads them. */
const MAX_REQUEST = 64 * 1024;

/**
 * The number of sets of changes that a search may try: it keeps the event loop busy. The time of the
 * processor only ends the search in sets of policies whose decisions cost a hundred times as much as usual, so that equal
 * requests have equal answers, also under load.
 */
const SEARCH = { tries: 2000, cpuSeconds: 2 };

/**
 * ExplainDecision (docs/spec/server.md#explanations): authenticates the caller, then validates the
 * request. Rejects with an RpcError.
 */
export async function explainDecision(
  services: Services,
  call: Call,
  request: ExplainDecisionRequest,
): Promise<message.ExplainDecisionResponse> {
  await authenticatedToRead(services, call);
  const { explainer } = services;
  if (explainer === undefined) throw new RpcError('unimplemented', NOT_EXPLAINING);
  const size = explainDecisionRequestSize(request);
  if (size > MAX_REQUEST) throw tooLarge(size, MAX_REQUEST);
  accept(services, call, explainDecisionRequestViolations(request));
  // Validation has seen to it that there is a principal.
  const principal = request.principal as Principal;
  if (principal.actors.length > 0)
    throw refused('explain accepts only one principal: explain the principal and each of its actors separately');
  return withClaims(services, call, request.auxData, (auxData) => {
    const question = toQuestion(request, auxData);
    return prepared(
      services,
      call,
      [principal],
      () => ({ checks: [question] }),
      () => respond(services, explainer, call, request, question),
    );
  });
}

/** An explanation shows the whole decision: all facts that its response depends on are needed. */
function toQuestion({ principal, resource, action }: ExplainDecisionRequest, auxData: VerifiedAuxData): CheckCall {
  // Validation has seen to it that principal and resource are there.
  const entry = { resource: resource as Resource, actions: [action] };
  return { principal: principal as Principal, resources: [entry], auxData, includeMeta: true };
}

function respond(
  services: Services,
  explainer: Explainer,
  call: Call,
  request: ExplainDecisionRequest,
  sent: CheckCall,
): message.ExplainDecisionResponse {
  const { action, near, keep } = request;
  const question = { ...sent, tenants: provideDocuments(call) };
  const { principal, resources, auxData } = services.facts?.completeCheck(call, question, true).question ?? question;
  const { resource } = resources[0] as CheckEntry;
  const search = near === 0 ? undefined : { near, keep: KEPT[keep], ...limits() };
  const asked = { principal, resource, action, auxData };
  const deciding = explainer.rolesFor?.({ ...asked, tenants: provideDocuments(call) }, call.bundle);
  const decided = deciding === undefined ? asked : { ...asked, principal: { ...principal, roles: deciding.roles } };
  const explanation = explained(explainer, call, decided, search);
  return explanationMessage(explanation, {
    requestId: request.requestId,
    authzCallId: call.id,
    validationErrors: fewViolations(call, explanation.validationErrors ?? []),
    tenantRoles: listTenantRoles(deciding, call),
  });
}

/** The roles of its tenant that the principal has. */
function listTenantRoles(deciding: DecidingRoles | undefined, { tenants }: Call): readonly message.TenantRole[] {
  const { tenant, given } = deciding ?? {};
  if (tenant === undefined || given === undefined) return [];
  const digest = tenants?.get(tenant)?.digest ?? '';
  return [...given].map(([role, roles]) => ({ role, ...(roles.length > 0 && { roles }), tenant, digest }));
}

const KEPT = [undefined, 'principal', 'resource'] as const;

function limits(): Pick<tree.SearchOptions, 'tries' | 'isOver'> {
  const start = process.cpuUsage();
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(start);
    return user + system > SEARCH.cpuSeconds * 1_000_000;
  };
  return { tries: SEARCH.tries, isOver };
}

function explained(
  { explain }: Explainer,
  call: Call,
  request: AccessRequest,
  search: tree.SearchOptions | undefined,
): tree.Explanation {
  try {
    return explain(request, search, call.bundle);
  } catch (error) {
    // A stack that overflows: a value is nested too deeply.
    const limit = error instanceof RangeError ? new EvaluationLimitError('depth') : error;
    throw limit instanceof EvaluationLimitError ? new RpcError('resource_exhausted', limit.message) : error;
  }
}
