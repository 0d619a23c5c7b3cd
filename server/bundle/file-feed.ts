import { ArchiveError } from '../../packages/bundle/index.js';
import { ConfigError } from '../config/config-error.js';
import type { Logger } from '../observe/log/logger.js';
import { BundleSource } from './bundle-source.js';
import type { BundleFeed } from './feed.js';
import { provenanceFields } from './provenance.js';
import { type BundleText, readBundleFile } from './read-bundle.js';
import { type RejectedBundles, rejectionReason } from './rejected-bundles.js';
import type { SignedBundles } from './signed-bundles.js';

export interface FileFeedOptions {
  readonly file: string;
  readonly trust: SignedBundles | undefined;
  readonly rejected: RejectedBundles;
  /** Whether to poll the file. */
  readonly watch: boolean;
  readonly log: Logger;
  /** Called when a version is not served, and why, or a later one is. */
  readonly changed?: ((problem: Error | undefined) => void) | undefined;
}

/** A bundle file, which is reloaded when it changes. */
export function fileFeed({ file, trust, rejected, watch, log, changed }: FileFeedOptions): BundleFeed {
  let source: BundleSource | undefined;
  const read = (): Promise<BundleText> => readBundleFile(file, trust);
  const failed = (error: Error): void => {
    const reason = rejectionReason(error);
    rejected.add(reason);
    log.error('the bundle cannot be served; still serving the last good one', { file, reason, error });
    changed?.(error);
  };
  return {
    start: async () => {
      try {
        return [{ bundle: await read() }];
      } catch (error) {
        throw error instanceof ArchiveError ? new ConfigError(error.message, file) : error;
      }
    },
    follow: ({ bundle: { digest } }, swap) => {
      // Nothing here may retain the text of a bundle: it is as large as all policies.
      const offer = async (next: BundleText): Promise<void> => {
        const start = performance.now();
        const hash = await swap(next);
        changed?.(undefined);
        log.info('serving a new bundle', {
          file,
          hash,
          ...provenanceFields(next),
          time_ms: Math.round(performance.now() - start),
        });
      };
      source = new BundleSource({ file, companions: trust?.keyFiles ?? [], read, digest, watch, offer, failed });
    },
    look: async () => source?.look(),
    stop: async () => source?.stop(),
  };
}
