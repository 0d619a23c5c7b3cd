import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { literalOrGlob } from '../../../runtime/policy/index.js';
import { type PointDecisions, rulesAbout } from '../decision/decisions.js';
import type { Visible } from './bounds.js';

/**
 * Whether a client may know the name of a role: a rule about the kind and one of the actions names it, and a part of its
 * conditions is visible. The names in other rules, such as those of what only auditors do, stay on the server.
 */
export function isNamedFor(
  points: readonly PointDecisions[],
  kind: string,
  actions: readonly string[],
  isVisible: Visible,
): (role: string) => boolean {
  const modules = new Set(points.flatMap((point) => point.modules));
  const named = new Set<string>();
  for (const module of modules) {
    if (module.kind !== 'resource') continue;
    const shows = (condition: Match | undefined, from: Module = module): boolean =>
      condition === undefined || someVisible(condition, from, isVisible);
    for (const rule of rulesAbout(module, kind)) {
      if (!matchesSome(rule.actions.map(literalOrGlob), actions) || !shows(rule.condition)) continue;
      const { derivedRole } = rule;
      const from = [...modules].find(({ key }) => key === derivedRole?.module);
      const definition =
        from?.kind === 'derived-roles' ? from.definitions.find(({ name }) => name === derivedRole?.name) : undefined;
      if (definition === undefined || shows(definition.condition, from)) for (const role of rule.roles) named.add(role);
    }
  }
  return (role) => named.has(role);
}

function matchesSome(patterns: readonly ((text: string) => boolean)[], actions: readonly string[]): boolean {
  return actions.some((action) => patterns.some((matches) => matches(action)));
}

/** Whether a part of a condition is visible, taken apart as `certainOf` does. */
function someVisible(match: Match, module: Module, isVisible: Visible): boolean {
  const some = (value: Value): boolean => {
    if (isVisible(value, module)) return true;
    if (value.kind === 'variable') {
      const variable = module.variables.find(({ name }) => name === value.name);
      return variable !== undefined && some(variable.value);
    }
    return (
      value.kind === 'operator' &&
      LOGICAL.has(value.operator) &&
      value.operands.some((part) => part.kind !== 'literal' && some(part))
    );
  };
  const ofMatch = (part: Match): boolean => (part.kind === 'expr' ? some(part.value) : part.of.some(ofMatch));
  return ofMatch(match);
}

const LOGICAL: ReadonlySet<string> = new Set(['and', 'or', 'not', 'conditional']);
