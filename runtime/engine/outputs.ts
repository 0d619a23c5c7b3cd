import { charge } from '../cel/index.js';
import type { Output } from '../policy/index.js';
import type { Evaluation } from './evaluation.js';

/**
 * A rule that speaks: `<policy key>#<rule name>` is the source of its outputs
 * (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export interface Speaker {
  readonly key: string;
  readonly name: string;
  readonly output: Output | undefined;
}

/**
 * Adds what a rule says when visited (docs/spec/policy-language.md#when-outputs-are-emitted); nothing when it has no
 * output for this end.
 */
export function say(evaluation: Evaluation, { key, name, output }: Speaker, action: string, holds: boolean): void {
  const value = (holds ? output?.ruleActivated : output?.conditionNotMet)?.(evaluation.request);
  if (value === undefined) return;
  charge(STEPS_AN_OUTPUT);
  evaluation.outputs.push({ src: `${key}#${name}`, action, ...value });
}

/**
 * Of one output: making it, keeping it until all is answered, and writing it to the answer and the audit log. Each role
 * repeats it, so that a request with many roles could ask for millions; 100,000 are more than 10 MB.
 */
const STEPS_AN_OUTPUT = 500;
