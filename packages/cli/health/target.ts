import { readFileSync } from 'node:fs';
import { type Address, parseAddress } from '../../../server/config/address.js';
import { loadConfig } from '../../../server/config.js';
import { readCertificates } from '../../../server/tls/certificates.js';
import type { Environment } from '../../../server/config/substitute.js';
import { UsageError } from '../exit.js';
import { explainReadError } from '../../../server/read-error.js';

/** The address and protocol of a health check. */
export interface HealthTarget {
  readonly address: Address;
  /** Undefined: plaintext. */
  readonly tls: HealthTls | undefined;
}

/**
 * Which certificates are accepted: any; that of the host, from an authority (PEM; undefined: those that the platform
 * trusts); or the one in a file (DER).
 */
export type HealthTls =
  | { readonly kind: 'any' }
  | { readonly kind: 'authority'; readonly ca: Buffer | undefined }
  | { readonly kind: 'pinned'; readonly certificate: Buffer };

/** The options of the command line. */
export interface TargetOptions {
  readonly config?: string;
  readonly kind: 'grpc' | 'http';
  readonly hostPort?: string;
  readonly caCert?: string;
  /** False: plaintext. */
  readonly tls: boolean;
  readonly insecure?: boolean;
}

/**
 * The target of the health check: from the configuration, or from flags and variables
 * (docs/spec/server.md#command-line). A flag takes precedence over a variable, and an address over `AUTHZ_CONFIG`.
 * Throws a UsageError, a ConfigError, or an Error that names a file.
 */
export function makeTarget(options: TargetOptions, environment: Environment): HealthTarget {
  const { kind } = options;
  const hostPort = options.hostPort ?? ignoreEmpty(environment['AUTHZ_HC_HOSTPORT']);
  const caCert = options.caCert ?? ignoreEmpty(environment['AUTHZ_HC_CACERT']);
  const plain = !options.tls || isOn(environment['AUTHZ_HC_NOTLS']);
  const verify = options.insecure !== true && !isOn(environment['AUTHZ_HC_INSECURE']);
  if (
    options.config !== undefined &&
    (options.hostPort !== undefined || options.caCert !== undefined || !options.tls)
  ) {
    throw new UsageError('`--config` cannot be used with `--host-port`, `--ca-cert` or `--no-tls`');
  }
  const isSaid = hostPort !== undefined || caCert !== undefined || plain;
  const config = options.config ?? (isSaid ? undefined : ignoreEmpty(environment['AUTHZ_CONFIG']));
  if (config !== undefined) return configuredTarget(config, kind, verify, environment);
  const written = hostPort ?? (kind === 'grpc' ? '127.0.0.1:3593' : '127.0.0.1:3592');
  const address = parseAddress(written);
  if (address === undefined)
    throw new UsageError(`\`--host-port\` must be \`host:port\` or \`unix:/path\`, not \`${written}\``);
  if (plain) return { address, tls: undefined };
  return {
    address,
    tls: verify ? { kind: 'authority', ca: caCert === undefined ? undefined : readPem(caCert) } : { kind: 'any' },
  };
}

/**
 * Makes a target from the configuration file, so that the certificate itself is known. It is compared as a whole, so
 * its host names, which may not cover the address of a listener, do not matter.
 */
function configuredTarget(
  file: string,
  kind: 'grpc' | 'http',
  verify: boolean,
  environment: Environment,
): HealthTarget {
  const { server } = loadConfig({ file, environment }).config;
  const address = kind === 'grpc' ? server.grpcListenAddr : server.httpListenAddr;
  if (server.tls === undefined) return { address, tls: undefined };
  return {
    address,
    tls: verify ? { kind: 'pinned', certificate: readCertificates(server.tls).leaf.raw } : { kind: 'any' },
  };
}

function ignoreEmpty(variable: string | undefined): string | undefined {
  return variable === '' ? undefined : variable;
}

/** A variable that is set to `false` or `0` is off: naming it must not turn verification off. */
function isOn(variable: string | undefined): boolean {
  return variable !== undefined && !['', '0', 'false', 'no'].includes(variable.toLowerCase());
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Error(`\`${file}\` cannot be read: ${explainReadError(error)}`);
  }
}
