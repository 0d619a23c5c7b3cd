import type { Bindings, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import type { Condition, Expression, Match, Output } from '../ast/policy.js';

/**
 * Every expression that is compiled, each once (policy-language.md 5.1, 6.1, 7.1): conditions, outputs, all variables that a document can
 * name, used or not, and all definitions of imported derived roles.
 */
export function expressionsOf(policies: PolicySet): ReadonlySet<Expression> {
  const known = cache.get(policies) ?? new Set(policies.policies.flatMap(ofPolicy));
  cache.set(policies, known);
  return known;
}

// Several validations ask; a set of policies never changes, and the entry goes with it.
const cache = new WeakMap<PolicySet, ReadonlySet<Expression>>();

function ofPolicy(policy: LinkedPolicy): readonly Expression[] {
  return [...ofBindings(policy.bindings), ...ofImportedRoles(policy), ...expressionsOfRules(policy)];
}

function ofBindings(bindings: Bindings): readonly Expression[] {
  return [...bindings.variables.values()].map((variable) => variable.expression);
}

function ofImportedRoles(policy: LinkedPolicy): readonly Expression[] {
  if (policy.kind !== 'resource') return [];
  return policy.importedRoles.flatMap((role) => [...ofBindings(role.bindings), ...expressionsOfCondition(role.definition.condition)]);
}

/** The expressions of the conditions and outputs of a policy: what its variables and constants are there for. */
export function expressionsOfRules(linked: LinkedPolicy): readonly Expression[] {
  switch (linked.kind) {
    case 'resource':
      return linked.policy.rules.flatMap(ofRule);
    case 'principal':
      return linked.policy.rules.flatMap((rule) => rule.actions.flatMap(ofRule));
    case 'role':
      return linked.policy.rules.flatMap(ofRule);
  }
}

function ofRule(rule: { readonly condition: Condition | undefined; readonly output: Output | undefined }): readonly Expression[] {
  return [...expressionsOfCondition(rule.condition), ...ofOutput(rule.output)];
}

/** The expressions of a condition, in the order of the file. */
export function expressionsOfCondition(condition: Condition | undefined): readonly Expression[] {
  return condition === undefined ? [] : ofMatch(condition.match);
}

function ofMatch(match: Match): readonly Expression[] {
  switch (match.kind) {
    case 'expr':
      return [match.expression];
    case 'all':
    case 'any':
    case 'none':
      return match.of.flatMap(ofMatch);
    case 'script':
      return [];
  }
}

function ofOutput(output: Output | undefined): readonly Expression[] {
  if (output === undefined) return [];
  return [output.ruleActivated, output.conditionNotMet, output.legacy].filter((expression) => expression !== undefined);
}
