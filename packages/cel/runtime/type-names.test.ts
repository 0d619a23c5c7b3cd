import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isJsonMap, isMap, type Kind, kindOf } from './kinds.js';
import { mapOf } from './maps.js';
import { implementationNameOf, isEngineKind, nameParameterisedType, typeNameOf, VARIABLES } from './type-names.js';
import { CelError, Duration, Message, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from './values.js';

class Named extends Opaque {
  constructor(readonly typeName: string) {
    super();
  }
}

const ROWS: readonly (readonly [Value, Kind, typeName: string, implementation: string])[] = [
  [null, 'null', 'null_type', 'types.Null'],
  [true, 'bool', 'bool', 'types.Bool'],
  [1n, 'int', 'int', 'types.Int'],
  [new Uint(1n), 'uint', 'uint', 'types.Uint'],
  [1, 'double', 'double', 'types.Double'],
  ['a', 'string', 'string', 'types.String'],
  [Uint8Array.of(1), 'bytes', 'bytes', 'types.Bytes'],
  [[1], 'list', 'list', '*types.baseList'],
  [{}, 'map', 'map', '*types.baseMap'],
  [Object.create(null), 'map', 'map', '*types.baseMap'],
  [mapOf([]) as Value, 'map', 'map', '*types.baseMap'],
  [new Timestamp(0, 0, 0), 'timestamp', 'google.protobuf.Timestamp', 'types.Timestamp'],
  [new Duration(0n), 'duration', 'google.protobuf.Duration', 'types.Duration'],
  [new TypeValue('int'), 'type', 'type', '*types.Type'],
  [new Optional(1), 'optional', 'optional_type', '*types.Optional'],
  [new Message('authz.engine.v1.Runtime', {}), 'message', 'authz.engine.v1.Runtime', '*types.protoObj'],
  [new Named('net.IP'), 'opaque', 'net.IP', 'net.IP'],
];

test('each type has its runtime type name and its implementation name', () => {
  for (const [value, kind, typeName, implementation] of ROWS) {
    assert.is(kindOf(value), kind);
    assert.is(typeNameOf(value), typeName);
    assert.is(implementationNameOf(value), implementation);
  }
});

test('type(V) is map', () => {
  assert.is(typeNameOf(new Message(VARIABLES, {})), 'map');
});

test('flatten prints parameters', () => {
  assert.equal([[], {}, 'a', 1n].map(nameParameterisedType), ['list(dyn)', 'map(dyn, dyn)', 'string', 'int']);
});

test('hierarchies and SPIFFE values are types of the engine, addresses are not', () => {
  assert.is(isEngineKind(new Named('authz.lib.spiffeID')), true);
  assert.is(isEngineKind(new Named('net.CIDR')), false);
  assert.is(isEngineKind('authz.lib.hierarchy'), false);
});

test('only plain objects are JSON maps, whatever their prototype', () => {
  class Foreign {}
  for (const map of [{}, Object.create(null), JSON.parse('{"__proto__": {}}'), new Foreign() as unknown as Value])
    assert.is(isJsonMap(map), true);
  for (const value of [null, undefined, [], new CelError('x'), new Uint(1n), new Optional(1), mapOf([]), 'a'])
    assert.is(isJsonMap(value), false);
  assert.is(isMap(mapOf([])), true);
  assert.is(isMap(new CelError('x')), false);
});

test.run();
