import type { BundleSourceConfig } from './bundle-source.js';
import type { Settings } from './keys.js';
import { withoutEmptyPath } from './s3.js';

/** Where the server gets its bundle from, and how (docs/bundle-sources.md). Durations are milliseconds, sizes bytes. */
export type BundleConfig = ReturnType<typeof createBundleConfig>;
export type PollConfig = BundleConfig['poll'];
export type BundleCredentials = BundleConfig['credentials'];
export type BundleTls = BundleConfig['tls'];
export type HttpProxy = BundleConfig['proxy'];
export type OciConfig = BundleConfig['oci'];
export type TrustConfig = NonNullable<BundleConfig['trust']>;

/** A file is read for each request. */
export type Secret = { readonly value: string } | { readonly file: string };

/** The block `bundle` as the server uses it. Paths that are empty are not set. */
export function createBundleConfig({ source, cache, startTimeout, ...bundle }: Settings['bundle']) {
  const { connectTimeout: connect, idleTimeout: idle, timeout: whole, maxSize, ...poll } = bundle.poll;
  const { username, password, passwordFile, token, tokenFile } = bundle.credentials;
  const { ca, cert, key } = bundle.tls;
  return {
    /** Undefined: the file that the command line names. */
    source: source as BundleSourceConfig | undefined,
    /** Undefined: unsigned bundles are served. */
    trust: bundle.trust.keys.length === 0 ? undefined : bundle.trust,
    poll,
    startTimeout,
    limits: { connect, idle, whole, maxSize },
    credentials: {
      username,
      password: toSecret(password, passwordFile),
      token: toSecret(token, tokenFile),
    },
    tls: { ca: ca || undefined, cert: cert || undefined, key: key || undefined },
    proxy: bundle.proxy,
    s3: withoutEmptyPath(bundle.s3),
    oci: { ...bundle.oci, dockerConfig: bundle.oci.dockerConfig || undefined },
    /** Undefined: no bundle is kept. */
    cache: cache || undefined,
  };
}

/** The keys of rollouts in the block `bundle`, as the server uses them. */
export function createRolloutConfig({ minWait, rollout }: Settings['bundle']) {
  return { minWait, ...rollout, candidate: rollout.candidate || undefined, log: rollout.log || undefined };
}

function toSecret(value: string | undefined, file: string | undefined): Secret | undefined {
  if (value !== undefined) return { value };
  return file ? { file } : undefined;
}
