import type { Value } from '#runtime/cel';
import type { Attributes } from '#runtime/policy';
import type { LoadedPolicy } from './loaded-policy.js';
import { EMPTY_PARTS, type RequestParts } from './request-json.js';

/** What a session remembers. */
export interface State {
  /** What inputs have named; `_` is the last value. */
  readonly names: ReadonlyMap<string, Value>;
  readonly parts: RequestParts;
  /** What stands in for all that the policy defines; undefined when nothing was set. */
  readonly variables: Attributes | undefined;
  readonly constants: Attributes | undefined;
  /** As JSON. */
  readonly globals: Attributes;
  readonly policy: LoadedPolicy | undefined;
}

/** What a session begins with. */
export const EMPTY_STATE: State = {
  names: new Map(),
  parts: EMPTY_PARTS,
  variables: undefined,
  constants: undefined,
  globals: {},
  policy: undefined,
};
