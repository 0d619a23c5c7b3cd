import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OnDemand, type Taker } from './on-demand.js';

const sockets: Socket[] = [];
const listening = createServer();
test.before(async () => {
  await once(listening.listen(0, '127.0.0.1'), 'listening');
});
test.after(() => {
  for (const socket of sockets) socket.destroy();
  listening.close();
});

/** A connection that was accepted, and its client. */
async function connection(): Promise<{ readonly accepted: Socket; readonly client: Socket }> {
  const client = connect((listening.address() as AddressInfo).port, '127.0.0.1');
  const [accepted] = (await once(listening, 'connection')) as [Socket];
  sockets.push(client, accepted);
  return { accepted, client };
}

test('the first connections wait for one load, and lose nothing that they have sent', async () => {
  let loads = 0;
  let loaded = (_: Taker): void => {};
  const taken: Socket[] = [];
  const listener = new OnDemand<Taker>(
    () => {
      loads += 1;
      return new Promise((resolve) => {
        loaded = resolve;
      });
    },
    () => assert.unreachable(),
  );
  assert.is(await listener.settled(), undefined);
  assert.is(loads, 0, 'nothing is loaded without a connection');

  const first = await connection();
  const second = await connection();
  listener.take(first.accepted);
  listener.take(second.accepted);
  first.client.write('hello');
  while (first.accepted.bytesRead === 0) await turn();
  assert.equal([taken, listener.loaded], [[], undefined]);
  loaded({ take: (socket) => taken.push(socket) });
  const server = await listener.settled();
  assert.ok(server !== undefined && server === listener.loaded);
  assert.equal([taken.length, loads], [2, 1]);
  assert.is(String(first.accepted.read()), 'hello');
  assert.is(first.accepted.listenerCount('error'), 0, 'errors are those of the listener now');

  const third = await connection();
  listener.take(third.accepted);
  assert.equal([taken.length, loads], [3, 1]);
});

test('a connection that ends while it waits is not served', async () => {
  let loaded = (_: Taker): void => {};
  const taken: Socket[] = [];
  const listener = new OnDemand<Taker>(
    () =>
      new Promise((resolve) => {
        loaded = resolve;
      }),
    () => assert.unreachable(),
  );
  const { accepted, client } = await connection();
  listener.take(accepted);
  // `once` of the platform would reject, as there is an error before.
  const closed = new Promise((resolve) => accepted.once('close', resolve));
  client.resetAndDestroy();
  await closed;
  loaded({ take: (socket) => taken.push(socket) });
  await listener.settled();
  assert.equal(taken, []);
});

test('a listener that cannot be loaded is reported once, and its connections are closed', async () => {
  const reported: unknown[] = [];
  const problem = new Error('damaged');
  const listener = new OnDemand<Taker>(
    () => Promise.reject(problem),
    (error) => reported.push(error),
  );
  for (let count = 0; count < 2; count += 1) {
    const { accepted, client } = await connection();
    const closed = once(client.resume(), 'close');
    listener.take(accepted);
    await closed;
  }
  assert.is(await listener.settled(), undefined);
  assert.equal(reported, [problem]);
});

test.run();
