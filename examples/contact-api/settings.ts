/** The configuration of the API. */
export interface Settings {
  /** Anyone who knows it can create tokens: keep it long, and out of the repository. */
  readonly secret: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** A file, or `:memory:`. */
  readonly database: string;
  readonly pdp: PdpSettings;
}

/** Where decisions are made: in this process, or by a server. */
export type PdpSettings =
  | { readonly transport: 'in-process' }
  | { readonly transport: 'rest' | 'connect' | 'grpc'; readonly address: string };

/** Reads the environment. Throws for a setting that is wrong or missing, so that the API does not start. */
export function settingsOf(environment: Environment): Settings {
  const secret = environment['CONTACTS_SECRET'] ?? '';
  if (secret === '') throw new Error('CONTACTS_SECRET is not set: it verifies the tokens of callers');
  return {
    secret,
    port: portOf(environment['CONTACTS_PORT'] ?? '3000'),
    database: environment['CONTACTS_DATABASE'] ?? ':memory:',
    pdp: pdpOf(environment['AUTHZ_PDP'] ?? 'rest', environment['AUTHZ_PDP_ADDRESS']),
  };
}

/** Variables by name, as in `process.env`. */
export type Environment = { readonly [name: string]: string | undefined };

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`CONTACTS_PORT is \`${text}\`: must be a number from 0 to 65535`);
  return port;
}

function pdpOf(transport: string, address: string | undefined): PdpSettings {
  switch (transport) {
    case 'in-process':
      return { transport };
    case 'rest':
    case 'connect':
      return { transport, address: address ?? 'http://127.0.0.1:3592' };
    case 'grpc':
      return { transport, address: address ?? '127.0.0.1:3593' };
    default:
      throw new Error(`AUTHZ_PDP is \`${transport}\`: must be in-process, rest, connect or grpc`);
  }
}
