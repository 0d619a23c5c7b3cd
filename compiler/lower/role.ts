import type { Types } from '../ast/checked.js';
import type { LinkedRolePolicy } from '../ast/policy-set.js';
import type { RoleModule, RoleRule } from '../ir/program.js';
import { usedBindings } from './bindings.js';
import { lowerCondition, lowerOutput, readsRuntime, valuesOfRule } from './rules.js';

/**
 * A role policy: what a role may do at most. Its resource texts are not sanitised
 * (docs/spec/policy-language.md#sanitized-names).
 */
export function lowerRolePolicy(linked: LinkedRolePolicy, types: Types): RoleModule {
  const { policy } = linked;
  const rules = policy.rules.map(
    (rule): RoleRule => ({
      span: rule.place.span,
      name: rule.name?.value ?? '',
      resource: rule.resource.value,
      allowActions: rule.allowActions.map(({ value }) => value),
      condition: lowerCondition(rule.condition, types),
      output: lowerOutput(rule.output, types),
    }),
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  return {
    kind: 'role',
    key: linked.key,
    sourcePath: linked.file.source.path,
    description: linked.file.description,
    role: policy.role.value,
    version: policy.version,
    scope: policy.scope,
    parentRoles: policy.parentRoles.map(({ value }) => value),
    rules,
    readsRuntime: readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]),
    variables,
    constants,
  };
}
