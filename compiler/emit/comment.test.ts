import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { comment } from './comment.js';

test('every line of a text becomes a comment, whatever line break it has', () => {
  for (const end of ['\n', '\r', '\r\n', '\u2028', '\u2029', '\v', '\f', '\u0085'])
    assert.is(comment(`a${end}b`), '// a\n// b');
});

test('a blank line becomes an empty comment, and indentation is kept', () => {
  assert.is(comment('a\n  \n b', '  '), '//   a\n//\n//    b');
});

test('invisible characters are shown', () => {
  assert.is(comment('a\u0000b\u202ec\ud800'), '// a\\u{0}b\\u{202e}c\\u{d800}');
});

test('no line is a directive for tools', () => {
  assert.is(
    comment('@ts-nocheck\n  @ts-ignore\n# sourceMappingURL=x\nmail@example.com #1'),
    '// \\u{40}ts-nocheck\n//   \\u{40}ts-ignore\n// \\u{23} sourceMappingURL=x\n// mail@example.com #1',
  );
});

test.run();
