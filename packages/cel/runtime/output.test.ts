import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EvaluationLimitError, MAX_DEPTH } from './meter.js';
import { mapOf } from './maps.js';
import { principalMessage, variablesMessage } from './messages.js';
import { stored, toOutput } from './output.js';
import { CelError, Duration, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from './values.js';

class Kind extends Opaque {
  constructor(readonly typeName: string) {
    super();
  }
  override stored(): Value {
    return ['a', 'b'];
  }
}

const NESTED = (levels: number): Value => (levels === 0 ? 1n : [NESTED(levels - 1)]);
const readError = (value: Value) => (toOutput(value) as { readonly error: string }).error;

test('integers are numbers within 2^53 - 1, otherwise decimal strings, at any depth', () => {
  assert.equal(toOutput([9007199254740991n, 9007199254740992n]), { val: [9007199254740991, '9007199254740992'] });
  assert.equal(toOutput({ a: new Uint(2n ** 64n - 1n) }), { val: { a: '18446744073709551615' } });
});

test('bytes are base64, times are strings, optionals are their values', () => {
  const map = mapOf([
    ['a', new Timestamp(0, 0, 0)],
    ['b', new Duration(1_000_000_000n)],
    ['c', Uint8Array.of(120)],
    ['d', new Optional(1)],
  ]);
  assert.equal(toOutput(map), { val: { a: '1970-01-01T00:00:00Z', b: '1s', c: 'eA==', d: 1 } });
  assert.is(readError(new Optional(undefined)), 'optional.none() dereference');
});

test('NaN and infinities have no JSON form, at any depth', () => {
  assert.is(readError([Number.NaN]), 'proto: google.protobuf.Value.number_value: invalid NaN value');
  assert.is(
    readError({ a: Number.NEGATIVE_INFINITY }),
    'proto: google.protobuf.Value.number_value: invalid -Inf value',
  );
});

test('only string keys are kept', () => {
  const rows: readonly (readonly [Value, string])[] = [
    [1n, "unsupported type conversion from 'int' to string"],
    [new Uint(1n), "unsupported type conversion from 'uint' to string"],
    [true, "type conversion error from bool to 'string'"],
    [1.5, "type conversion error from Double to 'string'"],
    [null, "type conversion error from 'null_type' to 'string'"],
    [[1], "type conversion error from list to 'string'"],
  ];
  for (const [key, error] of rows) assert.is(readError(mapOf([[key, 1]]) as Value), error);
});

test('types and opaque values have no JSON form', () => {
  assert.is(readError(new TypeValue('int')), "type conversion not supported for 'type'");
  assert.is(readError(new Kind('net.CIDR')), "unsupported type conversion to '*structpb.Value'");
  assert.is(
    readError(new Kind('authz.lib.hierarchy')),
    "unsupported native conversion from hierarchy to '*structpb.Value'",
  );
  assert.is(
    readError(new Kind('authz.lib.spiffeTrustDomain')),
    "unsupported native conversion from SPIFFETrustDomain to '*structpb.Value'",
  );
});

test('a message is an object in lowerCamel names without empty fields', () => {
  const P = principalMessage({ id: 'alice', roles: ['user'], attr: {}, policyVersion: '2', scope: '' });
  assert.equal(toOutput(P), { val: { id: 'alice', policyVersion: '2', roles: ['user'] } });
  assert.equal(toOutput(variablesMessage({ snake_case: 1, bad: undefined })), { val: { snake_case: 1 } });
});

test('a key named __proto__ is an ordinary key', () => {
  assert.is(JSON.stringify(toOutput(mapOf([['__proto__', 1]]))), '{"val":{"__proto__":1}}');
});

test('a failed output has the plain message', () => {
  assert.equal(toOutput(new CelError('no such key: a')), { error: 'no such key: a' });
  assert.type(readError(undefined as unknown as Value), 'string');
  assert.throws(
    () => readError(NESTED(MAX_DEPTH + 1)),
    (error: unknown) => error instanceof EvaluationLimitError,
  );
});

test('a variable is unwrapped at the top level, not inside lists', () => {
  assert.equal(stored(new Kind('authz.lib.hierarchy')), ['a', 'b']);
  assert.is(stored(new TypeValue('int')), 'int');
  assert.is(stored(new Optional(new Optional(1n))), 1n);
  assert.is(stored(new Optional(undefined)), null);
  assert.equal(stored([new Optional(1n)]), [new Optional(1n)]);
  assert.equal(stored(variablesMessage({ a: 1 })), { a: 1 });
  const failure = new CelError('x');
  assert.is(stored(failure), failure);
});

test.run();
