import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { indentJson } from './indent.js';

test('indented JSON has the same content over more lines', () => {
  const value = { a: [], b: {}, c: [1, { d: 'x,{[":' }], e: '\\"' };
  assert.is(indentJson(JSON.stringify(value)), JSON.stringify(value, null, 2));
});

test.run();
