import { readFileSync } from 'node:fs';
import { credentials, Metadata } from '@grpc/grpc-js';
import { type TlsChannel, tlsChannel } from '../../../proto/tls-channel.js';
import { parseAddress, writeAddress } from '../../../server/config/address.js';
import { UsageError } from '../exit.js';

/**
 * Address, TLS and credentials of a server's admin API (docs/spec/server.md#audit). An empty variable counts as not
 * set.
 */
export interface AdminOptions {
  readonly server: string;
  readonly username?: string;
  readonly password?: string;
  readonly caCert?: string;
  readonly clientCert?: string;
  readonly clientKey?: string;
  readonly insecure?: boolean;
  readonly plaintext?: boolean;
}

/** The parameters of a connection, in the terms of gRPC. */
export interface AdminTarget {
  /** `host:port` or `unix:/path`. */
  readonly address: string;
  readonly channel: TlsChannel;
  /** Sent with each call. */
  readonly metadata: Metadata;
}

/** The target of the options. Throws a UsageError for contradictory options, or an Error that names a file. */
export function adminTargetOf(options: AdminOptions): AdminTarget {
  const address = parseAddress(options.server === '' ? DEFAULT_SERVER : options.server);
  if (address === undefined)
    throw new UsageError(`\`--server\` must be \`host:port\` or \`unix:/path\`, not \`${options.server}\``);
  const isLocal = address.kind === 'tcp' && address.host === undefined;
  const target = writeAddress(isLocal ? { ...address, host: 'localhost' } : address);
  return { address: target, channel: channelOf(target, options), metadata: metadataOf(options) };
}

/** The default gRPC address of a server on this machine. */
export const DEFAULT_SERVER = 'localhost:3593';

function channelOf(
  address: string,
  { caCert, clientCert, clientKey, insecure = false, plaintext = false }: AdminOptions,
): TlsChannel {
  if (plaintext) {
    if (insecure || [caCert, clientCert, clientKey].some((file) => file !== undefined))
      throw new UsageError('`--plaintext` cannot be used with `--insecure` or certificates');
    return { credentials: credentials.createInsecure(), options: {} };
  }
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw new UsageError('`--client-cert` and `--client-key` must be used together');
  if (insecure && caCert !== undefined)
    throw new UsageError('`--insecure` cannot be used with `--ca-cert`: it trusts every certificate');
  try {
    const pems = { ca: readPem(caCert), cert: readPem(clientCert), key: readPem(clientKey) };
    return tlsChannel(
      address,
      pems,
      insecure ? { rejectUnauthorized: false, checkServerIdentity: () => undefined } : {},
    );
  } catch (error) {
    throw error instanceof FileError
      ? error
      : new Error(`the certificates cannot be used: ${(error as Error).message}`);
  }
}

class FileError extends Error {}

function readPem(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new FileError(`\`${file}\` cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}

/** The admin API requires Basic credentials (docs/spec/server.md#admin-authentication). */
function metadataOf({ username = '', password = '' }: AdminOptions): Metadata {
  if (username === '' || password === '')
    throw new UsageError(
      'the admin API requires a user: set `--username` and `--password`, or AUTHZ_USERNAME and AUTHZ_PASSWORD',
    );
  if (username.includes(':')) throw new UsageError('`--username` must not contain a colon');
  const metadata = new Metadata();
  metadata.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  return metadata;
}
