import { allOf, anyOf, type Condition, decided, not } from '../../residual/index.js';

/** One visit of a rule, or of a rule of a role policy, in strict evaluation. */
export interface Visit {
  /** A DENY, or what a role policy takes away: it ends the matter for a role where it holds. */
  readonly denies: boolean;
  /** What counts where the condition evaluates. */
  readonly holds: Condition;
  readonly evaluates: Condition;
}

/** What one scope visits, in order. */
export interface VisitedLayer {
  readonly consents: boolean;
  readonly visits: readonly Visit[];
}

/** The visits of one action: scopes from the one requested up to the root; roles in the order of the request. */
export interface Trail {
  readonly principal: readonly VisitedLayer[];
  readonly roles: readonly (readonly VisitedLayer[])[];
}

/**
 * What check comes to in strict evaluation, where a condition that is looked at and cannot be evaluated denies the
 * action, whatever else is said (docs/spec/policy-language.md#strict-evaluation). So what is looked at counts: a role
 * only where no role before it is allowed, a parent only where its children leave the matter open, a rule only where no
 * DENY before it holds.
 */
export function strictCondition({ principal, roles }: Trail): Condition {
  const byRoles = roles.reduceRight<Condition>(
    (later, layers) => anyOf(allowedBy(layers, false), later === false ? false : allOf(clear(layers), later)),
    false,
  );
  return allowedBy(principal, byRoles);
}

/** Where layers allow, or leave the matter to what comes `after`: all that is visited evaluates, and no DENY holds. */
function allowedBy(layers: readonly VisitedLayer[], after: Condition): Condition {
  return layers.reduceRight<Condition>((parents, { consents, visits }) => {
    const evaluate = visits.map(({ evaluates }) => decided(evaluates, false));
    const denied = anyOf(...visits.filter(({ denies }) => denies).map(({ holds }) => decided(holds, true)));
    return allOf(...evaluate, not(denied), consents ? parents : anyOf(allowed(visits), parents));
  }, after);
}

/** Where nothing fails that a role visits: up to its first DENY, or to the scope that allows. */
function clear(layers: readonly VisitedLayer[]): Condition {
  return layers.reduceRight<Condition>((parents, { consents, visits }) => {
    const end = consents ? parents : anyOf(allowed(visits), parents);
    return visits.reduceRight<Condition>((rest, { denies, holds, evaluates }) => {
      return allOf(decided(evaluates, false), denies ? anyOf(decided(holds, false), rest) : rest);
    }, end);
  }, true);
}

function allowed(visits: readonly Visit[]): Condition {
  return anyOf(...visits.filter(({ denies }) => !denies).map(({ holds }) => decided(holds, false)));
}
