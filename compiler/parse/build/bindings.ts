import type { ConstantDefinition, Constants, VariableDefinition, Variables } from '../../ast/policy.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { ObjectValue } from '../schema/value.js';
import { expressionOf } from './expression.js';
import { asText, entriesOf, objectOf, textsOf } from './fields.js';

/** The `variables` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty when absent. */
export function variablesOf(policy: ObjectValue): Variables {
  const block = objectOf(policy, 'variables');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: textsOf(block, 'import'), local: variableDefinitions(block, 'local') };
}

/** The `constants` block of a policy (docs/spec/policy-language.md#variables-and-constants); empty when absent. */
export function constantsOf(policy: ObjectValue): Constants {
  const block = objectOf(policy, 'constants');
  if (block === undefined) return { imports: [], local: [] };
  return { imports: textsOf(block, 'import'), local: constantDefinitions(block, 'local') };
}

/** The entries of a map of names to CEL texts. */
export function variableDefinitions(object: ObjectValue, field: string): readonly VariableDefinition[] {
  return entriesOf(object, field).map(({ name, value, place }) => ({
    name,
    expression: expressionOf(asText(value), place),
  }));
}

/** The entries of a map of names to JSON values. */
export function constantDefinitions(object: ObjectValue, field: string): readonly ConstantDefinition[] {
  return entriesOf(object, field).map(({ name, value, place }) => {
    if (value.kind !== 'json') return invariant('a constant is no JSON value');
    return { name, value: { value: value.value, place } };
  });
}
