import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FirstResults } from './evaluation.js';

const MANY = Array.from({ length: 40 }, (_, index) => `rule-${index}`);

test('cached results are found, however many there are', () => {
  const results = new FirstResults();
  for (const [index, identity] of MANY.entries()) results.add(identity, index % 2 === 0);
  assert.equal(
    MANY.map((identity) => results.get(identity)),
    MANY.map((_, index) => index % 2 === 0),
  );
  assert.is(results.get('another'), undefined);
});

test('nothing is cached from the previous check', () => {
  const results = new FirstResults();
  for (const identity of MANY) results.add(identity, true);
  results.clear();
  assert.ok(MANY.every((identity) => results.get(identity) === undefined));
  results.add('rule-39', false);
  assert.is(results.get('rule-39'), false);
  assert.is(results.get('rule-0'), undefined);
});

test.run();
