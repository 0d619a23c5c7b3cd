import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JsonNode } from '../ir/json-node.js';
import { parseJson } from './json.js';

test('JSON is parsed like JSON.parse', () => {
  const texts = [
    'null',
    ' [1, -2.5e3, "a\\u0041\\n", true, false, {}] ',
    '{"a": {"b": [[]]}, "a": 2, "__proto__": 3}',
    '""',
    '0',
  ];
  for (const text of texts) assert.equal(plain(parseJson(text) as JsonNode), JSON.parse(text), text);
});

test('input that JSON.parse rejects is an error with an offset', () => {
  const texts = [
    '',
    ' ',
    '{',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    '01',
    '1.',
    '+1',
    '"a',
    '"\\x"',
    '"\n"',
    'nul',
    '1 2',
    "'a'",
    '[1 2]',
    '{"a" 1}',
    '\ufeff1',
    '-',
    'NaN',
    '{"a":}',
    '"\\',
  ];
  for (const text of texts) assert.is(parseJson(text).kind, 'error', text);
  assert.equal(parseJson('[1, x]'), { kind: 'error', message: 'this is not a value', at: 4 });
});

test('nodes have their position, and numbers their source text', () => {
  assert.equal(parseJson(' [1.0]'), {
    kind: 'array',
    items: [{ kind: 'number', text: '1.0', start: 2, end: 5 }],
    start: 1,
    end: 6,
  });
});

test('nesting is limited', () => {
  assert.is(parseJson('['.repeat(100_000)).kind, 'error');
  assert.is(parseJson('{"a":'.repeat(100_000)).kind, 'error');
});

test.run();

function plain(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries([...node.members].map(([name, member]) => [name, plain(member)]));
    case 'array':
      return node.items.map(plain);
    case 'number':
      return Number(node.text);
    case 'null':
      return null;
    case 'string':
    case 'boolean':
      return node.value;
  }
}
