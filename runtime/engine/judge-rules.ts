import { ALLOW, DENY, type Rule } from '../policy/index.js';
import { brought } from './brought.js';
import type { Evaluation } from './evaluation.js';
import type { Judges } from './judges.js';
import { type Outcome, UNDECIDED } from './outcome.js';
import type { ResourceChain } from './resource-chain.js';
import { type RuleShape, type TableShape, UNCONDITIONAL } from './rule-shape.js';
import type { RuleTable } from './rule-table.js';

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
  if (isVisited(evaluation, table)) return brought(visitRules)(evaluation, table, bits, action);
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
