import type { Attributes, AuxData, CheckResourcesRequest, Principal, Resource, ResourceEntry, Token } from '../../proto/messages.js';
import {
  type FieldElement,
  ITEM_NOT_EMPTY,
  KEY_NOT_EMPTY,
  ONE_TOKEN_FIELD,
  patternRule,
  REQUIRED,
  type Rule,
  UNIQUE,
  type Violation,
} from './violation.js';

/**
 * Every rule of server.md 1.6 that a request breaks: depth first in the order of field numbers, rules about a message before its
 * fields, rules about a list before those about its items. The same rules stand as annotations in proto/; here they are plain
 * code, because every request passes through them. Paths are made only when there is something to say.
 */
export function checkResourcesViolations(request: CheckResourcesRequest): readonly Violation[] {
  const found: Violation[] = [];
  if (request.principal === undefined) report(found, REQUIRED, [PRINCIPAL]);
  else validatePrincipal(request.principal, found);
  const { resources } = request;
  if (resources.length === 0) report(found, REQUIRED, [RESOURCES]);
  for (let index = 0; index < resources.length; index++) validateEntry(resources[index] as ResourceEntry, index, found);
  if (request.auxData !== undefined) validateAuxData(request.auxData, found);
  if (request.requestContext !== undefined) validateKeys(request.requestContext.annotations, CONTEXT_PATH, ANNOTATIONS, found);
  return found;
}

export const PRINCIPAL: FieldElement = { number: 3, name: 'principal', type: 'TYPE_MESSAGE' };
const PRINCIPAL_ID: FieldElement = { number: 1, name: 'id', type: 'TYPE_STRING' };
const ROLES: FieldElement = { number: 3, name: 'roles', type: 'TYPE_STRING' };
const POLICY_VERSION: FieldElement = { number: 2, name: 'policy_version', type: 'TYPE_STRING' };
const ATTR: FieldElement = { number: 4, name: 'attr', type: 'TYPE_MESSAGE' };
const SCOPE: FieldElement = { number: 5, name: 'scope', type: 'TYPE_STRING' };
const RESOURCES: FieldElement = { number: 4, name: 'resources', type: 'TYPE_MESSAGE' };
const ACTIONS: FieldElement = { number: 1, name: 'actions', type: 'TYPE_STRING' };
const RESOURCE: FieldElement = { number: 2, name: 'resource', type: 'TYPE_MESSAGE' };
const KIND: FieldElement = { number: 1, name: 'kind', type: 'TYPE_STRING' };
const RESOURCE_ID: FieldElement = { number: 3, name: 'id', type: 'TYPE_STRING' };
const AUX_DATA: FieldElement = { number: 5, name: 'aux_data', type: 'TYPE_MESSAGE' };
const JWT: FieldElement = { number: 1, name: 'jwt', type: 'TYPE_MESSAGE' };
const JWTS: FieldElement = { number: 2, name: 'jwts', type: 'TYPE_MESSAGE' };
const TOKEN: FieldElement = { number: 1, name: 'token', type: 'TYPE_STRING' };
export const ANNOTATIONS: FieldElement = { number: 1, name: 'annotations', type: 'TYPE_MESSAGE' };

const PRINCIPAL_PATH = [PRINCIPAL];
const CONTEXT_PATH: readonly FieldElement[] = [{ number: 6, name: 'request_context', type: 'TYPE_MESSAGE' }];

const VERSION_PATTERN = /^[\w]*$/;
// biome-ignore lint/complexity/noUselessEscapeInRegex: the text of the pattern is part of the message (1.6).
const SCOPE_PATTERN = /^(^$|\.|[0-9a-zA-Z][\w\-]*(\.\w[\w\-]*)*)$/;
export const VERSION_RULE = patternRule(VERSION_PATTERN);
export const SCOPE_RULE = patternRule(SCOPE_PATTERN);

/** Lists up to this length are compared pair by pair: cheaper than a set. */
const SHORT_LIST = 8;

/** The rules about a principal. */
export function validatePrincipal(principal: Principal, found: Violation[]): void {
  if (principal.id === '') report(found, REQUIRED, [PRINCIPAL, PRINCIPAL_ID]);
  if (!isVersion(principal.policyVersion)) report(found, VERSION_RULE, [PRINCIPAL, POLICY_VERSION]);
  if (!isNameList(principal.roles)) reportNameList(principal.roles, PRINCIPAL_PATH, ROLES, found);
  validateKeys(principal.attr, PRINCIPAL_PATH, ATTR, found);
  if (!isScope(principal.scope)) report(found, SCOPE_RULE, [PRINCIPAL, SCOPE]);
}

function validateEntry(entry: ResourceEntry, index: number, found: Violation[]): void {
  if (!isNameList(entry.actions)) reportNameList(entry.actions, [item(RESOURCES, index)], ACTIONS, found);
  if (entry.resource === undefined) report(found, REQUIRED, [item(RESOURCES, index), RESOURCE]);
  else if (!isResource(entry.resource)) reportResource(entry.resource, [item(RESOURCES, index), RESOURCE], found);
}

function isResource(resource: Resource): boolean {
  return (
    resource.kind !== '' &&
    isVersion(resource.policyVersion) &&
    resource.id !== '' &&
    !Object.hasOwn(resource.attr, '') &&
    isScope(resource.scope)
  );
}

function reportResource(resource: Resource, path: readonly FieldElement[], found: Violation[]): void {
  if (resource.kind === '') report(found, REQUIRED, [...path, KIND]);
  if (!isVersion(resource.policyVersion)) report(found, VERSION_RULE, [...path, POLICY_VERSION]);
  if (resource.id === '') report(found, REQUIRED, [...path, RESOURCE_ID]);
  validateKeys(resource.attr, path, ATTR, found);
  if (!isScope(resource.scope)) report(found, SCOPE_RULE, [...path, SCOPE]);
}

/** The rules about tokens. */
export function validateAuxData(auxData: AuxData, found: Violation[]): void {
  if (auxData.jwt !== undefined && auxData.jwts.size > 0) report(found, ONE_TOKEN_FIELD, [AUX_DATA]);
  if (auxData.jwt?.token === '') report(found, REQUIRED, [AUX_DATA, JWT, TOKEN]);
  for (const name of [...auxData.jwts.keys()].sort()) validateNamedToken(name, auxData.jwts.get(name) as Token, found);
}

function validateNamedToken(name: string, token: Token, found: Violation[]): void {
  const path = [AUX_DATA, { ...JWTS, key: name }];
  if (name === '') found.push({ field: path, rule: KEY_NOT_EMPTY, forKey: true });
  if (token.token === '') report(found, REQUIRED, [...path, TOKEN]);
}

/** The rule that the keys of a map are not empty. */
export function validateKeys(map: Attributes, parent: readonly FieldElement[], field: FieldElement, found: Violation[]): void {
  if (!Object.hasOwn(map, '')) return;
  found.push({ field: [...parent, { ...field, key: '' }], rule: KEY_NOT_EMPTY, forKey: true });
}

/** Whether a list of names is not empty, has no name twice and no empty one. */
function isNameList(names: readonly string[]): boolean {
  return names.length > 0 && !names.includes('') && isUnique(names);
}

function reportNameList(names: readonly string[], parent: readonly FieldElement[], field: FieldElement, found: Violation[]): void {
  if (names.length === 0) report(found, REQUIRED, [...parent, field]);
  if (!isUnique(names)) report(found, UNIQUE, [...parent, field]);
  for (let index = 0; index < names.length; index++) {
    if (names[index] === '') report(found, ITEM_NOT_EMPTY, [...parent, item(field, index)]);
  }
}

/** Whether no name is there twice. */
export function isUnique(names: readonly string[]): boolean {
  if (names.length > SHORT_LIST) return new Set(names).size === names.length;
  for (let index = 1; index < names.length; index++) {
    for (let earlier = 0; earlier < index; earlier++) {
      if (names[index] === names[earlier]) return false;
    }
  }
  return true;
}

/** Whether a text can be a policy version. */
export function isVersion(version: string): boolean {
  return version === '' || VERSION_PATTERN.test(version);
}

/** Whether a text can be a scope. */
export function isScope(scope: string): boolean {
  return scope === '' || SCOPE_PATTERN.test(scope);
}

function item(field: FieldElement, index: number): FieldElement {
  return { ...field, index };
}

/** Adds a violation about a field. */
export function report(found: Violation[], rule: Rule, field: readonly FieldElement[]): void {
  found.push({ field, rule, forKey: false });
}
