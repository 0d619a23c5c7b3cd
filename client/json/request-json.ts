import { setOwn } from '../../proto/wire/json-shape.js';
import type {
  AuxData,
  CheckResourcesRequest,
  PlanResourcesRequest,
  Principal,
  RequestContext,
  Resource,
  Token,
} from '../../proto/messages.js';

/** A check in its JSON form (docs/spec/server.md#check-messages); what is empty is left out. */
export function checkRequestJson(request: CheckResourcesRequest): object {
  return {
    ...text('requestId', request.requestId),
    ...(request.includeMeta && { includeMeta: true }),
    ...principal(request.principal),
    resources: request.resources.map(({ actions, resource }) => ({
      actions,
      ...(resource !== undefined && { resource: resourceJson(resource) }),
    })),
    ...extras(request),
  };
}

/** A plan in its JSON form (docs/spec/plans.md#plan-request). */
export function planRequestJson(request: PlanResourcesRequest): object {
  const { resource, actions, includeMeta } = request;
  return {
    ...text('requestId', request.requestId),
    actions,
    ...principal(request.principal),
    ...(resource !== undefined && { resource: resourceJson({ ...resource, id: '' }) }),
    ...(includeMeta && { includeMeta: true }),
    ...extras(request),
  };
}

function principal(message: Principal | undefined): object {
  if (message === undefined) return {};
  const { id, policyVersion, roles, attr, scope } = message;
  return {
    principal: { ...text('id', id), ...text('policyVersion', policyVersion), roles, attr, ...text('scope', scope) },
  };
}

function resourceJson({ kind, policyVersion, id, attr, scope }: Resource): object {
  return {
    ...text('kind', kind),
    ...text('policyVersion', policyVersion),
    ...text('id', id),
    attr,
    ...text('scope', scope),
  };
}

function extras({
  auxData,
  requestContext,
}: {
  readonly auxData: AuxData | undefined;
  readonly requestContext: RequestContext | undefined;
}): object {
  return {
    ...(auxData !== undefined && { auxData: auxDataJson(auxData) }),
    ...(requestContext !== undefined && { requestContext }),
  };
}

function auxDataJson({ jwt, jwts }: AuxData): object {
  const named: Record<string, unknown> = {};
  for (const [name, token] of jwts) setOwn(named, name, tokenJson(token));
  return { ...(jwt !== undefined && { jwt: tokenJson(jwt) }), ...(jwts.size > 0 && { jwts: named }) };
}

function tokenJson({ token, keySetId }: Token): object {
  return { ...text('token', token), ...text('keySetId', keySetId) };
}

function text(name: string, value: string): object {
  return value === '' ? {} : { [name]: value };
}
