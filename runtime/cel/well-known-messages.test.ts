import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapOf } from './maps.js';
import { CelError, Duration, Message, type Result, Timestamp, Uint } from './values.js';
import { messageOf } from './well-known-messages.js';

const made = (name: string, fields: readonly (readonly [string, Result])[] = []) =>
  messageOf(`google.protobuf.${name}`, mapOf(fields));

test('wrappers are their scalar, and empty ones its zero', () => {
  assert.is(made('Int32Value', [['value', 5n]]), 5n);
  assert.is(made('StringValue', [['value', 'a']]), 'a');
  assert.is(made('Int64Value'), 0n);
  assert.equal(made('UInt64Value'), new Uint(0n));
  assert.equal(made('Int32Value', [['value', 2n ** 31n]]), new CelError('integer overflow'));
});

test('a 32-bit wrapper has the range of its type', () => {
  assert.is(made('Int32Value', [['value', 2n ** 31n - 1n]]), 2n ** 31n - 1n);
  assert.is(made('Int32Value', [['value', -(2n ** 31n)]]), -(2n ** 31n));
  assert.equal(made('Int32Value', [['value', -(2n ** 31n) - 1n]]), new CelError('integer overflow'));
  assert.equal(made('UInt32Value', [['value', new Uint(2n ** 32n - 1n)]]), new Uint(2n ** 32n - 1n));
  assert.equal(made('UInt32Value', [['value', new Uint(2n ** 32n)]]), new CelError('unsigned integer overflow'));
  assert.is(made('FloatValue', [['value', 0.1]]), Math.fround(0.1));
});

test('Struct, Value and ListValue are JSON values', () => {
  assert.equal(made('Struct'), {});
  assert.equal(made('ListValue', [['values', [1]]]), [1]);
  assert.is(made('Value', [['number_value', 1]]), 1);
  assert.is(made('Value'), null);
});

test('Timestamp and Duration are time values', () => {
  assert.equal(made('Timestamp', [['seconds', 1n]]), new Timestamp(1, 0, 0));
  assert.equal(
    made('Duration', [
      ['seconds', 1n],
      ['nanos', 5n],
    ]),
    new Duration(1_000_000_005n),
  );
});

test('a failed field is the result', () => {
  const failure = new CelError('x');
  assert.is(made('Int64Value', [['value', failure]]), failure);
});

test('any other message keeps its fields; its name may begin with a dot', () => {
  assert.equal(
    messageOf('.authz.engine.v1.AuxData.JWT', { claims: { a: 1 } }),
    new Message('authz.engine.v1.AuxData.JWT', { claims: { a: 1 } }),
  );
  assert.instance(made('constructor'), Message);
});

test.run();
