import type { FactTypes, PolicyBundle } from '../policy/index.js';
import type { Judges } from './decide/evaluation.js';
import type { ScopedPolicies } from './find/registry.js';
import type { Guard } from './limits.js';
import type { MakePartialDecider } from './partial-decider.js';
import type { Planner } from './plan/planner.js';

/**
 * What a compiled bundle exports as `policies`, with the optional parts of the engine that its policies need. Programs
 * without plans or role policies do not carry the code for them. A residual can only be read by the copy of the library
 * that made it, so bundles bring the planner too.
 */
export interface CompiledBundle extends PolicyBundle, Judges {
  /** Present in a large bundle. */
  readonly scoped?: ScopedPolicies | undefined;
  /** Absent if the policies were compiled for checks only. */
  readonly planner?: Planner;
  /** Decides while facts are unknown; present if the policies were compiled with `--facts`. */
  readonly partial?: MakePartialDecider;
  /** The types of attributes by JSON schemas; present likewise. */
  readonly factTypes?: FactTypes;
  /** Absent if the policies were written by hand. */
  readonly guard?: Guard;
}

/** A compiled bundle; policies of a type can be omitted if there are none. */
export function compiledBundle(parts: Pick<CompiledBundle, 'hash'> & Partial<CompiledBundle>): CompiledBundle {
  return { resourcePolicies: [], principalPolicies: [], rolePolicies: [], ...parts };
}
