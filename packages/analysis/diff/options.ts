import type { EngineOptions } from '../../../runtime/engine/index.js';
import type { ComparedVersion } from '../decision/policy-version.js';
import type { ReadChange } from '../facts/lock.js';
import type { AssumedSchema, Prover } from '../question/question.js';

/** How two sets of policies are compared. */
export interface DiffOptions {
  /**
   * The options of both engines. Without `globals` any are possible. Strict evaluation is not known here: the caller
   * refuses it.
   */
  readonly engine?: Pick<
    EngineOptions,
    'defaultPolicyVersion' | 'defaultScope' | 'lenientScopeSearch' | 'globals' | 'schemaEnforcement'
  >;
  /** Globs that narrow what is looked at. */
  readonly kind?: string | undefined;
  readonly action?: string | undefined;
  /** A scope that narrows what is looked at; the root is the empty string. */
  readonly scope?: string | undefined;
  /** 1 to 5, by default 3: multiplies the number of tries. */
  readonly effort?: number;
  /** Creates the solver when it is first needed; without it, what booleans and search leave open is undecided. */
  readonly prover?: (() => Promise<Prover>) | undefined;
  /**
   * Schemas of the resources of a kind that exist, the strictest first: requests that show a change satisfy one of them
   * if such a request is found.
   */
  readonly existing?: ((kind: string) => readonly AssumedSchema[]) | undefined;
  /** Finds what decisions about the kinds that changed read now and did not, or the reverse. */
  readonly listReads?: (old: ComparedVersion, new_: ComparedVersion, kinds: readonly string[]) => readonly ReadChange[];
  /** Asked before each question; a reason ends the comparison: what is left is undecided. */
  readonly isOver?: () => false | 'time' | 'interrupted';
  /** Is told before each part which one it is, from 1, and how many there are. */
  readonly onStep?: (done: number, all: number) => void;
}
