/*
 * What engines ask of the requests of programs, which no schema has checked: fields of the right type, and attributes
 * that JSON can represent. The order of the tests is that of clients, and so are the messages.
 */
import { isPlainObject, json, NotJsonError, OBSERVED, plainAttributes } from '../../packages/cel/runtime/index.js';
import type { Attributes } from '../policy/index.js';
import type {
  AuxDataInput,
  PlanRequest,
  PlanResourceInput,
  PrincipalInput,
  ResourceActions,
  ResourceInput,
} from './requests.js';

/** Whether a name is one that the wire accepts too. */
export function isName(name: unknown): name is string {
  return typeof name === 'string' && name !== '';
}

/** Whether names are a list that the wire accepts, too, and short: comparing all is faster than a set. */
export function isNames(names: unknown): boolean {
  if (!Array.isArray(names) || names.length === 0 || names.length > 16) return false;
  for (let index = 0; index < names.length; index++) {
    if (!isName(names[index])) return false;
    for (let before = 0; before < index; before++) if (names[before] === names[index]) return false;
  }
  return true;
}

/**
 * Requires the fields of a principal that decide by themselves.
 * @param mayLackRoles whether roles were computed from those of a caller, so that there may be none.
 */
export function requirePrincipal(principal: PrincipalInput, mayLackRoles = false, path = 'principal'): void {
  const { id, roles, policyVersion, scope } = principal ?? NOTHING;
  requireText(id, path, '.id');
  if (!(mayLackRoles && roles?.length === 0)) requireNames(roles, `${path}.roles`);
  requirePlace(policyVersion, scope, path);
}

/** Requires the fields of a resource and an action. */
export function requireAccess(resource: ResourceInput, action: string): void {
  requireResource(resource);
  requireText(action, 'action', '');
}

/** Requires that an action has a name. */
export function requireAction(action: unknown): void {
  requireText(action, 'action', '');
}

/** Requires the fields of a resource that decide by themselves. */
export function requireResource(resource: ResourceInput): void {
  requirePlanned(resource);
  requireText(resource.id, 'resource', '.id');
}

/** The same of the resource of a plan, which has no id. */
export function requirePlanned(resource: PlanResourceInput): void {
  const { kind, policyVersion, scope } = resource ?? NOTHING;
  requireText(kind, 'resource', '.kind');
  requirePlace(policyVersion, scope, 'resource');
}

/** Requires a name: undefined and `''` would be equal to an attribute that is missing, or empty. */
export function requireText(name: unknown, path: string, field: string): void {
  requireString(name, path, field);
  if (name === '') throw new NotJsonError(`${path}${field} is empty`);
}

/** Requires the resources and actions of a check. */
export function requireEntries(entries: readonly ResourceActions[]): void {
  requireEntryList(entries);
  for (const [index, entry] of entries.entries()) requireEntry(entry?.resource, entry?.actions, index);
}

/** Requires that the entries of a check are a list. */
export function requireEntryList(entries: readonly ResourceActions[]): void {
  requireList(entries, 'resources');
}

/** Requires a list with at least one item: of none, all would be allowed. */
function requireList(list: unknown, path: string): asserts list is readonly unknown[] {
  if (!Array.isArray(list)) throw new NotJsonError(`${path} is not an array`);
  if (list.length === 0) throw new NotJsonError(`${path} is empty`);
}

/** Requires the resource and the actions of one entry. */
export function requireEntry(resource: ResourceInput, actions: readonly string[], index: number): void {
  try {
    requireResource(resource);
    requireNames(actions, 'actions');
  } catch (error) {
    throw error instanceof NotJsonError ? new NotJsonError(`resources[${index}].${error.message}`) : error;
  }
}

/** Requires the fields of a plan that decide by themselves; `mayLackRoles` as in `requirePrincipal`. */
export function requirePlannable({ principal, resource, actions }: PlanRequest, mayLackRoles = false): void {
  requirePrincipal(principal, mayLackRoles);
  requirePlanned(resource);
  requireNames(actions, 'actions');
}

/** Requires what servers require of a list of names: at least one, each once, and none empty. Usual lists are not copied. */
function requireNames(names: unknown, path: string): void {
  if (isNames(names)) return;
  requireList(names, path);
  const known = new Set();
  for (const [index, name] of names.entries()) {
    requireText(name, path, `[${index}]`);
    if (known.has(name)) throw new NotJsonError(`${path}[${index}] is not unique`);
    known.add(name);
  }
}

/**
 * A request for a plan whose fields have their types, with attributes that are JSON; `mayLackRoles` as in
 * `requirePrincipal`.
 */
export function plannable(request: PlanRequest, mayLackRoles = false): PlanRequest {
  requirePlannable(request, mayLackRoles);
  const { principal, resource, actions, auxData } = request;
  const { id, roles, policyVersion, scope, actors } = principal;
  const { kind, policyVersion: version, scope: requested } = resource;
  return {
    principal: { id, roles, attr: whole(principal.attr, 'principal.attr'), policyVersion, scope, actors },
    resource: { kind, attr: whole(resource.attr, 'resource.attr'), policyVersion: version, scope: requested },
    actions,
    auxData: auxData == null ? undefined : convertClaims(auxData),
  };
}

/** Requires what servers require of a version and a scope: with others, a lenient search would find those of ancestors. */
function requirePlace(version: unknown, scope: unknown, path: string): void {
  if (version !== undefined && version !== lastVersion) {
    requireString(version, path, '.policyVersion');
    if (!VERSION.test(version)) throw new NotJsonError(`${path}.policyVersion is not a version, such as \`v1\``);
    lastVersion = version;
  }
  if (scope !== undefined && scope !== lastScope) {
    requireString(scope, path, '.scope');
    if (!SCOPE.test(scope)) throw new NotJsonError(`${path}.scope is not a scope, such as \`acme.hr\``);
    lastScope = scope;
  }
}

/** The patterns of the messages (proto/authz/engine/v1/engine.proto), and the dot that `withoutDot` takes away. */
const VERSION = /^\w*$/;
const SCOPE = /^\.?(?:[0-9a-zA-Z][\w-]*(?:\.\w[\w-]*)*)?$/;

/** The latest that matched: most requests of a program name few. */
let lastVersion = '';
let lastScope = '';

function requireString(value: unknown, path: string, field: string): asserts value is string {
  if (typeof value !== 'string') throw new NotJsonError(`${path}${field} is not a string`);
}

const NOTHING: { readonly [name: string]: undefined } = {};

/** Attributes, converted; undefined if there are none. */
export function whole(attr: Attributes | undefined, path: string): Attributes | undefined {
  return attr == null ? undefined : convertAttributes(attr, path, true);
}

/**
 * Attributes that conditions can read: a plain object as it is, as conditions convert its members; any other object as
 * clients send it.
 * @param isWhole whether to convert all members, as something reads them that does not convert them.
 */
export function convertAttributes(attr: Attributes, path: string, isWhole = false): Attributes {
  if ((attr as { readonly [OBSERVED]?: true })[OBSERVED] === true) return attr;
  if (!isPlainObject(attr)) return plainAttributes(attr, path);
  return isWhole ? json(attr) : attr;
}

/** Token claims, converted: there are few tokens. */
export function convertClaims({ jwt, jwts }: AuxDataInput): {
  readonly jwt: Attributes;
  readonly jwts: NonNullable<AuxDataInput['jwts']>;
} {
  return {
    jwt: convertAttributes(jwt ?? {}, 'auxData.jwt', true),
    jwts: convertAttributes(jwts ?? {}, 'auxData.jwts', true),
  };
}

/** The attributes of a call. */
export interface Asked {
  readonly principal?: { readonly attr?: unknown };
  readonly resource?: { readonly attr?: unknown };
  readonly resources?: readonly { readonly resource: { readonly attr?: unknown } }[];
}

/** Names the field of a request in which a condition met a value that is not JSON, by converting them all. */
export function nameField({ principal, resource, resources = [] }: Asked): void {
  plainAttributes(principal?.attr, 'principal.attr');
  plainAttributes(resource?.attr, 'resource.attr');
  for (const [index, entry] of resources.entries())
    plainAttributes(entry.resource.attr, `resources[${index}].resource.attr`);
}
