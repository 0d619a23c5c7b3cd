import type { Explanation } from '#runtime/engine';
import type { PolicySource } from '../../proto/gen/audit-messages.js';
import type { CheckCall, PlanCall } from '../service/decider.js';

/** What decided: entries name it, and it is asked for what a decision does not say. */
export interface AuditedBundle {
  readonly policySource: PolicySource;
  /** What a decision does not say; asked once for an entry, after the reply. Absent: entries lack it. */
  readonly explain?: ((call: CheckCall | PlanCall) => Explanation) | undefined;
  /** The derived roles of each resource of a check, where an explanation lacks them. Absent: entries lack them, too. */
  readonly derivedRoles?: ((call: CheckCall) => readonly (readonly string[])[]) | undefined;
}
