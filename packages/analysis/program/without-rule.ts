import type { Module, Program } from '../../../compiler/ir/program.js';

/**
 * A program without a rule: what it would decide if its author deleted the rule.
 *
 * @param rule its name, `owners`, or with its policy, `resource.album.vdefault#owners`.
 * @returns undefined if there is no such rule.
 */
export function withoutRule(program: Program, rule: string): Program | undefined {
  let isFound = false;
  const remaining = <Rule extends { readonly name: string }>(module: Module, rules: readonly Rule[]): readonly Rule[] =>
    rules.filter(({ name }) => {
      const isNamed = name === rule || `${module.key}#${name}` === rule;
      isFound ||= isNamed;
      return !isNamed;
    });
  const modules = program.modules.map((module): Module => {
    if (module.kind === 'derived-roles') return module;
    // The rules of a module stay those of its kind.
    return { ...module, rules: remaining<{ readonly name: string }>(module, module.rules) } as Module;
  });
  return isFound ? { ...program, modules } : undefined;
}
