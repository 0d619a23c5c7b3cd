import { ALLOW, DENY, type DerivedRole, type Effect, type Rule } from '../../policy/index.js';
import {
  derivedRolesOf,
  type PrincipalChain,
  reachesByText,
  type ResourceChain,
  type ResourceStep,
} from '../find/chains.js';
import { requirePart } from '../find/registry.js';
import { type RuleShape, type RuleTable, type TableShape, UNCONDITIONAL } from '../find/tables.js';
import { type Evaluation, type Judges, type ListedDerivedRoles, type Outcome, UNDECIDED } from './evaluation.js';

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
  return requirePart(judges.principalJudge).judge(evaluation, judges, principal, action);
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
    if (requirePart(judges.roleJudge).judge(evaluation, limits, hasRule, action) === DENY) return DENY;
  }
  return table === undefined ? UNDECIDED : judgeRules(evaluation, judges, table, bits, action);
}

/** A chain of one table that nobody watches while it decides. */
export interface PlainChain extends ResourceChain {
  readonly sole: TableShape;
}

/** Whether a chain is such. */
export function isPlain(evaluation: Evaluation, chain: ResourceChain): chain is PlainChain {
  const { sole } = chain;
  return sole !== undefined && !evaluation.listsDerivedRoles && !(sole.hasOutputs && evaluation.collectsOutputs);
}

/** What the roles of a request come to where there is one table and only an ALLOW can be told from the rest. */
export function judgePlainly(evaluation: Evaluation, { sole, conditions }: PlainChain, action: string): Outcome {
  const { judgedRoles: roles } = evaluation;
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

/** A DENY beats every ALLOW beside it. */
export function judgeRules(
  evaluation: Evaluation,
  { visitRules }: Judges,
  table: RuleTable,
  bits: number,
  action: string,
): Outcome {
  const { shape, conditions } = table;
  if (isVisited(evaluation, table)) return requirePart(visitRules)(evaluation, table, bits, action);
  const rules = rulesFor(action, shape);
  return shape.isLast
    ? findAllowed(evaluation, rules, conditions, bits, action)
    : findDecisive(evaluation, rules, conditions, bits, action);
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
function findDecisive(
  evaluation: Evaluation,
  rules: readonly RuleShape[],
  conditions: Conditions,
  bits: number,
  action: string,
): Outcome {
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as RuleShape;
    if (holds(evaluation, rule, conditions, bits, action)) return rule.effect;
  }
  return UNDECIDED;
}

/**
 * The other hot loop: where nobody is asked afterwards, denials matter only to what is allowed, so the ALLOW rules
 * stand first.
 */
function findAllowed(
  evaluation: Evaluation,
  rules: readonly RuleShape[],
  conditions: Conditions,
  bits: number,
  action: string,
): Outcome {
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

function holds(
  { request, resource }: Evaluation,
  rule: RuleShape,
  conditions: Conditions,
  bits: number,
  action: string,
): boolean {
  if ((rule.roles & bits) === 0) return false;
  if (rule.reaches !== undefined && !rule.reaches(action, resource.kind)) return false;
  return rule.condition === UNCONDITIONAL || (conditions[rule.condition] as Rule['when'])(request);
}

/**
 * Makes the active derived roles of a scope those that conditions see. They are computed when the scope is first
 * entered, with the list the scope before it left behind (docs/spec/policy-language.md#effective-derived-roles).
 */
export function enterScope(evaluation: Evaluation, step: ResourceStep): void {
  evaluation.enter(step, evaluation.listedIn(step) ?? listDerivedRoles(evaluation, derivedRolesOf(step)));
}

function listDerivedRoles(evaluation: Evaluation, derivedRoles: readonly DerivedRole[]): ListedDerivedRoles {
  if (derivedRoles.length === 0) return NONE;
  const { request, traced } = evaluation;
  const roles = evaluation.allRoles();
  const active: string[] = [];
  const failed: string[] = [];
  for (const derivedRole of derivedRoles) {
    if (!reachesByText(derivedRole, roles)) continue;
    evaluation.journal?.lists(derivedRole.key, derivedRole.name);
    const told = traced && (traced.conditions.get(derivedRole.key)?.(request) ?? true);
    // A journal of an evaluation that is not strict only listens to the traced condition: of variables that failed it
    // knows another value.
    const holds =
      told === undefined || request.failures?.stops === false
        ? (derivedRole.whenListed ?? derivedRole.when)(request)
        : told;
    if (typeof holds === 'string') failed.push(derivedRole.name);
    else if (holds) active.push(derivedRole.name);
  }
  return { active: active.sort(), failed: failed.sort() };
}

const NONE: ListedDerivedRoles = { active: [], failed: [] };
