import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Link } from './link.js';
import { RestartDelay } from './fleet.js';

type Numbers = { readonly double: { readonly asks: number; readonly answers: number } };

/** Two ends of one channel. */
function pair(): { readonly left: Link<Numbers, Numbers>; readonly right: Link<Numbers, Numbers> } {
  const left: Link<Numbers, Numbers> = new Link({
    send: (message) => setImmediate(() => right.receive(structuredClone(message))),
  });
  const right: Link<Numbers, Numbers> = new Link({
    send: (message) => setImmediate(() => left.receive(structuredClone(message))),
  });
  return { left, right };
}

test('requests have their own responses, in both directions', async () => {
  const { left, right } = pair();
  right.answer('double', async (value) => value * 2);
  left.answer('double', (value) => value + value);
  assert.equal(await Promise.all([left.ask('double', 1), left.ask('double', 2), right.ask('double', 3)]), [2, 4, 6]);
});

test('an exception on the other side is thrown here, with its message', async () => {
  const { left, right } = pair();
  right.answer('double', () => {
    throw new Error('not today');
  });
  assert.is(await left.ask('double', 1).catch((error: Error) => error.message), 'not today');
  assert.is(await right.ask('double', 1).catch((error: Error) => error.message), 'no handler for `double`');
});

test('a request without a response in time, or to a process that ended, fails', async () => {
  const { left, right } = pair();
  right.answer('double', () => new Promise(() => {}));
  assert.match(String(await left.ask('double', 1, 20).catch((error: Error) => error.message)), 'in time');
  const waiting = left.ask('double', 1).catch((error: Error) => error.message);
  left.close();
  assert.is(await waiting, 'the other process is gone');
  assert.is(await left.ask('double', 1).catch((error: Error) => error.message), 'the other process is gone');
});

test('foreign messages on the channel are ignored', async () => {
  const { left, right } = pair();
  right.answer('double', (value) => value * 2);
  const asked = left.ask('double', 4);
  for (const message of [undefined, null, 'text', 7, {}, { id: 99 }])
    assert.not.throws(() => left.receive(message), String(message));
  assert.is(await asked, 8);
});

test('a worker that ran for long is replaced at once; one that dies early after an increasing delay of at most half a minute', () => {
  const delay = new RestartDelay();
  assert.equal(
    [0, 0, 0, 0].map((served) => delay.next(served)),
    [100, 200, 400, 800],
  );
  assert.is(delay.next(60_000), 0);
  assert.is(delay.next(5), 100);
  for (let count = 0; count < 50; count++) delay.next(0);
  assert.is(delay.next(0), 30_000);
});

test.run();
