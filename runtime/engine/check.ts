import { ALLOW, DENY, type Effect } from '../policy/index.js';
import { brought } from './brought.js';
import { enterScope } from './derived-roles.js';
import type { Evaluation } from './evaluation.js';
import { isPlain, judgePlainly, judgeRules } from './judge-rules.js';
import type { Judges } from './judges.js';
import { type Outcome, UNDECIDED } from './outcome.js';
import type { PrincipalChain } from './principals.js';
import type { ResourceStep } from './resource-chain.js';

/**
 * How rules, roles, scopes and policies combine (docs/spec/policy-language.md#how-a-check-is-decided,
 * docs/spec/policy-language.md#combining-decisions), and the only place that knows.
 *
 * Principal policies decide first, and for good. What they leave undecided, resource policies decide for each role of
 * the request on its own: any role's ALLOW stands, whatever another role is denied. A role asks the scopes from the one
 * requested up to the root, and the first with an outcome decides; only an ALLOW of a scope that requires parental
 * consent is asked again of the parents. What nobody decides is denied.
 *
 * Leaves who decided in the evaluation.
 */
export function check(evaluation: Evaluation, judges: Judges, action: string): Effect {
  evaluation.beginAction();
  const { principal, resource } = evaluation;
  const byPrincipal = principal === undefined ? UNDECIDED : judgePrincipal(evaluation, judges, principal, action);
  if (byPrincipal !== UNDECIDED) return byPrincipal;
  const byResource = isPlain(evaluation, resource)
    ? judgePlainly(evaluation, resource, action)
    : judgeRoles(evaluation, judges, action);
  return byResource === UNDECIDED ? DENY : byResource;
}

/** Apart, so that what most requests run through stays small enough to be compiled as one. */
function judgePrincipal(evaluation: Evaluation, judges: Judges, principal: PrincipalChain, action: string): Outcome {
  return brought(judges.principalJudge).judge(evaluation, judges, principal, action);
}

/** The first ALLOW decides, else the first DENY. */
function judgeRoles(evaluation: Evaluation, judges: Judges, action: string): Outcome {
  const { judgedRoles, speakers } = evaluation;
  let combined: Outcome = UNDECIDED;
  for (let i = 0; i < judgedRoles.length; i = speakers?.next(i, evaluation.outputs.length) ?? i + 1) {
    evaluation.judge(judgedRoles[i] as string);
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
function judgeScope(
  evaluation: Evaluation,
  judges: Judges,
  { policy, table, limits }: ResourceStep,
  action: string,
): Outcome {
  const bits = table === undefined ? 0 : evaluation.bitsOfLineage(table.shape);
  if (limits !== undefined) {
    const hasRule = policy !== undefined && (policy.reach & bits) !== 0;
    if (brought(judges.roleJudge).judge(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  return table === undefined ? UNDECIDED : judgeRules(evaluation, judges, table, bits, action);
}
