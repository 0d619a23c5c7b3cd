import { ALLOW, DENY, type Effect } from '../policy/index.js';
import { enterScope } from './derived-roles.js';
import type { Evaluation } from './evaluation.js';
import { say } from './outputs.js';
import type { PrincipalStep } from './principal-chain.js';
import { type ResourceStep, roleBits } from './resource-chain.js';
import type { RoleLimit, RoleLimits } from './role-scopes.js';
import { denialOf, resultOf } from './rule-result.js';
import { EVERYONE, type RuleEntry, type RuleTable } from './rule-table.js';

/**
 * How rules, roles, scopes and policies combine (policy-language.md 8.1, 8.3), and the only place that knows.
 *
 * Principal policies decide first, and for good. What they leave undecided, resource policies decide for each role of the request on its own:
 * any role's ALLOW stands, whatever another role is denied. A role asks the scopes from the one requested up to the root, and the first
 * with an outcome decides; only an ALLOW of a scope that requires parental consent is asked again of the parents. What nobody decides is denied.
 *
 * Leaves the policy and the scope that matched in the evaluation.
 */
export function check(evaluation: Evaluation, action: string): Effect {
  evaluation.failed = false;
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
  const role = evaluation.roles[0];
  if (principal === undefined || role === undefined) return UNDECIDED;
  evaluation.judge(role);
  evaluation.owner = undefined;
  for (const step of principal.steps) {
    const outcome = judgeRules(evaluation, tableAbout(evaluation.resource.kind, step), EVERYONE, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    report(evaluation, evaluation.principalKey, step.scope);
    return outcome;
  }
  return UNDECIDED;
}

function tableAbout(kind: string, step: PrincipalStep): RuleTable {
  return step.kinds.get(kind) ?? step.otherKinds;
}

/** Reports the ALLOW, else the first DENY. */
function judgeRoles(evaluation: Evaluation, action: string): Outcome {
  const { roles } = evaluation;
  evaluation.matchedPolicy = evaluation.resourceKey;
  evaluation.matchedScope = '';
  if (roles.length > 1) forgetEffects(evaluation);

  let combined: Outcome = UNDECIDED;
  for (let i = 0; i < roles.length; i++) {
    evaluation.judge(roles[i] as string);
    const outcome = judgeRole(evaluation, action);
    if (outcome === UNDECIDED) continue;
    const isFinal = outcome === ALLOW || evaluation.failed;
    if (isFinal || combined === UNDECIDED) report(evaluation, evaluation.resourceKey, evaluation.decidingScope);
    if (isFinal) return outcome;
    combined = DENY;
  }
  return combined;
}

/** The role is that of `evaluation.judge`. */
function judgeRole(evaluation: Evaluation, action: string): Outcome {
  const { steps } = evaluation.resource;
  evaluation.owner = undefined;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as ResourceStep;
    if (evaluation.listsDerivedRoles) enterScope(evaluation, step, i);
    const outcome = judgeScope(evaluation, step, i, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    evaluation.decidingScope = step.scope;
    return outcome;
  }
  return UNDECIDED;
}

/** Role policies first, which can only deny; then the rules. */
function judgeScope(evaluation: Evaluation, { policy, table, limits }: ResourceStep, index: number, action: string): Outcome {
  const bits = policy === undefined ? 0 : roleBits(policy, evaluation.lineage);
  if (limits !== undefined) {
    const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
    if (judgeLimits(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  if (table === undefined || hadNoEffect(evaluation, index, bits)) return UNDECIDED;
  const outcome = judgeRules(evaluation, table, bits, action);
  if (outcome === UNDECIDED && !isVisited(evaluation, table)) rememberNoEffect(evaluation, index, bits);
  return outcome;
}

/**
 * The role policies of a role and its ancestors (policy-language.md 8.6). They are silent where nothing about the kind reaches the lineage:
 * neither a rule of the resource policy, whatever its action, nor one of theirs.
 */
function judgeLimits(evaluation: Evaluation, limits: ReadonlyMap<string, RoleLimits>, hasRule: boolean, action: string): Outcome {
  const { lineage } = evaluation;
  if (!hasRule && !lineage.some((role) => (limits.get(role)?.rules.length ?? 0) > 0)) return UNDECIDED;
  for (const role of lineage) {
    const limit = limits.get(role);
    if (limit !== undefined && judgeLimit(evaluation, limit, action) === DENY) {
      evaluation.owner = limit.key;
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
  return isVisited(evaluation, table) ? visitRules(evaluation, table, bits, action) : findRule(evaluation, table, bits, action);
}

/** Whether anybody can tell in what order, or how often, the rules of a table are asked. */
function isVisited(evaluation: Evaluation, table: RuleTable): boolean {
  return table.alwaysVisited || (table.hasOutputs && evaluation.collectsOutputs);
}

/** The hot loop: as the denials stand first, the first rule that holds decides. */
function findRule(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const { request } = evaluation;
  const entries = table.decisive.named.get(action) ?? table.decisive.other;
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as RuleEntry;
    if ((entry.roles & bits) === 0) continue;
    if (entry.reaches !== undefined && !entry.reaches(action, evaluation.resource.kind)) continue;
    if (entry.unconditional || entry.when(request)) return entry.effect;
  }
  return UNDECIDED;
}

/** Rule by rule in the order of the policy, each speaking as it is visited, up to the first DENY. */
function visitRules(evaluation: Evaluation, table: RuleTable, bits: number, action: string): Outcome {
  const entries = table.visited.named.get(action) ?? table.visited.other;
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
      evaluation.owner = key;
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

function report(evaluation: Evaluation, key: string, scope: string): void {
  evaluation.matchedPolicy = evaluation.owner ?? key;
  evaluation.matchedScope = scope;
}

/*
 * A role whose bits a scope has judged without effect, alone or among others, need not be judged there again. Where rules are visited
 * one by one somebody can tell, so there nothing is remembered.
 */

function forgetEffects({ resource, withoutEffect }: Evaluation): void {
  for (let i = 0; i < resource.steps.length; i++) withoutEffect[i] = 0;
}

function rememberNoEffect({ roles, withoutEffect }: Evaluation, index: number, bits: number): void {
  if (roles.length > 1) withoutEffect[index] = (withoutEffect[index] as number) | bits;
}

function hadNoEffect({ roles, withoutEffect }: Evaluation, index: number, bits: number): boolean {
  return roles.length > 1 && (bits & ~(withoutEffect[index] as number)) === 0;
}
