import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { base64Decode, base64Encode, jsonEncode } from './encoders.js';
import { mapOf } from './maps.js';
import { type CelError, type Result, Uint } from './values.js';

const text = (result: Result) => (result as CelError).message;

test('base64 is the standard alphabet, padded', () => {
  for (const bytes of ['', 'f', 'fo', 'foo', 'foob', '\xff\xfe~']) {
    const buffer = Buffer.from(bytes, 'latin1');
    assert.is(base64Encode(Uint8Array.from(buffer)), buffer.toString('base64'));
    assert.equal(base64Decode(buffer.toString('base64')), Uint8Array.from(buffer));
    assert.equal(base64Decode(buffer.toString('base64').replaceAll('=', '')), Uint8Array.from(buffer));
  }
  assert.is(text(base64Encode('a')), 'no such overload: base64.encode(string)');
});

test('decoding ignores line ends, and errors name the invalid byte', () => {
  assert.equal(base64Decode('aGVs\nbG8=\r\n'), Uint8Array.from(Buffer.from('hello')));
  assert.is(text(base64Decode('!!')), 'illegal base64 data at input byte 0');
  assert.is(text(base64Decode('_-8=')), 'illegal base64 data at input byte 0');
  assert.is(text(base64Decode('a.b')), 'illegal base64 data at input byte 1');
  assert.is(text(base64Decode('YQ=')), 'illegal base64 data at input byte 2');
  assert.is(text(base64Decode('YQ==YQ')), 'illegal base64 data at input byte 2');
  assert.is(text(base64Decode('YWJjZ')), 'illegal base64 data at input byte 4');
});

test('json.encode is compact, keys sorted by UTF-8 bytes', () => {
  assert.is(
    jsonEncode({ b: 1, a: { é: 1, z: 2, '😀': 3, '\uffff': 4 } }),
    '{"a":{"z":2,"é":1,"\uffff":4,"😀":3},"b":1}',
  );
  assert.is(jsonEncode({ 9: 1, 10: 2, a: 3 }), '{"10":2,"9":1,"a":3}');
});

test('json.encode escapes characters that are special in HTML and JavaScript', () => {
  assert.is(jsonEncode('x<>&\u2028\u2029"\n'), '"x\\u003c\\u003e\\u0026\\u2028\\u2029\\"\\n"');
});

test('json.encode writes numbers like JavaScript, except -0; big integers are strings', () => {
  assert.is(jsonEncode([1e21, 1e-7, 5, -0]), '[1e+21,1e-7,5,-0]');
  assert.is(jsonEncode(new Uint(2n ** 64n - 1n)), '"18446744073709551615"');
  assert.is(text(jsonEncode(Number.NaN)), 'proto: google.protobuf.Value.number_value: invalid NaN value');
});

test('json.encode fails for the values that an output rejects', () => {
  assert.is(text(jsonEncode(mapOf([[1n, 'a']]))), "unsupported type conversion from 'int' to string");
});

test.run();
