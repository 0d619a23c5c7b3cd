import { sanitize } from '../ast/names.js';
import type { Condition, Effect, Output, ScopePermissions } from '../ast/policy.js';
import type { LinkedPolicy, LinkedPrincipalPolicy, LinkedResourcePolicy, LinkedRolePolicy } from '../ast/policy-set.js';
import type { Place } from '../diagnostics/span.js';
import { conditionText } from './condition-text.js';
import { type Covers, coverOf, coverOfAllowed } from './reach.js';
import { nameOfPrincipalAction, nameOfResourceRule, nameOfRoleRule } from './rule-names.js';

/** A rule of any policy, seen as what it reaches: for comparing the rules of one policy with each other. */
export interface JudgedRule {
  readonly name: string;
  readonly place: Place;
  /** `limit`: a rule of a role policy, which only narrows. */
  readonly effect: 'allow' | 'deny' | 'limit';
  /** As rules are compared with requests: sanitised in a principal policy, `*` in a resource policy. */
  readonly resource: string;
  readonly actions: readonly string[];
  /** `*` in principal and role policies. */
  readonly roles: readonly string[];
  readonly derivedRoles: readonly string[];
  /** The parent roles of its derived roles. */
  readonly parentRoles: readonly string[];
  /** Empty for a rule without condition. */
  readonly condition: string;
  readonly hasOutput: boolean;
  /** Whether it can end the search in a scope with DENY: under parental consent a conditional ALLOW can (policy-language.md 8.3). */
  readonly mayDeny: boolean;
  readonly coversResource: Covers;
  readonly coversAction: Covers;
  readonly coversRole: Covers;
}

/** Rules beyond this number are not compared: the comparison is quadratic. */
const MOST = 500;

/** The rules of a policy in the order of the file. */
export function judgedRulesOf(policy: LinkedPolicy): readonly JudgedRule[] {
  const known = cache.get(policy) ?? rulesOf(policy).slice(0, MOST);
  cache.set(policy, known);
  return known;
}

// Several warnings ask; a linked policy never changes, and the entry goes with it.
const cache = new WeakMap<LinkedPolicy, readonly JudgedRule[]>();

function rulesOf(policy: LinkedPolicy): readonly JudgedRule[] {
  switch (policy.kind) {
    case 'resource':
      return ofResourcePolicy(policy);
    case 'principal':
      return ofPrincipalPolicy(policy);
    case 'role':
      return ofRolePolicy(policy);
  }
}

function ofResourcePolicy({ policy, derivedRoles }: LinkedResourcePolicy): readonly JudgedRule[] {
  return policy.rules.map((rule, index) => {
    const actions = rule.actions.map(({ value }) => value);
    const roles = rule.roles.map(({ value }) => value);
    const named = rule.derivedRoles.map(({ value }) => value);
    return {
      place: rule.place,
      condition: conditionText(rule.condition),
      hasOutput: rule.output !== undefined,
      mayDeny: mayDeny(rule, policy.scopePermissions),
      name: nameOfResourceRule(rule, index),
      effect: rule.effect,
      resource: '*',
      actions,
      roles,
      derivedRoles: named,
      parentRoles: named.flatMap((name) => derivedRoles.get(name)?.definition.parentRoles.map(({ value }) => value) ?? []),
      coversResource: EVERYONE.coversRole,
      coversAction: coverOf(actions),
      coversRole: coverOf(roles),
    };
  });
}

function ofPrincipalPolicy({ policy }: LinkedPrincipalPolicy): readonly JudgedRule[] {
  return policy.rules.flatMap((rule) => {
    const resource = sanitize(rule.resource.value);
    return rule.actions.map((action, index) => ({
      ...commonOf(action),
      ...EVERYONE,
      mayDeny: mayDeny(action, policy.scopePermissions),
      name: nameOfPrincipalAction(rule, index),
      effect: action.effect,
      resource,
      actions: [action.action.value],
      coversResource: coverOf([resource]),
      coversAction: coverOf([action.action.value]),
    }));
  });
}

function ofRolePolicy({ policy }: LinkedRolePolicy): readonly JudgedRule[] {
  return policy.rules.map((rule, index) => {
    const actions = rule.allowActions.map(({ value }) => value);
    return {
      ...commonOf(rule),
      ...EVERYONE,
      name: nameOfRoleRule(rule, index),
      effect: 'limit',
      mayDeny: true,
      resource: rule.resource.value,
      actions,
      coversResource: coverOf([rule.resource.value]),
      coversAction: coverOfAllowed(actions),
    };
  });
}

const EVERYONE = { roles: ['*'], derivedRoles: [], parentRoles: [], coversRole: coverOf(['*']) };

function mayDeny({ effect, condition }: { readonly effect: Effect; readonly condition: Condition | undefined }, permissions: ScopePermissions): boolean {
  return effect === 'deny' || (condition !== undefined && permissions === 'require-parental-consent');
}

interface Written {
  readonly place: Place;
  readonly condition: Condition | undefined;
  readonly output: Output | undefined;
}

function commonOf({ place, condition, output }: Written): Pick<JudgedRule, 'place' | 'condition' | 'hasOutput'> {
  return { place, condition: conditionText(condition), hasOutput: output !== undefined };
}
