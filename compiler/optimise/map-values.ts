import type { Match, Module, Output, Program, Variable } from '../ir/program.js';
import type { Value } from '../ir/value.js';

/** What replaces the expressions of a module; undefined where all stay. */
export type ReplaceIn = (module: Module) => ((value: Value) => Value) | undefined;

/** The program with every expression replaced: conditions, outputs, variables. */
export function mapValues(program: Program, replaceIn: ReplaceIn): Program {
  const modules = program.modules.map((module) => {
    const replace = replaceIn(module);
    return replace === undefined ? module : mapModule(module, replace);
  });
  return { ...program, modules };
}

// What does not change stays the object it was: most expressions have nothing to decide, and objects are what a
// compilation costs.
function mapModule(module: Module, replace: (value: Value) => Value): Module {
  const variables = module.variables.map((variable): Variable => {
    const value = replace(variable.value);
    return value === variable.value ? variable : { ...variable, value };
  });
  switch (module.kind) {
    case 'resource':
    case 'principal':
      return { ...module, variables, rules: module.rules.map((rule) => mapRule(rule, replace)) };
    case 'role':
      return { ...module, variables, rules: module.rules.map((rule) => mapRule(rule, replace)) };
    case 'derived-roles':
      return {
        ...module,
        variables,
        definitions: module.definitions.map((role) => ({
          ...role,
          condition: role.condition && mapMatch(role.condition, replace),
        })),
      };
  }
}

function mapRule<R extends { readonly condition: Match | undefined; readonly output: Output | undefined }>(
  rule: R,
  replace: (value: Value) => Value,
): R {
  const condition = rule.condition && mapMatch(rule.condition, replace);
  const output = rule.output && {
    ruleActivated: rule.output.ruleActivated && replace(rule.output.ruleActivated),
    conditionNotMet: rule.output.conditionNotMet && replace(rule.output.conditionNotMet),
  };
  return condition === rule.condition && output === undefined ? rule : { ...rule, condition, output };
}

function mapMatch(match: Match, replace: (value: Value) => Value): Match {
  if (match.kind === 'expr') {
    const value = replace(match.value);
    return value === match.value ? match : { ...match, value };
  }
  const of = match.of.map((inner) => mapMatch(inner, replace));
  return of.every((inner, index) => inner === match.of[index]) ? match : { ...match, of };
}
