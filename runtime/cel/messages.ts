import { AUX_DATA, JWT, PRINCIPAL, REQUEST, RESOURCE, RUNTIME } from './message-types.js';
import { VARIABLES } from './type-names.js';
import { CelError, isFailure, type JsonMap, Message, type Result, type Value } from './values.js';

/** What the core reads of a principal; the shape of `#runtime/policy`, which this folder may not import. */
interface PrincipalShape {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: JsonMap;
  readonly policyVersion: string;
  readonly scope: string;
}

interface ResourceShape {
  readonly kind: string;
  readonly id: string;
  readonly attr: JsonMap;
  readonly policyVersion: string;
  readonly scope: string;
}

interface AuxDataShape {
  readonly jwt: JsonMap;
  readonly jwts: { readonly [name: string]: { readonly claims: JsonMap } };
}

interface RequestShape {
  readonly principal: PrincipalShape;
  readonly resource: ResourceShape;
  readonly auxData: AuxDataShape;
}

interface RuntimeShape {
  readonly effectiveDerivedRoles: readonly string[];
  readonly failedDerivedRoles: readonly string[];
}

/**
 * `request` as a whole (docs/spec/conditions.md#field-access): a principal and a resource always, token claims when
 * there are any.
 */
export function requestMessage(request: RequestShape): Message {
  const auxData = auxDataMessage(request.auxData);
  return new Message(REQUEST, {
    principal: principalMessage(request.principal),
    resource: resourceMessage(request.resource),
    ...(Object.keys(auxData.fields).length > 0 && { aux_data: auxData }),
  });
}

/** `P` as a whole. */
export function principalMessage(principal: PrincipalShape): Message {
  const { id, roles, attr, policyVersion, scope } = principal;
  return new Message(PRINCIPAL, setFields({ id, roles, attr, policy_version: policyVersion, scope }));
}

/** `R` as a whole. */
export function resourceMessage(resource: ResourceShape): Message {
  const { kind, id, attr, policyVersion, scope } = resource;
  return new Message(RESOURCE, setFields({ kind, id, attr, policy_version: policyVersion, scope }));
}

/** `request.aux_data` as a whole. */
export function auxDataMessage(auxData: AuxDataShape): Message {
  return new Message(AUX_DATA, setFields({ jwt: auxData.jwt, jwts: jwtMessages(auxData) }));
}

/** `request.auxData.jwts`: a map of messages, by the name of the token. */
export function jwtMessages({ jwts }: AuxDataShape): { readonly [name: string]: Message } {
  return Object.fromEntries(
    Object.entries(jwts).map(([name, { claims }]) => [name, new Message(JWT, setFields({ claims }))]),
  );
}

/** `runtime` as a whole; it fails where reading its derived roles does. */
export function runtimeMessage(request: RuntimeShape): Result {
  const roles = effectiveDerivedRoles(request);
  return isFailure(roles) ? roles : new Message(RUNTIME, { effective_derived_roles: roles });
}

/**
 * `runtime.effectiveDerivedRoles` (docs/spec/conditions.md#derived-roles-in-conditions): under strict evaluation it
 * fails when a derived role's condition did.
 */
export function effectiveDerivedRoles(request: RuntimeShape): Result {
  if (request.failedDerivedRoles.length === 0) return request.effectiveDerivedRoles;
  return new CelError(`failed to compute effective derived roles [${request.failedDerivedRoles.join(', ')}]`);
}

/** `V`, `C` or `G` as a whole (docs/spec/conditions.md#policy-variables): what failed is not in it. */
export function variablesMessage(fields: { readonly [name: string]: Result }): Message {
  const set = Object.entries(fields).filter((entry): entry is [string, Value] => !isFailure(entry[1]));
  return new Message(VARIABLES, Object.fromEntries(set));
}

// A field that holds its empty value is unset (docs/spec/conditions.md#has-on-request-fields), so two messages are
// equal when what is set of them is.
function setFields(fields: { readonly [name: string]: Value }): { readonly [name: string]: Value } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: Value): boolean {
  if (typeof value === 'string' || Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
