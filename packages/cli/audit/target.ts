import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectSecure, createSecureContext } from 'node:tls';
import { parseAddress, writeAddress } from '../../../server/config/address.js';
import { UsageError } from '../exit.js';
import { explainReadError } from '../../../server/read-error.js';

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

/** The parameters of a connection over HTTP/2. */
export interface AdminTarget {
  readonly url: string;
  readonly connection: ConnectionOptions & { readonly createConnection?: () => ReturnType<typeof connect> };
  /** Headers of each call. */
  readonly headers: { readonly [name: string]: string };
}

/** The target of the options. Throws a UsageError for contradictory options, or an Error that names a file. */
export function makeAdminTarget(options: AdminOptions): AdminTarget {
  const address = parseAddress(options.server === '' ? DEFAULT_SERVER : options.server);
  if (address === undefined)
    throw new UsageError(`\`--server\` must be \`host:port\` or \`unix:/path\`, not \`${options.server}\``);
  const tls = readTls(options);
  const authority =
    address.kind === 'unix' ? 'localhost' : writeAddress({ ...address, host: address.host ?? 'localhost' });
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${authority}`,
    connection: { ...tls, ...(address.kind === 'unix' && socketOptions(address.path, tls)) },
    headers: makeHeaders(options),
  };
}

/** The default gRPC address of a server on this machine. */
const DEFAULT_SERVER = 'localhost:3593';

/** The certificates of the options; undefined: plaintext. */
function readTls({
  caCert,
  clientCert,
  clientKey,
  insecure = false,
  plaintext = false,
}: AdminOptions): ConnectionOptions | undefined {
  if (plaintext) {
    if (insecure || [caCert, clientCert, clientKey].some((file) => file !== undefined))
      throw new UsageError('`--plaintext` cannot be used with `--insecure` or certificates');
    return undefined;
  }
  if ((clientCert === undefined) !== (clientKey === undefined))
    throw new UsageError('`--client-cert` and `--client-key` must be used together');
  if (insecure && caCert !== undefined)
    throw new UsageError('`--insecure` cannot be used with `--ca-cert`: it trusts every certificate');
  const [ca, cert, key] = [readPem(caCert), readPem(clientCert), readPem(clientKey)];
  const pems = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  try {
    createSecureContext(pems);
  } catch (error) {
    throw new Error(`the certificates cannot be used: ${(error as Error).message}`);
  }
  return { ...pems, rejectUnauthorized: !insecure };
}

/** How a Unix socket is connected to: the URL names no path of a socket. */
function socketOptions(
  path: string,
  tls: ConnectionOptions | undefined,
): Pick<AdminTarget['connection'], 'createConnection'> {
  return {
    createConnection: () =>
      tls === undefined
        ? connect(path)
        : connectSecure({ ...tls, path, servername: 'localhost', ALPNProtocols: ['h2'] }),
  };
}

function readPem(file: string | undefined): Buffer | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`\`${file}\` cannot be read: ${explainReadError(error)}`);
  }
}

/** The admin API requires Basic credentials (docs/spec/server.md#admin-authentication). */
function makeHeaders({ username = '', password = '' }: AdminOptions): AdminTarget['headers'] {
  if (username === '' || password === '')
    throw new UsageError(
      'the admin API requires a user: set `--username` and `--password`, or AUTHZ_USERNAME and AUTHZ_PASSWORD',
    );
  if (username.includes(':')) throw new UsageError('`--username` must not contain a colon');
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
