import { kindOf } from './kinds.js';
import { type Message, type Opaque, TypeValue, type Value } from './values.js';

/** The type name of a variables message: `type(V)` is `map` although the message has its own name. */
export const VARIABLES = 'authz.Variables';

/**
 * The runtime type name of a value, as `type(x)` and the class C texts print it
 * (docs/spec/conditions.md#error-classes).
 */
export function typeNameOf(value: Value): string {
  const kind = kindOf(value);
  switch (kind) {
    case 'null':
      return 'null_type';
    case 'timestamp':
      return 'google.protobuf.Timestamp';
    case 'duration':
      return 'google.protobuf.Duration';
    case 'optional':
      return 'optional_type';
    case 'message':
      return (value as Message).typeName === VARIABLES ? 'map' : (value as Message).typeName;
    case 'opaque':
      return (value as Opaque).typeName;
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'list':
    case 'map':
    case 'type':
      return kind;
  }
}

/** The name of a value's type with its parameters unbound, as `flatten` prints it: `list(dyn)`, `map(dyn, dyn)`. */
export function nameParameterisedType(value: Value): string {
  const name = typeNameOf(value);
  switch (name) {
    case 'list':
      return 'list(dyn)';
    case 'map':
      return 'map(dyn, dyn)';
    case 'optional_type':
      return 'optional_type(dyn)';
    case 'type':
      return 'type(dyn)';
    default:
      return name;
  }
}

/**
 * The name of a value's implementation type, which some texts carry (docs/spec/conditions.md#macros,
 * docs/spec/conditions.md#selection-and-indexing): `types.Double`, `*types.baseList`.
 */
export function implementationNameOf(value: Value): string {
  switch (kindOf(value)) {
    case 'null':
      return 'types.Null';
    case 'bool':
      return 'types.Bool';
    case 'int':
      return 'types.Int';
    case 'uint':
      return 'types.Uint';
    case 'double':
      return 'types.Double';
    case 'string':
      return 'types.String';
    case 'bytes':
      return 'types.Bytes';
    case 'list':
      return '*types.baseList';
    case 'map':
      return '*types.baseMap';
    case 'timestamp':
      return 'types.Timestamp';
    case 'duration':
      return 'types.Duration';
    case 'type':
      return '*types.Type';
    case 'optional':
      return '*types.Optional';
    case 'message':
      return '*types.protoObj';
    case 'opaque':
      return (value as Opaque).typeName;
  }
}

/** A type as a value: `int`, `net.IP` (docs/spec/conditions.md#variables-in-scope). */
export function typeValue(name: string): TypeValue {
  return new TypeValue(name);
}

/**
 * Whether operators on a value know its kind but none of its operands, so that a failure is class A: hierarchy and the
 * SPIFFE kinds (docs/spec/conditions.md#operands-of-wrong-types, the last row of the table).
 */
export function isEngineKind(value: Value): boolean {
  return kindOf(value) === 'opaque' && (value as Opaque).typeName.startsWith('authz.lib.');
}
