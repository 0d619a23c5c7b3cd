import { moreViolations, unlistedViolations } from '../../runtime/engine/index.js';
import type { ValidationError } from '../../proto/gen/messages.js';
import type { Decision } from './decider.js';

/**
 * How many schema violations a call may still list. Each set of attributes has its own limit, and a call has many: the
 * response must not be many times as long as the request.
 */
export class ViolationBudget {
  private violations = 100;
  /** Length of paths and messages, in characters. */
  private length = 10_000;

  /**
   * The same list if there is room for all of it; otherwise its first violations, and the number of omitted ones for
   * each source.
   */
  list(errors: readonly ValidationError[]): readonly ValidationError[] {
    const listed: ValidationError[] = [];
    let more = 0;
    for (const [index, error] of errors.entries()) {
      const unlisted = unlistedViolations(error);
      if (unlisted > 0 || this.isSpent) more += Math.max(unlisted, 1);
      else {
        this.spend(error);
        listed.push(error);
      }
      if (more === 0 || errors[index + 1]?.source === error.source) continue;
      listed.push({ ...moreViolations(more), source: error.source });
      more = 0;
    }
    return listed;
  }

  private get isSpent(): boolean {
    return this.violations === 0 || this.length <= 0;
  }

  private spend({ path, message }: ValidationError): void {
    this.violations -= 1;
    this.length -= path.length + message.length;
  }
}

/** A call whose response lists violations. */
export interface Listing {
  violations?: ViolationBudget | undefined;
}

/**
 * Decisions in the order of the request, the violations of the first of them listed first. The checks of a batch share
 * the budget of their call.
 */
export function withFewViolations(call: Listing, decisions: readonly Decision[]): readonly Decision[] {
  if (!decisions.some(({ validationErrors }) => validationErrors.length > 0)) return decisions;
  return decisions.map((decision) =>
    decision.validationErrors.length === 0
      ? decision
      : { ...decision, validationErrors: fewViolations(call, decision.validationErrors) },
  );
}

/** The violations of a call within its budget. */
export function fewViolations(call: Listing, errors: readonly ValidationError[]): readonly ValidationError[] {
  if (errors.length === 0) return errors;
  call.violations ??= new ViolationBudget();
  return call.violations.list(errors);
}
