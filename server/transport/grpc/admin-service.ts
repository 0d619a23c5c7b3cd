import { once } from 'node:events';
import type { handleServerStreamingCall, handleUnaryCall, Metadata, Server, ServerWritableStream } from '@grpc/grpc-js';
import { WireWriter } from '../../../proto/wire/writer.js';
import { ADMIN_SERVICE, type AdminService, refuseAdminCall } from '../../service/services.js';
import { type Report, rpcErrorOf } from '../../service/rpc-error.js';
import type { UnservedRpc } from '../rpc.js';
import { STREAM_RPCS, UNSERVED_RPCS } from '../rpcs.js';
import { decodeRequest, runStream, type StreamRpc } from '../stream-rpc.js';
import { serverStream, unary } from './method.js';
import { grpcErrorOf } from './status-details.js';

/**
 * Adds the admin API over gRPC (docs/spec/server.md#endpoints): the streams of the table, and the methods that are
 * refused. Without an admin API, all of them are.
 */
export function addAdminService(server: Server, admin: AdminService | undefined, report: Report): void {
  const bytes = { decode: (message: Buffer): Buffer => message, encode: (message: Buffer): Buffer => message };
  const streams = STREAM_RPCS.filter(({ service }) => service === ADMIN_SERVICE);
  const unserved = UNSERVED_RPCS.filter(({ service }) => service === ADMIN_SERVICE);
  const definition = Object.fromEntries([
    ...streams.map(({ method }) => [method, serverStream(ADMIN_SERVICE, method, bytes)]),
    ...unserved.map(({ method }) => [method, unary(ADMIN_SERVICE, method, bytes)]),
  ]);
  const handlers = Object.fromEntries([
    ...streams.map((rpc) => [rpc.method, handler(rpc, admin, report)]),
    ...unserved.map((rpc) => [rpc.method, refusal(rpc, admin, report)]),
  ]);
  server.addService(definition, handlers);
}

function handler(
  rpc: StreamRpc,
  admin: AdminService | undefined,
  report: Report,
): handleServerStreamingCall<Buffer, Buffer> {
  const writer = new WireWriter();
  return (call) => {
    answer(rpc, admin, call, writer).then(
      () => call.end(),
      (thrown) => call.emit('error', grpcErrorOf(rpcErrorOf(thrown, report))),
    );
  };
}

function refusal(
  { reason }: UnservedRpc,
  admin: AdminService | undefined,
  report: Report,
): handleUnaryCall<Buffer, Buffer> {
  return ({ metadata }, callback) => {
    refuseAdminCall(admin, authorizationOf(metadata), reason).catch((thrown) =>
      callback(grpcErrorOf(rpcErrorOf(thrown, report))),
    );
  };
}

function authorizationOf(metadata: Metadata): string | undefined {
  return metadata.get('authorization')[0]?.toString();
}

/** Responses are made at the pace of the caller, and no longer than it listens. */
async function answer(
  rpc: StreamRpc,
  admin: AdminService | undefined,
  call: ServerWritableStream<Buffer, Buffer>,
  writer: WireWriter,
): Promise<void> {
  const responses = runStream(rpc, admin, authorizationOf(call.metadata), () =>
    decodeRequest(rpc, call.request, 'internal'),
  );
  const left = new AbortController();
  call.once('cancelled', () => left.abort());
  for await (const response of responses) {
    if (call.cancelled) return;
    if (!call.write(rpc.encode(response, writer)) && !(await hasDrained(call, left.signal))) return;
  }
}

/** Waits until more can be written: false when the caller leaves instead. */
function hasDrained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<boolean> {
  return once(call, 'drain', { signal }).then(
    () => true,
    () => false,
  );
}
