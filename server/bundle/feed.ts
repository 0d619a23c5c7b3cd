import type { SourceStatus } from '../observe/options.js';
import type { BundleText } from './read-bundle.js';

/** Supplies a server with bundles: the first one, and every later version. */
export interface BundleFeed {
  /**
   * The bundles to start with: one that is there in any case last, newer ones that may turn out to be unfit before it.
   * Rejects with a ConfigError if there is none.
   */
  readonly start: () => Promise<readonly FirstBundle[]>;
  /**
   * Offers later versions from now on, one at a time.
   *
   * @param served one of those that `start` returned.
   * @param swap uses a bundle and returns the hash of its policies; rejects if it cannot be served.
   */
  readonly follow: (served: FirstBundle, swap: (bundle: BundleText) => Promise<string>) => void;
  /**
   * Checks the source now. Resolves with the reason why what it has is not served; undefined if it is.
   */
  readonly look: () => Promise<Error | undefined>;
  readonly stop: () => Promise<void>;
  /** Absent for a file. */
  readonly status?: () => SourceStatus;
}

/** A bundle to start with. */
export interface FirstBundle {
  readonly bundle: BundleText;
}
