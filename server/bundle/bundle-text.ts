import type { Archive, Verified } from '../../packages/bundle/index.js';
import type { Provenance } from '../service/bundle.js';

/** A bundle as it was read: later deciders are created from this text, whatever happens to where it came from. */
export interface BundleText extends Provenance {
  /** The path of the file, or the URL without credentials. For messages and stack traces. */
  readonly name: string;
  readonly text: string;
}

/** Decides which archives may run. */
export interface BundleTrust {
  /** Rejects with an ArchiveError if an archive must not run. */
  readonly verify: (archive: Archive) => Promise<Verified>;
  /** A bundle is being served: from now on, older ones are refused. Rejects if that cannot be remembered on disk. */
  readonly accepted: (bundle: Provenance) => Promise<void>;
}
