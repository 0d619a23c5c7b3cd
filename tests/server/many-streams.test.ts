import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import type { Decider } from '../../server/service/decider.js';
import { encodeCheckRequest } from '../support/cli/grpc-check.js';
import { fakeDecider } from '../support/server/fake-decider.js';
import { until } from '../support/timeout.js';
import { start } from '../support/server/start.js';
import {
  DATA,
  END_HEADERS,
  END_STREAM,
  frame,
  GRPC_CHECK,
  headerBlock,
  HEADERS,
  PREFACE,
  SETTINGS,
} from '../support/server/http2-frames.js';

const test = suite('many streams of one HTTP/2 connection');
/** How many of the checks of each principal were decided in each pass of the event loop. */
let passes: Map<string, number>[] = [];
let isPassing = false;
const recording: Decider = {
  ...fakeDecider,
  check: (request, ...rest) => {
    if (!isPassing) {
      isPassing = true;
      passes.push(new Map());
      setImmediate(() => {
        isPassing = false;
      });
    }
    const pass = passes.at(-1) as Map<string, number>;
    pass.set(request.principal.id, (pass.get(request.principal.id) ?? 0) + 1);
    return fakeDecider.check(request, ...rest);
  },
};
let server: ListeningServer;
test.before(async () => {
  server = await start([], recording);
});
test.before.each(() => {
  passes = [];
});
test.after(() => server.close());

/** A framed request of about `size` bytes. */
function message(principal: string, size: number): Buffer {
  const bytes = encodeCheckRequest({
    principal: { id: principal, roles: ['user'], attr: { long: 'x'.repeat(size) } },
    resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read'] }],
  });
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const MAX_FRAME = 16_384;

/** The frames of a request. */
function frames(stream: number, body: Buffer): Buffer {
  const parts = [frame(HEADERS, END_HEADERS, stream, headerBlock(GRPC_CHECK))];
  for (let at = 0; at < body.length; at += MAX_FRAME) {
    const isLast = at + MAX_FRAME >= body.length;
    parts.push(frame(DATA, isLast ? END_STREAM : 0, stream, body.subarray(at, at + MAX_FRAME)));
  }
  return Buffer.concat(parts);
}

async function open(address: string): Promise<Socket> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0)]));
  socket.resume();
  return socket;
}

for (const port of ['http', 'grpc'] as const) {
  test(`clients of the ${port} port may send 256 KB of a request and 4 MB of all before these are read`, async () => {
    const session = connectHttp2(`http://${server[`${port}Address`]}`);
    await once(session, 'remoteSettings');
    assert.is(session.remoteSettings.initialWindowSize, 256 * 1024);
    // The pong comes after the frames that the server sends when a session begins.
    await new Promise((resolve) => session.ping(resolve));
    assert.is(session.state.remoteWindowSize, 4 * 1024 * 1024);
    session.close();
  });

  test(`a connection to the ${port} port with many requests takes turns with another`, async () => {
    const [heavy, light] = await Promise.all([open(server[`${port}Address`]), open(server[`${port}Address`])]);
    const requests = Array.from({ length: HEAVY }, (_, index) => frames(2 * index + 1, message('heavy', 20_000)));
    heavy.write(Buffer.concat(requests));
    light.write(frames(1, message('light', 200)));
    const counted = (principal: string): readonly number[] => passes.map((pass) => pass.get(principal) ?? 0);
    const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
    await until(() => sum(counted('heavy')) === HEAVY && sum(counted('light')) === 1, 'all are decided');
    assert.ok(Math.max(...counted('heavy')) <= MOST_PER_PASS, `decided in each pass: ${counted('heavy').join()}`);
    for (const socket of [heavy, light]) socket.end();
  });
}

const HEAVY = 60;
/**
 * Of 20 KB each: those that begin with the first 64 KB, and those of one turn. The platform would read 2 MB at once.
 */
const MOST_PER_PASS = 8;

test.run();
