import { once } from 'node:events';
import type { handleServerStreamingCall, Server, ServerWritableStream } from '@grpc/grpc-js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import type { AdminService } from '../../service/admin.js';
import { type Report, rpcErrorOf } from '../../service/rpc-error.js';
import { ADMIN_SERVICE } from '../../service/services.js';
import { STREAM_RPCS } from '../rpcs.js';
import { decodeRequest, runStream, type StreamRpc } from '../stream-rpc.js';
import { serverStream } from './method.js';
import { grpcErrorOf } from './status-details.js';

/** The admin API over gRPC (server.md 1.1): the streams of the table. Its other methods are not implemented, which the library says. */
export function addAdminService(server: Server, admin: AdminService, report: Report): void {
  const bytes = { decode: (message: Buffer): Buffer => message, encode: (message: Buffer): Buffer => message };
  const rpcs = STREAM_RPCS.filter(({ service }) => service === ADMIN_SERVICE);
  const definition = Object.fromEntries(rpcs.map(({ method }) => [method, serverStream(ADMIN_SERVICE, method, bytes)]));
  server.addService(definition, Object.fromEntries(rpcs.map((rpc) => [rpc.method, handler(rpc, admin, report)])));
}

function handler(rpc: StreamRpc, admin: AdminService, report: Report): handleServerStreamingCall<Buffer, Buffer> {
  const writer = new WireWriter();
  return (call) => {
    answer(rpc, admin, call, writer).then(
      () => call.end(),
      (thrown) => call.emit('error', grpcErrorOf(rpcErrorOf(thrown, report))),
    );
  };
}

/** Responses are made at the pace of the caller, and no longer than it listens. */
async function answer(rpc: StreamRpc, admin: AdminService, call: ServerWritableStream<Buffer, Buffer>, writer: WireWriter): Promise<void> {
  const [authorization] = call.metadata.get('authorization');
  const responses = runStream(rpc, admin, authorization === undefined ? undefined : String(authorization), () => decodeRequest(rpc, call.request, 'internal'));
  const left = new AbortController();
  call.once('cancelled', () => left.abort());
  for await (const response of responses) {
    if (call.cancelled) return;
    if (!call.write(rpc.encode(response, writer)) && !(await hasDrained(call, left.signal))) return;
  }
}

/** Waits until more can be written: false when the caller leaves instead. */
function hasDrained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<boolean> {
  return once(call, 'drain', { signal }).then(() => true, () => false);
}
