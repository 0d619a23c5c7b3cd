import type { FastifyInstance } from 'fastify';
import type { Health } from '../../service/health.js';
import { RpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import {
  decodeHealthCheckRequest,
  encodeHealthCheckResponse,
  encodeHealthListResponse,
  HEALTH_SERVICE,
  type HealthCheckRequest,
  type HealthList,
  printHealthCheckResponse,
  printHealthListResponse,
  readHealthCheckRequest,
  readHealthListRequest,
  type WatchedStatus,
} from '../health-messages.js';
import type { Rpc } from '../rpc.js';
import type { StreamMessages } from '../stream-rpc.js';
import type { Exchange } from './exchange.js';
import { sendStream } from './stream-routes.js';

/** The path of health over REST, which is a GET of its own (docs/spec/server.md#health). */
const REST = { verb: 'GET', path: '/_authz/health' } as const;

const one: StreamMessages<HealthCheckRequest, WatchedStatus> = {
  readJson: readHealthCheckRequest,
  printJson: printHealthCheckResponse,
  decode: decodeHealthCheckRequest,
  encode: encodeHealthCheckResponse,
};

const check: Rpc<HealthCheckRequest, WatchedStatus> = {
  ...one,
  service: HEALTH_SERVICE,
  method: 'Check',
  rest: REST,
  sizeOf: () => 0,
  run: ({ health }, _call, { service }) => {
    const current = health.of(service);
    if (current === undefined) throw new RpcError('not_found', 'unknown service');
    return current;
  },
};

const list: Rpc<object, HealthList> = {
  service: HEALTH_SERVICE,
  method: 'List',
  rest: REST,
  readJson: readHealthListRequest,
  printJson: printHealthListResponse,
  decode: () => ({}),
  encode: encodeHealthListResponse,
  sizeOf: () => 0,
  run: ({ health }) => health.all(),
};

/**
 * What of health is answered at once, over Connect and gRPC-Web. Nobody watches it: it is neither logged nor audited.
 */
export const HEALTH_RPCS: readonly Rpc[] = [check as unknown as Rpc, list as unknown as Rpc];

/** Watch over Connect and gRPC-Web: the status now, and once it changes, which ends the stream. */
export function addHealthWatch(app: FastifyInstance, exchange: Exchange, { health, report }: Services): void {
  app.post(`/${HEALTH_SERVICE}/Watch`, (request, reply) => {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    sendStream(one as unknown as StreamMessages, request, reply, exchange, report, (read) =>
      statuses(health, read as () => HealthCheckRequest, gone.signal),
    );
  });
}

async function* statuses(
  health: Health,
  read: () => HealthCheckRequest,
  gone: AbortSignal,
): AsyncGenerator<WatchedStatus, void> {
  const { service } = read();
  const current = health.of(service);
  yield current ?? 'SERVICE_UNKNOWN';
  if (current === 'NOT_SERVING') return;
  const next = await changed(health, gone);
  if (current !== undefined && next !== undefined) yield next;
}

/** Undefined when the watcher has left before. */
function changed(health: Health, gone: AbortSignal): Promise<WatchedStatus | undefined> {
  return new Promise((resolve) => {
    const forget = health.onChange((next) => {
      forget();
      resolve(next);
    });
    const leave = (): void => {
      forget();
      resolve(undefined);
    };
    if (gone.aborted) leave();
    else gone.addEventListener('abort', leave, { once: true });
  });
}
