import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  codePointCount,
  codePointIndex,
  codePointsOf,
  compareCodePoints,
  shortened,
  unitOffset,
} from './code-points.js';

test('a string is a sequence of code points', () => {
  assert.is(codePointCount('😀a😀'), 3);
  assert.is(codePointCount('é'), 1);
  assert.equal(codePointsOf('😀a'), ['😀', 'a']);
  assert.equal(codePointsOf(''), []);
});

test('offsets in UTF-16 units and in code points convert into each other', () => {
  assert.is(unitOffset('😀a😀', 2), 3);
  assert.is(unitOffset('😀a😀', 9), 5);
  assert.is(unitOffset('abc', 9), 3);
  assert.is(codePointIndex('😀a😀', 3), 2);
});

test('a string is truncated without splitting a code point', () => {
  assert.is(shortened('abc', 3), 'abc');
  assert.is(shortened('abcd', 3), 'abc…');
  assert.is(shortened('ab😀d', 3), 'ab…');
  assert.is(shortened('a😀bd', 3), 'a😀…');
  assert.is(shortened('ab\ud83dd', 3), 'ab\ud83d…');
});

test('strings are ordered like their UTF-8 bytes', () => {
  const texts = ['', 'a', 'ab', 'b', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '😁'];
  for (const [i, a] of texts.entries()) {
    for (const [j, b] of texts.entries()) assert.is(Math.sign(compareCodePoints(a, b)), Math.sign(i - j), `${a} ${b}`);
    assert.is(Math.sign(compareCodePoints(a, 'm')), Math.sign(Buffer.compare(Buffer.from(a), Buffer.from('m'))));
  }
});

test.run();
