import { EvaluationLimitError, type Explanation, type TenantDocuments } from '../../runtime/engine/index.js';
import type { PlanResource, Principal } from '../../proto/gen/messages.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { CheckCall, PlanCall } from '../service/decider.js';
import type { Checked, Planned } from '../service/watcher.js';
import type { AuditedBundle } from './audited-bundle.js';
import type { OnAuditProblem } from './backend.js';
import type { DecisionDetails } from './entry.js';

/** What a bundle says of a check that was decided. For the reply, derived roles are only computed on request. */
export function checkDetails(
  bundle: AuditedBundle,
  checked: Checked,
  tenants: TenantDocuments | undefined,
  onProblem: OnAuditProblem,
): DecisionDetails {
  const { principal, resources, auxData, includeMeta, facts } = checked;
  const call: CheckCall = { principal, resources, auxData, includeMeta: true, tenants };
  const explained = explainCall(bundle, call, onProblem);
  // To an explanation, facts that are not known are missing.
  const told = <Items>(items: readonly Items[], index: number): readonly Items[] =>
    facts === undefined || facts.isWhole(index) ? items : [];
  const details = { ...explained, evaluationErrors: explained.evaluationErrors.map(told) };
  if (includeMeta) return { ...details, effectiveDerivedRoles: undefined };
  const derivedRoles = explained.effectiveDerivedRoles ?? rolesWithinLimits(bundle, call);
  return { ...details, effectiveDerivedRoles: derivedRoles?.map(told) };
}

/** What a bundle says of a plan that was made. */
export function planDetails(
  bundle: AuditedBundle,
  { request, auxData }: Planned,
  tenants: TenantDocuments | undefined,
  onProblem: OnAuditProblem,
): DecisionDetails {
  const call: PlanCall = {
    // Validation has seen to it that principal and resource are there.
    principal: request.principal as Principal,
    resource: request.resource as PlanResource,
    actions: request.action === '' ? request.actions : [request.action],
    auxData,
    tenants,
  };
  return explainCall(bundle, call, onProblem);
}

/** An entry without details is better than none. */
function explainCall(bundle: AuditedBundle, call: CheckCall | PlanCall, onProblem: OnAuditProblem): DecisionDetails {
  try {
    const explanation = bundle.explain?.(call);
    return explanation === undefined ? NO_DETAILS : detailsFrom(explanation);
  } catch (error) {
    onProblem(
      `the details of a decision could not be found for the audit log: ${(error as Error).message}`,
      error as Error,
    );
    return NO_DETAILS;
  }
}

const NO_DETAILS: DecisionDetails = { evaluationErrors: [], effectivePolicies: {} };

function detailsFrom({ evaluationErrors, effectivePolicies, effectiveDerivedRoles }: Explanation): DecisionDetails {
  const policies: Record<string, Attributes> = {};
  for (const { policy, source } of effectivePolicies)
    setOwn(policies, policy, source === undefined ? { driver: DRIVER } : { driver: DRIVER, source });
  return {
    evaluationErrors: evaluationErrors.map((errors) =>
      errors.map(({ expression, message }) => ({ celError: { expression, message } })),
    ),
    effectivePolicies: policies,
    effectiveDerivedRoles,
  };
}

/** The policies are compiled into the software. */
const DRIVER = 'embedded';

/** An entry without derived roles is better than none. */
function rolesWithinLimits(bundle: AuditedBundle, call: CheckCall): DecisionDetails['effectiveDerivedRoles'] {
  try {
    return bundle.derivedRoles?.(call);
  } catch (error) {
    if (error instanceof EvaluationLimitError) return undefined;
    throw error;
  }
}
