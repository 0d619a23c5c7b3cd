import { principalJudge } from '../../runtime/engine/decide/principals.js';
import { roleJudge } from '../../runtime/engine/decide/role-policies.js';
import { visitRules } from '../../runtime/engine/decide/visit-rules.js';
import { createEngine, type Engine } from '../../runtime/engine/engine.js';
import { explanations } from '../../runtime/engine/explain.js';
import type { EngineOptions } from '../../runtime/engine/options.js';
import { planner } from '../../runtime/engine/plan/planner.js';
import type { CheckResult, PrincipalInput, ResourceInput } from '../../runtime/engine/requests.js';
import {
  ALLOW,
  DENY,
  type PolicyBundle,
  policyKey,
  type PrincipalPolicy,
  type ResourcePolicy,
  type RolePolicy,
  type Rule,
} from '../../runtime/policy/index.js';

/** The roles of the policies the tests write: `user` and `admin`, and all that `a*` matches. */
export const USER = 1;
export const ADMIN = 2;
export const A_GLOB = 4;
export const ANYONE = -1;

/** A rule that grants; conditions and the rest by `more`. */
export function allow(name: string, more: Partial<Rule> = {}): Rule {
  return {
    name,
    effect: ALLOW,
    roles: ANYONE,
    actions: ['*'],
    ...more,
  };
}

/** A rule that refuses. */
export function deny(name: string, more: Partial<Rule> = {}): Rule {
  return {
    name,
    effect: DENY,
    roles: ANYONE,
    actions: ['*'],
    ...more,
  };
}

/** Rules by action. */
export function rules(table: { readonly [action: string]: readonly Rule[] }): readonly Rule[] {
  const listed = Object.entries(table);
  return [...new Set(listed.flatMap(([, own]) => own))].map((rule) => ({
    ...rule,
    actions: listed.flatMap(([action, own]) => (own.includes(rule) ? [action] : [])),
  }));
}

/** The policy of `doc`, unless `more` says otherwise. */
export function doc(own: readonly Rule[], more: Partial<ResourcePolicy> = {}): ResourcePolicy {
  const { kind = 'doc', version = 'default', scope = '' } = more;
  return {
    key: policyKey('resource', kind, version, scope),
    kind,
    version,
    scope,
    overridesParent: true,
    roles: new Map([
      ['user', USER],
      ['admin', ADMIN | A_GLOB],
    ]),
    roleGlobs: [{ matches: (role) => role.startsWith('a'), bits: A_GLOB }],
    reach: own.reduce((bits, rule) => bits | rule.roles, 0),
    derivedRoles: [],
    hasOutputs: own.some((rule) => rule.output !== undefined),
    readsRuntime: false,
    rules: own,
    ...more,
  };
}

/** The policy of a principal about every kind. */
export function principal(id: string, own: readonly Rule[], more: Partial<PrincipalPolicy> = {}): PrincipalPolicy {
  const { version = 'default', scope = '' } = more;
  const key = policyKey('principal', id, version, scope);
  return {
    key,
    principal: id,
    version,
    scope,
    overridesParent: true,
    rules: own,
    hasOutputs: false,
    readsRuntime: false,
    ...more,
  };
}

/** A role policy. */
export function role(name: string, more: Partial<RolePolicy> = {}): RolePolicy {
  const { version = 'default', scope = '' } = more;
  return {
    key: policyKey('role', name, version, scope),
    role: name,
    version,
    scope,
    parentRoles: [],
    rules: [],
    hasOutputs: false,
    readsRuntime: false,
    ...more,
  };
}

/** An engine of some policies. */
export function engineOf(policies: Partial<PolicyBundle>, options: EngineOptions = {}): Engine {
  return createEngine(
    {
      hash: '',
      resourcePolicies: [],
      principalPolicies: [],
      rolePolicies: [],
      planner,
      principalJudge,
      roleJudge,
      visitRules,
      ...policies,
    },
    { ...options, use: [explanations(), ...(options.use ?? [])] },
  );
}

/** What a test asks: roles and what differs from `alice` asking about `doc`. */
export interface Ask {
  readonly roles?: readonly string[];
  readonly principal?: Partial<PrincipalInput>;
  readonly resource?: Partial<ResourceInput>;
}

/** The result for `alice`, a `user`, and a `doc`. */
export function ask(
  engine: Engine,
  actions: readonly string[],
  { roles = ['user'], principal: who, resource }: Ask = {},
): CheckResult {
  const results = engine.check({
    principal: { id: 'alice', roles, ...who },
    resources: [{ resource: { kind: 'doc', id: 'd', ...resource }, actions }],
    includeMeta: true,
  });
  return results[0] as CheckResult;
}

/** `ALLOW resource.doc.vdefault/acme acme`: effect, policy and scope matched, of one action. */
export function decide(engine: Engine, action: string, more: Ask = {}): string {
  const [decision] = ask(engine, [action], more).actions;
  if (decision === undefined) return 'nothing';
  return `${decision.effect === ALLOW ? 'ALLOW' : 'DENY'} ${decision.matchedPolicy} ${decision.matchedScope}`.trimEnd();
}
