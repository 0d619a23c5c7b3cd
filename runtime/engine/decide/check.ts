import { ALLOW, DENY, type DerivedRole, type Effect } from '../../policy/index.js';
import { collectDerivedRoles, type PrincipalChain, reachesByText, type ResourceStep } from '../find/chains.js';
import { requirePart } from '../find/registry.js';
import { entriesFor, type RuleEntry, type RuleTable } from '../find/tables.js';
import { type Evaluation, type Judges, type ListedDerivedRoles, type Outcome, UNDECIDED } from './evaluation.js';

/**
 * Decides one action (docs/spec/policy-language.md#how-a-check-is-decided,
 * docs/spec/policy-language.md#combining-decisions). `plan` takes the same steps (runtime/engine/plan/plan.ts).
 *
 * Principal policies decide first, and their outcome is final. Where they have none, resource policies decide for each
 * role of the principal separately: an ALLOW of any role counts, even if another role is denied. A role walks the
 * scopes from the requested one up to the root, and the first with an outcome decides; an ALLOW of a scope that
 * requires parental consent needs one of its parents too. The default is DENY.
 *
 * The evaluation then names the policy and the scope that decided.
 */
export function check(evaluation: Evaluation, judges: Judges, action: string): Effect {
  evaluation.beginAction();
  const { principal, resource } = evaluation;
  const byPrincipal = principal === undefined ? UNDECIDED : judgePrincipal(evaluation, judges, principal, action);
  if (byPrincipal !== UNDECIDED) return byPrincipal;
  const { decide, hasOutputs, roles } = resource;
  if (decide !== undefined && !evaluation.listsDerivedRoles && !(hasOutputs && evaluation.collectsOutputs)) {
    const bits = roles.toBits(evaluation.judgedRoles);
    return bits !== 0 && decide(bits, action, evaluation.request) ? ALLOW : DENY;
  }
  return judgeRoles(evaluation, judges, action) === ALLOW ? ALLOW : DENY;
}

/** Separate from its caller, so that V8 can inline the path that most requests take. */
function judgePrincipal(evaluation: Evaluation, judges: Judges, principal: PrincipalChain, action: string): Outcome {
  return requirePart(judges.principalJudge).judge(evaluation, judges, principal, action);
}

/** The first ALLOW decides, else the first DENY. */
function judgeRoles(evaluation: Evaluation, judges: Judges, action: string): Outcome {
  const { judgedRoles, outputRoles } = evaluation;
  let combined: Outcome = UNDECIDED;
  for (let i = 0; i < judgedRoles.length; i = outputRoles?.next(i, evaluation.outputs.length) ?? i + 1) {
    evaluation.judge(judgedRoles[i] as string);
    const outcome = judgeRole(evaluation, judges, action, combined === UNDECIDED);
    if (outcome === ALLOW || evaluation.failed) return outcome;
    if (outcome === DENY) combined = DENY;
  }
  return combined;
}

/** The role is that of `evaluation.judge`. Of several DENY outcomes the first is the one that decided. */
function judgeRole(evaluation: Evaluation, judges: Judges, action: string, isFirst: boolean): Outcome {
  for (let step = evaluation.resource.first; step !== undefined; step = step.parent) {
    if (evaluation.listsDerivedRoles) enterScope(evaluation, step);
    const outcome = judgeScope(evaluation, judges, step, action);
    if (outcome === UNDECIDED || (outcome === ALLOW && step.consents)) continue;
    if (isFirst || outcome === ALLOW || evaluation.failed) evaluation.decidedByResource(step);
    return outcome;
  }
  return UNDECIDED;
}

/** Role policies come first, which can only deny; then the rules. */
function judgeScope(
  evaluation: Evaluation,
  judges: Judges,
  { policy, table, limits }: ResourceStep,
  action: string,
): Outcome {
  const bits = table === undefined ? 0 : evaluation.bitsOfLineage(table.names);
  if (limits !== undefined) {
    const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
    if (requirePart(judges.roleJudge).judge(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  return table === undefined ? UNDECIDED : judgeRules(evaluation, judges, table, bits, action);
}

/** A DENY wins over every ALLOW of the same table. */
export function judgeRules(
  evaluation: Evaluation,
  { visitRules }: Judges,
  table: RuleTable,
  bits: number,
  action: string,
): Outcome {
  if (table.alwaysVisited || (table.hasOutputs && evaluation.collectsOutputs))
    return requirePart(visitRules)(evaluation, table, bits, action);
  const entries = entriesFor(table, action);
  if (someHolds(evaluation, entries, DENY, bits, action)) return DENY;
  return someHolds(evaluation, entries, ALLOW, bits, action) ? ALLOW : UNDECIDED;
}

/** Whether a rule with this effect holds. A hot loop. */
function someHolds(
  { request, resource }: Evaluation,
  entries: readonly RuleEntry[],
  effect: Effect,
  bits: number,
  action: string,
): boolean {
  for (let i = 0; i < entries.length; i++) {
    const { roles, reaches, when, effect: own } = entries[i] as RuleEntry;
    if (own !== effect || (roles & bits) === 0) continue;
    if (reaches !== undefined && !reaches(action, resource.kind)) continue;
    if (when === undefined || when(request)) return true;
  }
  return false;
}

/**
 * Makes the active derived roles of a scope those that conditions see. They are computed when the scope is first
 * entered; their conditions see the list of the scope before it (docs/spec/policy-language.md#effective-derived-roles).
 */
function enterScope(evaluation: Evaluation, step: ResourceStep): void {
  evaluation.enter(step, evaluation.listedIn(step) ?? listDerivedRoles(evaluation, collectDerivedRoles(step)));
}

function listDerivedRoles(evaluation: Evaluation, derivedRoles: readonly DerivedRole[]): ListedDerivedRoles {
  if (derivedRoles.length === 0) return NONE;
  const { request, traced } = evaluation;
  const roles = evaluation.allRoles();
  const active: string[] = [];
  const failed: string[] = [];
  for (const derivedRole of derivedRoles) {
    if (!reachesByText(derivedRole, roles)) continue;
    evaluation.listener?.lists(derivedRole);
    const told = traced && (traced.conditions.get(derivedRole.key)?.(request) ?? true);
    // Unless evaluation is strict, a traced condition only reports failures: it reads a failed variable as another
    // value.
    const holds =
      told === undefined || request.failures?.stops === false
        ? (derivedRole.whenListed ?? derivedRole.when)(request)
        : told;
    if (typeof holds === 'string') failed.push(derivedRole.name);
    else if (holds) active.push(derivedRole.name);
  }
  return { active, failed };
}

const NONE: ListedDerivedRoles = { active: [], failed: [] };
