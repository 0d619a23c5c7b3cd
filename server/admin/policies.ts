import { RE2JS, RE2JSException } from 're2js';
import { isTooLarge } from '../../packages/cel/runtime/index.js';
import type { PolicyBundle } from '../../runtime/policy/index.js';
import type {
  GetPolicyRequest,
  InspectPoliciesRequest,
  ListPoliciesRequest,
  ListPoliciesResponse,
} from '../../proto/gen/messages.js';
import type {
  GetPolicyResponse,
  InspectedPolicy,
  InspectPoliciesResponse,
  Policy,
} from '../../proto/gen/policy-messages.js';
import {
  getPolicyRequestViolations,
  inspectPoliciesRequestViolations,
  listPoliciesRequestViolations,
} from '../../proto/gen/validate/request.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import { RpcError } from '../service/rpc-error.js';
import { authenticated, type Services } from '../service/services.js';
import type { Bundle, PolicyDocuments } from '../service/bundle.js';

/**
 * ListPolicies (docs/spec/server.md#admin-messages): the ids of the policies in use that match every filter, sorted.
 * Authenticates the caller as the admin first. Rejects with an RpcError.
 */
export async function listPolicies(
  services: Services,
  call: Call,
  request: ListPoliciesRequest,
): Promise<ListPoliciesResponse> {
  await authenticated(services.admin, call);
  accept(services, call, listPoliciesRequestViolations(request));
  const isWanted = makeFilter(request);
  const found = collectPolicies(requireBundle(services).policies).filter(isWanted);
  return { policyIds: found.map(({ id }) => id).sort() };
}

/**
 * GetPolicy (docs/spec/server.md#admin-messages): the documents with these ids, sorted; without those that are not
 * there. Authenticates the caller as the admin first. Rejects with an RpcError, code 9 for a bundle without documents.
 */
export async function getPolicy(services: Services, call: Call, request: GetPolicyRequest): Promise<GetPolicyResponse> {
  await authenticated(services.admin, call);
  accept(services, call, getPolicyRequestViolations(request));
  const ids = new Set(request.id);
  const found = (await requireDocuments(services)).filter(({ id }) => ids.has(id));
  return { policies: found.map((document) => parsed(document).policy) };
}

/**
 * InspectPolicies (docs/spec/server.md#admin-messages): what the documents that match every filter mention. Authenticates
 * the caller as the admin first. Rejects with an RpcError, code 9 for a bundle without documents.
 */
export async function inspectPolicies(
  services: Services,
  call: Call,
  request: InspectPoliciesRequest,
): Promise<InspectPoliciesResponse> {
  await authenticated(services.admin, call);
  accept(services, call, inspectPoliciesRequestViolations(request));
  const isWanted = makeFilter(request);
  const found = (await requireDocuments(services)).filter(isWanted);
  return { results: Object.fromEntries(found.map((document) => [document.id, parsed(document).inspected])) };
}

/**
 * Reads the request of `GET /admin/policies` and `GET /admin/policies/inspect`: `nameRegexp`, `scopeRegexp`, `versionRegexp` and repeated `policyId`, or
 * the same names in snake case. Other parameters are ignored.
 */
export function policiesRequestOfQuery(parameters: URLSearchParams): ListPoliciesRequest & InspectPoliciesRequest {
  const one = (name: string, snake: string): string => parameters.get(name) ?? parameters.get(snake) ?? '';
  return {
    includeDisabled: one('includeDisabled', 'include_disabled') === 'true',
    nameRegexp: one('nameRegexp', 'name_regexp'),
    scopeRegexp: one('scopeRegexp', 'scope_regexp'),
    versionRegexp: one('versionRegexp', 'version_regexp'),
    policyId: [...parameters.getAll('policyId'), ...parameters.getAll('policy_id')],
  };
}

/** Reads the request of `GET /admin/policy` and `GET /admin/schema`: repeated `id`. Other parameters are ignored. */
export function idsOfQuery(parameters: URLSearchParams): { readonly id: readonly string[] } {
  return { id: parameters.getAll('id') };
}

/** The bundle in use. Throws an RpcError if there is none. */
export function requireBundle({ bundle }: Services): Bundle {
  if (bundle === undefined) throw new RpcError('failed_precondition', 'the server has no bundle');
  return bundle();
}

/** The reason why calls fail that return texts of the authors. */
export const NO_TEXTS =
  'the bundle does not contain the texts of its policies: compile it with `authzc compile --explain`';

async function requireDocuments(services: Services): Promise<PolicyDocuments> {
  const documents = await requireBundle(services).policyDocuments?.();
  if (documents === undefined) throw new RpcError('failed_precondition', NO_TEXTS);
  return documents;
}

interface PolicyDocument {
  readonly policy: Policy;
  readonly inspected: InspectedPolicy;
}

/** The compiler wrote it. */
function parsed({ json }: PolicyDocuments[number]): PolicyDocument {
  return JSON.parse(json) as PolicyDocument;
}

interface NamedPolicy {
  readonly id: string;
  /** The kind of resource, the principal, the role, or the name of a set. */
  readonly name: string;
  readonly scope: string;
  readonly version: string;
}

function collectPolicies({ resourcePolicies, principalPolicies, rolePolicies }: PolicyBundle): readonly NamedPolicy[] {
  return [
    ...resourcePolicies.map(({ key, kind, scope, version }) => ({ id: key, name: kind, scope, version })),
    ...principalPolicies.map(({ key, principal, scope, version }) => ({ id: key, name: principal, scope, version })),
    ...rolePolicies.map(({ key, role, scope, version }) => ({ id: key, name: role, scope, version })),
  ];
}

/** Whether a policy matches every filter of a request. Throws an RpcError for an invalid expression. */
function makeFilter(request: ListPoliciesRequest | InspectPoliciesRequest): (policy: NamedPolicy) => boolean {
  const name = finder('nameRegexp', request.nameRegexp);
  const scope = finder('scopeRegexp', request.scopeRegexp);
  const version = finder('versionRegexp', request.versionRegexp);
  const ids = request.policyId.length === 0 ? undefined : new Set(request.policyId);
  return (policy) =>
    (ids === undefined || ids.has(policy.id)) && name(policy.name) && scope(policy.scope) && version(policy.version);
}

/** Length in characters. */
const LONGEST_PATTERN = 256;

/**
 * Whether a text contains a match of an RE2 expression, in linear time; any text does if the expression is empty.
 * Throws an RpcError for an invalid expression.
 */
function finder(field: string, expression: string): (text: string) => boolean {
  if (expression === '') return () => true;
  if (expression.length > LONGEST_PATTERN)
    throw new RpcError('invalid_argument', `${field}: must have at most ${LONGEST_PATTERN} characters`);
  if (isTooLarge(expression)) throw new RpcError('invalid_argument', `${field}: is too large: use smaller counts`);
  try {
    const pattern = RE2JS.compile(expression);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new RpcError('invalid_argument', `${field}: is not an RE2 expression: ${error.message}`);
  }
}
