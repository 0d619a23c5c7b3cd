import type { Written } from '../backend.js';

/** One place that audit lines go to. */
export interface LineTarget {
  /** Each line ends in a line feed. Does not reject. */
  readonly write: (lines: readonly Buffer[]) => Promise<Written>;
  readonly close: () => Promise<void>;
}
