import type { Asked, ProducedOutput, Trace } from './results.js';
import type { TestEffect } from './suite.js';

/** How tests query policies: the decider is passed in, so that tests do not depend on an engine. */
export type Ask = (question: Question) => Answer;

/** One call of the engine. */
export interface Question extends Asked {
  readonly actions: readonly string[];
  /** Whether the answer includes traces. */
  readonly traced: boolean;
}

export interface Answer {
  /** Whether a condition read the time although the options set none: then the decisions are meaningless. */
  readonly missedTime: boolean;
  /** Decisions in the order of the request. */
  readonly decisions: readonly Decision[];
}

export interface Decision {
  readonly action: string;
  readonly effect: TestEffect;
  /** The unknown facts that may still matter, if the effect is `UNKNOWN`. */
  readonly needs?: readonly string[];
  /** The outputs of rules that were evaluated for this action. */
  readonly outputs: readonly ProducedOutput[];
  readonly trace: Trace | undefined;
}
