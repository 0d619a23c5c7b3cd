import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as cel from '../../packages/cel/runtime/index.js';
import {
  bool,
  bytes,
  type CelType,
  cidr,
  double,
  duration,
  dyn,
  hierarchy,
  int,
  ip,
  json,
  listType,
  mapType,
  nullType,
  optionalType,
  string,
  timestamp,
  uint,
} from '../../packages/cel/library/types.js';
import { neverApplies, neverEqual } from './never-together.js';

const JSON_VALUES: readonly cel.Value[] = [
  null,
  true,
  false,
  0,
  1,
  1.5,
  '',
  'a',
  '10.0.0.1',
  '1h',
  [],
  ['a', 1],
  {},
  { a: 1 },
];

/** Values of each type: what the runtime makes of them is the truth. */
const SAMPLES: readonly (readonly [CelType, readonly cel.Value[]])[] = [
  [json, JSON_VALUES],
  [dyn, [...JSON_VALUES, 1n, new cel.Uint(1n), new cel.Timestamp(0, 0, 0), new cel.Duration(1n)]],
  [nullType, [null]],
  [bool, [true, false]],
  [int, [0n, 1n]],
  [uint, [new cel.Uint(0n), new cel.Uint(1n)]],
  [double, [0, 1, 1.5]],
  [string, ['', 'a', '10.0.0.1']],
  [bytes, [new Uint8Array(), new Uint8Array([97])]],
  [timestamp, [new cel.Timestamp(0, 0, 0)]],
  [duration, [new cel.Duration(0n), new cel.Duration(1n)]],
  [listType(dyn), [[], [1n], ['a']]],
  [mapType(string, dyn), [{}, { a: 1 }]],
  [optionalType(dyn), [new cel.Optional(undefined), new cel.Optional('a')]],
  [ip, [cel.toIp('10.0.0.1') as cel.Value]],
  [cidr, [cel.toCidr('10.0.0.0/8') as cel.Value]],
  [hierarchy, [cel.hierarchy('a') as cel.Value]],
];

const OPERATORS: readonly (readonly [string, (a: cel.Result, b: cel.Result) => cel.Result])[] = [
  ['_+_', cel.add],
  ['_-_', cel.subtract],
  ['_*_', cel.multiply],
  ['_/_', cel.divide],
  ['_%_', cel.modulo],
  ['_<_', cel.lessThan],
  ['_<=_', cel.atMost],
  ['_>_', cel.greaterThan],
  ['_>=_', cel.atLeast],
];

test('values of types reported as never equal are unequal at runtime, and those of one type may be equal', () => {
  for (const [a, left] of SAMPLES) {
    assert.not.ok(neverEqual(a, a), a.kind);
    for (const [b, right] of SAMPLES) {
      if (!neverEqual(a, b)) continue;
      for (const x of left) for (const y of right) assert.is.not(cel.equals(x, y), true, `${a.kind} == ${b.kind}`);
    }
  }
});

test('an operator reported as never applicable fails at runtime for every value', () => {
  for (const [operator, run] of OPERATORS) {
    for (const [a, left] of SAMPLES) {
      for (const [b, right] of SAMPLES) {
        if (!neverApplies(operator, [a, b])) continue;
        for (const x of left)
          for (const y of right) assert.ok(cel.isFailure(run(x, y)), `${a.kind} ${operator} ${b.kind}`);
      }
    }
  }
});

test('unknown types are not reported', () => {
  for (const [type] of SAMPLES) {
    assert.not.ok(neverEqual(dyn, type));
    if (type.kind !== 'optional') assert.not.ok(neverApplies('_<_', [dyn, json]));
  }
});

test('plain JSON is never equal to a time, bytes, an address, a hierarchy or an optional', () => {
  for (const type of [timestamp, duration, bytes, ip, cidr, hierarchy, optionalType(dyn)])
    assert.ok(neverEqual(json, type), type.kind);
  for (const type of [int, uint, double, string, bool, nullType, listType(dyn), mapType(string, dyn)])
    assert.not.ok(neverEqual(type, json), type.kind);
});

test.run();
