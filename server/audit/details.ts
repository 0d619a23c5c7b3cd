import { EvaluationLimitError } from '#runtime/engine';
import type { EvaluationError } from '../../proto/gen/audit-messages.js';
import type { PlanResource, Principal } from '../../proto/gen/messages.js';
import { type Attributes, setOwn } from '../../proto/wire/json-shape.js';
import type { CheckCall, CheckEntry, PlanCall } from '../service/decider.js';
import type { Checked, Planned } from '../service/watcher.js';
import type { AuditedBundle } from './audited-bundle.js';
import type { OnAuditProblem } from './backend.js';
import type { DecisionDetails } from './entry.js';

/**
 * What a bundle says of a check that was decided. Resources are only asked about one by one when some condition failed.
 */
export function checkDetails(bundle: AuditedBundle, checked: Checked, onProblem: OnAuditProblem): DecisionDetails {
  const { principal, resources, auxData } = checked;
  const callOf = (entries: readonly CheckEntry[]): CheckCall => ({
    principal,
    resources: entries,
    auxData,
    includeMeta: true,
  });
  return detailsOf(onProblem, () => {
    const all = callOf(resources);
    const effectivePolicies = policiesOf(bundle, all);
    const errors = errorsOf(bundle, all);
    if (errors.length === 0) return { evaluationErrors: [], effectivePolicies };
    // What costs too much at once is not asked for again, resource by resource.
    const isIncomplete = errors.some(({ celError }) => celError?.expression === '');
    if (resources.length === 1 || isIncomplete) return { evaluationErrors: [errors], effectivePolicies };
    return { evaluationErrors: resources.map((entry) => errorsOf(bundle, callOf([entry]))), effectivePolicies };
  });
}

/** A check with its derived roles. For the reply they are only computed if the caller requests them. */
export function withDerivedRoles(bundle: AuditedBundle, checked: Checked): Checked {
  const { principal, resources, auxData, includeMeta, decisions } = checked;
  if (includeMeta || bundle.derivedRoles === undefined) return checked;
  const found = rolesWithinLimits(() => bundle.derivedRoles?.({ principal, resources, auxData, includeMeta: true }));
  if (found === undefined) return checked;
  return {
    ...checked,
    decisions: decisions.map((decision, index) => ({ ...decision, effectiveDerivedRoles: found[index] ?? [] })),
  };
}

/** An entry without derived roles is better than none. */
function rolesWithinLimits<Roles>(find: () => Roles): Roles | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof EvaluationLimitError) return undefined;
    throw error;
  }
}

/** What a bundle says of a plan that was made. */
export function planDetails(
  bundle: AuditedBundle,
  { request, auxData }: Planned,
  onProblem: OnAuditProblem,
): DecisionDetails {
  const actions = request.action === '' ? request.actions : [request.action];
  // Validation has seen to it that principal and resource are there.
  const call: PlanCall = {
    principal: request.principal as Principal,
    resource: request.resource as PlanResource,
    actions,
    auxData,
  };
  return detailsOf(onProblem, () => ({
    evaluationErrors: [errorsOf(bundle, call)],
    effectivePolicies: policiesOf(bundle, call),
  }));
}

/** An entry without details is better than none. */
function detailsOf(onProblem: OnAuditProblem, ask: () => DecisionDetails): DecisionDetails {
  try {
    return ask();
  } catch (error) {
    onProblem(
      `the details of a decision could not be found for the audit log: ${(error as Error).message}`,
      error as Error,
    );
    return { evaluationErrors: [], effectivePolicies: {} };
  }
}

function errorsOf(bundle: AuditedBundle, call: CheckCall | PlanCall): readonly EvaluationError[] {
  return (bundle.evaluationErrors?.(call) ?? []).map(({ expression, message }) => ({
    celError: { expression, message },
  }));
}

function policiesOf(bundle: AuditedBundle, call: CheckCall | PlanCall): { readonly [policy: string]: Attributes } {
  const policies: Record<string, Attributes> = {};
  for (const { policy, source } of bundle.effectivePolicies?.(call) ?? []) {
    setOwn(policies, policy, source === undefined ? { driver: DRIVER } : { driver: DRIVER, source });
  }
  return policies;
}

/** The policies are compiled into the software. */
const DRIVER = 'embedded';
