import { RE2JS, RE2JSException } from 're2js';
import type { PolicyBundle } from '#runtime/policy';
import type { ListPoliciesRequest, ListPoliciesResponse, ListSchemasResponse } from '../../proto/gen/messages.js';
import { listPoliciesRequestViolations } from '../../proto/gen/validate/request.js';
import { NONE } from '../../proto/wire/violation.js';
import type { Call } from '../service/call.js';
import { accept } from '../service/check-resources.js';
import { RpcError } from '../service/rpc-error.js';
import { authenticated, type Services } from '../service/services.js';

/**
 * ListPolicies (docs/spec/server.md#admin-messages): the ids of the policies in use that match every filter, sorted.
 * Authenticates the caller as the admin first. Rejects with an RpcError.
 */
export async function listPolicies(
  services: Services,
  call: Call,
  request: ListPoliciesRequest,
): Promise<ListPoliciesResponse> {
  await authenticated(services.admin, call.metadata().get('authorization')?.[0]);
  accept(services, call, listPoliciesRequestViolations(request));
  const [name, scope, version] = [
    finder('nameRegexp', request.nameRegexp),
    finder('scopeRegexp', request.scopeRegexp),
    finder('versionRegexp', request.versionRegexp),
  ] as const;
  const ids = request.policyId.length === 0 ? undefined : new Set(request.policyId);
  const policyIds = policiesOf(policyBundle(services))
    .filter(
      (policy) =>
        (ids === undefined || ids.has(policy.key)) &&
        name(policy.name) &&
        scope(policy.scope) &&
        version(policy.version),
    )
    .map(({ key }) => key);
  return { policyIds: policyIds.sort() };
}

/**
 * ListSchemas (docs/spec/server.md#admin-messages): the ids of the schemas that policies in use refer to, sorted.
 * Authenticates the caller as the admin first. Rejects with an RpcError.
 */
export async function listSchemas(services: Services, call: Call): Promise<ListSchemasResponse> {
  await authenticated(services.admin, call.metadata().get('authorization')?.[0]);
  accept(services, call, NONE);
  const references = policyBundle(services).resourcePolicies.flatMap(({ schemas }) => [
    schemas?.principal,
    schemas?.resource,
  ]);
  const ids = new Set(references.flatMap((reference) => (reference === undefined ? [] : [schemaId(reference.ref)])));
  return { schemaIds: [...ids].sort() };
}

/**
 * Reads the request of `GET /admin/policies`: `nameRegexp`, `scopeRegexp`, `versionRegexp` and repeated `policyId`, or
 * the same names in snake case. Other parameters are ignored.
 */
export function policiesRequestOfQuery(parameters: URLSearchParams): ListPoliciesRequest {
  const one = (name: string, snake: string): string => parameters.get(name) ?? parameters.get(snake) ?? '';
  return {
    includeDisabled: one('includeDisabled', 'include_disabled') === 'true',
    nameRegexp: one('nameRegexp', 'name_regexp'),
    scopeRegexp: one('scopeRegexp', 'scope_regexp'),
    versionRegexp: one('versionRegexp', 'version_regexp'),
    policyId: [...parameters.getAll('policyId'), ...parameters.getAll('policy_id')],
  };
}

interface NamedPolicy {
  readonly key: string;
  /** The kind of resource, the principal or the role. */
  readonly name: string;
  readonly scope: string;
  readonly version: string;
}

function policiesOf({ resourcePolicies, principalPolicies, rolePolicies }: PolicyBundle): readonly NamedPolicy[] {
  return [
    ...resourcePolicies.map(({ key, kind, scope, version }) => ({ key, name: kind, scope, version })),
    ...principalPolicies.map(({ key, principal, scope, version }) => ({ key, name: principal, scope, version })),
    ...rolePolicies.map(({ key, role, scope, version }) => ({ key, name: role, scope, version })),
  ];
}

function policyBundle({ policies }: Services): PolicyBundle {
  if (policies === undefined) throw new RpcError('failed_precondition', 'the server has no bundle');
  return policies();
}

/** `album.json` for `authz:///album.json`: the file below `_schemas`. */
function schemaId(ref: string): string {
  return ref.slice(ref.indexOf(':///') + ':///'.length);
}

/** In characters. */
const LONGEST_PATTERN = 256;

/**
 * Whether a text contains a match of an RE2 expression, in linear time; any text does if the expression is empty.
 * Throws an RpcError for an invalid expression.
 */
function finder(field: string, expression: string): (text: string) => boolean {
  if (expression === '') return () => true;
  if (expression.length > LONGEST_PATTERN)
    throw new RpcError('invalid_argument', `${field}: must have at most ${LONGEST_PATTERN} characters`);
  try {
    const pattern = RE2JS.compile(expression);
    return (text) => pattern.matcher(text).find();
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new RpcError('invalid_argument', `${field}: is not an RE2 expression: ${error.message}`);
  }
}
