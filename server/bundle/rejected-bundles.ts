import { ArchiveError, type Refusal } from '../../packages/bundle/index.js';
import { ConfigError } from '../config/config-error.js';

/** Why a bundle is not served: a label of a metric. */
export type RejectionReason =
  | Refusal
  /** The file does not exist or cannot be read. */
  | 'unreadable'
  /** The code cannot be evaluated, is not a bundle, or does not decide. */
  | 'not_loadable'
  /** It was rolled back. */
  | 'rolled_back';

/** The bundle was rolled back: it is not served again. */
export class RolledBackError extends Error {}

/** Why a bundle could not be read. */
export function rejectionReason(error: unknown): RejectionReason {
  if (error instanceof ArchiveError) return error.reason;
  if (error instanceof RolledBackError) return 'rolled_back';
  return error instanceof ConfigError ? 'unreadable' : 'not_loadable';
}

/** Counts the bundles that were rejected since the server started, by reason. */
export class RejectedBundles {
  readonly #counts = new Map<RejectionReason, number>();

  add(reason: RejectionReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  readonly counts = (): ReadonlyMap<RejectionReason, number> => this.#counts;
}
