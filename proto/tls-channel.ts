import { isIP } from 'node:net';
import { checkServerIdentity } from 'node:tls';
import {
  type CallCredentials,
  ChannelCredentials,
  type ChannelOptions,
  credentials,
  type VerifyOptions,
} from '@grpc/grpc-js';

/** PEM texts for a gRPC connection over TLS. */
export interface TlsPems {
  /** Trusted certificate authorities. Without them, those of the platform are trusted. */
  readonly ca?: Buffer | undefined;
  /** Identify the client; only together. */
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

/** What `Client` of grpc-js takes besides the address. */
export interface TlsChannel {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
}

/**
 * Credentials and options of a gRPC client over TLS. grpc-js sends the host of the address as the TLS server name, but
 * a server name must not be an IP address (RFC 6066), and Node 26 throws. So for an IP address another name is sent,
 * and the certificate is still verified for the address.
 *
 * Throws when the PEM texts cannot be used.
 */
export function tlsChannel(address: string, { ca, cert, key }: TlsPems, verify: VerifyOptions = {}): TlsChannel {
  const host = readHost(address);
  const isNamed = isIP(host) === 0;
  const check = verify.checkServerIdentity ?? checkServerIdentity;
  const verifyAddress: VerifyOptions = {
    ...verify,
    checkServerIdentity: (_name, certificate) => check(host, certificate),
  };
  return {
    credentials: credentials.createSsl(ca ?? null, key ?? null, cert ?? null, isNamed ? verify : verifyAddress),
    options: isNamed ? {} : { 'grpc.ssl_target_name_override': SERVER_NAME },
  };
}

/**
 * The same as credentials alone, for a client whose options are not ours to choose. Throws when the PEM texts cannot be
 * used.
 */
export function tlsCredentials(address: string, pems: TlsPems): ChannelCredentials {
  const channel = tlsChannel(address, pems);
  return new CredentialsWithOptions(channel.credentials, channel.options);
}

/** Credentials that add options to those of the channel. */
class CredentialsWithOptions extends ChannelCredentials {
  readonly #inner: ChannelCredentials;
  readonly #options: ChannelOptions;

  constructor(inner: ChannelCredentials, options: ChannelOptions) {
    super();
    this.#inner = inner;
    this.#options = options;
  }

  override _isSecure(): boolean {
    return this.#inner._isSecure();
  }

  /** Whether the credentials are of the same address; the options depend on nothing else. */
  override _equals(other: ChannelCredentials): boolean {
    return other instanceof CredentialsWithOptions && this.#inner._equals(other.#inner);
  }

  override _createSecureConnector(
    target: Parameters<ChannelCredentials['_createSecureConnector']>[0],
    options: ChannelOptions,
    call?: CallCredentials,
  ): ReturnType<ChannelCredentials['_createSecureConnector']> {
    return this.#inner._createSecureConnector(target, { ...options, ...this.#options }, call);
  }
}

/** Belongs to no host, now or later (RFC 6761), so a server that chooses its certificate by name uses its default. */
const SERVER_NAME = 'ip-address.invalid';

/** Reads the host of `host`, `host:port`, `[host]:port`, with or without a scheme such as `dns:` or `ipv6:`. */
function readHost(address: string): string {
  const target = address.replace(/^(?:dns|ipv4|ipv6):(?:\/\/[^/]*\/)?/, '');
  if (isIP(target) !== 0) return target;
  return /^\[([^\]]*)\]/.exec(target)?.[1] ?? target.replace(/:\d*$/, '');
}
