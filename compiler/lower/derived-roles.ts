import type { Types } from '../ast/checked.js';
import type { LinkedDerivedRole } from '../ast/policy-set.js';
import type { DerivedRole, DerivedRolesModule } from '../ir/program.js';
import { usedBindings } from './bindings.js';
import { lowerCondition, valuesOfRule } from './rules.js';

/**
 * The derived roles of one document, for all policies that import it.
 *
 * @param definitions of one set, not empty.
 */
export function lowerDerivedRoles(definitions: readonly LinkedDerivedRole[], types: Types): DerivedRolesModule {
  const [{ set, file, bindings }] = definitions as [LinkedDerivedRole];
  const lowered = definitions.map(
    ({ definition }): DerivedRole => ({
      span: definition.place.span,
      name: definition.name.value,
      parentRoles: definition.parentRoles.map(({ value }) => value),
      condition: lowerCondition(definition.condition, types),
    }),
  );
  const values = lowered.flatMap(({ condition }) => valuesOfRule({ condition, output: undefined }));
  return {
    kind: 'derived-roles',
    key: `derived_roles.${set}`,
    sourcePath: file.source.path,
    description: file.description,
    name: set,
    definitions: lowered,
    ...usedBindings(values, bindings, types),
  };
}
