import { verdict, verdictUnless } from '../../cel/runtime/index.js';
import {
  type CompiledBundle,
  type CompiledTraces,
  guard,
  principalJudge,
  roleJudge,
  visitRules,
} from '../../../runtime/engine/parts.js';
import {
  ALLOW,
  ANYONE,
  anyOf,
  DENY,
  type DerivedRole,
  derivedRole,
  glob,
  literalAndGlob,
  matchesAny,
  type Output,
  type Pattern,
  patternsOf,
  principalPolicy,
  type Request,
  resourcePolicy,
  type RoleRule,
  rolePolicy,
  rowsOf,
  type Rule,
  type TracedCondition,
} from '../../../runtime/policy/index.js';
import { invariant } from '../../../compiler/diagnostics/invariant.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { SchemaModule } from '../../../compiler/ir/schema.js';
import { tracedKeys } from '../../../compiler/ir/traced-keys.js';
import { holds, evaluateOutput, makeSurroundings, traced } from './conditions.js';
import { schemaDefinitions, schemaReferences } from './schemas.js';

/** A program as a bundle for the engine: nothing is emitted, and conditions are evaluated from the IR. */
export interface ProgramBundle {
  /** The bundle without a planner: an engine of it can check, not plan. */
  readonly bundle: CompiledBundle;
  /** Traces for strict evaluation and for explaining. */
  readonly traced: CompiledTraces;
  /** The program that it was made from. */
  readonly program: ir.Program;
  /** The modules, by the key of their policy. */
  readonly modules: ReadonlyMap<string, ir.Module>;
  /** Where each rule, rule of a role policy and derived role of the bundle comes from. */
  readonly origins: ReadonlyMap<Rule | RoleRule | DerivedRole, Origin>;
}

/** What an object of the bundle was made from. */
export type Origin =
  | { readonly module: ir.ResourceModule | ir.PrincipalModule; readonly rule: ir.Rule }
  | { readonly module: ir.RoleModule; readonly rule: ir.RoleRule }
  | { readonly module: ir.DerivedRolesModule; readonly rule: ir.DerivedRole };

/**
 * The bundle of a program, for analyses that ask about the author's conditions, or about thousands of variants of them.
 * It decides as the emitted bundle does; tests/analysis/program.test.ts compares the two.
 *
 * @param program with folded literals, which is part of the language (docs/spec/conditions.md#constant-folding). The
 * other passes of the compiler change no result, but conditions that their authors would not recognise.
 */
export function makeBundle(program: ir.Program): ProgramBundle {
  const { modules, schemas } = program;
  const builder = new Builder(modules, schemas);
  return {
    bundle: {
      hash: '',
      resourcePolicies: modules.flatMap((module) => (module.kind === 'resource' ? builder.resource(module) : [])),
      principalPolicies: modules.flatMap((module) => (module.kind === 'principal' ? builder.principal(module) : [])),
      rolePolicies: modules.flatMap((module) => (module.kind === 'role' ? builder.role(module) : [])),
      principalJudge,
      roleJudge,
      visitRules,
      guard,
    },
    traced: {
      conditions: builder.traced,
      sources: new Map(modules.map(({ key, sourcePath }) => [key, sourcePath])),
      visitRules,
    },
    program,
    modules: new Map(modules.map((module) => [module.key, module])),
    origins: builder.origins,
  };
}

class Builder {
  readonly traced = new Map<string, TracedCondition>();
  readonly origins = new Map<Rule | RoleRule | DerivedRole, Origin>();
  private readonly definitionAt;
  private readonly derivedRoles = new Map<string, DerivedRole>();

  constructor(modules: readonly ir.Module[], schemas: readonly SchemaModule[]) {
    this.definitionAt = schemaDefinitions(schemas);
    for (const module of modules) if (module.kind === 'derived-roles') this.addDerivedRoles(module);
  }

  resource(module: ir.ResourceModule): CompiledBundle['resourcePolicies'][number] {
    const { kindName: kind, version, scope, overridesParent, readsRuntime } = module;
    const { literals, globs } = module.roles;
    const bitOf = new Map([
      ...literals.map(({ role, bit }) => [role, bit] as const),
      ...globs.map(({ pattern, bit }) => [pattern, bit] as const),
    ]);
    const bits = (roles: readonly string[]): number =>
      roles[0] === '*'
        ? ANYONE
        : roles.reduce((all, role) => all | (bitOf.get(role) ?? invariant(`no bit of ${role}`)), 0);
    const keys = tracedKeys(module.key, module.rules);
    const rules = module.rules.map((rule, index) =>
      this.rule(module, rule, keys[index] as string, {
        roles: bits(rule.roles),
        ...(module.roles.crowded && rule.roles[0] !== '*' ? { among: matchesAny(...rule.roles) } : {}),
      }),
    );
    return resourcePolicy({
      kind,
      version,
      scope,
      overridesParent,
      readsRuntime,
      roles: new Map(
        literals.map(({ role, bit, alsoGlobs }) => [role, alsoGlobs.reduce((all, more) => all | more, bit)]),
      ),
      roleGlobs: globs.map(({ pattern, bit }) => ({ matches: glob(pattern), bits: bit })),
      rules,
      schemas: schemaReferences(module.schemas, this.definitionAt),
    });
  }

  principal(module: ir.PrincipalModule): CompiledBundle['principalPolicies'][number] {
    const { principal, version, scope, overridesParent, readsRuntime } = module;
    const keys = tracedKeys(module.key, module.rules);
    const rules = module.rules.map((rule, index) => this.rule(module, rule, keys[index] as string, { roles: ANYONE }));
    return principalPolicy({
      principal,
      version,
      scope,
      overridesParent,
      readsRuntime,
      rules,
    });
  }

  role(module: ir.RoleModule): CompiledBundle['rolePolicies'][number] {
    const { role, version, scope, parentRoles, readsRuntime } = module;
    const rules = module.rules.map((rule, index): RoleRule => {
      const { name, resource, allowActions, condition, output } = rule;
      if (condition !== undefined) this.trace(`${module.key}#${index}`, module, condition, false);
      const made: RoleRule = {
        name,
        covers: matchesAny(resource),
        allows: anyOf(allowActions.map((action) => literalAndGlob(action))),
        ...(condition && { when: (request) => holds(condition, makeSurroundings(module, request)) }),
        ...(output && { output: outputs(module, output) }),
      };
      this.origins.set(made, { module, rule });
      return made;
    });
    return rolePolicy({ role, version, scope, parentRoles, rules, readsRuntime });
  }

  private rule(
    module: ir.ResourceModule | ir.PrincipalModule,
    rule: ir.Rule,
    tracedKey: string,
    names: Pick<Rule, 'roles' | 'among'>,
  ): Rule {
    const { condition, inverted, output, memo } = rule;
    const through = rule.derivedRole && this.derivedRole(rule.derivedRole);
    if (condition !== undefined) this.trace(tracedKey, module, condition, inverted);
    const own = condition && ((request: Request) => holds(condition, makeSurroundings(module, request)) !== inverted);
    const made: Rule = {
      name: rule.name,
      effect: rule.effect === 'allow' ? ALLOW : DENY,
      ...names,
      actions: patternsOf(rule.actions),
      ...(rule.resource !== undefined && { resource: patternsOf([rule.resource])[0] as Pattern }),
      ...(through && { derivedRole: through }),
      when: own,
      ...(output && { output: outputs(module, output), rows: rowsOf(rule.actions, rule.roles) }),
      ...(memo === undefined ? {} : { memo }),
      traced: tracedKey,
    };
    this.origins.set(made, { module, rule });
    return made;
  }

  private addDerivedRoles(module: ir.DerivedRolesModule): void {
    for (const rule of module.definitions) {
      const { name, parentRoles, condition } = rule;
      const made = derivedRole({
        set: module.name,
        name,
        parentRoles,
        ...(condition && {
          when: (request: Request) => holds(condition, makeSurroundings(module, request)),
          whenListed: (request: Request) => holds(condition, makeSurroundings(module, request, { failedIsNull: true })),
        }),
      });
      if (condition !== undefined) this.trace(made.key, module, condition, false);
      this.derivedRoles.set(`${module.key}#${name}`, made);
      this.origins.set(made, { module, rule });
    }
  }

  private derivedRole({ module, name }: ir.DerivedRoleReference): DerivedRole {
    return this.derivedRoles.get(`${module}#${name}`) ?? invariant(`derived role ${name} was not lowered`);
  }

  private trace(key: string, module: ir.Module, condition: ir.Match, inverted: boolean): void {
    const result = inverted ? verdictUnless : verdict;
    this.traced.set(key, (request) => result(traced(condition, makeSurroundings(module, request, { tells: true }))));
  }
}

function outputs(module: ir.Module, { ruleActivated, conditionNotMet }: ir.Output): Output {
  return {
    ...(ruleActivated && {
      ruleActivated: (request) => evaluateOutput(ruleActivated, makeSurroundings(module, request)),
    }),
    ...(conditionNotMet && {
      conditionNotMet: (request) => evaluateOutput(conditionNotMet, makeSurroundings(module, request)),
    }),
  };
}
