import { EvaluationLimitError, type Failures } from '../cel/index.js';
import type { TracedBundle } from '../policy/index.js';
import type { EffectivePolicy } from './effective-policies.js';
import type { EvaluationError } from './evaluation-errors.js';

/** What is written down while policies are asked once more, for the audit log and not for an answer. */
export class Journal {
  /** What traced conditions tell. */
  readonly failures: Failures;
  /** False: what was asked cost too much, and the rest is not known. */
  isComplete = true;
  /** Since a rule was considered, something was read that is not known yet (plans only). */
  readsUnknown = false;
  /** The same, since the part of a condition before: whether this one fails cannot be told. */
  private partReadsUnknown = false;
  private policy = '';
  private rule = '';
  private readonly errors = new Map<string, EvaluationError>();
  private readonly policies = new Set<string>();

  /** @param isStrict whether a failure is the end of its condition. */
  constructor(isStrict: boolean) {
    this.failures = {
      stops: isStrict,
      part: (expression, message) => {
        if (message !== undefined && !this.partReadsUnknown) this.add(expression, message);
        this.partReadsUnknown = false;
      },
      variable: (expression, message) => {
        if (!this.partReadsUnknown) this.add(expression, message);
      },
    };
  }

  /** A rule is going to be asked. */
  considers(policy: string, rule: string): void {
    this.policies.add(policy);
    this.policy = policy;
    this.rule = rule;
    this.readsUnknown = false;
  }

  /** A condition reads what only a row will tell. */
  meetUnknown(): void {
    this.readsUnknown = true;
    this.partReadsUnknown = true;
  }

  /** A derived role is going to be listed; `key` is its policy, `#` and its name. */
  lists(key: string, name: string): void {
    this.policy = key.slice(0, key.length - name.length - 1);
    this.rule = name;
  }

  /** Each pair of expression and message once, sorted by them. */
  evaluationErrors(): readonly EvaluationError[] {
    const found = [...this.errors.values()];
    if (!this.isComplete) found.push(INCOMPLETE);
    return found.sort((a, b) => byText(a.expression, b.expression) || byText(a.message, b.message));
  }

  /** The policies of the rules that were asked, sorted by name. */
  effectivePolicies(sources: TracedBundle['sources']): readonly EffectivePolicy[] {
    return [...this.policies].sort(byText).map((policy) => ({ policy, source: sources?.get(policy) }));
  }

  private add(expression: string, message: string): void {
    const pair = JSON.stringify([expression, message]);
    if (!this.errors.has(pair)) this.errors.set(pair, { policy: this.policy, rule: this.rule, expression, message });
  }
}

/** Of no condition in particular. */
const INCOMPLETE: EvaluationError = {
  policy: '',
  rule: '',
  expression: '',
  message: new EvaluationLimitError('cost').message,
};

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
