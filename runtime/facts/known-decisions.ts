import { type AccessRequest, chainOf } from '../engine/index.js';
import type { ReadSetQuery } from '../policy/index.js';
import type { FactDeciders } from './deciders.js';
import { isAmong } from './fact-names.js';
import type { FactsPlan } from './facts-call.js';
import { narrowAnswer } from './narrow-answer.js';
import { rolesForAny } from './of-check.js';
import { isSelector } from './selectors.js';

/**
 * Whether a request is allowed while some facts are unknown; the facts on which that depends. Asks no source: for policies
 * that decide beside others, such as candidates.
 */
export function decideKnown(
  { engine, partial, settings, reads }: Pick<FactDeciders, 'engine' | 'partial' | 'settings' | 'reads'>,
  request: AccessRequest,
  unknown: ReadonlySet<string>,
): boolean | ReadonlySet<string> {
  const { tenants, ...asked } = request;
  // While it is not known which policies decide, nothing is.
  const selectors = [...unknown].filter(isSelector);
  if (selectors.length > 0) return new Set(selectors);
  const open = new Set<string>();
  for (const one of chainOf(request.principal)) {
    const roles = engine.tenants?.rolesFor({ ...request, principal: one }).roles ?? one.roles;
    const { actors: _, ...principal } = one;
    const { kind, scope, policyVersion: version } = asked.resource;
    const answer = narrowAnswer(
      partial.partial({ ...asked, principal: { ...principal, roles } }, unknown),
      () => reads?.({}, { kind, action: asked.action, roles, scope, version, principal }),
      () => engine.isAllowed({ ...asked, principal, ...(tenants && { tenants }) }),
    );
    if (answer === false) return false;
    if (answer !== true) for (const fact of answer) open.add(fact);
  }
  if (open.size > 0) return open;
  // A schema may reject what the policies allow.
  return settings.schemaEnforcement === 'reject' ? unknown : true;
}

/** The facts of some that plans of an engine read. */
export function listReadByPlan(deciders: FactDeciders, plan: FactsPlan, facts: readonly string[]): readonly string[] {
  if (facts.length === 0) return [];
  const wanted = readByPlan(deciders, plan);
  return facts.filter((fact) => isSelector(fact) || isAmong(fact, wanted));
}

/** The facts that plans of an engine read, undefined if that is not known. A plan has no outputs, but the violations of schemas. */
export function readByPlan(
  { reads, settings, engine }: FactDeciders,
  plan: FactsPlan,
): ReadonlySet<string> | undefined {
  if (reads === undefined) return undefined;
  const { principal, resource, actions, tenants } = plan;
  const { kind, scope, policyVersion: version } = resource;
  const level: ReadSetQuery['level'] = settings.schemaEnforcement === 'warn' ? 'response' : 'effect';
  const wanted = new Set<string>();
  for (const own of chainOf(principal)) {
    const roles = rolesForAny(engine, { principal: own, resource, actions, tenants });
    const facts = reads({}, { kind, action: actions, roles, scope, version, principal: own, level });
    if (facts === undefined) return undefined;
    for (const fact of facts) wanted.add(fact);
  }
  return wanted;
}
