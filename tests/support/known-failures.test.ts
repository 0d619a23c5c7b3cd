import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type KnownFailures, type Outcome, settle } from './known-failures.js';

const PASSED: Outcome = { id: 'suite/a', problem: undefined };
const FAILED: Outcome = { id: 'suite/b', problem: 'is wrong' };

/** Why a suite of two cases fails. */
function failureOf(outcomes: readonly Outcome[], known: KnownFailures, total = 2): string {
  const { log } = console;
  console.log = () => undefined;
  try {
    settle('suite', outcomes, known, total);
    return 'nothing';
  } catch (error) {
    return (error as Error).message;
  } finally {
    console.log = log;
  }
}

test('a suite passes when all cases pass except the known failures', () => {
  assert.is(failureOf([PASSED, FAILED], new Map([['suite/b', 'a reason']])), 'nothing');
});

test('a suite fails for an unknown failure, for a known failure that passes, and for a known failure that is not a case', () => {
  assert.match(failureOf([PASSED, FAILED], new Map()), 'suite/b is wrong');
  assert.match(
    failureOf([PASSED, { ...FAILED, problem: undefined }], new Map([['suite/b', 'a reason']])),
    'suite/b passes',
  );
  assert.match(
    failureOf(
      [PASSED, FAILED],
      new Map([
        ['suite/b', 'a reason'],
        ['suite/c', 'a reason'],
      ]),
    ),
    'suite/c is not a case',
  );
});

test('a suite fails when cases are missing, and when there are none', () => {
  assert.is(failureOf([PASSED], new Map()), 'suite ran 1 cases, not 2');
  assert.is(failureOf([], new Map()), 'suite ran 0 cases, not 2');
  assert.is(failureOf([], new Map(), 0), 'suite ran 0 cases, not 0');
});

test.run();
