import {
  ALLOW,
  appliesTo,
  type Filters,
  type PolicyBundle,
  type PrincipalPolicy,
  type ResourcePolicy,
  type RoleRule,
  type Rule,
  sanitize,
} from '../policy/index.js';
import type { Filter } from '../residual/index.js';
import type { CompiledBundle } from './bundle.js';
import { createEngine } from './engine.js';
import { type EngineOptions, resolveSettings } from './options.js';
import { type Place, makePlace } from './find/registry.js';
import type { PlanRequest } from './requests.js';
import { RESOURCE_SCHEMA } from './plan/planner.js';

/** The filter of one rule in a plan. */
export interface RuleFilter {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  /** Selects the rows on which its condition holds, whatever its effect. */
  readonly filter: Filter;
}

/**
 * The filter of each rule that a plan may consider, planned alone and as an ALLOW, to find the rule that a part of a
 * plan's filter is from. Creates an engine for each rule, so it is for errors and tools, not for requests.
 *
 * @example
 * import { ruleFilters } from 'authz/runtime';
 * import { policies } from './dist/policies.js';
 *
 * const filters = ruleFilters(policies, {
 *   principal: { id: 'ann', roles: ['user'] },
 *   resource: { kind: 'album' },
 *   actions: ['edit'],
 * });
 * console.log(filters.map(({ rule }) => rule)); // => [ 'curators', 'owners', 'locked' ]
 */
export function ruleFilters(
  bundle: CompiledBundle,
  request: PlanRequest,
  options: EngineOptions = {},
): readonly RuleFilter[] {
  const asked: Asked = {
    bundle,
    filters: new Map(bundle.filters?.flat().map((entry) => [entry[0], entry])),
    request,
    options,
    place: makePlace(resolveSettings(options), request.principal, request.resource),
  };
  return [
    ...ofResourcePolicies(asked),
    ...ofPrincipalPolicies(asked),
    ...ofRolePolicies(asked),
    ...ofResourceSchema(asked),
  ];
}

interface Asked {
  readonly bundle: CompiledBundle;
  /** The filters of the bundle, by what they are of. */
  readonly filters: ReadonlyMap<Filters[number][0], Filters[number]>;
  readonly request: PlanRequest;
  readonly options: EngineOptions;
  readonly place: Place;
}

function ofResourcePolicies(asked: Asked): readonly RuleFilter[] {
  const kind = sanitize(asked.request.resource.kind);
  const policies = asked.bundle.resourcePolicies.filter(
    (policy) =>
      policy.kind === kind && policy.version === asked.place.version && isAbove(policy.scope, asked.place.scope),
  );
  return policies.flatMap((policy) => listRules(asked, policy).map((rule) => alone(asked, policy, rule, rule)));
}

function ofPrincipalPolicies(asked: Asked): readonly RuleFilter[] {
  const { bundle, request, place } = asked;
  const policies = bundle.principalPolicies.filter(
    (policy) =>
      policy.principal === request.principal.id &&
      policy.version === place.version &&
      isAbove(policy.scope, place.principalScope),
  );
  return policies.flatMap((policy) =>
    listRules(asked, policy).map((rule) =>
      alone(asked, { ...anyPolicy(asked), key: policy.key }, { ...rule, roles: EVERY_ROLE }, rule),
    ),
  );
}

function ofRolePolicies(asked: Asked): readonly RuleFilter[] {
  const { bundle, request, place } = asked;
  const roles = listRoles(bundle, request);
  const policies = bundle.rolePolicies.filter(
    (policy) => roles.includes(policy.role) && policy.version === place.version && isAbove(policy.scope, place.scope),
  );
  return policies.flatMap(({ key, rules }) =>
    rules.flatMap((rule) => {
      const { name, covers, allows, when } = rule;
      if (when === undefined || !covers(request.resource.kind) || !request.actions.some(allows)) return [];
      const asAllow: Rule = { name, effect: ALLOW, roles: EVERY_ROLE, actions: EVERY_ACTION, when };
      return [alone(asked, { ...anyPolicy(asked), key }, asAllow, rule)];
    }),
  );
}

/** The rows that the resource schema accepts, where violations are rejected. */
function ofResourceSchema({ bundle, request, options, place }: Asked): readonly RuleFilter[] {
  const kind = sanitize(request.resource.kind);
  const root = bundle.resourcePolicies.find(
    (policy) => policy.kind === kind && policy.version === place.version && policy.scope === '',
  );
  const resource = root?.schemas?.resource;
  if (options.schemaEnforcement !== 'reject' || root === undefined || resource === undefined) return [];
  const anything: Rule = { name: RESOURCE_SCHEMA, effect: ALLOW, roles: EVERY_ROLE, actions: EVERY_ACTION };
  const only: ResourcePolicy = {
    ...anyPolicy({ request, place }),
    scope: '',
    overridesParent: true,
    rules: [anything],
    schemas: { resource },
  };
  const engine = createEngine(
    { ...bundle, resourcePolicies: [only], principalPolicies: [], rolePolicies: [], scoped: undefined },
    options,
  );
  const { filter } = engine.plan({ ...request, resource: { ...request.resource, scope: '.' } });
  return [{ policy: root.key, rule: RESOURCE_SCHEMA, filter }];
}

const EVERY_ROLE = -1;
const EVERY_ACTION = ['*'];

function isAbove(scope: string, requested: string): boolean {
  return scope === '' || scope === requested || requested.startsWith(`${scope}.`);
}

/** The rules of a policy that apply to an action of the request, in the order of its actions. */
function listRules({ request }: Asked, { rules }: ResourcePolicy | PrincipalPolicy): readonly Rule[] {
  const kind = sanitize(request.resource.kind);
  return [...new Set(request.actions.flatMap((action) => rules.filter((rule) => appliesTo(rule, action, kind))))];
}

/** A policy for all roles of the request. */
function anyPolicy({ request, place: { version, scope } }: Pick<Asked, 'request' | 'place'>): ResourcePolicy {
  return {
    key: '',
    kind: sanitize(request.resource.kind),
    version,
    scope,
    overridesParent: true,
    roles: new Map(request.principal.roles.map((role) => [role, 1])),
    roleGlobs: [],
    rules: [],
    reach: -1,
    derivedRoles: [],
    hasOutputs: false,
    readsRuntime: true,
  };
}

/**
 * The plan of a bundle with only this rule.
 *
 * @param original the rule of the bundle, whose filter is used.
 */
function alone(
  { bundle, filters, request, options, place: { scope } }: Asked,
  policy: ResourcePolicy,
  rule: Rule,
  original: Rule | RoleRule,
): RuleFilter {
  const { memo: _, ...rest } = rule;
  const only: Rule = { ...rest, effect: ALLOW, actions: EVERY_ACTION };
  const own = filters.get(original);
  const reduced: CompiledBundle = {
    ...bundle,
    scoped: undefined,
    resourcePolicies: [
      {
        ...policy,
        scope,
        overridesParent: true,
        reach: -1,
        rules: [only],
      },
    ],
    principalPolicies: [],
    rolePolicies: [],
    filters: [[...(own === undefined ? [] : [[only, own[1]] as const]), ...rolesWithFilters(filters, policy, rule)]],
  };
  const engine = createEngine(reduced, { ...options, schemaEnforcement: 'none' });
  const { filter } = engine.plan({
    ...request,
    principal: { ...request.principal, roles: listRoles(bundle, request) },
  });
  return { policy: policy.key, rule: rule.name, filter };
}

/** The derived roles that the rule or others of its policy name. */
function rolesWithFilters(filters: Asked['filters'], policy: ResourcePolicy, { derivedRole }: Rule): Filters {
  return [...policy.derivedRoles, derivedRole].flatMap((role) => {
    const found = role && filters.get(role);
    return found === undefined ? [] : [found];
  });
}

/** The roles of a principal and their ancestors in role policies. */
function listRoles({ rolePolicies }: PolicyBundle, { principal }: PlanRequest): readonly string[] {
  const roles = new Set(principal.roles);
  for (const role of roles)
    for (const policy of rolePolicies)
      if (policy.role === role) for (const parent of policy.parentRoles) roles.add(parent);
  return [...roles];
}
