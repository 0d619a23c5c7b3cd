import { ALLOW, DENY, type Effect } from '../policy/index.js';
import { brought } from './brought.js';
import { enterScope } from './derived-roles.js';
import type { Evaluation } from './evaluation.js';
import { isPlain, isVisited, judgePlainly, judgeRules } from './judge-rules.js';
import type { Judges } from './judges.js';
import { type Outcome, UNDECIDED } from './outcome.js';
import type { PrincipalChain } from './principals.js';
import type { ResourceStep } from './resource-chain.js';

/**
 * How rules, roles, scopes and policies combine (policy-language.md 8.1, 8.3), and the only place that knows.
 *
 * Principal policies decide first, and for good. What they leave undecided, resource policies decide for each role of the request on its own:
 * any role's ALLOW stands, whatever another role is denied. A role asks the scopes from the one requested up to the root, and the first
 * with an outcome decides; only an ALLOW of a scope that requires parental consent is asked again of the parents. What nobody decides is denied.
 *
 * Leaves who decided in the evaluation.
 */
export function check(evaluation: Evaluation, judges: Judges, action: string): Effect {
  evaluation.beginAction();
  const { principal, resource } = evaluation;
  const byPrincipal = principal === undefined ? UNDECIDED : judgePrincipal(evaluation, judges, principal, action);
  if (byPrincipal !== UNDECIDED) return byPrincipal;
  const byResource = isPlain(evaluation, resource) ? judgePlainly(evaluation, resource, action) : judgeRoles(evaluation, judges, action);
  return byResource === UNDECIDED ? DENY : byResource;
}

/** Apart, so that what most requests run through stays small enough to be compiled as one. */
function judgePrincipal(evaluation: Evaluation, judges: Judges, principal: PrincipalChain, action: string): Outcome {
  return brought(judges.principalJudge).judge(evaluation, judges, principal, action);
}

/** The first ALLOW decides, else the first DENY. */
function judgeRoles(evaluation: Evaluation, judges: Judges, action: string): Outcome {
  const { roles } = evaluation.request.principal;
  if (roles.length > 1) forgetEffects(evaluation);

  let combined: Outcome = UNDECIDED;
  for (let i = 0; i < roles.length; i++) {
    evaluation.judge(roles[i] as string);
    const outcome = judgeRole(evaluation, judges, action, combined === UNDECIDED);
    if (outcome === ALLOW || evaluation.failed) return outcome;
    if (outcome === DENY) combined = DENY;
  }
  return combined;
}

/** The role is that of `evaluation.judge`. A DENY counts as the one that decided only while it is the first. */
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

/** Role policies first, which can only deny; then the rules. */
function judgeScope(evaluation: Evaluation, judges: Judges, { policy, table, limits, index }: ResourceStep, action: string): Outcome {
  const bits = table === undefined ? 0 : evaluation.bitsOfLineage(table.shape);
  if (limits !== undefined) {
    const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
    if (brought(judges.roleJudge).judge(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  if (table === undefined || hadNoEffect(evaluation, index, bits)) return UNDECIDED;
  const outcome = judgeRules(evaluation, judges, table, bits, action);
  if (outcome === UNDECIDED && !isVisited(evaluation, table)) rememberNoEffect(evaluation, index, bits);
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
