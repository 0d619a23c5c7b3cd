import type { BundleConfig } from '../config/bundle-config.js';
import { type BundleSourceConfig, writeSource } from '../config/bundle-source.js';
import type { Logger } from '../observe/log/logger.js';
import type { BundleFeed } from './feed.js';
import { fileFeed } from './file-feed.js';
import type { Origin } from './origin.js';
import type { RejectedBundles } from './rejected-bundles.js';
import type { SignedBundles } from './signed-bundles.js';
import { readTlsFiles } from './tls-files.js';

export interface FeedOptions {
  readonly config: OpenConfig;
  readonly trust: SignedBundles | undefined;
  readonly rejected: RejectedBundles;
  /** Whether a file is polled. */
  readonly watch: boolean;
  readonly log: Logger;
  /** Called when a source begins to fail, or to work again. */
  readonly changed?: (problem: Error | undefined) => void;
}

/** The configuration of a source. */
export type OpenConfig = BundleConfig & { readonly source: BundleSourceConfig };

/**
 * Opens the source of a configuration. A server whose bundle is a file does not load what the others need. Rejects with a
 * ConfigError for a certificate that cannot be read.
 */
export async function openFeed({ config, trust, rejected, watch, log, changed }: FeedOptions): Promise<BundleFeed> {
  const { source, poll, startTimeout, cache, limits } = config;
  if (source.kind === 'file') return fileFeed({ file: source.file, trust, rejected, watch, log, changed });
  const [{ RemoteFeed }, { LastKnownGood }, origin] = await Promise.all([
    import('./remote-feed.js'),
    import('./last-known-good.js'),
    openOrigin(config),
  ]);
  return new RemoteFeed({
    origin,
    poll,
    startTimeout,
    trust,
    rejected,
    cache: cache === undefined ? undefined : new LastKnownGood(cache, cacheKey(config), limits.maxSize),
    log,
    ...(changed !== undefined && { changed }),
  });
}

/** Opens the source of a configuration as an origin. Throws for a file, which is not one. */
export async function openOrigin(config: OpenConfig): Promise<Origin> {
  const { source, limits, proxy, credentials, poll } = config;
  const tls = readTlsFiles(config.tls);
  const { HttpClient } = await import('../outgoing/http-client.js');
  switch (source.kind) {
    case 'http': {
      const { HttpOrigin } = await import('./http-origin.js');
      const url = new URL(source.url);
      const client = new HttpClient({ origin: url.origin, limits, tls, proxy });
      return new HttpOrigin({ url, client, credentials, longPoll: poll.longPoll });
    }
    case 's3': {
      const { S3Origin, makeEndpoint } = await import('./s3-origin.js');
      const client = new HttpClient({ origin: makeEndpoint(config.s3, source.bucket).origin, limits, tls, proxy });
      return new S3Origin({ ...source, s3: config.s3, client, limits });
    }
    case 'oci': {
      const [{ OciOrigin }, { openRegistry }] = await Promise.all([
        import('./oci/oci-origin.js'),
        import('./oci/open-registry.js'),
      ]);
      const { registry, client } = openRegistry({ ...config, reference: source.reference, actions: 'pull' });
      return new OciOrigin({ reference: source.reference, registry, client, maxSize: limits.maxSize });
    }
    case 'file':
      throw new Error('a file is not an origin');
  }
}

/** Servers with the same source, wherever it is stored, share a bundle on disk. */
function cacheKey({ source, s3 }: OpenConfig): string {
  return source.kind === 's3' ? `${s3.endpoint ?? s3.region ?? ''} ${writeSource(source)}` : writeSource(source);
}
