import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decimal } from './decimal.js';
import { numberText, singleQuoted, statedText } from './text.js';

test('numbers print plainly from 1e-4 up to 1e6, otherwise with an exponent of two digits at least (docs/spec/policy-language.md#validation-errors)', () => {
  const texts = [
    0, -0, 1, 1.5, 100000, 123456, 999999, 1e6, 1234567, 123456789, 1e20, 1e21, 0.0001, 0.00001, -2.5e-7, 1e100, 5e-324,
  ].map(numberText);
  assert.equal(texts, [
    '0',
    '-0',
    '1',
    '1.5',
    '100000',
    '123456',
    '999999',
    '1e+06',
    '1.234567e+06',
    '1.23456789e+08',
    '1e+20',
    '1e+21',
    '0.0001',
    '1e-05',
    '-2.5e-07',
    '1e+100',
    '5e-324',
  ]);
});

test('a single-quoted string escapes non-printable characters and single quotes, not double ones', () => {
  assert.is(singleQuoted(`a'b"c\\d\n\u200b🙂é`), `'a\\'b"c\\\\d\\n\\u200b🙂é'`);
  assert.is(singleQuoted('\\"'), `'\\\\"'`);
});

test('numbers of the schema are quoted as written', () => {
  assert.equal([1, decimal('1.0'), null, true, 'x', []].map(statedText), [
    '"1"',
    '"1.0"',
    '<nil>',
    'true',
    '"x"',
    undefined,
  ]);
});

test.run();
