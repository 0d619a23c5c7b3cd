import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeBytes, decodeDouble, decodeInt, decodeString, decodeUint } from './literals.js';

test('an int is decimal or hexadecimal and fits 64 bits', () => {
  assert.equal(decodeInt('017'), { ok: true, value: 17n });
  assert.equal(decodeInt('0x1F'), { ok: true, value: 31n });
  assert.equal(decodeInt('-0x10'), { ok: true, value: -16n });
  assert.equal(decodeInt('-9223372036854775808'), { ok: true, value: -(1n << 63n) });
  for (const text of ['9223372036854775808', '-9223372036854775809', '0xFFFFFFFFFFFFFFFFF', '9'.repeat(50_000)]) {
    assert.equal(decodeInt(text), { ok: false, message: 'invalid int literal' });
  }
});

test('a uint ends in u and fits 64 bits', () => {
  assert.equal(decodeUint('18446744073709551615u'), { ok: true, value: (1n << 64n) - 1n });
  assert.equal(decodeUint('18446744073709551616U'), { ok: false, message: 'invalid uint literal' });
});

test('a double overflows with an error and underflows to zero', () => {
  assert.equal(decodeDouble('1e309'), { ok: false, message: 'invalid double literal' });
  assert.equal(decodeDouble('1e-400'), { ok: true, value: 0 });
  assert.equal(decodeDouble('.5'), { ok: true, value: 0.5 });
  const negativeZero = decodeDouble('-0.0');
  assert.ok(negativeZero.ok && Object.is(negativeZero.value, -0));
});

test('escapes in a string are code points', () => {
  assert.equal(decodeString('"\\x41\\101\\u0041\\U0001F600\\xe9\\n\\?\\`"'), { ok: true, value: 'AAA😀é\n?`' });
  assert.equal(decodeString(String.raw`r"a\nb"`), { ok: true, value: 'a\\nb' });
  assert.equal(decodeString(`'''a'b'''`), { ok: true, value: "a'b" });
  assert.equal(decodeString('""'), { ok: true, value: '' });
  assert.equal(decodeString('""""""'), { ok: true, value: '' });
});

test('a surrogate or a number beyond Unicode is not a code point', () => {
  for (const token of ['"\\ud800"', '"\\udfff"', '"\\U00110000"']) {
    assert.equal(decodeString(token), { ok: false, message: 'invalid unicode code point' });
  }
});

test('a line end in a string is a line feed', () => {
  assert.equal(decodeString('"""a\r\nb\rc"""'), { ok: true, value: 'a\nb\nc' });
});

test('text in bytes is UTF-8, escapes are single bytes', () => {
  assert.equal(decodeBytes('b"é"'), { ok: true, value: Uint8Array.of(0xc3, 0xa9) });
  assert.equal(decodeBytes('b"\\xe9\\377"'), { ok: true, value: Uint8Array.of(0xe9, 0xff) });
  assert.equal(decodeBytes('br"\\x"'), { ok: true, value: Uint8Array.of(0x5c, 0x78) });
  assert.is(decodeBytes('b"\\u0041"').ok, false);
});

test.run();
