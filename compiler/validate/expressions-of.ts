import { listPremises } from '../ast/premises.js';
import type { Bindings, LinkedDerivedRole, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import type { Condition, Expression, Match, Output } from '../ast/policy.js';

/**
 * Returns every expression that is compiled, each once (docs/spec/policy-language.md#identifiers,
 * docs/spec/policy-language.md#compiling-variables-and-constants,
 * docs/spec/policy-language.md#importing-derived-roles): conditions, outputs, all variables that a document can name,
 * used or not, all definitions of imported derived roles, and what statements say of requests.
 */
export function collectExpressions(policies: PolicySet): ReadonlySet<Expression> {
  const known = cache.get(policies) ?? findExpressions(policies);
  cache.set(policies, known);
  return known;
}

function findExpressions(policies: PolicySet): ReadonlySet<Expression> {
  return new Set(listUses(policies).map(({ expression }) => expression));
}

/** An expression, and the variables and constants that it can name. */
export interface Use {
  readonly expression: Expression;
  readonly bindings: Bindings;
}

/**
 * Returns every expression that is compiled with what it can name: the same expression again if documents with other
 * definitions import it. Thousands of policies may share their variables or imported roles, so these are visited once.
 */
export function listUses({ policies, invariants }: PolicySet): readonly Use[] {
  const found: Use[] = [];
  const add = (expressions: readonly Expression[], bindings: Bindings): void => {
    for (const expression of expressions) found.push({ expression, bindings });
  };
  const seen = new Set<object>();
  const once = <T extends object>(shared: T, of: (shared: T) => void): void => {
    if (seen.has(shared)) return;
    seen.add(shared);
    of(shared);
  };
  const addBindings = (bindings: Bindings): void => {
    for (const { expression } of bindings.variables.values()) found.push({ expression, bindings });
  };
  for (const policy of policies) {
    once(policy.bindings, addBindings);
    if (policy.kind === 'resource') {
      once(policy.importedRoles, (roles) => {
        for (const role of roles) {
          once(role.bindings, addBindings);
          add(expressionsOfCondition(role.definition.condition), role.bindings);
        }
      });
    }
    add(expressionsOfRules(policy), policy.bindings);
  }
  for (const { bindings, policy } of invariants) {
    once(bindings, addBindings);
    add(listPremises(policy).flatMap(expressionsOfCondition), bindings);
  }
  return found;
}

// Several validations need this; a policy set never changes, and the entry is collected with it.
const cache = new WeakMap<PolicySet, ReadonlySet<Expression>>();

/** The expressions in the conditions and outputs of a policy: the users of its variables and constants. */
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

function ofRule(rule: {
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}): readonly Expression[] {
  return [...expressionsOfCondition(rule.condition), ...ofOutput(rule.output)];
}

/** The expressions of a condition, in source order. */
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

/**
 * Returns every condition that is compiled, each once: those of rules, of statements and of all definitions of
 * imported derived roles.
 */
export function collectConditions({ policies, invariants }: PolicySet): ReadonlySet<Condition> {
  const ofRoles = [...collectImportedRoles(policies)].map(({ definition }) => definition.condition);
  const premises = invariants.flatMap(({ policy }) => listPremises(policy));
  return new Set(
    [...policies.flatMap(ofRules), ...ofRoles, ...premises].filter((condition) => condition !== undefined),
  );
}

function ofRules(linked: LinkedPolicy): readonly (Condition | undefined)[] {
  switch (linked.kind) {
    case 'resource':
      return linked.policy.rules.map(({ condition }) => condition);
    case 'principal':
      return linked.policy.rules.flatMap((rule) => rule.actions.map(({ condition }) => condition));
    case 'role':
      return linked.policy.rules.map(({ condition }) => condition);
  }
}

/**
 * The derived roles that resource policies import, each once. Thousands of policies may share one list of them, so it
 * is visited once.
 */
export function collectImportedRoles(policies: readonly LinkedPolicy[]): ReadonlySet<LinkedDerivedRole> {
  const lists = new Set(policies.flatMap((linked) => (linked.kind === 'resource' ? [linked.importedRoles] : [])));
  return new Set([...lists].flat());
}

/** A condition as a string: equal conditions have equal strings. Empty for a rule without a condition. */
export function conditionText(condition: Condition | undefined): string {
  return condition === undefined ? '' : JSON.stringify(describeShape(condition.match));
}

function describeShape(match: Match): unknown {
  switch (match.kind) {
    case 'expr':
      return match.expression.text.trim();
    case 'all':
    case 'any':
    case 'none':
      return [match.kind, ...match.of.map(describeShape)];
    case 'script':
      return [match.kind];
  }
}
