import { charge } from '../cel/index.js';
import { ALLOW, DENY } from '../policy/index.js';
import type { Evaluation } from './evaluation.js';
import type { VisitRules } from './judges.js';
import { type Outcome, UNDECIDED } from './outcome.js';
import { say } from './outputs.js';
import { resultOf } from './rule-result.js';
import type { RuleEntry, RuleTable } from './rule-table.js';

/**
 * Rule by rule in the order of the policy, each speaking as it is visited, up to the first DENY. Brought by bundles of
 * which somebody can tell that rules are visited: those with outputs or shared results, and the second emission.
 */
export const visitRules: VisitRules = (evaluation, table, bits, action) => {
  const entries = table.ordered.named.get(action) ?? table.ordered.other;
  charge(4 + 2 * entries.length);
  let outcome: Outcome = UNDECIDED;
  for (const entry of entries) {
    if (!isReached(evaluation, entry, bits, action)) continue;
    evaluation.journal?.considers(table.key, entry.rule.name);
    const effect = visitRule(evaluation, table, entry, action);
    if (effect === DENY) return DENY;
    if (effect === ALLOW) outcome = ALLOW;
  }
  return outcome;
};

function isReached(
  { lineage, resource }: Evaluation,
  { roles, reaches, rule }: RuleEntry,
  bits: number,
  action: string,
): boolean {
  if ((roles & bits) === 0) return false;
  const { among } = rule;
  if (among !== undefined && !lineage.some((role) => among(role))) return false;
  return reaches === undefined || reaches(action, resource.kind);
}

/**
 * A rule speaks once for each row it stands for (docs/spec/policy-language.md#when-outputs-are-emitted), unless one of
 * them denies.
 */
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
