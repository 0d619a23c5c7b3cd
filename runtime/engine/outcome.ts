import type { Effect } from '../policy/index.js';

/** Neither ALLOW nor DENY. */
export const UNDECIDED = 0;

/** What the rules of a table, a scope or a chain come to. */
export type Outcome = typeof UNDECIDED | Effect;
