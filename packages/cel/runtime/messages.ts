import { durationOf, SECOND } from './duration.js';
import { refuse } from './failures.js';
import { isMap } from './kinds.js';
import { mapEntries } from './maps.js';
import { AUX_DATA, JWT, PRINCIPAL, REQUEST, RESOURCE, RUNTIME } from './message-types.js';
import { INTEGER_OVERFLOW, MAX_INT, MIN_INT, UNSIGNED_INTEGER_OVERFLOW } from './numbers.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { json } from './plain-json.js';
import { timestampAt } from './timestamp.js';
import { VARIABLES } from './type-names.js';
import { CelError, isFailure, type JsonMap, Message, type Result, Uint, type Value } from './values.js';

/** What the core reads of a principal; the shape of `runtime/policy`, which this folder may not import. */
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
  return new Message(PRINCIPAL, setFields({ id, roles, attr: json(attr), policy_version: policyVersion, scope }));
}

/** `R` as a whole. */
export function resourceMessage(resource: ResourceShape): Message {
  const { kind, id, attr, policyVersion, scope } = resource;
  return new Message(RESOURCE, setFields({ kind, id, attr: json(attr), policy_version: policyVersion, scope }));
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

/**
 * A message literal (docs/spec/conditions.md#messages-as-values). Those of the `google.protobuf` well-known types are
 * no messages to CEL: wrappers are their scalar, `Struct`, `Value` and `ListValue` JSON values, `Timestamp` and
 * `Duration` time values. Any other keeps its fields.
 *
 * @param typeName as the author wrote it, with its package, with or without a leading dot.
 * @param fields a map from field name to value, or the failure of one of them.
 */
export function messageOf(typeName: Result, fields: Result): Result {
  if (isFailure(fields)) return fields;
  if (typeof typeName !== 'string' || !isMap(fields)) return refuse('messageOf', typeName, fields);
  const name = typeName.replace(/^\./, '');
  const set = new Map(mapEntries(fields).map(([field, value]) => [String(field), value]));
  const build = BUILDERS.get(name);
  return build === undefined ? new Message(name, Object.fromEntries(set)) : build(set);
}

type Fields = ReadonlyMap<string, Value>;

const BUILDERS: ReadonlyMap<string, (fields: Fields) => Result> = new Map<string, (fields: Fields) => Result>([
  ['google.protobuf.BoolValue', scalar(false)],
  ['google.protobuf.StringValue', scalar('')],
  ['google.protobuf.BytesValue', scalar(new Uint8Array())],
  ['google.protobuf.DoubleValue', scalar(0)],
  ['google.protobuf.FloatValue', float],
  ['google.protobuf.Int32Value', integer(-(2n ** 31n), 2n ** 31n - 1n)],
  ['google.protobuf.Int64Value', integer(MIN_INT, MAX_INT)],
  ['google.protobuf.UInt32Value', unsigned],
  ['google.protobuf.UInt64Value', scalar(new Uint(0n))],
  ['google.protobuf.Struct', (fields) => fields.get('fields') ?? {}],
  ['google.protobuf.ListValue', (fields) => fields.get('values') ?? []],
  ['google.protobuf.Value', (fields) => [...fields.values()].at(-1) ?? null],
  ['google.protobuf.Timestamp', timestamp],
  ['google.protobuf.Duration', (fields) => durationOf(part(fields, 'seconds') * SECOND + part(fields, 'nanos'))],
]);

function scalar(empty: Value): (fields: Fields) => Result {
  return (fields) => fields.get('value') ?? empty;
}

function float(fields: Fields): Result {
  const value = fields.get('value') ?? 0;
  return typeof value === 'number' ? Math.fround(value) : describeNoSuchOverload('google.protobuf.FloatValue');
}

function integer(least: bigint, greatest: bigint): (fields: Fields) => Result {
  return (fields) => {
    const value = part(fields, 'value');
    return value >= least && value <= greatest ? value : INTEGER_OVERFLOW;
  };
}

function unsigned(fields: Fields): Result {
  const value = fields.get('value') ?? new Uint(0n);
  return value instanceof Uint && value.value < 2n ** 32n ? value : UNSIGNED_INTEGER_OVERFLOW;
}

// Nanoseconds outside a second carry over, as they do in the reference.
function timestamp(fields: Fields): Result {
  const nanos = part(fields, 'nanos');
  const rest = ((nanos % SECOND) + SECOND) % SECOND;
  return timestampAt(part(fields, 'seconds') + (nanos - rest) / SECOND, Number(rest), 0);
}

function part(fields: Fields, name: string): bigint {
  const value = fields.get(name);
  return typeof value === 'bigint' ? value : 0n;
}
