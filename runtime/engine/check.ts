import { ALLOW, DENY, type Effect } from '../policy/index.js';
import { enterScope } from './derived-roles.js';
import type { Evaluation } from './evaluation.js';
import { say } from './outputs.js';
import type { PrincipalStep } from './principal-chain.js';
import type { ResourceStep } from './resource-chain.js';
import { areSilent, type RoleLimit, type RoleLimits } from './role-scopes.js';
import { denialOf, resultOf } from './rule-result.js';
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
  const byPrincipal = judgePrincipal(evaluation, action);
  if (byPrincipal !== UNDECIDED) return byPrincipal;
  const byResource = judgeRoles(evaluation, action);
  return byResource === UNDECIDED ? DENY : byResource;
}

/** Neither ALLOW nor DENY. */
const UNDECIDED = 0;
type Outcome = typeof UNDECIDED | Effect;

function judgePrincipal(evaluation: Evaluation, action: string): Outcome {
  const { principal } = evaluation;
  const role = evaluation.request.principal.roles[0];
  if (principal === undefined || role === undefined) return UNDECIDED;
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
  const bits = policy === undefined ? 0 : evaluation.bitsIn(policy);
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
    if (limit !== undefined && judgeLimit(evaluation, limit, action) === DENY) {
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
  return table.isLast ? findAllowed(evaluation, table, bits, action) : findDecisive(evaluation, table, bits, action);
}

/** Whether anybody can tell in what order, or how often, the rules of a table are asked. */
function isVisited(evaluation: Evaluation, table: RuleTable): boolean {
  return table.alwaysVisited || (table.hasOutputs && evaluation.collectsOutputs);
}

/** A hot loop: the denials stand first, so the first rule that holds decides. */
function findDecisive(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const entries = table.named.get(action) ?? table.other;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as RuleEntry;
    if (holds(evaluation, entry, bits, action)) return entry.effect;
  }
  return UNDECIDED;
}

/** The other hot loop: where nobody is asked afterwards, denials matter only to what is allowed, so the ALLOW rules stand first. */
function findAllowed(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const entries = table.named.get(action) ?? table.other;
  let outcome: Outcome = UNDECIDED;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as RuleEntry;
    if (outcome === entry.effect) continue;
    if (outcome === UNDECIDED && entry.effect === DENY) return UNDECIDED;
    if (!holds(evaluation, entry, bits, action)) continue;
    if (entry.effect === DENY) return DENY;
    outcome = ALLOW;
  }
  return outcome;
}

function holds({ request, resource }: Evaluation, entry: RuleEntry, bits: number, action: string): boolean {
  if ((entry.roles & bits) === 0) return false;
  if (entry.reaches !== undefined && !entry.reaches(action, resource.kind)) return false;
  return entry.unconditional || entry.when(request);
}

/** Rule by rule in the order of the policy, each speaking as it is visited, up to the first DENY. */
function visitRules(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const entries = table.ordered.named.get(action) ?? table.ordered.other;
  let outcome: Outcome = UNDECIDED;
  for (const entry of entries) {
    if (!isReached(evaluation, entry, bits, action)) continue;
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
