import type { MessageKind, Reference } from '../ast/checked-expression.js';
import type { CelFunction } from '../library/function.js';
import { functions } from '../library/functions.js';
import {
  bool,
  bytes,
  type CelType,
  cidr,
  double,
  duration,
  dyn,
  int,
  ip,
  json,
  listType,
  mapType,
  message,
  nullType,
  opaque,
  optionalType,
  printType,
  string,
  timestamp,
  typeType,
  uint,
} from '../library/types.js';
import { wrapScalar } from './type-algebra.js';

/** The names that an expression can use (docs/spec/conditions.md#variables-in-scope). */
export interface Environment {
  /** Identifiers and dotted names: variables, type values, enum constants. */
  readonly names: ReadonlyMap<string, Name>;
  /** Messages by type name. */
  readonly messages: ReadonlyMap<string, MessageType>;
  readonly functions: ReadonlyMap<string, readonly CelFunction[]>;
}

export interface Name {
  readonly type: CelType;
  readonly reference: Reference | undefined;
}

/** A message type: its fields, or the single type of every field (`V`, `C`, `G`). */
export interface MessageType {
  /** Absent for messages that cannot be referenced. */
  readonly kind: MessageKind | undefined;
  /**
   * The type that a message literal with this name creates, and therefore the type that the name denotes as a value.
   */
  readonly makes: CelType;
  readonly fields: ReadonlyMap<string, Field>;
  readonly anyField: CelType | undefined;
}

export interface Field {
  /** The canonical name, which an alias refers to. */
  readonly name: string;
  readonly type: CelType;
}

const request = message('authz.engine.v1.Request');
const principal = message('authz.engine.v1.Request.Principal');
const resource = message('authz.engine.v1.Request.Resource');
const auxData = message('authz.engine.v1.AuxData');
const jwt = message('authz.engine.v1.AuxData.JWT');
const runtime = message('authz.engine.v1.Runtime');
const variables = message('authz.Variables');

const attributes = mapType(string, json);

const engineMessages: readonly (readonly [
  makes: CelType,
  kind: MessageKind,
  fields: Readonly<Record<string, CelType>>,
])[] = [
  [request, 'request', { principal, resource, auxData, aux_data: auxData }],
  [
    principal,
    'principal',
    {
      id: string,
      roles: listType(string),
      attr: attributes,
      policyVersion: string,
      policy_version: string,
      scope: string,
    },
  ],
  [
    resource,
    'resource',
    { kind: string, id: string, attr: attributes, policyVersion: string, policy_version: string, scope: string },
  ],
  [auxData, 'aux-data', { jwt: attributes, jwts: mapType(string, jwt) }],
  [jwt, 'jwt', { claims: attributes }],
  [runtime, 'runtime', { effectiveDerivedRoles: listType(string), effective_derived_roles: listType(string) }],
];

const values = listType(dyn);
const struct = mapType(string, dyn);

// By the name of the wrapper message.
const scalars: Readonly<Record<string, CelType>> = {
  BoolValue: bool,
  BytesValue: bytes,
  DoubleValue: double,
  FloatValue: double,
  Int32Value: int,
  Int64Value: int,
  StringValue: string,
  UInt32Value: uint,
  UInt64Value: uint,
};

const wellKnownMessages: readonly (readonly [
  name: string,
  makes: CelType,
  fields: Readonly<Record<string, CelType>>,
])[] = [
  ['Any', dyn, { type_url: string, value: bytes }],
  ['Duration', duration, { seconds: int, nanos: int }],
  ['Empty', message('google.protobuf.Empty'), {}],
  ['FieldMask', message('google.protobuf.FieldMask'), { paths: listType(string) }],
  ['ListValue', values, { values }],
  ['Struct', struct, { fields: struct }],
  ['Timestamp', timestamp, { seconds: int, nanos: int }],
  [
    'Value',
    dyn,
    {
      null_value: int,
      number_value: double,
      string_value: string,
      bool_value: bool,
      struct_value: struct,
      list_value: values,
    },
  ],
  ...Object.entries(scalars).map(([name, value]) => [name, wrapScalar(value), { value }] as const),
];

const types: readonly (readonly [name: string, type: CelType])[] = [
  ['bool', bool],
  ['bytes', bytes],
  ['double', double],
  ['int', int],
  ['uint', uint],
  ['string', string],
  ['list', listType(dyn)],
  ['map', mapType(dyn, dyn)],
  ['null_type', nullType],
  ['type', opaque('type')],
  ['optional_type', optionalType(dyn)],
  ['net.IP', ip],
  ['net.CIDR', cidr],
];

/** The environment of all expressions in policies. */
export const policyEnvironment: Environment = {
  names: declaredNames(),
  messages: declaredMessages(),
  functions: byName(functions),
};

function declaredNames(): ReadonlyMap<string, Name> {
  const names = new Map<string, Name>();
  const declare = (name: string, type: CelType, reference: Reference): Map<string, Name> =>
    names.set(name, { type, reference });
  declare('request', request, { kind: 'request' });
  declare('P', principal, { kind: 'principal' });
  declare('R', resource, { kind: 'resource' });
  declare('runtime', runtime, { kind: 'runtime' });
  for (const name of ['V', 'variables']) declare(name, variables, { kind: 'variables' });
  for (const name of ['C', 'constants']) declare(name, variables, { kind: 'constants' });
  for (const name of ['G', 'globals']) declare(name, variables, { kind: 'globals' });
  for (const [name, type] of types) declare(name, typeType(type), { kind: 'type', name });
  for (const [name, declared] of declaredMessages()) {
    if (declared.anyField === undefined) declare(name, typeType(declared.makes), { kind: 'type', name });
  }
  declare('google.protobuf.NullValue.NULL_VALUE', int, { kind: 'enum', value: 0n });
  return names;
}

function declaredMessages(): ReadonlyMap<string, MessageType> {
  const messages = new Map<string, MessageType>();
  for (const [makes, kind, fields] of engineMessages) {
    messages.set(printType(makes), { kind, makes, fields: createFields(fields), anyField: undefined });
  }
  for (const [name, makes, fields] of wellKnownMessages) {
    messages.set(`google.protobuf.${name}`, {
      kind: undefined,
      makes,
      fields: createFields(fields),
      anyField: undefined,
    });
  }
  messages.set(printType(variables), { kind: undefined, makes: variables, fields: new Map(), anyField: dyn });
  return messages;
}

// A snake_case field is an alias if its camelCase twin is declared too; otherwise it is the proto name of a field of a
// well-known type.
function createFields(fields: Readonly<Record<string, CelType>>): ReadonlyMap<string, Field> {
  const result = new Map<string, Field>();
  for (const [name, type] of Object.entries(fields)) {
    const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    result.set(name, { name: Object.hasOwn(fields, camel) ? camel : name, type });
  }
  return result;
}

function byName(rows: readonly CelFunction[]): ReadonlyMap<string, readonly CelFunction[]> {
  const result = new Map<string, CelFunction[]>();
  for (const row of rows) {
    const same = result.get(row.name);
    if (same === undefined) result.set(row.name, [row]);
    else same.push(row);
  }
  return result;
}
