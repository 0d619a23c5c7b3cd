import type { Attributes, AuxData, CheckResourcesRequest, Principal, RequestContext, Resource, ResourceEntry, Token } from '../../../proto/messages.js';
import { readDocument } from './message-reader.js';
import type { Shape } from './shape.js';

/** CheckResourcesRequest from its JSON form (server.md 1.2, 1.4). Throws an RpcError that says what is wrong and where. */
export function readCheckResourcesRequest(body: Buffer): CheckResourcesRequest {
  return readDocument(body, readRequest);
}

const NO_ATTRIBUTES: Attributes = Object.freeze({});
const NO_TEXTS: readonly string[] = Object.freeze([]);

function readRequest(value: unknown, _name: string, shape: Shape): CheckResourcesRequest {
  const object = shape.object(value, '');
  let met = 0;
  let requestId = '';
  let includeMeta = false;
  let principal: Principal | undefined;
  let resources: readonly ResourceEntry[] = [];
  let auxData: AuxData | undefined;
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
      case 'includeMeta':
      case 'include_meta':
        met = shape.once(met, 2, key);
        if (field !== null) includeMeta = shape.bool(field, key);
        break;
      case 'principal':
        if (field !== null) principal = readPrincipal(field, 'principal', shape);
        break;
      case 'resources':
        if (field !== null) resources = readEntries(field, shape);
        break;
      case 'auxData':
      case 'aux_data':
        met = shape.once(met, 4, key);
        if (field !== null) auxData = readAuxData(field, 'auxData', shape);
        break;
      case 'requestContext':
      case 'request_context':
        met = shape.once(met, 8, key);
        if (field !== null) requestContext = readRequestContext(field, 'requestContext', shape);
        break;
      default:
        shape.unknownField(key, '');
    }
  }
  return { requestId, includeMeta, principal, resources, auxData, requestContext };
}

/** A principal, as every request has it. */
export function readPrincipal(value: unknown, _name: string, shape: Shape): Principal {
  const object = shape.object(value, 'principal');
  let met = 0;
  let id = '';
  let policyVersion = '';
  let roles = NO_TEXTS;
  let attr = NO_ATTRIBUTES;
  let scope = '';
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'id':
        if (field !== null) id = shape.string(field, 'principal.id');
        break;
      case 'policyVersion':
      case 'policy_version':
        met = shape.once(met, 1, key);
        if (field !== null) policyVersion = shape.string(field, 'principal.policyVersion');
        break;
      case 'roles':
        if (field !== null) roles = shape.strings(field, 'principal.roles');
        break;
      case 'attr':
        if (field !== null) attr = shape.attributes(field, 'principal.attr');
        break;
      case 'scope':
        if (field !== null) scope = shape.string(field, 'principal.scope');
        break;
      default:
        shape.unknownField(key, 'principal');
    }
  }
  return { id, policyVersion, roles, attr, scope };
}

function readEntries(value: unknown, shape: Shape): readonly ResourceEntry[] {
  const list = shape.list(value, 'resources');
  const entries: ResourceEntry[] = [];
  for (let index = 0; index < list.length; index++) entries.push(readResourceEntry(list[index], 'resources[]', shape));
  return entries;
}

/** One resource and the actions asked about it. */
export function readResourceEntry(value: unknown, _name: string, shape: Shape): ResourceEntry {
  const object = shape.object(value, 'resources[]');
  let actions = NO_TEXTS;
  let resource: Resource | undefined;
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'actions':
        if (field !== null) actions = shape.strings(field, 'resources[].actions');
        break;
      case 'resource':
        if (field !== null) resource = readResource(field, shape);
        break;
      default:
        shape.unknownField(key, 'resources[]');
    }
  }
  return { actions, resource };
}

function readResource(value: unknown, shape: Shape): Resource {
  const object = shape.object(value, 'resources[].resource');
  let met = 0;
  let kind = '';
  let policyVersion = '';
  let id = '';
  let attr = NO_ATTRIBUTES;
  let scope = '';
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'kind':
        if (field !== null) kind = shape.string(field, 'resources[].resource.kind');
        break;
      case 'policyVersion':
      case 'policy_version':
        met = shape.once(met, 1, key);
        if (field !== null) policyVersion = shape.string(field, 'resources[].resource.policyVersion');
        break;
      case 'id':
        if (field !== null) id = shape.string(field, 'resources[].resource.id');
        break;
      case 'attr':
        if (field !== null) attr = shape.attributes(field, 'resources[].resource.attr');
        break;
      case 'scope':
        if (field !== null) scope = shape.string(field, 'resources[].resource.scope');
        break;
      default:
        shape.unknownField(key, 'resources[].resource');
    }
  }
  return { kind, policyVersion, id, attr, scope };
}

/** The tokens of a request. */
export function readAuxData(value: unknown, _name: string, shape: Shape): AuxData {
  const object = shape.object(value, 'auxData');
  let jwt: Token | undefined;
  const jwts = new Map<string, Token>();
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'jwt':
        if (field !== null) jwt = readToken(field, 'auxData.jwt', shape);
        break;
      case 'jwts':
        if (field !== null) readTokens(field, jwts, shape);
        break;
      default:
        shape.unknownField(key, 'auxData');
    }
  }
  return { jwt, jwts };
}

function readTokens(value: unknown, tokens: Map<string, Token>, shape: Shape): void {
  const object = shape.object(value, 'auxData.jwts');
  for (const name in object) {
    shape.keys += 1;
    tokens.set(name, readToken(object[name], 'auxData.jwts[]', shape));
  }
}

function readToken(value: unknown, name: string, shape: Shape): Token {
  const object = shape.object(value, name);
  let met = 0;
  let token = '';
  let keySetId = '';
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    switch (key) {
      case 'token':
        if (field !== null) token = shape.string(field, `${name}.token`);
        break;
      case 'keySetId':
      case 'key_set_id':
        met = shape.once(met, 1, key);
        if (field !== null) keySetId = shape.string(field, `${name}.keySetId`);
        break;
      default:
        shape.unknownField(key, name);
    }
  }
  return { token, keySetId };
}

/** What a request says for the audit log. */
export function readRequestContext(value: unknown, _name: string, shape: Shape): RequestContext {
  const object = shape.object(value, 'requestContext');
  let annotations = NO_ATTRIBUTES;
  for (const key in object) {
    shape.keys += 1;
    const field = object[key];
    if (key !== 'annotations') shape.unknownField(key, 'requestContext');
    if (field !== null) annotations = shape.attributes(field, 'requestContext.annotations');
  }
  return { annotations };
}
