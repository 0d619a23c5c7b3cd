import { BYTES, WireReader } from '../../proto/wire/reader.js';
import type { WireWriter } from '../../proto/wire/writer.js';
import type { ServingStatus } from '../service/health.js';
import { messageReader, text } from './message-reader.js';

/** grpc.health.v1.Health (docs/spec/server.md#health). */
export const HEALTH_SERVICE = 'grpc.health.v1.Health';

/** A request must be an object: the gRPC library takes a falsy one for none. */
export interface HealthCheckRequest {
  readonly service: string;
}

/** What a watcher may be told beside the status of a service that exists. */
export type WatchedStatus = ServingStatus | 'SERVICE_UNKNOWN';

/** The statuses of all services, by name. */
export type HealthList = ReadonlyMap<string, ServingStatus>;

export function printHealthCheckResponse(current: WatchedStatus): string {
  return JSON.stringify({ status: current });
}

export function printHealthListResponse(statuses: HealthList): string {
  return JSON.stringify({
    statuses: Object.fromEntries([...statuses].map(([service, status]) => [service, { status }])),
  });
}

/** Throws a JsonError. */
export const readHealthCheckRequest = messageReader<HealthCheckRequest>({ service: text });

/** HealthListRequest, an object without fields. Throws a JsonError. */
export const readHealthListRequest = messageReader<object>({});

/** Throws a WireError. */
export function decodeHealthCheckRequest(bytes: Buffer): HealthCheckRequest {
  const reader = new WireReader(bytes);
  let service = '';
  while (reader.at < bytes.length) {
    const tag = reader.tag();
    if (tag === ((1 << 3) | BYTES)) service = reader.string();
    else reader.skip(tag);
  }
  return { service };
}

export function encodeHealthCheckResponse(current: WatchedStatus, writer: WireWriter): Buffer {
  writer.begin();
  writer.varintField(1, NUMBERS[current]);
  return writer.finish();
}

export function encodeHealthListResponse(statuses: HealthList, writer: WireWriter): Buffer {
  writer.begin();
  for (const [service, current] of [...statuses].sort().reverse()) {
    const entry = writer.mark();
    const response = writer.mark();
    writer.varintField(1, NUMBERS[current]);
    writer.messageField(2, response);
    writer.stringField(1, service);
    writer.messageField(1, entry);
  }
  return writer.finish();
}

const NUMBERS = { SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;
