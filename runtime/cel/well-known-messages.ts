import { durationOf, SECOND } from './duration.js';
import { refuse } from './failures.js';
import { isMap } from './kinds.js';
import { mapEntries } from './maps.js';
import { INTEGER_OVERFLOW, MAX_INT, MIN_INT, UNSIGNED_INTEGER_OVERFLOW } from './numbers.js';
import { noSuchOverloadOf } from './overload-errors.js';
import { timestampAt } from './timestamp.js';
import { isFailure, Message, type Result, Uint, type Value } from './values.js';

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
  return typeof value === 'number' ? Math.fround(value) : noSuchOverloadOf('google.protobuf.FloatValue');
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
