import { connect as connectTcp, type NetConnectOpts, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  GRPC_CHECK,
  HEADERS,
  PING,
  PREFACE,
  SETTINGS,
  frame,
  headerBlock,
} from './http2-frames.js';

/** The address that a client connects to. */
export interface Target {
  readonly port: 'http' | 'grpc';
  readonly isTls: boolean;
  readonly address: NetConnectOpts;
}

/** A way to stall. Opens a connection, which the server has to close. */
export interface Stall {
  readonly name: string;
  readonly on: (target: Target) => boolean;
  readonly open: (target: Target) => Promise<Socket>;
}

const DRIP = 100;
/** The number of bytes per read, and the interval between reads. */
const SIP = 16_384;

/** A connection whose client never closes its side: only the server can end it. */
function tcp({ address }: Target): Promise<Socket> {
  return settled(connectTcp({ ...address, allowHalfOpen: true }), 'connect');
}

function tls({ address, isTls }: Target, protocols: readonly string[]): Promise<Socket> {
  const target: Target = { address, isTls, port: 'http' };
  if (!isTls) return tcp(target);
  const options: ConnectionOptions & { readonly allowHalfOpen: true } = {
    ...address,
    rejectUnauthorized: false,
    ALPNProtocols: [...protocols],
    allowHalfOpen: true,
  };
  return settled(connectTls(options), 'secureConnect');
}

function settled(socket: Socket, event: string): Promise<Socket> {
  return new Promise((resolve) => {
    // A connection that is cut at once has stalled, too.
    socket.on('error', () => resolve(socket));
    socket.once('close', () => resolve(socket));
    socket.once(event, () => resolve(socket));
  });
}

function drip(socket: Socket, bytes: () => Buffer): void {
  const timer = setInterval(() => {
    if (socket.destroyed || !socket.writable) clearInterval(timer);
    else socket.write(bytes());
  }, DRIP);
  socket.once('close', () => clearInterval(timer));
}

const GRPC_WATCH = { ...GRPC_CHECK, ':path': '/grpc.health.v1.Health/Watch' };
const REFLECTION = { ...GRPC_CHECK, ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo' };
const REST_CHECK = { ':method': 'POST', ':scheme': 'http', ':path': '/api/check/resources', ':authority': 'x' };
const GET_PAGE = { ':method': 'GET', ':scheme': 'http', ':path': '/', ':authority': 'x' };
const GET_INFO = { ...GET_PAGE, ':path': '/api/server_info' };

/** An HTTP/2 client that acknowledges settings and pings, as long as it is not inside another frame. */
async function http2(target: Target, settings: readonly (readonly [number, number])[] = []): Promise<Socket> {
  const socket = await tls(target, ['h2']);
  const payload = Buffer.concat(
    settings.map(([id, value]) =>
      Buffer.from([id >> 8, id & 255, value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]),
    ),
  );
  socket.write(Buffer.concat([PREFACE, frame(SETTINGS, 0, 0, payload)]));
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 9) {
      const length = received.readUIntBE(0, 3);
      if (received.length < 9 + length) return;
      const [type, flags] = [received[3], received[4] as number];
      if (
        (type === SETTINGS || type === PING) &&
        (flags & ACK) === 0 &&
        socket.writable &&
        !socket.listenerCount('silent')
      ) {
        socket.write(frame(type, ACK, 0, type === PING ? received.subarray(9, 9 + length) : Buffer.alloc(0)));
      }
      received = received.subarray(9 + length);
    }
  });
  return socket;
}

/** From now on the client is in the middle of a frame or a block, and can acknowledge nothing. */
function busy(socket: Socket): Socket {
  return socket.on('silent', () => {});
}

async function sending(target: Target, bytes: Buffer, then?: () => Buffer): Promise<Socket> {
  const socket = await http2(target);
  socket.write(bytes);
  if (then !== undefined) drip(socket, then);
  return socket;
}

const request = (fields: { readonly [name: string]: string }, flags = 0): Buffer =>
  frame(HEADERS, END_HEADERS | flags, 1, headerBlock(fields));
const always = (): boolean => true;
const onTls = ({ isTls }: Target): boolean => isTls;
const onHttp = ({ port }: Target): boolean => port === 'http';
const LENGTH_100 = Buffer.from([0, 0, 0, 0, 100, 1, 2, 3]);
const NO_WINDOW = [[4, 0]] as const;
const CHECK_MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 0])]);

/** All ways to stall that a server of HTTP/2 and TLS has to end. */
export const STALLS: readonly Stall[] = [
  { name: 'says nothing', on: always, open: tcp },
  {
    name: 'stops in the TLS handshake',
    on: onTls,
    open: async (target) => written(await tcp(target), Buffer.from([0x16, 3, 1, 2, 0, 1, 0])),
  },
  {
    name: 'drips the TLS handshake',
    on: onTls,
    open: async (target) =>
      dripping(written(await tcp(target), Buffer.from([0x16, 3, 1, 0x20, 0, 1, 0, 0x1f, 0])), () => Buffer.from([3])),
  },
  { name: 'says nothing after the TLS handshake', on: onTls, open: (target) => tls(target, ['h2']) },
  { name: 'negotiates no protocol', on: onTls, open: (target) => tls(target, []) },
  {
    name: 'stops in the preface',
    on: always,
    open: async (target) => written(await tls(target, ['h2']), PREFACE.subarray(0, 10)),
  },
  { name: 'drips the preface', on: always, open: async (target) => dripPreface(await tls(target, ['h2'])) },
  { name: 'sends no settings', on: always, open: async (target) => written(await tls(target, ['h2']), PREFACE) },
  { name: 'calls nothing', on: always, open: (target) => http2(target) },
  { name: 'stays after its call', on: always, open: (target) => sending(target, request(GET_INFO, END_STREAM)) },
  {
    name: 'calls nothing and pings',
    on: always,
    open: (target) => sending(target, Buffer.alloc(0), () => frame(PING, 0, 0, Buffer.alloc(8))),
  },
  {
    name: 'stops in a header block',
    on: always,
    open: async (target) => busy(await sending(target, frame(HEADERS, 0, 1, headerBlock(GRPC_CHECK)))),
  },
  {
    name: 'drips a header block',
    on: always,
    open: async (target) =>
      busy(
        await sending(target, frame(HEADERS, 0, 1, headerBlock(GRPC_CHECK)), () =>
          frame(CONTINUATION, 0, 1, headerBlock({ a: 'b' })),
        ),
      ),
  },
  {
    name: 'drips a frame',
    on: always,
    open: async (target) =>
      busy(
        await sending(target, frame(HEADERS, END_HEADERS, 1, Buffer.alloc(16_000)).subarray(0, 12), () =>
          Buffer.alloc(1),
        ),
      ),
  },
  {
    name: 'stops in a header block beside a stream',
    on: always,
    open: async (target) =>
      busy(
        await sending(
          target,
          Buffer.concat([
            request(GRPC_WATCH),
            frame(DATA, END_STREAM, 1, CHECK_MESSAGE),
            frame(HEADERS, 0, 3, headerBlock(GRPC_CHECK)),
          ]),
        ),
      ),
  },
  { name: 'sends no body', on: always, open: (target) => sending(target, request(GRPC_CHECK)) },
  {
    name: 'drips a body',
    on: onHttp,
    open: (target) => sending(target, request(REST_CHECK), () => frame(DATA, 0, 1, Buffer.from(' '))),
  },
  {
    name: 'sends no body where none is read',
    on: onHttp,
    open: (target) => sending(target, request({ ...REST_CHECK, ':path': '/nothing' })),
  },
  {
    name: 'sends half a message',
    on: always,
    open: (target) => sending(target, Buffer.concat([request(GRPC_CHECK), frame(DATA, 0, 1, LENGTH_100)])),
  },
  {
    name: 'drips a message',
    on: always,
    open: (target) =>
      sending(target, Buffer.concat([request(GRPC_CHECK), frame(DATA, 0, 1, LENGTH_100)]), () =>
        frame(DATA, 0, 1, Buffer.alloc(1)),
      ),
  },
  {
    name: 'sends a message and no end',
    on: always,
    open: (target) => sending(target, Buffer.concat([request(GRPC_CHECK), frame(DATA, 0, 1, CHECK_MESSAGE)])),
  },
  {
    name: 'drips a message into a stream of messages',
    on: always,
    open: (target) =>
      sending(target, Buffer.concat([request(REFLECTION), frame(DATA, 0, 1, LENGTH_100)]), () =>
        frame(DATA, 0, 1, Buffer.alloc(1)),
      ),
  },
  {
    name: 'opens no window for the answer',
    on: onHttp,
    open: async (target) => written(await http2(target, NO_WINDOW), request(GET_PAGE, END_STREAM)),
  },
  {
    name: 'opens no window for the answer, and pings',
    on: onHttp,
    open: async (target) =>
      dripping(written(await http2(target, NO_WINDOW), request(GET_PAGE, END_STREAM)), () =>
        frame(PING, 0, 0, Buffer.alloc(8)),
      ),
  },
  {
    name: 'opens no window for a stream of answers',
    on: always,
    open: async (target) =>
      written(
        await http2(target, NO_WINDOW),
        Buffer.concat([request(GRPC_WATCH), frame(DATA, END_STREAM, 1, CHECK_MESSAGE)]),
      ),
  },
  { name: 'reads no answer', on: onHttp, open: async (target) => unread(await http2(target, [[4, 2 ** 31 - 1]]), 200) },
  {
    name: 'stops in the headers of HTTP/1.1',
    on: onHttp,
    open: async (target) => written(await tls(target, ['http/1.1']), Buffer.from('POST / HTTP/1.1\r\n')),
  },
  {
    name: 'drips a body of HTTP/1.1',
    on: onHttp,
    open: async (target) =>
      dripping(
        written(
          await tls(target, ['http/1.1']),
          Buffer.from('POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{'),
        ),
        () => Buffer.from(' '),
      ),
  },
  {
    name: 'stays after its call of HTTP/1.1',
    on: onHttp,
    open: async (target) =>
      written(await tls(target, ['http/1.1']), Buffer.from('GET /api/server_info HTTP/1.1\r\nHost: x\r\n\r\n')),
  },
];

/** Ways to keep the server busy: it closes the connection, or does not become slower. */
export const FLOODS: readonly Stall[] = [
  {
    name: 'pings and reads nothing',
    on: always,
    open: async (target) =>
      written((await http2(target)).pause(), repeated(20_000, frame(PING, 0, 0, Buffer.alloc(8)))),
  },
  {
    name: 'changes settings and reads nothing',
    on: always,
    open: async (target) =>
      written((await http2(target)).pause(), repeated(20_000, frame(SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 9])))),
  },
  {
    name: 'continues a header block',
    on: always,
    open: async (target) =>
      busy(
        await sending(
          target,
          Buffer.concat([
            frame(HEADERS, 0, 1, headerBlock(GRPC_CHECK)),
            repeated(20_000, frame(CONTINUATION, 0, 1, headerBlock({ a: 'b' }))),
          ]),
        ),
      ),
  },
  { name: 'resets what it begins', on: always, open: async (target) => sending(target, resets(5000)) },
];

function written(socket: Socket, bytes: Buffer): Socket {
  socket.write(bytes);
  return socket;
}

function dripping(socket: Socket, bytes: () => Buffer): Socket {
  drip(socket, bytes);
  return socket;
}

function dripPreface(socket: Socket): Socket {
  let at = 0;
  // One byte of it is never sent.
  drip(socket, () => PREFACE.subarray(at, Math.min(++at, PREFACE.length - 1)));
  return socket;
}

/** Requests a page again and again, and reads nothing. */
function unread(socket: Socket, count: number): Socket {
  socket.pause();
  const window = frame(8, 0, 0, Buffer.from([0x7f, 0, 0, 0]));
  const requests = Array.from({ length: count }, (_, index) =>
    frame(HEADERS, END_HEADERS | END_STREAM, 2 * index + 1, headerBlock(GET_PAGE)),
  );
  return written(socket, Buffer.concat([window, ...requests]));
}

function repeated(count: number, bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}

function resets(count: number): Buffer {
  return Buffer.concat(
    Array.from({ length: count }, (_, index) => [
      frame(HEADERS, END_HEADERS, 2 * index + 1, headerBlock(GRPC_CHECK)),
      frame(3, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8])),
    ]).flat(),
  );
}

/** A client that watches the health of the server and never disconnects. */
export function watching(target: Target): Promise<Socket> {
  return sending(target, Buffer.concat([request(GRPC_WATCH), frame(DATA, END_STREAM, 1, CHECK_MESSAGE)]));
}

/** Requests a response of this many bytes over HTTP/1.1, and reads it slowly, without a pause. */
export async function sipping(target: Target, size: number): Promise<Socket> {
  const socket = await tls(target, ['http/1.1']);
  const body = `{"requestId":"${'x'.repeat(size)}","principal":{"id":"p","roles":["r"]},"resources":[{"resource":{"kind":"k","id":"1"},"actions":["a"]}]}`;
  socket.pause();
  await new Promise((resolve) =>
    socket.write(
      `POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      resolve,
    ),
  );
  const timer = setInterval(() => socket.read(SIP) ?? socket.read(), DRIP);
  return socket.once('close', () => clearInterval(timer));
}
