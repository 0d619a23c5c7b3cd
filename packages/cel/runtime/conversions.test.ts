import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { size, toBool, toBytes, toDouble, toInt, toText, toUint, typeOf } from './conversions.js';
import { mapOf } from './maps.js';
import { type CelError, Duration, Opaque, Optional, type Result, Timestamp, TypeValue, Uint } from './values.js';

class Address extends Opaque {
  readonly typeName = 'net.IP';
  override toText(): string {
    return '::1';
  }
}

class Levels extends Opaque {
  readonly typeName = 'authz.lib.hierarchy';
  override size(): bigint {
    return 3n;
  }
}

class Spiffe extends Opaque {
  readonly typeName = 'authz.lib.spiffeID';
}

const text = (result: Result) => (result as CelError).message;

test('size counts code points, bytes, elements, entries, levels', () => {
  assert.is(size('😀a😀'), 3n);
  assert.is(size(Uint8Array.of(1, 2)), 2n);
  assert.is(size([1]), 1n);
  assert.is(size({ a: 1 }), 1n);
  assert.is(
    size(
      mapOf([
        [1n, 1],
        [new Uint(1n), 1],
      ]),
    ),
    2n,
  );
  assert.is(size(new Levels()), 3n);
});

test('the error of size names the type, except for times and SPIFFE values', () => {
  for (const x of [true, 1n, new Uint(1n), 5, null, new TypeValue('int'), new Optional(1), new Address()])
    assert.is(text(size(x)), 'no such overload: size');
  for (const x of [new Duration(0n), new Timestamp(0, 0, 0), new Spiffe()])
    assert.is(text(size(x)), 'no such overload');
});

test('int truncates doubles and parses decimal strings', () => {
  assert.is(toInt(-1.9), -1n);
  assert.is(toInt('+5'), 5n);
  assert.is(toInt('-9223372036854775808'), -(2n ** 63n));
  assert.is(toInt('0'.repeat(50)), 0n);
  assert.is(toInt(new Duration(5n)), 5n);
  assert.is(toInt(new Timestamp(-2, 500, 0)), -2n);
  for (const x of ['5.0', ' 5', '', '1_000', '0x1', '９', '9223372036854775808', '9'.repeat(100_000)])
    assert.is(text(toInt(x)), "type conversion error from 'string' to 'int'");
  for (const x of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 63, -(2 ** 63), new Uint(2n ** 63n)])
    assert.is(text(toInt(x)), 'integer overflow');
  assert.is(text(toInt(null)), 'no such overload: int(null_type)');
});

test('uint rejects negative numbers, including -0.5', () => {
  assert.equal(toUint(5.9), new Uint(5n));
  assert.equal(toUint(-0), new Uint(0n));
  assert.equal(toUint('18446744073709551615'), new Uint(2n ** 64n - 1n));
  for (const x of [-1n, -0.5, 2 ** 64, Number.NaN]) assert.is(text(toUint(x)), 'unsigned integer overflow');
  for (const x of ['-5', '+5', '']) assert.is(text(toUint(x)), "type conversion error from 'string' to 'uint'");
});

test('double parses strings or fails as a conversion', () => {
  assert.is(toDouble('1.5'), 1.5);
  assert.is(toDouble(new Uint(3n)), 3);
  assert.is(text(toDouble('1e400')), "type conversion error from 'string' to 'double'");
  assert.is(text(toDouble(true)), 'no such overload: double(bool)');
});

test('string accepts numbers, bools, UTF-8 bytes and addresses, and no other types', () => {
  assert.is(toText(1234567), '1.234567e+06');
  assert.is(toText(5n), '5');
  assert.is(toText(true), 'true');
  assert.is(toText(Uint8Array.of(0xc3, 0xa9)), 'é');
  assert.is(toText(new Address()), '::1');
  assert.is(text(toText(Uint8Array.of(0xff))), 'invalid UTF-8 in bytes, cannot convert to string');
  assert.is(text(toText([1])), 'no such overload: string(list)');
  assert.is(text(toText(new Levels())), 'no such overload: string(authz.lib.hierarchy)');
});

test('bool accepts six words for each value', () => {
  for (const word of ['1', 't', 'T', 'true', 'TRUE', 'True']) assert.is(toBool(word), true);
  for (const word of ['0', 'f', 'F', 'false', 'FALSE', 'False']) assert.is(toBool(word), false);
  assert.is(text(toBool('yes')), "type conversion error from 'string' to 'bool'");
  assert.is(text(toBool(5)), 'no such overload: bool(double)');
});

test('bytes is the UTF-8 of a string', () => {
  assert.equal(toBytes('é'), Uint8Array.of(0xc3, 0xa9));
  assert.is(text(toBytes(5)), 'no such overload: bytes(double)');
});

test('type returns the runtime type', () => {
  assert.equal(typeOf(5), new TypeValue('double'));
  assert.equal(typeOf(null), new TypeValue('null_type'));
  assert.equal(typeOf(new TypeValue('int')), new TypeValue('type'));
});

test.run();
