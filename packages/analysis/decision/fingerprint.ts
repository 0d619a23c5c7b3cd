import type * as ir from '../../../compiler/ir/program.js';
import { survives } from '../../../compiler/ir/survives.js';
import { exactText, formatStructure } from '../formula/structure.js';

/**
 * Everything of a module that decisions depend on, but its key: modules with equal fingerprints decide alike. Names,
 * places, outputs, descriptions and the order of rules make no difference.
 */
export function computeFingerprint(module: ir.Module): string {
  return JSON.stringify([
    module.variables.map(({ name, value }) => [name, survives(value.type), formatStructure(value)]),
    module.constants.map(({ name, value }) => [name, exactText(value)]),
    listParts(module),
  ]);
}

function listParts(module: ir.Module): readonly unknown[] {
  switch (module.kind) {
    case 'resource':
    case 'principal':
      return [
        module.kind,
        module.overridesParent,
        module.readsRuntime,
        module.kind === 'resource'
          ? module.derivedRoles.map(({ module: set, name, parentRoles }) => [set, name, parentRoles])
          : [],
        inAnyOrder(
          module.rules.map(({ effect, actions, roles, resource, derivedRole, condition, inverted, memo }) => [
            effect,
            sorted(actions),
            sorted(roles),
            resource ?? null,
            derivedRole === undefined ? null : [derivedRole.module, derivedRole.name],
            condition === undefined ? null : formatStructure(condition),
            inverted,
            memo ?? null,
          ]),
          module.rules.some(({ memo }) => memo !== undefined),
        ),
      ];
    case 'role':
      return [
        module.kind,
        module.role,
        module.readsRuntime,
        inAnyOrder(
          module.rules.map(({ resource, allowActions, condition }) => [
            resource,
            sorted(allowActions),
            condition === undefined ? null : formatStructure(condition),
          ]),
        ),
      ];
    case 'derived-roles':
      return [
        module.kind,
        module.name,
        module.definitions.map(({ name, parentRoles, condition }) => [
          name,
          sorted(parentRoles),
          condition === undefined ? null : formatStructure(condition),
        ]),
      ];
  }
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort();
}

/** Sorts rules, unless they share results: then the first decides. */
function inAnyOrder(rules: readonly unknown[], isOrdered = false): readonly string[] {
  const texts = rules.map((rule) => JSON.stringify(rule));
  return isOrdered ? texts : texts.sort();
}
