import { Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HandOver, type Receiver } from './hand-over.js';

/** A worker that receives connections, and reports later what became of them. */
interface FakeWorker extends Receiver {
  readonly given: Socket[];
  /** Accepts the oldest of those; `refuse` rejects it. */
  take: () => Promise<void>;
  refuse: () => Promise<void>;
}

function fakeWorker(): FakeWorker {
  const settle: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const given: Socket[] = [];
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    given,
    give: (_port, socket) => {
      given.push(socket);
      return new Promise<void>((resolve, reject) => settle.push({ resolve, reject }));
    },
    take: () => {
      settle.shift()?.resolve();
      return turn();
    },
    refuse: () => {
      settle.shift()?.reject(new Error('gone'));
      return turn();
    },
  };
}

function sockets(count: number): readonly Socket[] {
  return Array.from({ length: count }, () => new Socket());
}

test('connections are passed on in turn, one at a time per worker, and released once taken', async () => {
  const handOver = new HandOver();
  const [left, right] = [fakeWorker(), fakeWorker()];
  const [a, b, c, d] = sockets(4) as [Socket, Socket, Socket, Socket];
  handOver.accept('http', a);
  handOver.add(left);
  handOver.add(right);
  for (const socket of [b, c, d]) handOver.accept('http', socket);
  assert.equal([left.given, right.given], [[a], [b]]);
  await right.take();
  assert.equal([left.given, right.given], [[a], [b, c]]);
  assert.equal([a.destroyed, b.destroyed, c.destroyed], [false, true, false]);
  await left.take();
  assert.equal(left.given, [a, d]);
});

test('connections for a worker that is gone are passed to another one, before all others', async () => {
  const handOver = new HandOver();
  const [left, right] = [fakeWorker(), fakeWorker()];
  const [a, b, c] = sockets(3) as [Socket, Socket, Socket];
  handOver.add(left);
  handOver.accept('http', a);
  handOver.accept('grpc', b);
  handOver.add(right);
  handOver.accept('http', c);
  handOver.remove(left);
  await left.refuse();
  await right.take();
  await right.take();
  assert.equal(right.given, [b, a, c]);
  assert.not(a.destroyed && c.destroyed);
});

test('everything is settled once all connections are taken; without workers, waiting ones are closed', async () => {
  const handOver = new HandOver();
  const one = fakeWorker();
  const [a, b] = sockets(2) as [Socket, Socket];
  let settled = 0;
  handOver.add(one);
  handOver.accept('http', a);
  handOver.accept('http', b);
  const waiting = handOver.settled().then(() => settled++);
  await one.take();
  assert.is(settled, 0);
  await one.take();
  await waiting;
  assert.is(settled, 1);

  const lonely = new HandOver();
  const dying = fakeWorker();
  const [c, d] = sockets(2) as [Socket, Socket];
  lonely.add(dying);
  lonely.accept('http', c);
  lonely.accept('http', d);
  const over = lonely.settled();
  lonely.remove(dying);
  await dying.refuse();
  await over;
  assert.ok(c.destroyed && d.destroyed);
});

test('a worker that wants to leave may do so while others serve; the last one once it is replaced', async () => {
  const handOver = new HandOver();
  const [first, second, third] = [fakeWorker(), fakeWorker(), fakeWorker()];
  const left: string[] = [];
  handOver.add(first);
  handOver.add(second);
  const all = [
    handOver.leave(first).then(() => left.push('first')),
    handOver.leave(second).then(() => left.push('second')),
  ];
  await all[0];
  assert.equal(left, ['first']);
  const [a, b] = sockets(2) as [Socket, Socket];
  handOver.accept('http', a);
  assert.equal([first.given, second.given], [[], [a]]);
  handOver.add(third);
  await all[1];
  handOver.accept('http', b);
  assert.equal(third.given, [b]);
});

test('connections over the limit do not wait', () => {
  const handOver = new HandOver();
  const many = sockets(16_385);
  for (const socket of many) handOver.accept('http', socket);
  assert.is(many.filter(({ destroyed }) => destroyed).length, 1);
});

test.run();
