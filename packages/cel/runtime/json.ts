import { base64Text } from './base64.js';
import { compareCodePoints } from './code-points.js';
import { durationText } from './duration.js';
import { isMap, kindOf } from './kinds.js';
import { mapEntries, mapSize } from './maps.js';
import { charge, chargeList, MAX_DEPTH, tooDeep } from './meter.js';
import { messageField } from './message-types.js';
import { NONE_DEREFERENCED } from './optionals.js';
import { timestampText } from './timestamp.js';
import { typeNameOf } from './type-names.js';
import {
  CelError,
  Duration,
  type JsonMap,
  Message,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  type ValueMap,
} from './values.js';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; its keys are in code point order as far as JavaScript keeps an order. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A CEL value as a JSON value, or why it has none (docs/spec/conditions.md#output-conversion). */
export function toJson(value: Value): Json | CelError {
  return jsonWithin(MAX_DEPTH, value);
}

function jsonWithin(depth: number, value: Value): Json | CelError {
  switch (typeof value) {
    case 'string':
      // An output says it again in each answer.
      charge(value.length / 2);
      return value;
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : notFinite(value);
    case 'bigint':
      return integerJson(value);
    default:
      return value === null ? null : jsonOfObject(depth, value);
  }
}

function jsonOfObject(depth: number, value: Exclude<Value, null>): Json | CelError {
  charge(16);
  if (depth === 0) tooDeep();
  if (Array.isArray(value)) return jsonOfList(depth - 1, value);
  if (isMap(value)) return jsonOfMap(depth - 1, value);
  if (value instanceof Uint) return integerJson(value.value);
  if (value instanceof Uint8Array) return base64Text(value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Message) return jsonOfMessage(depth - 1, value);
  if (value instanceof Optional)
    return value.value === undefined ? NONE_DEREFERENCED : jsonWithin(depth - 1, value.value);
  if (value instanceof TypeValue) return new CelError("type conversion not supported for 'type'");
  return new CelError(OPAQUE_PROBLEMS.get(typeNameOf(value)) ?? "unsupported type conversion to '*structpb.Value'");
}

const OPAQUE_PROBLEMS: ReadonlyMap<string, string> = new Map(
  [
    ['authz.lib.hierarchy', 'hierarchy'],
    ['authz.lib.spiffeID', 'SPIFFEID'],
    ['authz.lib.spiffeTrustDomain', 'SPIFFETrustDomain'],
    ['authz.lib.spiffeMatcher', 'SPIFFEMatcher'],
  ].map(([typeName = '', name]): [string, string] => [
    typeName,
    `unsupported native conversion from ${name} to '*structpb.Value'`,
  ]),
);

function notFinite(value: number): CelError {
  const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  return new CelError(`proto: google.protobuf.Value.number_value: invalid ${name} value`);
}

// Beyond 2^53 - 1 a JSON number would not come back as the same integer in JavaScript.
function integerJson(value: bigint): Json {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

function jsonOfList(depth: number, list: readonly Value[]): Json | CelError {
  chargeList(list.length, 1);
  const elements: Json[] = [];
  for (const element of list) {
    const json = jsonWithin(depth, element);
    if (json instanceof CelError) return json;
    elements.push(json);
  }
  return elements;
}

function jsonOfMap(depth: number, map: JsonMap | ValueMap): Json | CelError {
  chargeList(4 * mapSize(map));
  const entries: [string, Json][] = [];
  for (const [key, value] of mapEntries(map)) {
    if (typeof key !== 'string') return noTextKey(key);
    const json = jsonWithin(depth, value);
    if (json instanceof CelError) return json;
    charge(40 + key.length);
    entries.push([key, json]);
  }
  return makeObject(entries);
}

function jsonOfMessage(depth: number, message: Message): Json | CelError {
  const entries: [string, Json][] = [];
  for (const [name, value] of Object.entries(message.fields)) {
    const json = jsonWithin(depth, value);
    if (json instanceof CelError) return json;
    entries.push([messageField(message, name)?.jsonName ?? name, json]);
  }
  return makeObject(entries);
}

function makeObject(entries: [string, Json][]): JsonObject {
  return Object.fromEntries(entries.sort(([a], [b]) => compareCodePoints(a, b)));
}

function noTextKey(key: Value): CelError {
  const kind = kindOf(key);
  if (kind === 'int' || kind === 'uint') return new CelError(`unsupported type conversion from '${kind}' to string`);
  if (kind === 'bool' || kind === 'list' || kind === 'map')
    return new CelError(`type conversion error from ${kind} to 'string'`);
  return new CelError(
    `type conversion error from ${kind === 'double' ? 'Double' : `'${typeNameOf(key)}'`} to 'string'`,
  );
}
