import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { propertyName, quote, templateText } from './quote.js';

test('a string is in single quotes, or in double quotes where that saves escapes', () => {
  assert.is(quote('a "b"'), `'a "b"'`);
  assert.is(quote("it's"), `"it's"`);
  assert.is(quote(`it's "b"`), `'it\\'s "b"'`);
  assert.is(quote('back\\slash'), `'back\\\\slash'`);
});

test('no string contains a line break or an invisible character', () => {
  assert.is(quote('a\n\r\t\u0000\u2028\u2029'), `'a\\n\\r\\t\\u0000\\u2028\\u2029'`);
  assert.is(quote('\u202e\u200b\ud800'), `'\\u202e\\u200b\\ud800'`);
  assert.is(quote('\u{e0041}'), `'\\u{e0041}'`);
  assert.is(quote('ü 日本 🔐'), `'ü 日本 🔐'`);
});

test('every string is parsed back unchanged', () => {
  const characters = [
    '\\',
    "'",
    '"',
    '`',
    '$',
    '{',
    '\n',
    '\r',
    '\u2028',
    '\u0000',
    '\ud83d',
    '\udd10',
    '*/',
    '//',
    'a',
    'ü',
    '\u{e0041}',
  ];
  for (const a of characters) {
    for (const b of characters) {
      for (const c of characters) {
        const text = a + b + c;
        // biome-ignore lint/security/noGlobalEval: what JavaScript makes of the literal is the question
        assert.is(globalThis.eval(quote(text)), text);
      }
    }
  }
});

test('a property name is unquoted where possible, and never sets the prototype', () => {
  assert.is(propertyName('a_1'), 'a_1');
  assert.is(propertyName('a-b'), `'a-b'`);
  assert.is(propertyName('1a'), `'1a'`);
  assert.is(propertyName('__proto__'), `['__proto__']`);
});

test('a string in a template is parsed back unchanged', () => {
  const texts = ['`', '${', '$', '$$', '{', '\\', "'", '"', '\n', '\u2028', '\u202e', '${a}`\\${', '\\`'];
  for (const text of [...texts, texts.join('')]) assert.is(new Function(`return \`${templateText(text)}\``)(), text);
});

test.run();
