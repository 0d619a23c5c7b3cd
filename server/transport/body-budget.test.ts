import { EventEmitter } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyBudget, BodyReservation } from './body-budget.js';

const makeReservation = (budget: BodyBudget): BodyReservation => new BodyReservation(budget, new EventEmitter());
/** A part of this length takes 1024 bytes. */
const KILOBYTE = 1024 - 384;

test('bodies reserve memory up to the limit, and again when others have released theirs', () => {
  const budget = new BodyBudget(2048);
  const [one, other] = [makeReservation(budget), makeReservation(budget)];
  for (const body of [one, other]) assert.ok(body.add(1));
  assert.ok(one.add(KILOBYTE));
  assert.ok(other.add(KILOBYTE));
  assert.not.ok(other.add(1));
  one.release();
  assert.ok(other.add(KILOBYTE));
  assert.not.ok(other.add(1));
});

test('the first part of every body is free', () => {
  const budget = new BodyBudget(1024);
  const body = makeReservation(budget);
  assert.ok(body.add(1_000_000));
  assert.ok(body.add(KILOBYTE));
  assert.ok(makeReservation(budget).add(1_000_000));
  body.release();
  assert.ok(body.add(1_000_000));
  assert.ok(body.add(KILOBYTE));
});

test('memory is released once', () => {
  const budget = new BodyBudget(1024);
  const [one, other] = [makeReservation(budget), makeReservation(budget)];
  for (const body of [one, other]) body.add(1);
  assert.ok(one.add(KILOBYTE));
  one.release();
  one.release();
  assert.ok(other.add(KILOBYTE));
  assert.not.ok(other.add(1));
});

test('the end of the stream releases memory', () => {
  const budget = new BodyBudget(1024);
  const stream = new EventEmitter();
  const cut = new BodyReservation(budget, stream);
  cut.add(1);
  assert.ok(cut.add(KILOBYTE));
  stream.emit('close');
  const other = makeReservation(budget);
  other.add(1);
  assert.ok(other.add(KILOBYTE));
});

test('parts of a byte cost more than a byte', () => {
  const body = makeReservation(new BodyBudget(1024));
  const added = Array.from({ length: 10 }, () => body.add(1));
  assert.is(added.filter(Boolean).length, 3);
});

test('zero is no limit', () => {
  const body = makeReservation(new BodyBudget(0));
  body.add(1);
  for (let part = 0; part < 3; part++) assert.ok(body.add(Number.MAX_SAFE_INTEGER / 8));
});

test.run();
