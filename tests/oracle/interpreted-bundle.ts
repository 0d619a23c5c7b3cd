import { type CompiledBundle, principalJudge, roleJudge, visitRules } from '../../runtime/engine/parts.js';
import {
  ALLOW,
  always,
  anyOf,
  type DerivedRole,
  DENY,
  literalAndGlob,
  literalOrGlob,
  type Output,
  type Pattern,
  patternsOf,
  policyKey,
  type PrincipalPolicy,
  type Request,
  type ResourcePolicy,
  type RolePolicy,
  type Rule,
  sanitize,
  type TracedBundle,
  type TracedCondition,
} from '../../runtime/policy/index.js';
import { Context, ModelError } from '../support/oracle/context.js';
import { expressionsOf, type Params, paramsOf, textsOf } from '../support/oracle/definitions.js';
import type {
  Document,
  Match,
  PrincipalDocument,
  ResourceDocument,
  RoleDocument,
  RuleBody,
} from '../support/oracle/documents.js';
import { tinyCel } from '../support/oracle/tiny-cel.js';

/**
 * A bundle for the engine whose conditions are interpreted by tiny-cel.ts, to compare the engine alone with the
 * reference model.
 */
export interface InterpretedBundle {
  readonly bundle: CompiledBundle;
  readonly traced: TracedBundle;
}

/** `crowded`: roles share two bits, as in a policy that distinguishes more than 30 of them. */
export function interpretedBundle(
  documents: readonly Document[],
  options: { readonly crowded: boolean },
): InterpretedBundle {
  const interpreter = new Interpreter(documents, options.crowded);
  return {
    bundle: {
      hash: '',
      principalJudge,
      roleJudge,
      visitRules,
      resourcePolicies: documents.flatMap(({ resourcePolicy }) =>
        resourcePolicy === undefined ? [] : [interpreter.resourcePolicy(resourcePolicy)],
      ),
      principalPolicies: documents.flatMap(({ principalPolicy }) =>
        principalPolicy === undefined ? [] : [interpreter.principalPolicy(principalPolicy)],
      ),
      rolePolicies: documents.flatMap(({ rolePolicy }) =>
        rolePolicy === undefined ? [] : [interpreter.rolePolicy(rolePolicy)],
      ),
    },
    traced: { conditions: interpreter.traced },
  };
}

class Interpreter {
  readonly traced = new Map<string, TracedCondition>();

  constructor(
    private readonly documents: readonly Document[],
    private readonly crowded: boolean,
  ) {}

  resourcePolicy(document: ResourceDocument): ResourcePolicy {
    const { version, scope = '', rules = [] } = document;
    const key = policyKey('resource', document.resource, version, scope);
    const params = paramsOf(this.documents, document, textsOf(rules));
    const derivedRoles = new Map(
      rules.flatMap((rule) => rule.derivedRoles ?? []).map((name) => [name, this.derivedRole(name)]),
    );
    const texts = [
      ...new Set([
        ...rules.flatMap((rule) => rule.roles ?? []),
        ...[...derivedRoles.values()].flatMap(({ parentRoles }) => [...parentRoles]),
      ]),
    ];
    const bitOf = (text: string): number => 1 << (texts.indexOf(text) % (this.crowded ? 2 : 30));

    const lowered = rules.flatMap((rule, index) => {
      const name = rule.name || numbered(index);
      const through = [
        ...(rule.roles === undefined ? [] : [undefined]),
        ...(rule.derivedRoles ?? []).map((role) => derivedRoles.get(role)),
      ];
      return through.map((derivedRole): Rule => {
        const roles = orEveryone(derivedRole === undefined ? (rule.roles ?? []) : [...derivedRole.parentRoles]);
        const own = invert(document, rule);
        const traced = `${key}#${name}${derivedRole === undefined ? '' : `@${derivedRole.name}`}`;
        return {
          ...this.rule(name, own, params, derivedRole, traced),
          ...this.output(rule, params),
          actions: patternsOf(rule.actions),
          roles: roles.includes('*') ? -1 : roles.reduce((bits, text) => bits | bitOf(text), 0),
          ...(this.crowded && !roles.includes('*') ? { among: anyOf(roles.map(literalOrGlob)) } : {}),
          rows: (action, lineage) => matching(rule.actions, [action]) * matching(roles, lineage),
        };
      });
    });
    const names = texts.filter((text) => !text.includes('*'));
    const globs = texts
      .filter((text) => text.includes('*') && text !== '*')
      .map((text) => ({ matches: literalOrGlob(text), bits: bitOf(text) }));
    return {
      key,
      kind: sanitize(document.resource),
      version,
      scope,
      overridesParent: !consents(document),
      roles: new Map(
        names.map((name) => [
          name,
          globs.reduce((bits, glob) => (glob.matches(name) ? bits | glob.bits : bits), bitOf(name)),
        ]),
      ),
      roleGlobs: globs,
      reach: lowered.reduce((bits, rule) => bits | rule.roles, 0),
      derivedRoles: [...derivedRoles.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      ...this.facts(rules, [...derivedRoles.keys()]),
      rules: lowered,
    };
  }

  principalPolicy(document: PrincipalDocument): PrincipalPolicy {
    const { version, scope = '', principal, rules: blocks = [] } = document;
    const key = policyKey('principal', principal, version, scope);
    const all = blocks.flatMap((block) => block.actions);
    const params = paramsOf(this.documents, document, textsOf(all));
    const lowered = blocks.flatMap((block) =>
      block.actions.map((rule, index): Rule => {
        const name = rule.name || `${block.resource}_${numbered(index)}`;
        return {
          ...this.rule(name, invert(document, rule), params, undefined, `${key}#${name}`),
          ...this.output(rule, params),
          actions: patternsOf([rule.action]),
          resource: patternsOf([sanitize(block.resource)])[0] as Pattern,
          roles: -1,
          rows: () => 1,
        };
      }),
    );
    return {
      key,
      principal,
      version,
      scope,
      overridesParent: !consents(document),
      rules: lowered,
      ...this.facts(all, []),
    };
  }

  rolePolicy(document: RoleDocument): RolePolicy {
    const { role, scope = '', rules = [], parentRoles = [] } = document;
    const version = document.version || 'default';
    const key = policyKey('role', role, version, scope);
    const params = paramsOf(this.documents, document, textsOf(rules));
    return {
      key,
      role,
      version,
      scope,
      parentRoles,
      rules: rules.map((rule, index) => {
        const match = rule.condition?.match;
        if (match !== undefined) this.traced.set(`${key}#${index}`, tracedCondition(match, params));
        return {
          name: rule.name ?? '',
          covers: literalOrGlob(rule.resource),
          allows: anyOf(rule.allowActions.map(literalAndGlob)),
          ...(match === undefined ? {} : { when: condition(match, params) }),
          ...this.output(rule, params),
        };
      }),
      ...this.facts(rules, []),
    };
  }

  private rule(
    name: string,
    own: Inverted,
    params: Params,
    derivedRole: DerivedRole | undefined,
    tracedKey: string,
  ): Omit<Rule, 'roles' | 'actions'> {
    const { match, effect } = own;
    if (match !== undefined) this.traced.set(tracedKey, tracedCondition(match, params));
    const when = match && condition(match, params);
    return { name, effect, when, ...(derivedRole === undefined ? {} : { derivedRole }) };
  }

  private derivedRole(name: string): DerivedRole {
    for (const { derivedRoles } of this.documents) {
      const definition = derivedRoles?.definitions.find((candidate) => candidate.name === name);
      if (derivedRoles === undefined || definition === undefined) continue;
      const match = definition.condition?.match;
      const params = paramsOf(this.documents, derivedRoles, match === undefined ? [] : expressionsOf(match));
      const key = `derived_roles.${sanitize(derivedRoles.name)}#${name}`;
      if (match !== undefined) this.traced.set(key, tracedCondition(match, params));
      return {
        key,
        name,
        parentRoles: new Set(orEveryone(definition.parentRoles)),
        when: match === undefined ? always : condition(match, params),
        ...(match === undefined ? {} : { whenListed: listingCondition(match, params) }),
      };
    }
    throw new Error(`no derived role ${name}`);
  }

  private output(rule: RuleBody, params: Params): { readonly output?: Output } {
    const activated = rule.output?.when?.ruleActivated || rule.output?.expr;
    const notMet = rule.output?.when?.conditionNotMet;
    if (!activated && !notMet) return {};
    return {
      output: {
        ...(activated ? { ruleActivated: outputValue(activated, params) } : {}),
        ...(notMet ? { conditionNotMet: outputValue(notMet, params) } : {}),
      },
    };
  }

  private facts(
    rules: readonly RuleBody[],
    derivedRoles: readonly string[],
  ): { readonly hasOutputs: boolean; readonly readsRuntime: boolean } {
    const definitions = this.documents
      .flatMap((document) => document.derivedRoles?.definitions ?? [])
      .filter(({ name }) => derivedRoles.includes(name));
    return {
      hasOutputs: rules.some((rule) => rule.output !== undefined),
      readsRuntime: textsOf([...rules, ...(definitions as readonly RuleBody[])]).some((text) =>
        text.includes('runtime'),
      ),
    };
  }
}

interface Inverted {
  readonly effect: typeof ALLOW | typeof DENY;
  readonly match: Match | undefined;
}

function invert(
  document: { readonly scopePermissions?: string },
  rule: RuleBody & { readonly effect: string },
): Inverted {
  const match = rule.condition?.match;
  const allows = rule.effect === 'EFFECT_ALLOW';
  if (allows && consents(document) && match !== undefined) return { effect: DENY, match: { none: { of: [match] } } };
  return { effect: allows ? ALLOW : DENY, match };
}

function contextOf(request: Request, strict: boolean): Context {
  const { principal, resource, auxData, globals } = request;
  const context = new Context(
    tinyCel,
    { principal: { ...principal }, resource: { ...resource }, auxData, globals },
    strict,
  );
  context.effectiveDerivedRoles = request.effectiveDerivedRoles;
  context.failedDerivedRoles = request.failedDerivedRoles;
  return context;
}

function condition(match: Match, params: Params): (request: Request) => boolean {
  return (request) => {
    const context = contextOf(request, false);
    return context.satisfied(match, params, context.variablesFor(params));
  };
}

function listingCondition(match: Match, params: Params): (request: Request) => boolean {
  return (request) => {
    const context = contextOf(request, false);
    return context.satisfied(
      match,
      params,
      context.variablesForListing({ definition: { name: '', parentRoles: [] }, params }),
    );
  };
}

function tracedCondition(match: Match, params: Params): TracedCondition {
  return (request) => {
    const context = contextOf(request, true);
    try {
      return context.satisfied(match, params, context.variablesFor(params));
    } catch (error) {
      if (error instanceof ModelError) return error.message;
      throw error;
    }
  };
}

function outputValue(text: string, params: Params): NonNullable<Output['ruleActivated']> {
  return (request) => {
    const context = contextOf(request, false);
    return context.output(text, params, context.variablesFor(params));
  };
}

function matching(texts: readonly string[], requested: readonly string[]): number {
  return texts.filter((text) => requested.some(literalOrGlob(text))).length;
}

function orEveryone(roles: readonly string[]): readonly string[] {
  return roles.includes('*') ? ['*'] : roles;
}

function numbered(index: number): string {
  return `rule-${String(index + 1).padStart(3, '0')}`;
}

function consents({ scopePermissions }: { readonly scopePermissions?: string }): boolean {
  return scopePermissions?.endsWith('CONSENT_FOR_ALLOWS') ?? false;
}
