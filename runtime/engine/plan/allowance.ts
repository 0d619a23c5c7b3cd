import type { Instant, ResourcePolicy } from '../../policy/index.js';
import type { Condition } from '../../residual/index.js';
import { type ScopeLimits, stepsFrom } from '../find/chains.js';
import { find, type Findable, type FindSettings, Registry } from '../find/registry.js';
import type { PlanResourceInput, PrincipalInput } from '../requests.js';
import { plan, type Planning } from './plan.js';
import { PlannedConditions, PlanQuery } from './query.js';

/** The policies that decide about a principal and a kind of resources, and when they allow. */
export interface Allowance {
  /** Whether any policy exists for the request; if not, everything is denied. */
  readonly exists: boolean;
  /** The scopes of the principal's policies, most specific first; undefined if it has none. */
  readonly principal: readonly PrincipalLayer[] | undefined;
  /** The scopes of the resource's policies, most specific first. */
  readonly resource: readonly ResourceLayer[];
  /** Each role with ancestors in role policies: the role and its ancestors. */
  readonly lineages: ReadonlyMap<string, readonly string[]>;
  /** Whether a condition or an output reads the active derived roles. */
  readonly readsRuntime: boolean;
  /**
   * When a principal is allowed an action that has one of the roles of the request alone. The derived roles that
   * conditions see are those of all roles of the request. Not written as a filter: the residuals of rules are in it as
   * they are.
   */
  readonly condition: (role: string, action: string) => Condition;
}

/** A scope of the principal's policies, and its rules about the kind. */
export interface PrincipalLayer {
  /** The key of its policy. */
  readonly key: string;
  readonly scope: string;
}

/** A scope of the resource's policies. */
export interface ResourceLayer {
  readonly scope: string;
  readonly policy: ResourcePolicy | undefined;
  /** What role policies allow at most. */
  readonly limits: ScopeLimits | undefined;
}

/**
 * When a bundle allows, for analyses: the steps of a plan (runtime/engine/plan/plan.ts) without schemas and filters.
 *
 * @param bundle with a residual for each condition.
 */
export function allowancesOf(
  bundle: Findable,
  settings: FindSettings,
): (principal: PrincipalInput, resource: PlanResourceInput) => Allowance {
  const conditions = new PlannedConditions();
  const registry = new Registry(bundle, settings, ({ filters }) => conditions.add(filters));
  return (principal, resource) => {
    const found = find(registry, settings, principal, resource);
    const readsRuntime = found.resource.readsRuntime || found.principal?.readsRuntime === true;
    const planning = (role: string): Planning => ({
      // One role decides, and all are there when derived roles are listed.
      found: { ...found, classes: { first: [role], of: new Uint32Array(), firstTwo: [], byLast: [] } },
      query: new PlanQuery({ principal, resource, actions: [] }, { globals: {}, clock }),
      conditions,
      listsDerivedRoles: readsRuntime,
      fails: undefined,
      strict: undefined,
      scopesWithRules: registry.scopesWithRules,
      unplanned: [],
    });
    return {
      exists: found.exists,
      principal: found.principal?.steps.map(({ scope, key }) => ({ scope, key })),
      resource: stepsFrom(found.resource.first).map(({ scope, policy, limits }) => ({ scope, policy, limits })),
      lineages: found.lineages ?? NO_LINEAGES,
      readsRuntime,
      condition: (role, action) => found.exists && plan(planning(role), action).condition,
    };
  };
}

/** No residual asks for the time. */
function clock(): Instant {
  return { seconds: 0, nanos: 0, offset: 0 };
}

const NO_LINEAGES: Allowance['lineages'] = new Map();
