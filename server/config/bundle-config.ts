import type { S3Config } from './s3.js';

/** Where the server gets its bundle from, and how (docs/bundle-sources.md): plain data. Durations are milliseconds. */
export interface BundleConfig {
  /** Undefined: the file that the command line names. */
  readonly source: BundleSourceConfig | undefined;
  /** Undefined: unsigned bundles are served. */
  readonly trust: TrustConfig | undefined;
  readonly poll: PollConfig;
  /** How long a server that has no bundle tries before it gives up. */
  readonly startTimeout: number;
  readonly limits: {
    readonly connect: number;
    readonly idle: number;
    readonly whole: number;
    /** In bytes. */
    readonly maxSize: number;
  };
  readonly credentials: BundleCredentials;
  readonly tls: BundleTls;
  readonly proxy: HttpProxy;
  readonly s3: S3Config;
  readonly oci: OciConfig;
  /** The folder for the last bundle that was served, and for what was accepted. Undefined: none is kept. */
  readonly cache: string | undefined;
}

/** Which signed bundles are served. */
export interface TrustConfig {
  /** Files with public keys. */
  readonly keys: readonly string[];
  /** How many of the keys must have signed. */
  readonly required: number;
  readonly maxAge: number | undefined;
  readonly requireSequence: boolean;
  readonly clockSkew: number;
}

/** A source, by its scheme. */
export type BundleSourceConfig =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'oci'; readonly reference: OciReference };

/** Where an artifact is in a registry. */
export interface OciReference {
  /** `registry.example.com`, `localhost:5000` */
  readonly host: string;
  /** `policies/shop` */
  readonly repository: string;
  /** `latest` if neither is given. */
  readonly tag: string | undefined;
  /** `sha256:…`: nothing else is accepted. */
  readonly digest: string | undefined;
}

export interface PollConfig {
  readonly interval: number;
  /** By how much each wait differs from the interval at most, in percent. */
  readonly jitter: number;
  /** How long a server that offers it may hold a request; 0: it is not asked to. */
  readonly longPoll: number;
  /** The longest wait after failures. */
  readonly maxBackoff: number;
}

/** Undefined: none. Secrets are in files, which are read for each request, or in the configuration. */
export interface BundleCredentials {
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  readonly token: Secret | undefined;
}

export type Secret = { readonly value: string } | { readonly file: string };

/** PEM files. Undefined: the authorities of the platform, and no client certificate. */
export interface BundleTls {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

export interface HttpProxy {
  /** Undefined: HTTPS_PROXY and HTTP_PROXY of the environment. Empty: none. */
  readonly url: string | undefined;
  /** Hosts that are reached directly. Undefined: NO_PROXY of the environment. */
  readonly exceptions: readonly string[] | undefined;
}

export interface OciConfig {
  /** A `config.json` of docker with credentials. */
  readonly dockerConfig: string | undefined;
  /** Whether the registry is asked without TLS. */
  readonly plainHttp: boolean;
}
