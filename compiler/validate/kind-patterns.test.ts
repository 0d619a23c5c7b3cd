import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kindMatcher } from './kind-patterns.js';

const test = suite('patterns of kinds');

test('match kinds however both are spelt', () => {
  for (const kind of ['leave-request', 'leave_request', 'leave:request', 'leave/request'])
    for (const pattern of [
      'leave-request',
      'leave_request',
      'leave:request',
      'leave-*',
      'leave_*',
      '*:request',
      '*',
      'l[e-f]*',
    ])
      assert.ok(kindMatcher(pattern)(kind), `${pattern} ${kind}`);
  for (const pattern of ['leave', 'leave-r', 'request-*', 'l[a-d]*']) assert.not(kindMatcher(pattern)('leave-request'));
});

test('match kinds that are no plain names as they are', () => {
  for (const pattern of ['1:a', '1:*', '*:a']) assert.ok(kindMatcher(pattern)('1:a'), pattern);
  assert.not(kindMatcher('1_a')('1:a'));
});

test.run();
