import type { JsonValue, ScopePermissions } from '../../../compiler/ast/policy.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { namesIn } from '../../../compiler/ir/visit.js';
import { everyoneOr, kindTables, roleBits } from '../../../compiler/lower/modules.js';
import { actionTable } from '../../../compiler/lower/reach-index.js';
import { underConsent, valuesOfRule } from '../../../compiler/lower/rules.js';

/** A policy with rules of its own. */
export type RuleModule = ir.ResourceModule | ir.PrincipalModule;

/**
 * Replaces an authored rule. It is lowered to several, for its roles and for each derived role: `edit` is called for
 * each, and removes it by returning undefined.
 */
export function withRule(
  program: ir.Program,
  { key }: RuleModule,
  { span }: ir.Rule,
  edit: (rule: ir.Rule) => ir.Rule | undefined,
): ir.Program {
  return withModule(program, key, (module) =>
    module.kind === 'resource' || module.kind === 'principal'
      ? withRules(
          module,
          module.rules.flatMap((rule) => (rule.span.start === span.start ? (edit(rule) ?? []) : [rule])),
        )
      : module,
  );
}

/** Replaces a rule of a role policy. */
export function withRoleRule(
  program: ir.Program,
  { key }: ir.RoleModule,
  { span }: ir.RoleRule,
  edit: (rule: ir.RoleRule) => ir.RoleRule | undefined,
): ir.Program {
  return withModule(program, key, (module) => {
    if (module.kind !== 'role') return module;
    const rules = module.rules.flatMap((rule) => (rule.span.start === span.start ? (edit(rule) ?? []) : [rule]));
    return trimmed({ ...module, rules });
  });
}

/** Replaces the value of a variable wherever the document that defines it is imported. */
export function withVariable(
  program: ir.Program,
  { expression }: ir.Variable,
  edit: (variable: ir.Variable) => ir.Variable,
): ir.Program {
  return withModules(program, (module) => {
    if (!module.variables.some((variable) => variable.expression === expression)) return module;
    const variables = module.variables.map((variable) =>
      variable.expression === expression ? edit(variable) : variable,
    );
    return trimmed({ ...module, variables });
  });
}

/** Replaces a constant wherever the document that defines it is imported. */
export function withConstant(program: ir.Program, constant: ir.Constant, value: JsonValue): ir.Program {
  return withModules(program, (module) =>
    module.constants.some((own) => isSameConstant(own, constant))
      ? {
          ...module,
          constants: module.constants.map((own) => (isSameConstant(own, constant) ? { ...own, value } : own)),
        }
      : module,
  );
}

/** Whether two policies have a constant from one place. */
export function isSameConstant({ span: a }: ir.Constant, { span: b }: ir.Constant): boolean {
  return a.source.path === b.source.path && a.start === b.start;
}

/** Replaces a derived role, and its parent roles in the rules that name it. */
export function withDerivedRole(
  program: ir.Program,
  { key }: ir.DerivedRolesModule,
  edited: ir.DerivedRole,
): ir.Program {
  const { name, parentRoles } = edited;
  return withModules(program, (module) => {
    if (module.kind === 'derived-roles' && module.key === key)
      return trimmed({
        ...module,
        definitions: module.definitions.map((role) => (role.name === name ? edited : role)),
      });
    if (module.kind !== 'resource') return module;
    const isNamed = ({ module: set, name: own, parentRoles: before }: ir.DerivedRoleReference): boolean =>
      set === key && own === name && before.join('\0') !== parentRoles.join('\0');
    if (!module.derivedRoles.some(isNamed)) return module;
    const derivedRoles = module.derivedRoles.map((role) => (isNamed(role) ? { ...role, parentRoles } : role));
    return withRules(
      { ...module, derivedRoles },
      module.rules.map((rule) =>
        rule.derivedRole !== undefined && isNamed(rule.derivedRole)
          ? { ...rule, roles: everyoneOr(parentRoles), derivedRole: { ...rule.derivedRole, parentRoles } }
          : rule,
      ),
    );
  });
}

/** A policy whose ALLOW needs consent of its parent scope if it did not, or the reverse. */
export function withOtherPermissions(program: ir.Program, { key }: RuleModule): ir.Program {
  return withModule(program, key, (module) => {
    if (module.kind !== 'resource' && module.kind !== 'principal') return module;
    const other = { ...module, overridesParent: !module.overridesParent };
    return { ...other, rules: module.rules.map((rule) => withEffect(other, rule, rule.written)) };
  });
}

/** A rule with another condition, whose effect parental consent may turn. */
export function withCondition(module: RuleModule, rule: ir.Rule, condition: ir.Match | undefined): ir.Rule {
  return { ...rule, condition, ...underConsent(rule.written, condition !== undefined, readPermissions(module)) };
}

/** A rule with another effect, which parental consent may turn. */
export function withEffect(module: RuleModule, rule: ir.Rule, written: ir.Effect): ir.Rule {
  return { ...rule, written, ...underConsent(written, rule.condition !== undefined, readPermissions(module)) };
}

function readPermissions({ overridesParent }: RuleModule): ScopePermissions {
  return overridesParent ? 'override-parent' : 'require-parental-consent';
}

function withModule(program: ir.Program, key: string, edit: (module: ir.Module) => ir.Module): ir.Program {
  return withModules(program, (module) => (module.key === key ? edit(module) : module));
}

function withModules(program: ir.Program, edit: (module: ir.Module) => ir.Module): ir.Program {
  return { ...program, modules: program.modules.map(edit) };
}

/** A policy with other rules: its roles and tables are made anew. */
function withRules(module: RuleModule, rules: readonly ir.Rule[]): ir.Module {
  return trimmed(
    module.kind === 'resource'
      ? {
          ...module,
          rules,
          roles: roleBits(rules.map(({ roles }) => roles)),
          table: actionTable(rules, [...rules.keys()]),
        }
      : { ...module, rules, ...kindTables(rules) },
  );
}

/** A policy without unused variables and constants, so that `V` and `C` as a whole have no others. */
function trimmed(module: ir.Module): ir.Module {
  const { variables, constants } = module;
  const rules = module.kind === 'derived-roles' ? module.definitions : module.rules;
  const used = bindingsRead(
    rules.flatMap((rule) => valuesOfRule({ output: undefined, ...rule })),
    variables,
  );
  return {
    ...module,
    variables: variables.filter(({ name }) => used.variables.has(name)),
    constants: constants.filter(({ name }) => used.constants.has(name)),
  };
}

/** The variables and constants that values read, also through variables. */
export function bindingsRead(
  values: readonly Value[],
  variables: readonly ir.Variable[],
): { readonly variables: ReadonlySet<string>; readonly constants: ReadonlySet<string> } {
  const used = new Set<string>();
  const reached = [...values];
  const pending = [...namesIn(values, 'variable')];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = variables.find((variable) => variable.name === name);
    if (definition === undefined || used.has(name)) continue;
    used.add(name);
    reached.push(definition.value);
    pending.push(...namesIn([definition.value], 'variable'));
  }
  return { variables: used, constants: namesIn(reached, 'constant') };
}
