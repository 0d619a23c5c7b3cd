import type { DerivedRole, Effect, PrincipalAction, PrincipalRule, ResourceRule, RoleRule } from '../../ast/policy.js';
import type { Located } from '../../diagnostics/span.js';
import type { ObjectValue } from '../schema/value.js';
import { conditionOf, outputOf } from './condition.js';
import { nonEmptyText, numberOf, objectsOf, requiredText, textsOf } from './fields.js';

/** A rule of a resource policy (docs/spec/policy-language.md#resourcepolicy). */
export function resourceRule({ value: rule, place }: Located<ObjectValue>): ResourceRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    actions: textsOf(rule, 'actions'),
    effect: effectOf(rule),
    roles: textsOf(rule, 'roles'),
    derivedRoles: textsOf(rule, 'derivedRoles'),
    condition: conditionOf(rule),
    output: outputOf(rule),
  };
}

/** A rule of a principal policy (docs/spec/policy-language.md#principalpolicy). */
export function principalRule({ value: rule, place }: Located<ObjectValue>): PrincipalRule {
  return { place, resource: requiredText(rule, 'resource'), actions: objectsOf(rule, 'actions').map(principalAction) };
}

/** A rule of a role policy (docs/spec/policy-language.md#rolepolicy). */
export function roleRule({ value: rule, place }: Located<ObjectValue>): RoleRule {
  return {
    place,
    name: nonEmptyText(rule, 'name'),
    resource: requiredText(rule, 'resource'),
    allowActions: textsOf(rule, 'allowActions'),
    condition: conditionOf(rule),
    output: outputOf(rule),
  };
}

/** A definition of a derived-roles document (docs/spec/policy-language.md#derivedroles). */
export function derivedRole({ value: role, place }: Located<ObjectValue>): DerivedRole {
  return {
    place,
    name: requiredText(role, 'name'),
    parentRoles: textsOf(role, 'parentRoles'),
    condition: conditionOf(role),
  };
}

function principalAction({ value: action, place }: Located<ObjectValue>): PrincipalAction {
  return {
    place,
    name: nonEmptyText(action, 'name'),
    action: requiredText(action, 'action'),
    effect: effectOf(action),
    condition: conditionOf(action),
    output: outputOf(action),
  };
}

// Validation has seen that it is EFFECT_ALLOW (1) or EFFECT_DENY (2).
function effectOf(rule: ObjectValue): Effect {
  return numberOf(rule, 'effect') === 1 ? 'allow' : 'deny';
}
