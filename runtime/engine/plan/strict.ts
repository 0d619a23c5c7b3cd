import { allOf, anyOf, type Condition, decided, not } from '../../residual/index.js';

/** One visit of a rule, or of a rule of a role policy, in strict evaluation. */
export interface Visit {
  /** A DENY, or a denial by a role policy: where it holds, nothing more is visited for the role. */
  readonly denies: boolean;
  /** The result where the condition evaluates. */
  readonly holds: Condition;
  readonly evaluates: Condition;
}

/** The visits of one scope, in order. */
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
 * The rows that check allows in strict evaluation, where a visited condition with an error denies the action
 * (docs/spec/policy-language.md#strict-evaluation). So the order of visits counts: a role is visited only where no role
 * before it is allowed, a parent only where its children have no outcome, a rule only where no DENY before it holds.
 */
export function strictCondition({ principal, roles }: Trail): Condition {
  const byRoles = roles.reduceRight<Condition>(
    (later, layers) => anyOf(allowedBy(layers, false), later === false ? false : allOf(clear(layers), later)),
    false,
  );
  return allowedBy(principal, byRoles);
}

/** Where layers allow, or have no outcome and `after` holds: all visits evaluate, and no DENY holds. */
function allowedBy(layers: readonly VisitedLayer[], after: Condition): Condition {
  return layers.reduceRight<Condition>((parents, { consents, visits }) => {
    const evaluate = visits.map(({ evaluates }) => decided(evaluates, false));
    const denied = anyOf(...visits.filter(({ denies }) => denies).map(({ holds }) => decided(holds, true)));
    return allOf(...evaluate, not(denied), consents ? parents : anyOf(allowed(visits), parents));
  }, after);
}

/** Where no visit of a role fails, up to its first DENY or to the scope that allows. */
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
