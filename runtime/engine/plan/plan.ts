import {
  ALLOW,
  type DerivedRole,
  type Query,
  type RoleRule,
  type Rule,
  type TracedBundle,
  type TracedCondition,
} from '../../policy/index.js';
import {
  allOf,
  anyOf,
  type Attempt,
  type Condition,
  decided,
  noneOf,
  not,
  rolesOf,
  sameCondition,
  type Term,
  unplannableReason,
} from '../../residual/index.js';
import {
  limitsDoNotApply,
  collectDerivedRoles,
  reachesByText,
  type ResourceStep,
  type RoleLimit,
  type RoleLimits,
} from '../find/chains.js';
import type { Found } from '../find/registry.js';
import { entriesFor, EVERYONE, isReached, lineageBits, type RuleEntry, type RuleTable } from '../find/tables.js';
import type { UnplannedRule } from '../requests.js';
import { type PlannedConditions, PlannedResults, type PlanQuery } from './query.js';
import { strictCondition, type Visit, type VisitedLayer } from './strict.js';

/** What a plan knows: the policies that apply, the principal, and what all rows share. */
export interface Planning {
  readonly found: Found;
  /** What conditions see. */
  readonly query: PlanQuery;
  readonly conditions: PlannedConditions;
  /** Whether a condition or an output reads the active derived roles. */
  readonly listsDerivedRoles: boolean;
  /**
   * Strict evaluation as the reference plans it: a condition that is known to fail as a whole denies the action
   * (docs/spec/plans.md#strict-evaluation).
   */
  readonly fails: ((entry: RuleEntry, left: Condition) => boolean) | undefined;
  /** Strict evaluation as check has it: a condition that cannot be evaluated on a row denies the action there. */
  readonly strict: TracedBundle | undefined;
  /** The scopes that `ActionPlan.scope` may name. */
  readonly scopesWithRules: ReadonlySet<string>;
  /** The rules that no filter can express are added here. */
  readonly unplanned: UnplannedRule[];
}

/** The plan of one action. */
export interface ActionPlan {
  /** Condition on the rows on which the action is allowed. */
  readonly condition: Condition;
  /** Whether any rule was found that could count (docs/spec/plans.md#no-match). */
  readonly isMatched: boolean;
  /**
   * The least specific scope with a rule for the action, without those that need consent; of the role planned last
   * (docs/spec/plans.md#matched-scopes).
   */
  readonly scope: string;
}

/**
 * Plans one action: takes the steps of `check` (runtime/engine/decide/check.ts) before there is a resource. The
 * principal's policies allow `A_p` and deny `D_p`. Each role has its own condition, and any role's ALLOW counts:
 * `A_r`. The plan is `not D_p and (A_p or A_r)`, which is `A_p or (not D_p and A_r)`, as `A_p` excludes what the
 * principal's policies deny (docs/spec/plans.md#the-formula).
 */
export function plan(planning: Planning, action: string): ActionPlan {
  const walk: Walk = {
    planning,
    action,
    scope: '',
    failed: false,
    before: NOTHING,
    listed: undefined,
    left: undefined,
    results: undefined,
    layers: NO_LAYERS,
    visits: NO_VISITS,
  };
  const byPrincipal = planPrincipal(walk);
  const principal = walk.layers;
  const byRoles = planRoles(walk);
  const scope = byPrincipal.scope ?? walk.scope;
  const allowed = either(byPrincipal.allow, byRoles.allow);
  const isMatched = allowed !== undefined || byPrincipal.deny !== undefined || byRoles.isMatched || walk.failed;
  if (planning.strict !== undefined)
    return { condition: strictCondition({ principal, roles: byRoles.layers }), isMatched, scope };
  if (walk.failed || allowed === undefined) return { condition: false, isMatched, scope };
  return {
    condition: byPrincipal.deny === undefined ? allowed : allOf(not(byPrincipal.deny), allowed),
    isMatched,
    scope,
  };
}

/** The state of one action's plan. */
interface Walk {
  readonly planning: Planning;
  readonly action: string;
  scope: string;
  failed: boolean;
  /** The verdict of the scopes of the chain so far. */
  before: Verdict;
  /** Derived roles of the scopes entered so far, by step. */
  listed: (Term | undefined)[] | undefined;
  /** The residuals of rules that several roles may reach. */
  left: Map<RuleEntry, Condition> | undefined;
  /** The first results of rules that share them. */
  results: PlannedResults | undefined;
  /** Strict evaluation: what the scopes of a chain have visited. */
  layers: readonly VisitedLayer[];
  /** Strict evaluation: what a scope has visited. */
  visits: readonly Visit[];
}

const NO_LAYERS: readonly VisitedLayer[] = [];
const NO_VISITS: readonly Visit[] = [];

function planPrincipal(walk: Walk): Verdict {
  const {
    query,
    found: { principal, resource },
  } = walk.planning;
  query.derivedRoles = NOBODY;
  if (principal === undefined || query.principal.roles.length === 0) return NOTHING;
  const verdict = beginChain(walk);
  for (const { scope, consents, tableOf } of principal.steps) {
    if (verdict.allow === true) break;
    const layer: Layer = { scope, consents, allow: undefined, deny: undefined, restriction: undefined };
    planRules(walk, tableOf(resource.kind), { layer, bits: EVERYONE, lineage: NOBODY });
    addLayer(walk, verdict, layer);
  }
  return verdict;
}

/** Each role separately; roles with the same DENY are written together. */
function planRoles(walk: Walk): {
  readonly allow: Condition | undefined;
  readonly isMatched: boolean;
  readonly layers: readonly (readonly VisitedLayer[])[];
} {
  const layers: (readonly VisitedLayer[])[] = [];
  const granted: { readonly deny: Condition | undefined; allow: Condition }[] = [];
  let isMatched = false;
  let isSettled = false;
  const {
    query,
    found: { classes },
  } = walk.planning;
  const scopes: (string | undefined)[] = [];
  for (const role of classes?.first ?? query.principal.roles) {
    const { allow, deny, restriction, scope } = planRole(walk, role);
    scopes.push(scope);
    layers.push(walk.layers);
    if (allow !== undefined || deny !== undefined) isMatched = true;
    if (deny === true || restriction === true) {
      isMatched = true;
      granted.push({ deny: undefined, allow: false });
      continue;
    }
    if (allow === undefined) continue;
    const kept = restriction === undefined ? allow : allOf(allow, not(restriction));
    const together = granted.find((other) => sameDenial(other.deny, deny));
    if (together === undefined) granted.push({ deny, allow: kept });
    else together.allow = anyOf(together.allow, kept);
    isSettled = kept === true && deny === undefined;
    if (isSettled) break;
  }
  // The role planned last may be another one of its class.
  if (!isSettled) for (const number of classes?.byLast ?? []) walk.scope = scopes[number] ?? walk.scope;
  let all: Condition | undefined;
  for (const { deny, allow } of granted) all = either(all, deny === undefined ? allow : allOf(not(deny), allow));
  return { allow: all, isMatched, layers };
}

function planRole(walk: Walk, role: string): Verdict {
  const { found } = walk.planning;
  const lineage = found.lineages?.get(role) ?? [role];
  const verdict = beginChain(walk);
  // An ALLOW of a child counts, whatever its parents decide.
  for (let step = found.resource.first; step !== undefined && verdict.allow !== true; step = step.parent) {
    if (walk.planning.listsDerivedRoles) enterScope(walk, step);
    addLayer(walk, verdict, planScope(walk, step, lineage));
  }
  if (verdict.scope !== undefined) walk.scope = verdict.scope;
  return verdict;
}

function planScope(walk: Walk, step: ResourceStep, lineage: readonly string[]): Layer {
  const { planning } = walk;
  const { policy, table, limits, consents } = step;
  const scope = planning.scopesWithRules.has(step.scope) ? step.scope : undefined;
  const bits = policy === undefined ? 0 : lineageBits(policy, lineage);
  const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
  const restriction =
    limits === undefined || limitsDoNotApply(limits.byRole, lineage, hasRule)
      ? undefined
      : planLimits(walk, limits.byRole, lineage);
  const layer: Layer = { scope, consents, allow: undefined, deny: undefined, restriction };
  if (table !== undefined) planRules(walk, table, { layer, bits, lineage });
  return layer;
}

/** What the role policies of a role and its ancestors deny (docs/spec/policy-language.md#role-policies). */
function planLimits(
  walk: Walk,
  limits: ReadonlyMap<string, RoleLimits>,
  lineage: readonly string[],
): Condition | undefined {
  let restriction: Condition | undefined;
  for (const role of lineage) {
    const limit = limits.get(role);
    if (limit !== undefined) restriction = planLimit(walk, limit, restriction);
  }
  return restriction;
}

/** Denies what no rule lists; of the rules that list the action, every condition must hold. */
function planLimit(walk: Walk, { key, rules }: RoleLimits, before: Condition | undefined): Condition | undefined {
  const { strict, query, conditions } = walk.planning;
  const listing = rules.filter(({ rule }) => rule.allows(walk.action));
  if (listing.length === 0) {
    if (strict !== undefined) walk.visits = [...walk.visits, { denies: true, holds: true, evaluates: true }];
    return either(before, true);
  }
  let restriction = before;
  for (const listed of listing) {
    const { rule } = listed;
    if (rule.when === undefined) continue;
    const denied = not(conditions.ofRoleRule(rule, query));
    if (strict !== undefined) visitLimit(walk, key, listed, denied);
    const left = decidedIfUnplannable(walk, key, rule.name, denied, true);
    if (left !== false) restriction = either(restriction, left);
  }
  return restriction;
}

/** The roles for which the rules of a table are planned, and the layer that receives their conditions. */
interface Reach {
  readonly layer: Layer;
  readonly bits: number;
  readonly lineage: readonly string[];
}

/**
 * What the rules of one table allow and deny. A DENY that is known not to apply is ignored
 * (docs/spec/plans.md#the-formula).
 */
function planRules(walk: Walk, table: RuleTable, { layer, bits, lineage }: Reach): void {
  const { planning } = walk;
  for (const entry of entriesFor(table, walk.action)) {
    if (!isReached(entry, bits, lineage, walk.action, planning.found.resource.kind)) continue;
    const own = entry.when === undefined ? true : computeResidual(walk, entry);
    const left = entry.rule.memo === undefined ? own : sharedResult(walk, entry.rule.memo, own, layer);
    if (planning.fails?.(entry, left) === true) walk.failed = true;
    if (planning.strict !== undefined) visitRule(walk, table.key, entry, left);
    // Most conditions are these, which can always be planned: they are told without a call.
    const condition =
      typeof left === 'boolean' || left.kind === 'is'
        ? left
        : decidedIfUnplannable(walk, table.key, entry.rule.name, left, entry.effect !== ALLOW);
    if (entry.effect === ALLOW) layer.allow = either(layer.allow, condition);
    else if (condition !== false) layer.deny = either(layer.deny, condition);
  }
}

/** The residual of a rule, computed once for all roles, as they see the same derived roles. */
function computeResidual(walk: Walk, entry: RuleEntry): Condition {
  const { query, conditions } = walk.planning;
  if (query.principal.roles.length < 2) return conditions.of(entry.rule, query);
  walk.left ??= new Map();
  const left = walk.left.get(entry) ?? conditions.of(entry.rule, query);
  walk.left.set(entry, left);
  return left;
}

/** Makes the derived roles that may be active in a scope those that conditions see. */
function enterScope(walk: Walk, step: ResourceStep): void {
  walk.listed ??= [];
  const listed = walk.listed[step.index] ?? listDerivedRoles(walk.planning, step);
  walk.listed[step.index] = listed;
  walk.planning.query.derivedRoles = listed;
}

/**
 * The derived roles that may be active in a scope, by name; their conditions see the list of the scope before it
 * (docs/spec/policy-language.md#effective-derived-roles).
 */
function listDerivedRoles(planning: Planning, step: ResourceStep): Term {
  const {
    query,
    found: { lineages },
  } = planning;
  const roles = new Set(query.principal.roles.flatMap((role) => lineages?.get(role) ?? [role]));
  const possible = collectDerivedRoles(step)
    .filter((derivedRole) => reachesByText(derivedRole, roles))
    .map((derivedRole) => ({ name: derivedRole.name, ...listedRole(planning, derivedRole) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return rolesOf(possible, allOf(...possible.map(({ evaluates }) => evaluates)));
}

/** A failed variable reads as null, except in strict evaluation, where the list then cannot be read. */
function listedRole(
  { strict, query, conditions }: Planning,
  role: DerivedRole,
): { readonly condition: Condition; readonly evaluates: Condition } {
  if (strict === undefined) return { condition: conditions.ofListedRole(role, query), evaluates: true };
  const { evaluates } = attempted(conditions, query, role, strict.conditions.get(role.key));
  return { condition: conditions.ofDerivedRole(role, query), evaluates };
}

/**
 * The result of a rule that shares it with others of its name: that of the first of them that is visited
 * (docs/spec/policy-language.md#rules-that-share-a-name).
 */
function sharedResult(walk: Walk, identity: string, holds: Condition, layer: Layer): Condition {
  walk.results ??= new PlannedResults();
  return walk.results.visit(identity, { holds, reached: whereVisited(walk, layer) });
}

/** Where a rule of a scope is visited: where nothing before it has decided for the role. Other roles do not count. */
function whereVisited({ before, planning }: Walk, { restriction, deny }: Layer): Condition {
  if (planning.unplanned.length > 0)
    return { kind: 'unplannable', reason: 'a result shared with a rule that may not be visited' };
  return noneOf(
    ...[before.allow, before.deny, before.restriction, restriction, deny].filter((ended) => ended !== undefined),
  );
}

/** The combined outcome of the scopes of a chain; undefined where no rule has one. */
interface Verdict {
  allow: Condition | undefined;
  deny: Condition | undefined;
  /** What role policies deny. */
  restriction: Condition | undefined;
  scope: string | undefined;
}

/** One scope's part of a chain. */
interface Layer {
  /** Undefined in a scope that has only role policies, of whatever kind: matched scopes do not name it. */
  readonly scope: string | undefined;
  readonly consents: boolean;
  allow: Condition | undefined;
  deny: Condition | undefined;
  readonly restriction: Condition | undefined;
}

function beginChain(walk: Walk): Verdict {
  walk.layers = NO_LAYERS;
  walk.before = { allow: undefined, deny: undefined, restriction: undefined, scope: undefined };
  return walk.before;
}

/**
 * The scopes from the one requested up to the root; the first with an outcome decides. So what a scope denies counts
 * where no scope before it allowed; an ALLOW of a scope that requires parental consent decides nothing.
 */
function addLayer(walk: Walk, verdict: Verdict, layer: Layer): void {
  if (walk.planning.strict !== undefined) {
    walk.layers = [...walk.layers, { consents: layer.consents, visits: walk.visits }];
    walk.visits = NO_VISITS;
  }
  const { deny, restriction } = layer;
  if (deny !== undefined) verdict.deny = either(verdict.deny, gated(verdict.allow, deny));
  if (restriction !== undefined) verdict.restriction = either(verdict.restriction, gated(verdict.allow, restriction));
  if (layer.consents) return;
  const speaks = layer.allow !== undefined || deny !== undefined || restriction !== undefined;
  if (speaks && layer.scope !== undefined) verdict.scope = layer.scope;
  verdict.allow = either(verdict.allow, layer.allow);
}

/** What is denied where no scope before allowed. */
function gated(allowed: Condition | undefined, denied: Condition): Condition {
  return allowed === undefined ? denied : allOf(not(allowed), denied);
}

/**
 * Adds the visit of a rule in strict evaluation: the derived role is evaluated first, and the rule only where it is
 * active (docs/spec/policy-language.md#strict-evaluation).
 */
function visitRule(walk: Walk, policy: string, entry: RuleEntry, holds: Condition): void {
  const { rule, effect, traced, tracedDerivedRole } = entry;
  const { query, conditions } = walk.planning;
  const active = attempted(conditions, query, rule.derivedRole, tracedDerivedRole);
  const own = attempted(conditions, query, rule, traced);
  // The result of an earlier visit is not computed again.
  const known = rule.memo === undefined || walk.results === undefined ? false : walk.results.visitedBefore(rule.memo);
  const evaluates = anyOf(known, allOf(active.evaluates, anyOf(not(active.holds), own.evaluates)));
  reportUnplannable(walk, policy, rule.name, evaluates);
  walk.visits = [...walk.visits, { denies: effect !== ALLOW, holds, evaluates }];
}

function visitLimit(walk: Walk, policy: string, { rule, traced }: RoleLimit, holds: Condition): void {
  const { query, conditions } = walk.planning;
  const { evaluates } = attempted(conditions, query, rule, traced);
  reportUnplannable(walk, policy, rule.name, evaluates);
  walk.visits = [...walk.visits, { denies: true, holds, evaluates }];
}

/**
 * Where a condition can be evaluated, and holds.
 * @param traced its traced condition; undefined if it is unconditional.
 */
function attempted(
  conditions: PlannedConditions,
  query: Query,
  conditional: Rule | RoleRule | DerivedRole | undefined,
  traced: TracedCondition | undefined,
): Attempt {
  return conditional === undefined || traced === undefined ? UNCONDITIONAL : conditions.attempt(conditional, query);
}

const UNCONDITIONAL: Attempt = { holds: true, evaluates: true };

/** Reports a rule that no filter can express, and decides it: an ALLOW grants nothing, a DENY always applies. */
function decidedIfUnplannable(walk: Walk, policy: string, rule: string, left: Condition, towards: boolean): Condition {
  return reportUnplannable(walk, policy, rule, left) ? decided(left, towards) : left;
}

/** Whether the condition was unplannable, and so the rule was reported. */
function reportUnplannable({ planning: { unplanned } }: Walk, policy: string, rule: string, left: Condition): boolean {
  const reason = unplannableReason(left);
  if (reason === undefined) return false;
  if (!unplanned.some((known) => known.policy === policy && known.rule === rule))
    unplanned.push({ policy, rule, reason });
  return true;
}

function sameDenial(a: Condition | undefined, b: Condition | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && sameCondition(a, b));
}

/** Either of two conditions, nested as the reference nests them. */
function either(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : anyOf(a, b);
}

const NOBODY: readonly string[] = [];
const NOTHING: Verdict = Object.freeze({ allow: undefined, deny: undefined, restriction: undefined, scope: undefined });
