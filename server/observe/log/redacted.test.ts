import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { redacted } from './call-log.js';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';

test('tokens are removed wherever they are, alone or in a header value', () => {
  assert.equal(redacted({ a: [JWT, `Bearer ${JWT}`], b: { c: JWT } }), {
    a: ['[redacted]', '[redacted]'],
    b: { c: '[redacted]' },
  });
});

test('values with names of secrets are removed, whatever they are', () => {
  assert.equal(
    redacted({
      token: 'x',
      access_token: { a: 1 },
      'x-api-key': 1,
      Authorization: 'Basic x',
      tokens: 2,
      keySetId: 'k',
    }),
    {
      token: '[redacted]',
      access_token: '[redacted]',
      'x-api-key': '[redacted]',
      Authorization: '[redacted]',
      tokens: 2,
      keySetId: 'k',
    },
  );
});

test('maps, integers and undefined become JSON, and strings that are not tokens stay', () => {
  assert.equal(redacted({ m: new Map([['k', 1n]]), n: null, t: 'eyJust a text', u: undefined, b: true }), {
    m: { k: '1' },
    n: null,
    t: 'eyJust a text',
    u: undefined,
    b: true,
  });
});

test('values nested too deeply are removed', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const text = JSON.stringify(redacted(JSON.parse(`${open.repeat(9000)}1${close.repeat(9000)}`)));
    assert.is(text, `${open.repeat(201)}"[redacted]"${close.repeat(201)}`);
  }
});

test('`__proto__` is an ordinary name', () => {
  const copy = redacted(JSON.parse('{"__proto__":{"a":1}}')) as object;
  assert.equal(Object.keys(copy), ['__proto__']);
  assert.is(Object.getPrototypeOf(copy), Object.prototype);
});

test.run();
