import type { Attributes, AuxData, PlanResource, PlanResourcesRequest, Principal, RequestContext } from '../../../proto/messages.js';
import { parseJson } from './parse.js';
import { readAuxData, readPrincipal, readRequestContext } from './read-check-resources.js';
import { Shape } from './shape.js';

/** PlanResourcesRequest from its JSON form (planner.md 1.2). Throws an RpcError that says what is wrong and where. */
export function readPlanResourcesRequest(body: Buffer): PlanResourcesRequest {
  const document = parseJson(body);
  const shape = new Shape();
  const request = readRequest(document.value, shape);
  document.checkKeys(shape.keys);
  return request;
}

function readRequest(value: unknown, shape: Shape): PlanResourcesRequest {
  const object = shape.object(value, '');
  let met = 0;
  let requestId = '';
  let action = '';
  let actions: readonly string[] = [];
  let principal: Principal | undefined;
  let resource: PlanResource | undefined;
  let auxData: AuxData | undefined;
  let includeMeta = false;
  let requestContext: RequestContext | undefined;
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'requestId':
      case 'request_id':
        met = shape.once(met, 1, key);
        if (field !== null) requestId = shape.string(field, key);
        break;
      case 'action':
        if (field !== null) action = shape.string(field, key);
        break;
      case 'actions':
        if (field !== null) actions = shape.strings(field, key);
        break;
      case 'principal':
        if (field !== null) principal = readPrincipal(field, shape);
        break;
      case 'resource':
        if (field !== null) resource = readResource(field, shape);
        break;
      case 'auxData':
      case 'aux_data':
        met = shape.once(met, 2, key);
        if (field !== null) auxData = readAuxData(field, shape);
        break;
      case 'includeMeta':
      case 'include_meta':
        met = shape.once(met, 4, key);
        if (field !== null) includeMeta = shape.bool(field, key);
        break;
      case 'requestContext':
      case 'request_context':
        met = shape.once(met, 8, key);
        if (field !== null) requestContext = readRequestContext(field, shape);
        break;
      default:
        shape.unknownField(key, '');
    }
  }
  return { requestId, action, actions, principal, resource, auxData, includeMeta, requestContext };
}

function readResource(value: unknown, shape: Shape): PlanResource {
  const object = shape.object(value, 'resource');
  let met = 0;
  let kind = '';
  let policyVersion = '';
  let attr: Attributes = {};
  let scope = '';
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'kind':
        if (field !== null) kind = shape.string(field, 'resource.kind');
        break;
      case 'policyVersion':
      case 'policy_version':
        met = shape.once(met, 1, key);
        if (field !== null) policyVersion = shape.string(field, 'resource.policyVersion');
        break;
      case 'attr':
        if (field !== null) attr = shape.attributes(field, 'resource.attr');
        break;
      case 'scope':
        if (field !== null) scope = shape.string(field, 'resource.scope');
        break;
      default:
        shape.unknownField(key, 'resource');
    }
  }
  return { kind, policyVersion, attr, scope };
}
