import type { Place } from './place.js';
import type { Run } from './run.js';

/**
 * A JSON schema, or one keyword of it: whether a value satisfies it. What is wrong is reported to the run, at the place of the value
 * (policy-language.md 10.5).
 */
export type Schema = (value: unknown, place: Place, run: Run) => boolean;
