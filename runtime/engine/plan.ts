import { ALLOW, type AttemptedCondition, type DerivedRole, type Query, type TracedBundle, type TracedCondition } from '../policy/index.js';
import { allOf, alike, anyOf, type Attempt, type Condition, decided, type Library, noneOf, not, type Term, unplannableReason } from '../residual/index.js';
import { reachesByText } from './derived-roles.js';
import { strictCondition, type Visit, type VisitedLayer } from './plan-strict.js';
import { PlannedResults } from './planned-results.js';
import type { PrincipalChain } from './principal-chain.js';
import { derivedRolesOf, type ResourceChain, type ResourceStep } from './resource-chain.js';
import { lineageBits } from './role-bits.js';
import { areSilent, type RoleLimit, type RoleLimits } from './role-scopes.js';
import { EVERYONE, type RuleEntry, type RuleTable } from './rule-table.js';

/** What is known while one principal's access to resources yet to be found is planned. */
export interface Planning {
  /** What conditions see. */
  readonly query: Query;
  /** That of the bundle. */
  readonly residual: Library;
  readonly principal: PrincipalChain | undefined;
  readonly resource: ResourceChain;
  readonly lineages: ReadonlyMap<string, readonly string[]> | undefined;
  /** Whether anybody can see the active derived roles. */
  readonly listsDerivedRoles: boolean;
  /** Strict evaluation as the reference plans it: a condition that is known to fail as a whole denies the action (planner.md 2.10). */
  readonly fails: (entry: RuleEntry, left: Condition) => boolean;
  /** Strict evaluation as check has it: what cannot be evaluated on a row denies the action there. */
  readonly strict: TracedBundle | undefined;
  /** The scopes that are named. */
  readonly scopesWithRules: ReadonlySet<string>;
  /** Where rules are reported that no filter can say. */
  readonly unplanned: UnplannedRule[];
}

/** A rule that was left out of a plan (an ALLOW) or taken to apply always (a DENY), and why (planner.md 8.3, 4). */
export interface UnplannedRule {
  /** `resource.album.vdefault/acme`. */
  readonly policy: string;
  readonly rule: string;
  readonly reason: string;
}

/** What is left of the decision about one action. */
export interface ActionPlan {
  readonly condition: Condition;
  /** Whether any rule was met that could count (planner.md 2.9). */
  readonly isMatched: boolean;
  /** The least specific scope, but for those that need consent, with a rule for the action; of the role looked at last (2.3). */
  readonly scope: string;
}

/**
 * The twin of check: the same roles, scopes, permissions, principal and role policies, combined before there is a resource. A principal's
 * policies come to what they allow and what they deny, `A_p` and `D_p`; each role comes to an answer of its own, and any role's ALLOW stands;
 * together they are `not D_p and (A_p or A_r)`, which is `A_p or (not D_p and A_r)` where `A_p` has been denied its own (planner.md 2.8).
 */
export function plan(planning: Planning, action: string): ActionPlan {
  const walk: Walk = { ...planning, action, listed: [], scope: '', results: new PlannedResults(), before: NOTHING, layers: [], visits: [] };
  const byPrincipal = planPrincipal(walk);
  const principal = walk.layers;
  const byRoles = planRoles(walk);
  const scope = byPrincipal.scope ?? walk.scope;
  const allowed = either(byPrincipal.allow, byRoles.allow);
  const isMatched = allowed !== undefined || byPrincipal.deny !== undefined || byRoles.isMatched;
  if (walk.strict !== undefined) return { condition: strictCondition({ principal, roles: byRoles.layers }), isMatched: isMatched || walk.failed === true, scope };
  if (walk.failed === true) return { condition: false, isMatched: true, scope };
  if (allowed === undefined) return { condition: false, isMatched, scope };
  return { condition: byPrincipal.deny === undefined ? allowed : allOf(not(byPrincipal.deny), allowed), isMatched, scope };
}

interface Walk extends Planning {
  readonly action: string;
  /** By step: the derived roles listed there. */
  readonly listed: (Term | undefined)[];
  scope: string;
  failed?: boolean;
  /** The first results of rules that share them. */
  readonly results: PlannedResults;
  /** What the scopes of a chain have come to so far. */
  before: Pick<Verdict, 'allow' | 'deny' | 'restriction'>;
  /** Strict evaluation: what the scopes of a chain have visited. */
  layers: VisitedLayer[];
  /** Strict evaluation: what a scope has visited. */
  visits: Visit[];
}

/** What the scopes of a chain come to; undefined where no rule speaks. */
interface Verdict {
  readonly allow: Condition | undefined;
  readonly deny: Condition | undefined;
  /** What role policies take away. */
  readonly restriction: Condition | undefined;
  readonly scope: string | undefined;
}

/** One scope's part of a chain. */
interface Layer {
  /** Undefined where only role policies stand, whatever the kind: they name no scope. */
  readonly scope: string | undefined;
  readonly consents: boolean;
  readonly allow: Condition | undefined;
  readonly deny: Condition | undefined;
  readonly restriction: Condition | undefined;
}

function planPrincipal(walk: Walk): Verdict {
  const { principal, resource, query } = walk;
  query.derivedRoles = [];
  if (principal === undefined || query.principal.roles.length === 0) return NOTHING;
  const lineage: readonly string[] = [];
  return overScopes(
    walk,
    principal.steps.values(),
    ({ scope, consents, kinds, otherKinds }) => ({ scope, consents, restriction: undefined, ...planRules(walk, kinds.get(resource.kind) ?? otherKinds, { bits: EVERYONE, lineage, restriction: undefined }) }),
  );
}

const NOTHING: Verdict = { allow: undefined, deny: undefined, restriction: undefined, scope: undefined };

/** Each role on its own; those that are denied the same are written together. */
function planRoles(walk: Walk): { readonly allow: Condition | undefined; readonly isMatched: boolean; readonly layers: readonly (readonly VisitedLayer[])[] } {
  const layers: VisitedLayer[][] = [];
  const granted: { readonly deny: Condition | undefined; allow: Condition }[] = [];
  let isMatched = false;
  for (const role of walk.query.principal.roles) {
    walk.layers = [];
    const { allow, deny, restriction } = planRole(walk, role);
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
    else together.allow = joined(together.allow, kept);
    if (kept === true && deny === undefined) break;
  }
  const all = granted.map(({ deny, allow }) => (deny === undefined ? allow : allOf(not(deny), allow)));
  return { allow: all.length === 0 ? undefined : all.reduce(joined), isMatched, layers };
}

function sameDenial(a: Condition | undefined, b: Condition | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && alike(a, b));
}

function planRole(walk: Walk, role: string): Verdict {
  const lineage = walk.lineages?.get(role) ?? [role];
  const verdict = overScopes(walk, stepsOf(walk.resource.first), (step) => planScope(walk, step, lineage));
  if (verdict.scope !== undefined) walk.scope = verdict.scope;
  return verdict;
}

function* stepsOf(first: ResourceStep | undefined): Iterable<ResourceStep> {
  for (let step = first; step !== undefined; step = step.parent) yield step;
}

/**
 * The scopes from the one requested up to the root; the first with an outcome decides. So what a scope denies counts where no scope before it
 * allowed; an ALLOW of a scope that requires parental consent decides nothing.
 */
function overScopes<Step>(walk: Walk, steps: Iterable<Step>, layerOf: (step: Step) => Layer): Verdict {
  let { allow, deny, restriction, scope } = NOTHING;
  for (const step of steps) {
    // Whatever the parents say, a child's ALLOW stands.
    if (allow === true) break;
    walk.before = { allow, deny, restriction };
    const layer = layerOf(step);
    if (walk.strict !== undefined) {
      walk.layers.push({ consents: layer.consents, visits: walk.visits });
      walk.visits = [];
    }
    deny = either(deny, gated(allow, layer.deny));
    restriction = either(restriction, gated(allow, layer.restriction));
    const speaks = layer.allow !== undefined || layer.deny !== undefined || layer.restriction !== undefined;
    if (layer.consents) continue;
    if (speaks && layer.scope !== undefined) scope = layer.scope;
    allow = either(allow, layer.allow);
  }
  return { allow, deny, restriction, scope };
}

/** What is denied where nothing has been allowed before. */
function gated(allowed: Condition | undefined, denied: Condition | undefined): Condition | undefined {
  return allowed === undefined || denied === undefined ? denied : allOf(not(allowed), denied);
}

function planScope(walk: Walk, step: ResourceStep, lineage: readonly string[]): Layer {
  const { policy, table, limits, consents } = step;
  const scope = walk.scopesWithRules.has(step.scope) ? step.scope : undefined;
  if (walk.listsDerivedRoles) walk.query.derivedRoles = walk.listed[step.index] ??= listDerivedRoles(walk, step);
  const bits = policy === undefined ? 0 : lineageBits(policy, lineage);
  const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
  const restriction = limits === undefined || areSilent(limits, lineage, hasRule) ? undefined : planLimits(walk, limits, lineage);
  if (table === undefined) return { scope, consents, allow: undefined, deny: undefined, restriction };
  return { scope, consents, restriction, ...planRules(walk, table, { bits, lineage, restriction }) };
}

/** What the role policies of a role and its ancestors take away (policy-language.md 8.6). */
function planLimits(walk: Walk, limits: ReadonlyMap<string, RoleLimits>, lineage: readonly string[]): Condition | undefined {
  let restriction: Condition | undefined;
  for (const role of lineage) {
    const limit = limits.get(role);
    if (limit === undefined) continue;
    const listing = limit.rules.filter(({ rule }) => rule.allows(walk.action));
    if (listing.length === 0) {
      restriction = either(restriction, true);
      if (walk.strict !== undefined) walk.visits.push({ denies: true, holds: true, evaluates: true });
    }
    for (const listed of listing) {
      const { rule } = listed;
      if (rule.where === undefined) continue;
      const denied = not(rule.where(walk.query));
      if (walk.strict !== undefined) visitLimit(walk, walk.strict, limit.key, listed, denied);
      const left = settled(walk, limit.key, rule.name, denied, true);
      if (left !== false) restriction = either(restriction, left);
    }
  }
  return restriction;
}

/** What the rules of one table allow and deny. A DENY that is known not to apply says nothing (planner.md 2.7). */
function planRules(walk: Walk, table: RuleTable, { bits, lineage, restriction }: Asking): Pick<Layer, 'allow' | 'deny'> {
  let allow: Condition | undefined;
  let deny: Condition | undefined;
  const entries = table.ordered.named.get(walk.action) ?? table.ordered.other;
  for (const entry of entries) {
    if (!isReached(walk, entry, bits, lineage)) continue;
    const own = entry.unconditional ? true : entry.rule.where(walk.query);
    const { memo } = entry.rule;
    const visited = memo === undefined ? false : walk.results.visited(memo);
    const left = memo === undefined ? own : walk.results.visit(memo, { holds: own, reached: reached(walk, restriction, deny) });
    if (walk.fails(entry, left)) walk.failed = true;
    if (walk.strict !== undefined) visitRule(walk, walk.strict, { policy: table.key, entry, holds: left, visited });
    const condition = settled(walk, table.key, entry.rule.name, left, entry.effect !== ALLOW);
    if (entry.effect === ALLOW) allow = either(allow, condition);
    else if (condition !== false) deny = either(deny, condition);
  }
  return { allow, deny };
}

/** For whom the rules of a table are asked. */
interface Asking {
  readonly bits: number;
  readonly lineage: readonly string[];
  /** What role policies take away in the scope. */
  readonly restriction: Condition | undefined;
}

/** Where a rule of a scope is visited: nothing before it has ended the matter for the role. What ended it for another role does not count. */
function reached({ before, unplanned }: Walk, restriction: Condition | undefined, deny: Condition | undefined): Condition {
  if (unplanned.length > 0) return { kind: 'unplannable', reason: 'a result shared with a rule that may not be visited' };
  return noneOf(...[before.allow, before.deny, before.restriction, restriction, deny].filter((ended) => ended !== undefined));
}

function isReached({ action, resource }: Walk, { roles, reaches, rule }: RuleEntry, bits: number, lineage: readonly string[]): boolean {
  if ((roles & bits) === 0) return false;
  if (rule.among !== undefined && !lineage.some((role) => rule.among?.(role))) return false;
  return reaches === undefined || reaches(action, resource.kind);
}

/** What strict evaluation makes of a rule: the derived role is asked first, and the rule only where it is active (policy-language.md 8.9). */
function visitRule(walk: Walk, strict: TracedBundle, { policy, entry, holds, visited }: RuleVisit): void {
  const { rule, effect, traced, attempt, tracedDerivedRole, attemptDerivedRole } = entry;
  const active = attempted(walk, strict, attemptDerivedRole, tracedDerivedRole);
  const own = attempted(walk, strict, attempt, traced);
  const evaluates = anyOf(visited, allOf(active.evaluates, anyOf(not(active.holds), own.evaluates)));
  report(walk, policy, rule.name, evaluates);
  walk.visits.push({ denies: effect !== ALLOW, holds, evaluates });
}

interface RuleVisit {
  readonly policy: string;
  readonly entry: RuleEntry;
  readonly holds: Condition;
  /** Where the result is known from a visit before. */
  readonly visited: Condition;
}

function visitLimit(walk: Walk, strict: TracedBundle, policy: string, { rule, attempt, traced }: RoleLimit, holds: Condition): void {
  const { evaluates } = attempted(walk, strict, attempt, traced);
  report(walk, policy, rule.name, evaluates);
  walk.visits.push({ denies: true, holds, evaluates });
}

function attempted({ query }: Walk, { attempts }: TracedBundle, attempt: AttemptedCondition | undefined, traced: TracedCondition | undefined): Attempt {
  if (traced === undefined) return UNCONDITIONAL;
  return attempts === undefined || attempt === undefined ? NEVER_ATTEMPTED : attempt(query);
}

const UNCONDITIONAL: Attempt = { holds: true, evaluates: true };
const NEVER_ATTEMPTED: Attempt = { holds: true, evaluates: { kind: 'unplannable', reason: 'the bundle cannot say where a condition can be evaluated' } };

/** A rule that no filter can say does not grant, or denies always; and is reported. */
function settled(walk: Walk, policy: string, rule: string, left: Condition, towards: boolean): Condition {
  return report(walk, policy, rule, left) ? decided(left, towards) : left;
}

/** Whether something of a rule had to be reported. */
function report({ unplanned }: Walk, policy: string, rule: string, left: Condition): boolean {
  const reason = unplannableReason(left);
  if (reason === undefined) return false;
  if (!unplanned.some((known) => known.policy === policy && known.rule === rule)) unplanned.push({ policy, rule, reason });
  return true;
}

/** The derived roles that may be active in a scope, by name; the list before it is what their conditions see (policy-language.md 7.2, use 1). */
function listDerivedRoles(walk: Walk, step: ResourceStep): Term {
  const { query, lineages, residual } = walk;
  const roles = new Set(query.principal.roles.flatMap((role) => lineages?.get(role) ?? [role]));
  const possible = derivedRolesOf(step)
    .filter((derivedRole) => reachesByText(derivedRole, roles))
    .map((derivedRole) => ({ name: derivedRole.name, ...listedRole(walk, derivedRole) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return residual.rolesOf(possible, allOf(...possible.map(({ evaluates }) => evaluates)));
}

/** A variable that failed reads as null, but in strict evaluation, where the list then cannot be read. */
function listedRole(walk: Walk, { key, where, whereListed }: DerivedRole): { readonly condition: Condition; readonly evaluates: Condition } {
  const { strict, query } = walk;
  if (strict === undefined) return { condition: (whereListed ?? where)(query), evaluates: true };
  const { evaluates } = attempted(walk, strict, strict.attempts?.get(key), strict.conditions.get(key));
  return { condition: where(query), evaluates };
}

function either(a: Condition | undefined, b: Condition | undefined): Condition | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : joined(a, b);
}

/** One beside the other, as the reference nests them. */
function joined(a: Condition, b: Condition): Condition {
  return anyOf(a, b);
}
