import { EventEmitter } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AnswerProgress } from './answer-progress.js';

class FakeAnswer extends EventEmitter {
  writableEnded = false;
  writableLength = 0;
}

const TIMEOUT = 100;

test('a complete response is late a timeout after that was noticed, however much of it was taken', () => {
  const [progress, answer] = [new AnswerProgress(), new FakeAnswer()];
  answer.writableEnded = true;
  for (const [now, left, isLate] of [
    [1000, 500, false],
    [1050, 400, false],
    [1100, 1, false],
    [1101, 1, true],
  ] as const) {
    answer.writableLength = left;
    assert.is(progress.isLate(answer, now, TIMEOUT), isLate, `at ${now}`);
  }
});

test('a stream is late when data has waited for a timeout', () => {
  const [progress, answer] = [new AnswerProgress(), new FakeAnswer()];
  assert.not(progress.isLate(answer, 0, TIMEOUT));
  assert.not(progress.isLate(answer, 5000, TIMEOUT));
  answer.writableLength = 10;
  assert.not(progress.isLate(answer, 5050, TIMEOUT));
  assert.not(progress.isLate(answer, 5150, TIMEOUT));
  assert.ok(progress.isLate(answer, 5151, TIMEOUT));
});

test('a stream that was read in between, noticed or not, gets its full time again', () => {
  const [progress, answer] = [new AnswerProgress(), new FakeAnswer()];
  answer.writableLength = 10;
  assert.not(progress.isLate(answer, 1000, TIMEOUT));
  answer.emit('drain');
  assert.not(progress.isLate(answer, 1200, TIMEOUT));
  answer.writableLength = 0;
  assert.not(progress.isLate(answer, 1300, TIMEOUT));
  answer.writableLength = 10;
  assert.not(progress.isLate(answer, 1400, TIMEOUT));
  assert.ok(progress.isLate(answer, 1501, TIMEOUT));
  assert.is(answer.listenerCount('drain'), 1);
});

test.run();
