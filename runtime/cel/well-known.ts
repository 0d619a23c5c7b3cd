import { isMap } from './kinds.js';
import { mapEntries } from './maps.js';
import { select } from './selection.js';
import { CelError, Duration, isFailure, Message, type Result, Timestamp, Uint, type Value } from './values.js';

/**
 * A message literal of a well-known type (conditions.md 3.14): wrappers are their scalars, `Struct`, `Value` and `ListValue` the JSON
 * they stand for, `Timestamp` and `Duration` the time values. Any other message keeps its fields.
 *
 * @param typeName with or without a leading dot.
 * @param fields a map from field name to value, or the failure of one of them.
 */
export function messageOf(typeName: Result, fields: Result): Result {
  if (isFailure(fields)) return fields;
  if (isFailure(typeName)) return typeName;
  const name = String(typeName).replace(/^\./, '');
  const of = (field: string, absent: Value): Value => {
    const value = select(fields, field);
    return isFailure(value) ? absent : value;
  };
  const make = WELL_KNOWN[name.replace('google.protobuf.', '')];
  return name.startsWith('google.protobuf.') && make !== undefined ? make(of) : new Message(name, fieldsOf(fields));
}

type Field = (name: string, absent: Value) => Value;

/** How each well-known type is made of its fields. */
const WELL_KNOWN: { readonly [name: string]: (field: Field) => Result } = {
  BoolValue: (field) => field('value', false),
  BytesValue: (field) => field('value', new Uint8Array()),
  DoubleValue: (field) => field('value', 0),
  FloatValue: (field) => field('value', 0),
  Int32Value: (field) => field('value', 0n),
  Int64Value: (field) => field('value', 0n),
  StringValue: (field) => field('value', ''),
  UInt32Value: (field) => field('value', new Uint(0n)),
  UInt64Value: (field) => field('value', new Uint(0n)),
  Duration: (field) => duration(field('seconds', 0n), field('nanos', 0n)),
  Timestamp: (field) => timestamp(field('seconds', 0n), field('nanos', 0n)),
  ListValue: (field) => field('values', []),
  Struct: (field) => field('fields', {}),
  Value: (field) => VALUE_FIELDS.map((name) => field(name, null)).find((value) => value !== null) ?? null,
};

const VALUE_FIELDS = ['number_value', 'string_value', 'bool_value', 'struct_value', 'list_value'];

function duration(seconds: Value, nanos: Value): Result {
  if (typeof seconds !== 'bigint' || typeof nanos !== 'bigint') return new CelError('no such overload');
  return new Duration(seconds * 1_000_000_000n + nanos);
}

function timestamp(seconds: Value, nanos: Value): Result {
  if (typeof seconds !== 'bigint' || typeof nanos !== 'bigint') return new CelError('no such overload');
  return new Timestamp(Number(seconds), Number(nanos), 0);
}

function fieldsOf(fields: Value): { readonly [name: string]: Value } {
  return isMap(fields) ? Object.fromEntries(mapEntries(fields)) : {};
}
