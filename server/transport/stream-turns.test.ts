import { EventEmitter } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConnectionTurns, StreamTurns } from './stream-turns.js';

class FakeStream extends EventEmitter {
  destroyed = false;

  constructor(readonly readableLength = 10_000) {
    super();
  }
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Streams of two connections, and the names of those that have been handled. */
function twoConnections() {
  const turns = new StreamTurns();
  const handled: string[] = [];
  const connection = () => {
    const socket = { bytesRead: 0 };
    const own = new ConnectionTurns(turns, socket);
    const receive = (name: string, bytes = 0, stream = new FakeStream()): FakeStream => {
      socket.bytesRead += bytes;
      own.take(stream, () => void handled.push(name));
      return stream;
    };
    return { receive };
  };
  return { handled, heavy: connection(), light: connection() };
}

test('a connection that sends little is handled at once', async () => {
  const { handled, light } = twoConnections();
  for (const name of ['a', 'b', 'c']) light.receive(name, 1000);
  assert.equal(handled, ['a', 'b', 'c']);
  await nextPass();
  light.receive('d', 60_000);
  assert.equal(handled, ['a', 'b', 'c', 'd'], 'each pass begins anew');
});

test('a connection that sends much waits, and others do not', async () => {
  const { handled, heavy, light } = twoConnections();
  heavy.receive('first', 60_000);
  for (const name of ['1', '2', '3', '4', '5', '6']) heavy.receive(name, 60_000);
  light.receive('light', 1000);
  assert.equal(handled, ['first', 'light']);
  await nextPass();
  heavy.receive('7');
  assert.equal(handled, ['first', 'light', '1', '2', '3', '4'], 'one turn in each pass, in order');
  await nextPass();
  assert.equal(handled.slice(6), ['5', '6', '7']);
  heavy.receive('later');
  assert.is(handled.at(-1), 'later');
});

test('connections that wait take turns', async () => {
  const { handled, heavy, light } = twoConnections();
  for (const [name, connection] of [
    ['a', heavy],
    ['b', light],
  ] as const) {
    connection.receive(name, 0);
    for (const index of [1, 2, 3, 4, 5, 6]) connection.receive(`${name}${index}`, 60_000);
  }
  for (let pass = 0; pass < 8; pass++) await nextPass();
  const waited = handled.slice(2).map((name) => name[0]);
  assert.is(waited.join(''), 'aaaabbbbaabb');
});

test('a stream that closes while it waits is not handled, and its error is not thrown', async () => {
  const { handled, heavy } = twoConnections();
  heavy.receive('first', 0);
  heavy.receive('second', 60_000);
  const closed = heavy.receive('closed');
  closed.destroyed = true;
  closed.emit('error', new Error('reset'));
  await nextPass();
  assert.equal(handled, ['first', 'second']);
});

test('streams without a body count as well, and closed ones do not', async () => {
  const { handled, heavy } = twoConnections();
  heavy.receive('first', 0);
  heavy.receive('second', 60_000);
  for (let index = 0; index < 100; index++) heavy.receive('closed', 0, new FakeStream(0)).destroyed = true;
  for (let index = 0; index < 40; index++) heavy.receive('empty', 0, new FakeStream(0));
  await nextPass();
  assert.is(handled.length, 2 + 23, 'as many as fit beside the second');
  await nextPass();
  assert.is(handled.length, 2 + 40);
});

test.run();
