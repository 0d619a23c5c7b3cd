import type { PlanResource, Principal } from '../../proto/gen/messages.js';
import type { Call } from '../service/call.js';
import type { CheckCall, PlanCall } from '../service/decider.js';
import { provideDocuments } from '../service/tenants.js';
import type { Checked, Planned, Watcher } from '../service/watcher.js';
import type { Logger } from './log/logger.js';

/** A condition that could not be evaluated, and so did not hold (docs/spec/policy-language.md#strict-evaluation). */
export interface ConditionError {
  /** The expression as its author wrote it. */
  readonly expression: string;
  readonly message: string;
}

/** Finds the conditions that fail for a request by evaluating it again: expensive, so not before the reply. */
export type FindConditionErrors = (request: CheckCall | PlanCall, call: Call) => readonly ConditionError[];

/** Told of the conditions that failed in a call: one or more. */
export type TellConditionErrors = (call: Call, errors: readonly ConditionError[]) => void;

/**
 * Finds conditions that could not be evaluated, after the reply and within a budget: a compiled condition that fails is
 * false without a reason, so reporting the reason takes a second evaluation. An idle server examines every call, a busy
 * one a sample; it never uses more than a hundredth of the CPU time. The audit log, which needs all failures, asks for
 * them itself.
 */
export class ConditionErrorSearch implements Watcher {
  /** Calls that were looked at, and those that were not for want of budget. */
  examined = 0;
  skipped = 0;
  found = 0;
  readonly #find: FindConditionErrors;
  readonly #listeners: readonly TellConditionErrors[];
  readonly #logger: Logger;
  readonly #queue: Question[] = [];
  readonly #now: () => number;
  /** Budget in milliseconds. */
  #budget = MAX_BUDGET;
  #earned: number;

  /** @param now in milliseconds. */
  constructor(
    find: FindConditionErrors,
    listeners: readonly TellConditionErrors[],
    logger: Logger,
    now = (): number => performance.now(),
  ) {
    this.#find = find;
    this.#listeners = listeners;
    this.#logger = logger;
    this.#now = now;
    this.#earned = now();
  }

  readonly checked = (call: Call, checked: Checked): void => this.#ask({ call, checked });

  readonly planned = (call: Call, planned: Planned): void => this.#ask({ call, planned });

  #ask(question: Question): void {
    if (this.#budget <= 0 && this.#earn() <= 0) {
      this.skipped++;
      return;
    }
    if (this.#queue.push(question) === 1) setImmediate(this.#answer);
  }

  readonly #answer = (): void => {
    for (const question of this.#queue.splice(0)) {
      if (this.#budget <= 0) this.skipped++;
      else this.#examine(question);
    }
  };

  #examine(question: Question): void {
    const start = this.#now();
    this.examined++;
    try {
      const errors = this.#find(toCall(question), question.call);
      this.found += errors.length;
      if (errors.length > 0) for (const tell of this.#listeners) tell(question.call, errors);
    } catch (error) {
      this.#logger.error('Conditions could not be re-evaluated', { error });
    }
    this.#budget -= this.#now() - start;
  }

  #earn(): number {
    const now = this.#now();
    this.#budget = Math.min(MAX_BUDGET, this.#budget + (now - this.#earned) * SHARE);
    this.#earned = now;
    return this.#budget;
  }
}

type Question = { readonly call: Call; readonly checked: Checked } | { readonly call: Call; readonly planned: Planned };

/** Share of the time that passes. */
const SHARE = 0.01;
/** What can be saved up, in milliseconds. */
const MAX_BUDGET = 2;

function toCall(question: Question): CheckCall | PlanCall {
  if ('checked' in question) {
    const { principal, resources, auxData } = question.checked;
    return { principal, resources, auxData, includeMeta: true, tenants: provideDocuments(question.call) };
  }
  const { request, auxData } = question.planned;
  // Validation has seen to it that principal and resource are there.
  return {
    principal: request.principal as Principal,
    resource: request.resource as PlanResource,
    actions: request.action === '' ? request.actions : [request.action],
    auxData,
    tenants: provideDocuments(question.call),
  };
}
