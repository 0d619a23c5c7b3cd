import { type handleUnaryCall, Metadata, type Server } from '@grpc/grpc-js';
import { TextTable } from '../../../proto/wire/reader.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import type { ServerInfoResponse } from '../../../proto/gen/messages.js';
import type { DecidingBundle } from '../../service/decider.js';
import { serviceNames } from '../../service/aliases.js';
import { byRelease, type Services } from '../../service/services.js';
import { BUNDLE_HASH, CALL_ID } from '../call-header.js';
import { type Codec, fullName, type Rpc, runProto } from '../rpc.js';
import { RPCS, UNWATCHED_RPCS } from '../rpcs.js';
import { createRunner } from '../unary-call.js';
import { GrpcCall } from './grpc-call.js';
import { BYTES, unary } from './method.js';
import { toGrpcError } from './status-details.js';

/**
 * The RPCs with one response over gRPC. The library passes and receives raw bytes: messages use our own codec, from
 * bytes to plain values and from decisions to bytes (bench: server), and malformed requests are refused, and watched,
 * like all others.
 */
export function addRpcServices(server: Server, services: Services, authInfo: string): void {
  const codec: Codec = { texts: new TextTable(), writer: new WireWriter(), malformed: 'internal' };
  const undecided = byRelease(versionMetadata);
  const decided = byRelease(decidedMetadata);
  const version: Served['version'] = (bundle) =>
    bundle === undefined ? undecided(services.release) : decided(bundle.release);
  const add = (rpc: Rpc, served: Omit<Served, 'rpc' | 'codec' | 'authInfo'>): void => {
    const { method } = rpc;
    const handle = handler({ ...served, rpc, codec, authInfo });
    for (const service of serviceNames(rpc.service, services.aliases))
      server.addService({ [method]: unary(service, method, BYTES) }, { [method]: handle });
  };
  for (const rpc of RPCS) add(rpc, { services, version });
  for (const rpc of UNWATCHED_RPCS)
    add(rpc, { services: { ...services, watchers: [] }, version: () => new Metadata() });
}

interface Served {
  readonly rpc: Rpc;
  readonly services: Services;
  readonly codec: Codec;
  /** The header of handled calls (docs/spec/server.md#response-headers), identical for all that a bundle decides. */
  readonly version: (bundle: DecidingBundle | undefined) => Metadata;
  readonly authInfo: string;
}

function handler({ rpc, services, codec, version, authInfo }: Served): handleUnaryCall<Buffer, Buffer> {
  const method = fullName(rpc);
  const handled = ({ id, bundle }: GrpcCall): Metadata =>
    id === '' ? version(bundle) : withCallId(version(bundle), id);
  const run = createRunner<GrpcCall, Buffer>(services, {
    run: (own, bytes) => runProto(rpc, services, own, bytes, codec),
    isLate,
    answer: (own, message) => {
      own.call.sendMetadata(handled(own));
      own.respond(null, message);
      return message.length;
    },
    refuse: (own, error) => {
      if (own.id !== '') own.call.sendMetadata(handled(own));
      own.respond(toGrpcError(error));
      return 0;
    },
  });
  return (call, callback) => run(new GrpcCall(method, call, callback, authInfo), call.request);
}

function versionMetadata({ version }: ServerInfoResponse): Metadata {
  const metadata = new Metadata();
  metadata.set('authz-version', version);
  return metadata;
}

function decidedMetadata(release: ServerInfoResponse): Metadata {
  const metadata = versionMetadata(release);
  metadata.set(BUNDLE_HASH, release.bundleHash);
  return metadata;
}

/** Values shared by all calls are not rebuilt. */
function withCallId(shared: Metadata, id: string): Metadata {
  const metadata = shared.clone();
  metadata.set(CALL_ID, id);
  return metadata;
}

/** The library keeps a timer for the deadline; a call that never waits is over before any timer runs. */
function isLate({ call }: GrpcCall): boolean {
  const deadline = call.getDeadline();
  return deadline !== Number.POSITIVE_INFINITY && Date.now() >= Number(deadline);
}
