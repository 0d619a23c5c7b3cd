import type {
  Condition,
  DerivedRole,
  Effect,
  Match,
  Output,
  PrincipalAction,
  PrincipalRule,
  ResourceRule,
  RoleRule,
} from '../../ast/policy.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { Located } from '../../diagnostics/span.js';
import type { FieldValue, ObjectValue } from '../schema/value.js';
import { expressionOf, optionalExpression } from './expression.js';
import { asText, fieldOf, nonEmptyText, numberOf, objectOf, objectsOf, requiredText, textsOf } from './fields.js';

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

/** The condition of a rule or of a derived role (docs/spec/policy-language.md#condition). */
function conditionOf(rule: ObjectValue): Condition | undefined {
  const condition = fieldOf(rule, 'condition');
  if (condition === undefined) return undefined;
  const { place, value } = condition;
  if (value.kind !== 'object') return invariant('a condition is not an object');
  const match = objectOf(value, 'match');
  return { place, match: match === undefined ? { kind: 'script', place } : matchOf(match) };
}

/** The output of a rule (docs/spec/policy-language.md#output). */
function outputOf(rule: ObjectValue): Output | undefined {
  const output = fieldOf(rule, 'output');
  if (output === undefined) return undefined;
  const { place, value } = output;
  if (value.kind !== 'object') return invariant('an output is not an object');
  const when = objectOf(value, 'when');
  return {
    place,
    ruleActivated: when && optionalExpression(when, 'ruleActivated'),
    conditionNotMet: when && optionalExpression(when, 'conditionNotMet'),
    legacy: optionalExpression(value, 'expr'),
  };
}

const OPERATORS = ['all', 'any', 'none'] as const;

function matchOf(match: ObjectValue): Match {
  const expr: FieldValue | undefined = fieldOf(match, 'expr');
  if (expr !== undefined) return { kind: 'expr', expression: expressionOf(asText(expr.value), expr.place) };
  for (const kind of OPERATORS) {
    const operands = objectOf(match, kind);
    if (operands !== undefined) return { kind, of: objectsOf(operands, 'of').map(({ value }) => matchOf(value)) };
  }
  return invariant('a match without operator after validation');
}
