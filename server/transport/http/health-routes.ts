import type { FastifyInstance } from 'fastify';
import type {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthListRequest,
  HealthListResponse,
} from '../../../proto/gen/health-messages.js';
import {
  printHealthCheckResponse,
  printHealthListResponse,
  readHealthCheckRequest,
  readHealthListRequest,
} from '../../../proto/gen/json/health.js';
import {
  decodeHealthCheckRequest,
  decodeHealthListRequest,
  encodeHealthCheckResponse,
  encodeHealthListResponse,
} from '../../../proto/gen/wire/health.js';
import type { Health, ServingStatus } from '../../service/health.js';
import { RpcError } from '../../service/rpc-error.js';
import { HEALTH_SERVICE, type Services } from '../../service/services.js';
import type { Rpc } from '../rpc.js';
import type { StreamMessages } from '../stream-rpc.js';
import type { Exchange } from './exchange.js';
import { sendStream } from './stream-routes.js';

/** The path of health over REST, which is a GET of its own (docs/spec/server.md#health). */
const REST = { verb: 'GET', path: '/_authz/health' } as const;

const one: StreamMessages<HealthCheckRequest, HealthCheckResponse> = {
  readJson: readHealthCheckRequest,
  printJson: printHealthCheckResponse,
  decode: decodeHealthCheckRequest,
  encode: encodeHealthCheckResponse,
};

const check: Rpc<HealthCheckRequest, HealthCheckResponse> = {
  ...one,
  service: HEALTH_SERVICE,
  method: 'Check',
  rest: REST,
  sizeOf: () => 0,
  run: ({ health }, _call, { service }) => {
    const status = health.of(service);
    if (status === undefined) throw new RpcError('not_found', 'unknown service');
    return { status };
  },
};

const list: Rpc<HealthListRequest, HealthListResponse> = {
  service: HEALTH_SERVICE,
  method: 'List',
  rest: REST,
  readJson: readHealthListRequest,
  printJson: printHealthListResponse,
  decode: decodeHealthListRequest,
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
): AsyncGenerator<HealthCheckResponse, void> {
  const { service } = read();
  const current = health.of(service);
  yield { status: current ?? 'SERVICE_UNKNOWN' };
  if (current === 'NOT_SERVING') return;
  const status = await changed(health, gone);
  if (current !== undefined && status !== undefined) yield { status };
}

/** Undefined when the watcher has left before. */
function changed(health: Health, gone: AbortSignal): Promise<ServingStatus | undefined> {
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
