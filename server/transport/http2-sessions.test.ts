import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Http2Sessions, type StreamHandler } from './http2-sessions.js';

const UNLIMITED = {
  readHeaderTimeout: 0,
  readTimeout: 0,
  writeTimeout: 0,
  idleTimeout: 0,
  maxConnectionAge: 0,
  streamsRequest: () => false,
  established: () => {},
};

/** Sends a request with a body, and returns the stream that served it. */
async function serve(handle: StreamHandler): Promise<ServerHttp2Stream> {
  let served: ServerHttp2Stream | undefined;
  const sessions = new Http2Sessions(createServer(), UNLIMITED, (stream, ...rest) => {
    served = stream;
    handle(stream, ...rest);
  });
  const listener = createTcpServer((socket) => sessions.take(socket)).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`);
  const request = client.request({ ':method': 'POST', ':path': '/' });
  request.on('error', () => {});
  request.resume().end('body');
  await new Promise((resolve) => request.once('close', resolve));
  const stream = served as ServerHttp2Stream;
  // The client may know first.
  while (!stream.destroyed) await new Promise(setImmediate);
  await new Promise(setImmediate);
  client.close();
  listener.close();
  return stream;
}

test('a stream that was answered keeps no listener, all of which were told', async () => {
  const told: string[] = [];
  const stream = await serve((opened) => {
    opened.on('end', () => {
      told.push('end');
      opened.respond({ ':status': 200 });
      opened.end('answer');
    });
    opened.on('close', () => told.push('close')).resume();
  });
  assert.equal(told, ['end', 'close']);
  assert.equal(stream.eventNames(), []);
});

test('a stream that was reset keeps none either', async () => {
  const told: string[] = [];
  const stream = await serve((opened) => {
    opened.on('error', () => told.push('error')).on('close', () => told.push('close'));
    opened.destroy(new Error('no'));
  });
  assert.equal(told, ['error', 'close']);
  assert.equal(stream.eventNames(), []);
});

test.run();
