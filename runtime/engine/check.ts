import { ALLOW, DENY, type Effect, type Rule } from '../policy/index.js';
import { enterScope } from './derived-roles.js';
import type { Evaluation } from './evaluation.js';
import { say } from './outputs.js';
import type { PrincipalChain, PrincipalStep } from './principal-chain.js';
import type { ResourceChain, ResourceStep } from './resource-chain.js';
import { areSilent, type RoleLimit, type RoleLimits } from './role-scopes.js';
import { denialOf, resultOf } from './rule-result.js';
import { type RuleShape, type TableShape, UNCONDITIONAL } from './rule-shape.js';
import { EVERYONE, type RuleEntry, type RuleTable } from './rule-table.js';

/**
 * How rules, roles, scopes and policies combine (policy-language.md 8.1, 8.3), and the only place that knows.
 *
 * Principal policies decide first, and for good. What they leave undecided, resource policies decide for each role of the request on its own:
 * any role's ALLOW stands, whatever another role is denied. A role asks the scopes from the one requested up to the root, and the first
 * with an outcome decides; only an ALLOW of a scope that requires parental consent is asked again of the parents. What nobody decides is denied.
 *
 * Leaves who decided in the evaluation.
 */
export function check(evaluation: Evaluation, action: string): Effect {
  evaluation.beginAction();
  const { principal, resource } = evaluation;
  const byPrincipal = principal === undefined ? UNDECIDED : judgePrincipal(evaluation, principal, action);
  if (byPrincipal !== UNDECIDED) return byPrincipal;
  const byResource = isPlain(evaluation, resource) ? judgePlainly(evaluation, resource, action) : judgeRoles(evaluation, action);
  return byResource === UNDECIDED ? DENY : byResource;
}

/** Neither ALLOW nor DENY. */
const UNDECIDED = 0;
type Outcome = typeof UNDECIDED | Effect;

function judgePrincipal(evaluation: Evaluation, principal: PrincipalChain, action: string): Outcome {
  const role = evaluation.request.principal.roles[0];
  if (role === undefined) return UNDECIDED;
  evaluation.judge(role);
  for (const step of principal.steps) {
    const outcome = judgeRules(evaluation, tableAbout(evaluation.resource.kind, step), EVERYONE, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    evaluation.decidedByPrincipal(step);
    return outcome;
  }
  return UNDECIDED;
}

function tableAbout(kind: string, step: PrincipalStep): RuleTable {
  return step.kinds.get(kind) ?? step.otherKinds;
}

/** A chain of one table that nobody watches while it decides. */
interface PlainChain extends ResourceChain {
  readonly sole: TableShape;
}

function isPlain(evaluation: Evaluation, chain: ResourceChain): chain is PlainChain {
  const { sole } = chain;
  return sole !== undefined && !evaluation.listsDerivedRoles && !(sole.hasOutputs && evaluation.collectsOutputs);
}

/** What `judgeRoles` comes to where there is one table and only an ALLOW can be told from the rest. */
function judgePlainly(evaluation: Evaluation, { sole, conditions }: PlainChain, action: string): Outcome {
  const { roles } = evaluation.request.principal;
  const rules = rulesFor(action, sole);
  let withoutAllow = 0;
  for (let i = 0; i < roles.length; i++) {
    const bits = evaluation.bitsOf(roles[i] as string, sole);
    if ((bits & ~withoutAllow) === 0) continue;
    const outcome = findAllowed(evaluation, rules, conditions, bits, action);
    if (outcome === ALLOW) return ALLOW;
    if (outcome === UNDECIDED) withoutAllow |= bits;
  }
  return UNDECIDED;
}

/** The first ALLOW decides, else the first DENY. */
function judgeRoles(evaluation: Evaluation, action: string): Outcome {
  const { roles } = evaluation.request.principal;
  if (roles.length > 1) forgetEffects(evaluation);

  let combined: Outcome = UNDECIDED;
  for (let i = 0; i < roles.length; i++) {
    evaluation.judge(roles[i] as string);
    const outcome = judgeRole(evaluation, action, combined === UNDECIDED);
    if (outcome === ALLOW || evaluation.failed) return outcome;
    if (outcome === DENY) combined = DENY;
  }
  return combined;
}

/** The role is that of `evaluation.judge`. A DENY counts as the one that decided only while it is the first. */
function judgeRole(evaluation: Evaluation, action: string, isFirst: boolean): Outcome {
  for (let step = evaluation.resource.first; step !== undefined; step = step.parent) {
    if (evaluation.listsDerivedRoles) enterScope(evaluation, step);
    const outcome = judgeScope(evaluation, step, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    if (isFirst || outcome === ALLOW || evaluation.failed) evaluation.decidedByResource(step);
    return outcome;
  }
  return UNDECIDED;
}

/** Role policies first, which can only deny; then the rules. */
function judgeScope(evaluation: Evaluation, { policy, table, limits, index }: ResourceStep, action: string): Outcome {
  const bits = table === undefined ? 0 : evaluation.bitsOfLineage(table.shape);
  if (limits !== undefined) {
    const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
    if (judgeLimits(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  if (table === undefined || hadNoEffect(evaluation, index, bits)) return UNDECIDED;
  const outcome = judgeRules(evaluation, table, bits, action);
  if (outcome === UNDECIDED && !isVisited(evaluation, table)) rememberNoEffect(evaluation, index, bits);
  return outcome;
}

/** The role policies of a role and its ancestors (policy-language.md 8.6). */
function judgeLimits(evaluation: Evaluation, limits: ReadonlyMap<string, RoleLimits>, hasRule: boolean, action: string): Outcome {
  const { lineage } = evaluation;
  if (areSilent(limits, lineage, hasRule)) return UNDECIDED;
  for (const role of lineage) {
    const limit = limits.get(role);
    if (limit === undefined) continue;
    evaluation.journal?.considers(limit.key, '');
    if (judgeLimit(evaluation, limit, action) === DENY) {
      evaluation.accuser = limit.key;
      return DENY;
    }
  }
  return UNDECIDED;
}

/** What no rule lists is denied; of those that list it, every condition must hold. */
function judgeLimit(evaluation: Evaluation, { key, rules }: RoleLimits, action: string): Outcome {
  let isListed = false;
  for (const limit of rules) {
    if (!limit.rule.allows(action)) continue;
    isListed = true;
    evaluation.journal?.considers(key, limit.rule.name);
    if (denies(evaluation, key, limit, action)) return DENY;
  }
  return isListed ? UNDECIDED : DENY;
}

function denies(evaluation: Evaluation, key: string, limit: RoleLimit, action: string): boolean {
  const { name, output, when } = limit.rule;
  if (when === undefined && !(evaluation.collectsOutputs && output !== undefined)) return false;
  const denial = denialOf(evaluation, limit);
  if (denial === 'fails') {
    evaluation.failed = true;
    return true;
  }
  // The outputs keep the author's meaning (9.3): the DENY holds when the condition does not.
  const isMet = when === undefined ? denial === 'holds' : denial !== 'holds';
  if (evaluation.collectsOutputs) say(evaluation, { key, name, output }, action, isMet);
  return when !== undefined && !isMet;
}

/** A DENY beats every ALLOW beside it. */
function judgeRules(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  if (isVisited(evaluation, table)) return visitRules(evaluation, table, bits, action);
  const { shape, conditions } = table;
  const rules = rulesFor(action, shape);
  return shape.isLast ? findAllowed(evaluation, rules, conditions, bits, action) : findDecisive(evaluation, rules, conditions, bits, action);
}

/** Whether anybody can tell in what order, or how often, the rules of a table are asked. */
function isVisited(evaluation: Evaluation, { shape }: RuleTable): boolean {
  return shape.alwaysVisited || (shape.hasOutputs && evaluation.collectsOutputs);
}

function rulesFor(action: string, { named, other }: TableShape): readonly RuleShape[] {
  return named.get(action) ?? other;
}

type Conditions = RuleTable['conditions'];

/** A hot loop: the denials stand first, so the first rule that holds decides. */
function findDecisive(evaluation: Evaluation, rules: readonly RuleShape[], conditions: Conditions, bits: number, action: string): Outcome {
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as RuleShape;
    if (holds(evaluation, rule, conditions, bits, action)) return rule.effect;
  }
  return UNDECIDED;
}

/** The other hot loop: where nobody is asked afterwards, denials matter only to what is allowed, so the ALLOW rules stand first. */
function findAllowed(evaluation: Evaluation, rules: readonly RuleShape[], conditions: Conditions, bits: number, action: string): Outcome {
  let outcome: Outcome = UNDECIDED;
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as RuleShape;
    if (outcome === rule.effect) continue;
    if (outcome === UNDECIDED && rule.effect === DENY) return UNDECIDED;
    if (!holds(evaluation, rule, conditions, bits, action)) continue;
    if (rule.effect === DENY) return DENY;
    outcome = ALLOW;
  }
  return outcome;
}

function holds({ request, resource }: Evaluation, rule: RuleShape, conditions: Conditions, bits: number, action: string): boolean {
  if ((rule.roles & bits) === 0) return false;
  if (rule.reaches !== undefined && !rule.reaches(action, resource.kind)) return false;
  return rule.condition === UNCONDITIONAL || (conditions[rule.condition] as Rule['when'])(request);
}

/** Rule by rule in the order of the policy, each speaking as it is visited, up to the first DENY. */
function visitRules(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const entries = table.ordered.named.get(action) ?? table.ordered.other;
  let outcome: Outcome = UNDECIDED;
  for (const entry of entries) {
    if (!isReached(evaluation, entry, bits, action)) continue;
    evaluation.journal?.considers(table.key, entry.rule.name);
    const effect = visitRule(evaluation, table, entry, action);
    if (effect === DENY) return DENY;
    if (effect === ALLOW) outcome = ALLOW;
  }
  return outcome;
}

function isReached({ lineage, resource }: Evaluation, { roles, reaches, rule }: RuleEntry, bits: number, action: string): boolean {
  if ((roles & bits) === 0) return false;
  const { among } = rule;
  if (among !== undefined && !lineage.some((role) => among(role))) return false;
  return reaches === undefined || reaches(action, resource.kind);
}

/** A rule speaks once for each row it stands for (policy-language.md 9.1), unless one of them denies. */
function visitRule(evaluation: Evaluation, { key }: RuleTable, entry: RuleEntry, action: string): Outcome {
  const { rule, effect } = entry;
  const rows = evaluation.collectsOutputs ? (rule.rows?.(action, evaluation.lineage) ?? 1) : 1;
  let outcome: Outcome = UNDECIDED;
  for (let row = 0; row < rows; row++) {
    const result = resultOf(evaluation, entry);
    if (result === 'fails') {
      evaluation.failed = true;
      evaluation.accuser = key;
      return DENY;
    }
    if (result === 'inactive') continue;
    const holds = result === 'holds';
    if (evaluation.collectsOutputs) say(evaluation, { key, name: rule.name, output: rule.output }, action, holds);
    if (!holds) continue;
    if (effect === DENY) return DENY;
    outcome = ALLOW;
  }
  return outcome;
}

/*
 * A role whose bits a scope has judged without effect, alone or among others, need not be judged there again. Where rules are visited
 * one by one somebody can tell, so there nothing is remembered.
 */

function forgetEffects({ resource, withoutEffect }: Evaluation): void {
  for (let step = resource.first; step !== undefined; step = step.parent) withoutEffect[step.index] = 0;
}

function rememberNoEffect({ request, withoutEffect }: Evaluation, index: number, bits: number): void {
  if (request.principal.roles.length > 1) withoutEffect[index] = (withoutEffect[index] as number) | bits;
}

function hadNoEffect({ request, withoutEffect }: Evaluation, index: number, bits: number): boolean {
  return request.principal.roles.length > 1 && (bits & ~(withoutEffect[index] as number)) === 0;
}
