import { INTEGER_OVERFLOW, MAX_INT, MIN_INT } from './numbers.js';
import { durationOf } from './duration.js';
import { noSuchOverloadOf } from './overload-errors.js';
import { timestampAt } from './timestamp.js';
import { CelError, isFailure, Optional, type Result, Uint, type Value } from './values.js';

/**
 * A message literal of a `google.protobuf` well-known type (conditions.md 3.14), which is no message to CEL: wrappers are their
 * scalar, `Struct`, `Value` and `ListValue` JSON values, `Timestamp` and `Duration` time values.
 *
 * @param typeName as the author wrote it, with its package.
 * @param fields in source order; an optional one is left out when its value is none.
 */
export function wellKnownMessage(typeName: string, fields: readonly (readonly [optional: boolean, name: string, Result])[]): Result {
  const set = new Map<string, Value>();
  for (const [optional, name, value] of fields) {
    if (isFailure(value)) return value;
    if (!optional) set.set(name, value);
    else if (!(value instanceof Optional)) return notOptional(name);
    else if (value.value !== undefined) set.set(name, value.value);
  }
  const build = BUILDERS.get(typeName);
  return build === undefined ? new CelError(`unknown type '${typeName}'`) : build(set);
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
  ['google.protobuf.Timestamp', (fields) => timestampAt(part(fields, 'seconds'), Number(part(fields, 'nanos')), 0)],
  ['google.protobuf.Duration', (fields) => durationOf(part(fields, 'seconds') * 1_000_000_000n + part(fields, 'nanos'))],
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
  return value instanceof Uint && value.value < 2n ** 32n ? value : new CelError('unsigned integer overflow');
}

function part(fields: Fields, name: string): bigint {
  const value = fields.get(name);
  return typeof value === 'bigint' ? value : 0n;
}

function notOptional(name: string): CelError {
  return new CelError(`cannot initialize optional entry '${name}' from non-optional value`);
}
