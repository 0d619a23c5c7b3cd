import { createHash } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { HttpClient, type HttpRequest, type HttpResponse } from '../../server/outgoing/http-client.js';
import { HttpOrigin } from '../../server/bundle/http-origin.js';
import { OciOrigin } from '../../server/bundle/oci/oci-origin.js';
import { OciRegistry } from '../../server/bundle/oci/registry.js';
import type { Origin } from '../../server/bundle/origin.js';
import { OriginPoll } from '../../server/bundle/poll.js';
import type { Counts, PollersOptions } from './pollers.js';

/*
 * Many servers in one process, as far as a source can tell: each has the client, the origin and the poll of a server, and
 * connections of its own. Starts them for the first message, reports counts for each later one, and ends with its parent.
 */

const MAX_SIZE = 128 * 1024 * 1024;

const counts: {
  requests: { [second: string]: number };
  statuses: { [status: string]: number };
  changes: { [digest: string]: number[] };
} = { requests: {}, statuses: {}, changes: {} };
/** The pollers whose last request failed. */
const failing = new Set<number>();
const open = new Set<Socket>();
/** Of connections that are closed. */
let closedBytes = 0;

subscribe('undici:client:connected', (message) => {
  const { socket } = message as { readonly socket: Socket };
  open.add(socket);
  socket.once('close', () => {
    open.delete(socket);
    closedBytes += bytesOf(socket);
  });
});

process.once('message', (options: PollersOptions) => {
  for (let index = 0; index < options.count; index++) startPoller(options, index);
  process.on('message', () => process.send?.(snapshot()));
});
process.on('disconnect', () => process.exit(0));

function startPoller({ source, poll }: PollersOptions, index: number): void {
  const { origin } = new URL(source.url);
  const client = new CountingClient({
    origin,
    limits: { connect: 10_000, idle: 10_000, whole: 60_000, maxSize: MAX_SIZE },
    tls: { ca: undefined, cert: undefined, key: undefined },
    proxy: { url: '', exceptions: undefined },
  });
  new OriginPoll({
    origin:
      source.kind === 'oci' ? ociOrigin(new URL(source.url), client) : httpOrigin(source.url, client, poll.longPoll),
    poll,
    known: undefined,
    offer: async ({ bytes }) => {
      const digest = createHash('sha256').update(bytes).digest('hex');
      counts.changes[digest] ??= [];
      counts.changes[digest].push(Date.now());
    },
    attempted: (problem) => {
      if (problem === undefined) failing.delete(index);
      else failing.add(index);
    },
  }).start();
}

function httpOrigin(url: string, client: HttpClient, longPoll: number): Origin {
  const credentials = { username: undefined, password: undefined, token: undefined };
  return new HttpOrigin({ url: new URL(url), client, credentials, longPoll });
}

/** @param url of the registry; the path is `/REPOSITORY:TAG`. */
function ociOrigin({ origin, host, pathname }: URL, client: HttpClient): Origin {
  const [repository = '', tag] = pathname.slice(1).split(':');
  const registry = new OciRegistry({
    url: new URL(origin),
    repository,
    actions: 'pull',
    client,
    credentials: async () => undefined,
  });
  return new OciOrigin({
    reference: { host, repository, tag, digest: undefined },
    registry,
    client,
    maxSize: MAX_SIZE,
  });
}

/** Counts requests in the second in which they begin. */
class CountingClient extends HttpClient {
  override async send(request: HttpRequest): Promise<HttpResponse> {
    count(counts.requests, String(Math.floor(Date.now() / 1000)));
    try {
      const response = await super.send(request);
      count(counts.statuses, String(response.status));
      return response;
    } catch (error) {
      count(counts.statuses, 'failed');
      throw error;
    }
  }
}

function count(counted: { [name: string]: number }, name: string): void {
  counted[name] = (counted[name] ?? 0) + 1;
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}

function snapshot(): Counts {
  const bytes = [...open].reduce((sum, socket) => sum + bytesOf(socket), closedBytes);
  return { ...counts, bytes, failing: failing.size };
}
