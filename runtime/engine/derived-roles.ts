import type { DerivedRole, TracedBundle } from '../policy/index.js';
import type { Evaluation, ListedDerivedRoles } from './evaluation.js';
import { derivedRolesOf, type ResourceStep } from './resource-chain.js';

/**
 * Makes the active derived roles of a scope those that conditions see. They are computed when the scope is first
 * entered, with the list the scope before it left behind (docs/spec/policy-language.md#effective-derived-roles).
 */
export function enterScope(evaluation: Evaluation, step: ResourceStep): void {
  evaluation.enter(step, evaluation.listedIn(step) ?? listDerivedRoles(evaluation, derivedRolesOf(step)));
}

function listDerivedRoles(evaluation: Evaluation, derivedRoles: readonly DerivedRole[]): ListedDerivedRoles {
  if (derivedRoles.length === 0) return NONE;
  const { request, traced } = evaluation;
  const roles = evaluation.allRoles();
  const active: string[] = [];
  const failed: string[] = [];
  for (const derivedRole of derivedRoles) {
    if (!reachesByText(derivedRole, roles)) continue;
    evaluation.journal?.lists(derivedRole.key, derivedRole.name);
    const told = traced === undefined ? undefined : (tracedConditionOf(derivedRole, traced)?.(request) ?? true);
    // A journal of an evaluation that is not strict only listens to the traced condition: of variables that failed it
    // knows another value.
    const holds =
      told === undefined || request.failures?.stops === false ? holdsWhenListed(derivedRole, evaluation) : told;
    if (typeof holds === 'string') failed.push(derivedRole.name);
    else if (holds) active.push(derivedRole.name);
  }
  return { active: active.sort(), failed: failed.sort() };
}

/**
 * Whether a role of the principal is a parent of a derived role. By exact text: a glob of a parent role reaches rules,
 * never this list.
 */
export function reachesByText({ parentRoles }: DerivedRole, roles: ReadonlySet<string>): boolean {
  if (parentRoles.has('*')) return true;
  for (const role of parentRoles) if (roles.has(role)) return true;
  return false;
}

function holdsWhenListed(derivedRole: DerivedRole, { request }: Evaluation): boolean {
  return derivedRole.whenListed === undefined ? derivedRole.when(request) : derivedRole.whenListed(request);
}

function tracedConditionOf(
  derivedRole: DerivedRole,
  traced: TracedBundle,
): ReturnType<TracedBundle['conditions']['get']> {
  return traced.conditions.get(derivedRole.key);
}

const NONE: ListedDerivedRoles = { active: [], failed: [] };
