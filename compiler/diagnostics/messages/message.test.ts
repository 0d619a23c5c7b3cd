import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { quoted } from './message.js';

test('a printable string is quoted unchanged', () => {
  assert.is(quoted('größe 😀'), '"größe 😀"');
});

test('quotes, backslashes and non-printable characters are escaped', () => {
  assert.is(quoted('a"b\\c\n\t\x00\x7f'), '"a\\"b\\\\c\\n\\t\\x00\\x7f"');
  assert.is(quoted('\ufeffa\u00a0\u2028\u{e0001}'), '"\\ufeffa\\u00a0\\u2028\\U000e0001"');
});

test.run();
