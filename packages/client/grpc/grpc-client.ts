import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { AnyPermissions, Permissions } from '../../../runtime/policy/index.js';
import { WireError } from '../../../proto/wire/reader.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import {
  decodeCheckResourcesResponse,
  decodePlanResourcesResponse,
  decodeServerInfoResponse,
} from '../../../proto/gen/wire/response.js';
import { encodeCheckResourcesRequest, encodePlanResourcesRequest } from '../../../proto/gen/wire/request.js';
import { type TlsChannel, tlsChannel } from '../../../proto/tls-channel.js';
import type { AuthzClient, ClientOptions } from '../authz-client.js';
import { AuthzError, codeOfNumber } from '../authz-error.js';
import { clientOver } from '../client-over.js';
import { MAX_ANSWER } from '../received-text.js';
import { BUNDLE_HASH, MIN_BUNDLE, type Received, type Transport } from '../transport.js';
import { proxyVariable } from './proxy.js';

/** The address of a decision point, and the connection options. */
export interface GrpcOptions extends ClientOptions {
  /** `pdp.internal:3593`, or `unix:/run/authz.sock`. */
  readonly address: string;
  /**
   * True: with the authorities that this platform trusts. Strings are PEM. If absent, the connection is not encrypted.
   */
  readonly tls?: boolean | GrpcTls | undefined;
  /** Sent with every call. A function is called for every call. */
  readonly metadata?: MetadataValues | (() => MetadataValues | Promise<MetadataValues>) | undefined;
}

/** Metadata values by key. */
export type MetadataValues = { readonly [key: string]: string };

/** The trusted authorities, and the client certificate. */
export interface GrpcTls {
  /** The trusted authorities, instead of the platform's. */
  readonly ca?: string | undefined;
  /** Client certificate, for servers that require one. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/**
 * A client over gRPC: one connection, which is opened by the first call and reopened if it is lost.
 *
 * @example
 * import { grpcClient } from 'authz/client/grpc';
 *
 * const client = grpcClient({ address: 'localhost:3593', timeout: 1000 });
 * const principal = { id: 'ann', roles: ['user'] };
 * const resource = { kind: 'contact', id: 'c1' };
 * console.log(await client.isAllowed({ principal, resource, action: 'read' })); // => true
 * await client.close();
 */
export function grpcClient<P extends Permissions = AnyPermissions>(options: GrpcOptions): AuthzClient<P> {
  return clientOver(grpcTransport(options), options);
}

const SERVICE = '/authz.svc.v1.AuthzService';
const NOTHING = Buffer.alloc(0);

function grpcTransport({ address, tls, metadata }: GrpcOptions): Transport {
  const channel = createChannel(address, tls);
  const proxy = proxyVariable(address);
  const client = new Client(address, channel.credentials, {
    ...channel.options,
    'grpc.max_receive_message_length': MAX_ANSWER,
    'grpc.enable_http_proxy': proxy === undefined ? 0 : 1,
  });
  const writer = new WireWriter();

  const call = async <T>(
    method: string,
    request: Buffer,
    decode: (bytes: Buffer) => T,
    signal: AbortSignal,
    minBundle?: string,
  ): Promise<Received<T>> => {
    const sent = createMetadata(typeof metadata === 'function' ? await metadata() : metadata);
    if (minBundle !== undefined) sent.set(MIN_BUNDLE, minBundle);
    let bundleHash = '';
    const answer = await new Promise<Buffer>((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const running = client.makeUnaryRequest(`${SERVICE}/${method}`, same, same, request, sent, (error, bytes) => {
        signal.removeEventListener('abort', abort);
        if (error !== null)
          reject(
            new AuthzError(codeOfNumber(error.code), describeFailure(error.details, address, proxy), { cause: error }),
          );
        else resolve(bytes ?? NOTHING);
      });
      running.on('metadata', (received: Metadata) => {
        bundleHash = String(received.get(BUNDLE_HASH)[0] ?? '');
      });
      const abort = (): void => running.cancel();
      signal.addEventListener('abort', abort);
    });
    return { message: decoded(answer, decode), bundleHash };
  };

  return {
    check: (request, { signal, minBundle }) => {
      const bytes = encodeCheckResourcesRequest(request, writer);
      return call('CheckResources', bytes, decodeCheckResourcesResponse, signal, minBundle);
    },
    plan: (request, { signal, minBundle }) => {
      const bytes = encodePlanResourcesRequest(request, writer);
      return call('PlanResources', bytes, decodePlanResourcesResponse, signal, minBundle);
    },
    serverInfo: async (signal) => (await call('ServerInfo', NOTHING, decodeServerInfoResponse, signal)).message,
    close: () => client.close(),
  };
}

function createChannel(address: string, tls: GrpcOptions['tls']): TlsChannel {
  if (tls === undefined || tls === false) return { credentials: credentials.createInsecure(), options: {} };
  const { ca, cert, key } = tls === true ? {} : tls;
  const bytes = (pem: string | undefined): Buffer | undefined => (pem === undefined ? undefined : Buffer.from(pem));
  return tlsChannel(address, { ca: bytes(ca), cert: bytes(cert), key: bytes(key) });
}

function createMetadata(values: MetadataValues | undefined): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(values ?? {})) metadata.set(key, value);
  return metadata;
}

/**
 * Why a call failed. Where there is no connection, the library says so with what it did not find out: `Last error:
 * undefined`, behind a proxy for example.
 */
function describeFailure(details: string, address: string, proxy: string | undefined): string {
  const found = NOT_CONNECTED.exec(details);
  if (found === null) return details;
  const [, reason = ''] = found;
  const place = `cannot connect to \`${address}\`${proxy === undefined ? '' : ` through the proxy of \`${proxy}\``}`;
  return /^(?:undefined|null)?$/.test(reason) ? place : `${place}: ${reason.replace(/^Error: /, '')}`;
}

const NOT_CONNECTED = /^No connection established\. Last error: (.*?)\.?(?: Resolution note: .*)?$/s;

function same(bytes: Buffer): Buffer {
  return bytes;
}

function decoded<T>(bytes: Buffer, decode: (bytes: Buffer) => T): T {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof WireError)
      throw new AuthzError('internal', `the answer is malformed: ${error.message}`, { cause: error });
    throw error;
  }
}
