import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { format } from './format.js';
import { ancestorOf, hierarchy } from './hierarchy.js';
import { type Result, toDouble, toDuration } from './index.js';
import { beginLimit, EvaluationLimitError, endLimit, MAX_TEXT, stepsLeft } from './meter.js';

/**
 * What a function costs grows with what it reads: else a condition that calls it often would hold the process without
 * reaching its limit.
 */
const test = suite('the cost of functions');

const LENGTH = 10_000;
const long = 'a'.repeat(LENGTH);
const deep = hierarchy('a.'.repeat(LENGTH));

const CALLS: readonly (readonly [name: string, call: () => Result])[] = [
  ['double(text)', () => toDouble(long)],
  ['duration(text)', () => toDuration(long)],
  ['format', () => format('%s', [long])],
  ['ancestorOf', () => ancestorOf(deep, deep)],
];

for (const [name, call] of CALLS) {
  test(`${name} is charged for the length of its operands`, () => {
    const isOutermost = beginLimit(1e12, 1e12);
    try {
      const before = stepsLeft();
      call();
      assert.ok(before - stepsLeft() >= LENGTH / 16, `${before - stepsLeft()} steps`);
    } finally {
      endLimit(isOutermost);
    }
  });
}

test('a string of many parts has the limit of any string, even if each part is short', () => {
  const half = 'a'.repeat(MAX_TEXT / 2 + 1);
  assert.throws(
    () => format('%s%s', [half, half]),
    (error: unknown) => error instanceof EvaluationLimitError,
  );
});

test.run();
