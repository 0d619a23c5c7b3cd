import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CelError, Duration, Optional, type Result, Timestamp, Uint } from './values.js';
import { wellKnownMessage } from './well-known-messages.js';

const made = (name: string, fields: readonly (readonly [string, Result])[] = []) =>
  wellKnownMessage(`google.protobuf.${name}`, fields.map(([field, value]) => [false, field, value]));

test('wrappers unwrap to their scalar, empty ones to its zero', () => {
  assert.is(made('Int32Value', [['value', 5n]]), 5n);
  assert.is(made('StringValue', [['value', 'a']]), 'a');
  assert.is(made('Int64Value'), 0n);
  assert.equal(made('UInt64Value'), new Uint(0n));
  assert.equal(made('Int32Value', [['value', 2n ** 31n]]), new CelError('integer overflow'));
});

test('Struct, Value and ListValue are JSON values', () => {
  assert.equal(made('Struct'), {});
  assert.equal(made('ListValue', [['values', [1]]]), [1]);
  assert.is(made('Value', [['number_value', 1]]), 1);
  assert.is(made('Value'), null);
});

test('Timestamp and Duration are time values', () => {
  assert.equal(made('Timestamp', [['seconds', 1n]]), new Timestamp(1, 0, 0));
  assert.equal(made('Duration', [['seconds', 1n], ['nanos', 5n]]), new Duration(1_000_000_005n));
});

test('a field that failed is the result; an optional one may be none', () => {
  const failure = new CelError('x');
  assert.is(made('Int64Value', [['value', failure]]), failure);
  assert.is(wellKnownMessage('google.protobuf.Int64Value', [[true, 'value', new Optional(undefined)]]), 0n);
});

test.run();
