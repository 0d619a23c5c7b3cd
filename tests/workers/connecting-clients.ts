import { connect, type Socket } from 'node:net';
import { Client, credentials } from '@grpc/grpc-js';
import { CHECK } from '../support/cli/policies.js';
import { LAST_RESORT } from '../support/timeout.js';
import { askGrpc } from '../support/workers/load.js';

/** The results of clients that keep opening connections. */
export interface ConnectingClients {
  /** Requests with the expected response. */
  answered: number;
  /** Failed connections: nothing listened. */
  refused: number;
  /** Connections that were accepted and whose request was not answered, with the reason. */
  readonly lost: string[];
  /** Opens no new ones; resolves when the last are answered or refused. */
  readonly stop: () => Promise<void>;
}

/** The number of clients of each kind. */
export interface Ways {
  /** REST, one connection per request. */
  readonly once: number;
  /** REST, one connection for as long as the server keeps it open. */
  readonly kept: number;
  /** gRPC, one connection per call. */
  readonly grpc: number;
}

/**
 * Runs clients that open connections until the very end, a fixed number of each kind at a time. They use raw sockets,
 * so that nothing retries and each accepted connection counts. A keep-alive connection that the server closes while
 * idle, with its last response or before its first request, loses nothing.
 */
export function startConnectingClients(
  http: string,
  grpc: string,
  { once, kept, grpc: calls }: Ways,
): ConnectingClients {
  let isStopping = false;
  const all: ConnectingClients = { answered: 0, refused: 0, lost: [], stop };
  const loops = [
    ...times(once, () => loop(() => askOver(http, 1))),
    ...times(kept, () => loop(() => askOver(http, Number.POSITIVE_INFINITY))),
    ...times(calls, () => loop(() => callOnce(grpc))),
  ];

  async function loop(come: () => Promise<void>): Promise<void> {
    while (!isStopping) await come();
  }

  /** One connection and its requests, one after the other. */
  function askOver(address: string, requests: number): Promise<void> {
    return new Promise((resolve) => {
      let isConnected = false;
      let waiting = false;
      let left = requests;
      let text = '';
      const socket = connectTo(address);
      const ask = (): void => {
        left--;
        waiting = true;
        text = '';
        socket.write(left > 0 ? KEPT_REQUEST : LAST_REQUEST);
      };
      const end = (how: string): void => {
        if (!isConnected) all.refused++;
        else if (waiting) all.lost.push(how);
        waiting = false;
        socket.destroy();
        // If nothing listens, do not retry a thousand times a second.
        if (isConnected) resolve();
        else setTimeout(resolve, 5);
      };
      socket.setTimeout(RESPONSE_TIMEOUT, () => end(`${address}: no answer in time`));
      socket.on('connect', () => {
        isConnected = true;
        ask();
      });
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        const answer = whole(text);
        if (answer === undefined) return;
        waiting = false;
        if (answer.status === 200 && answer.body.includes('"view":"EFFECT_ALLOW"')) all.answered++;
        else all.lost.push(`${answer.status} ${answer.body}`);
        if (left > 0 && !answer.isLast && !isStopping) ask();
        else end('');
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (waiting || !isConnected)
          end(`${requests === 1 ? 'once' : 'kept'}: ${error.code} after ${text.length} characters`);
      });
      socket.on('close', () =>
        end(`${requests === 1 ? 'once' : 'kept'}: closed after ${text.length} characters, ${requests - left} requests`),
      );
    });
  }

  async function callOnce(address: string): Promise<void> {
    const client = new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
    try {
      const answer = await askGrpc(client);
      if (answer === 'EFFECT_ALLOW EFFECT_DENY') all.answered++;
      else all.lost.push(answer);
    } catch (error) {
      const { message } = error as Error;
      if (/ECONNREFUSED|ENOENT/.test(message)) all.refused++;
      else all.lost.push(`grpc: ${message}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      client.close();
    }
  }

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all(loops);
  }

  return all;
}

/** Milliseconds to wait for a response. */
const RESPONSE_TIMEOUT = LAST_RESORT / 5;
const BODY = JSON.stringify(CHECK);
const REQUEST = `POST /api/check/resources HTTP/1.1\r\nHost: server\r\nContent-Length: ${Buffer.byteLength(BODY)}\r\n`;
const KEPT_REQUEST = `${REQUEST}\r\n${BODY}`;
const LAST_REQUEST = `${REQUEST}Connection: close\r\n\r\n${BODY}`;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly isLast: boolean;
}

/** The response, once it is complete. */
function whole(text: string): Answer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = text.slice(0, end);
  const body = text.slice(end + 4);
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  if (body.length < length) return undefined;
  return { status: Number(head.slice(9, 12)), body, isLast: /^connection: close$/im.test(head) };
}

function connectTo(address: string): Socket {
  if (address.startsWith('unix:')) return connect(address.slice('unix:'.length));
  const at = address.lastIndexOf(':');
  return connect(Number(address.slice(at + 1)), address.slice(0, at));
}

function times<Value>(count: number, make: () => Value): readonly Value[] {
  return Array.from({ length: count }, make);
}
