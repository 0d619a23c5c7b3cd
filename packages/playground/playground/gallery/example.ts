import type { PlaygroundInput } from '../result.js';

/** Policies, tests and a request to begin with: the request has an action that is allowed and one that is denied. */
export interface Example extends PlaygroundInput {
  /** The name of the example in links: `#playground=example:roles`. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
}
