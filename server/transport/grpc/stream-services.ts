import { once } from 'node:events';
import type { handleServerStreamingCall, handleUnaryCall, Metadata, Server, ServerWritableStream } from '@grpc/grpc-js';
import { WireWriter } from '../../../proto/wire/writer.js';
import { serviceNames } from '../../service/aliases.js';
import type { Caller } from '../../service/foreign-page.js';
import { refuseAdminCall, type Services } from '../../service/services.js';
import { toRpcError } from '../../service/rpc-error.js';
import type { UnservedRpc } from '../rpc.js';
import { STREAM_RPCS, UNSERVED_RPCS } from '../rpcs.js';
import { decodeRequest, type StreamRpc } from '../stream-rpc.js';
import { BYTES, serverStream, unary } from './method.js';
import { toGrpcError } from './status-details.js';

/** The RPCs with a stream of responses over gRPC, and those that are refused. */
export function addStreamServices(server: Server, services: Services): void {
  for (const rpc of STREAM_RPCS) {
    const { method } = rpc;
    const handle = handler(rpc, services);
    for (const service of serviceNames(rpc.service, services.aliases))
      server.addService({ [method]: serverStream(service, method, BYTES) }, { [method]: handle });
  }
  for (const rpc of UNSERVED_RPCS) {
    const { method } = rpc;
    const refuse = refusal(rpc, services);
    for (const service of serviceNames(rpc.service, services.aliases))
      server.addService({ [method]: unary(service, method, BYTES) }, { [method]: refuse });
  }
}

function handler(rpc: StreamRpc, services: Services): handleServerStreamingCall<Buffer, Buffer> {
  const writer = new WireWriter();
  return (call) => {
    answer(rpc, services, call, writer).then(
      () => call.end(),
      (thrown) => call.emit('error', toGrpcError(toRpcError(thrown, services.report))),
    );
  };
}

function refusal({ reason }: UnservedRpc, { admin, report }: Services): handleUnaryCall<Buffer, Buffer> {
  return ({ metadata }, callback) => {
    refuseAdminCall(admin, readCaller(metadata), reason).catch((thrown) =>
      callback(toGrpcError(toRpcError(thrown, report))),
    );
  };
}

function readCaller(metadata: Metadata): Caller {
  return { header: (name) => metadata.get(name)[0]?.toString(), host: () => '' };
}

/** Responses are created at the pace of the caller, and only while it listens. */
async function answer(
  rpc: StreamRpc,
  services: Services,
  call: ServerWritableStream<Buffer, Buffer>,
  writer: WireWriter,
): Promise<void> {
  const left = new AbortController();
  call.once('cancelled', () => left.abort());
  const streamCall = { caller: readCaller(call.metadata), gone: left.signal };
  const responses = rpc.run(services, streamCall, () => decodeRequest(rpc, call.request, 'internal'));
  for await (const response of responses) {
    if (call.cancelled) return;
    if (!call.write(rpc.encode(response, writer)) && !(await hasDrained(call, left.signal))) return;
  }
}

/** Waits until more can be written; false if the caller disconnects first. */
function hasDrained(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Promise<boolean> {
  return once(call, 'drain', { signal }).then(
    () => true,
    () => false,
  );
}
