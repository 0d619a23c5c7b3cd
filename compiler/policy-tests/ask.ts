import type { AuxDataInput, PrincipalInput, ResourceInput } from '#runtime/engine';
import type { ProducedOutput, Trace } from './results.js';
import type { EffectName, TestOptions } from './suite.js';

/** How tests ask policies: what decides is handed in, so that tests know no engine. */
export type Ask = (question: Question) => Answer;

/** One call of the engine. */
export interface Question {
  readonly principal: PrincipalInput;
  readonly resource: ResourceInput;
  readonly actions: readonly string[];
  readonly auxData: AuxDataInput | undefined;
  readonly options: TestOptions;
  /** Whether the answer includes traces. */
  readonly traced: boolean;
}

export interface Answer {
  /** Whether a condition asked for the time though the options have none: then the decisions say nothing. */
  readonly missedTime: boolean;
  /** In the order of the question. */
  readonly decisions: readonly Decision[];
}

export interface Decision {
  readonly action: string;
  readonly effect: EffectName;
  /** Those of rules that were asked about this action. */
  readonly outputs: readonly ProducedOutput[];
  readonly trace: Trace | undefined;
}
