import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ChannelCredentials, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { diag } from '@opentelemetry/api';
import { tlsCredentials } from '../../../proto/tls-channel.js';
import type { Environment } from '../../config/substitute.js';

/** What a collector is sent; part of the names of variables. */
export type Signal = 'TRACES' | 'METRICS';

/** What an exporter of OTLP over gRPC is made with. */
export interface GrpcExporterOptions {
  readonly credentials?: ChannelCredentials;
}

/**
 * Options of an exporter of OTLP over gRPC. The exporter reads the standard variables itself, but sends the host of the
 * endpoint as the TLS server name, and Node 26 rejects an IP address there. Its channel options are fixed, so for such
 * an endpoint this returns credentials, made from the same variables.
 */
export function grpcExporterOptions(environment: Environment, signal: Signal): GrpcExporterOptions {
  // The library also writes to the console what the exporter reports.
  setLogVerbosity(logVerbosity.NONE);
  const variables = new SignalVariables(environment, signal);
  const address = readAddress(variables);
  if (address === undefined) return {};
  const [ca, cert, key] = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'].map((name) => variables.file(name));
  if ((cert === undefined) !== (key === undefined))
    diag.warn('OTLP: client certificate and key must be set together; neither is used');
  try {
    return {
      credentials: tlsCredentials(address, cert === undefined || key === undefined ? { ca } : { ca, cert, key }),
    };
  } catch (error) {
    diag.error('OTLP: the certificates cannot be used', error);
    return {};
  }
}

/** Reads the address of an endpoint with TLS at an IP address: `127.0.0.1:4317`. */
function readAddress(variables: SignalVariables): string | undefined {
  const endpoint = variables.text('ENDPOINT') ?? '';
  const hasScheme = /^\w{1,8}:\/\//.test(endpoint);
  // Like the exporter: a scheme selects TLS; without one, a variable does.
  if (hasScheme ? !endpoint.startsWith('https://') : variables.text('INSECURE')?.toLowerCase() === 'true')
    return undefined;
  const url = hasScheme ? endpoint : `https://${endpoint}`;
  if (!URL.canParse(url)) return undefined;
  const { host, hostname } = new URL(url);
  return isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0 ? host : undefined;
}

class SignalVariables {
  constructor(
    readonly environment: Environment,
    readonly signal: Signal,
  ) {}

  /** The variable of the signal or, where that is not set or blank, the one of all signals. */
  text(name: string): string | undefined {
    const texts = [`OTEL_EXPORTER_OTLP_${this.signal}_${name}`, `OTEL_EXPORTER_OTLP_${name}`].map((variable) =>
      this.environment[variable]?.trim(),
    );
    return texts.find((text) => text !== undefined && text !== '');
  }

  file(name: string): Buffer | undefined {
    const path = this.text(name);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      diag.warn(`OTLP: ${path} cannot be read`, error);
      return undefined;
    }
  }
}
