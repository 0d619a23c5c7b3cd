import { charge } from '../../cel/index.js';
import { ALLOW, DENY, type Output } from '../../policy/index.js';
import { entriesFor, isReached, type RuleEntry, type RuleTable } from '../find/tables.js';
import { type Evaluation, type Outcome, UNDECIDED, type VisitRules } from './evaluation.js';

/**
 * Rule by rule in the order of the policy, each speaking as it is visited, up to the first DENY. Brought by bundles of
 * which somebody can tell that rules are visited: those with outputs or shared results, and the second emission.
 */
export const visitRules: VisitRules = (evaluation, table, bits, action) => {
  const { lineage, resource } = evaluation;
  const entries = entriesFor(table, action);
  charge(4 + 2 * entries.length);
  let outcome: Outcome = UNDECIDED;
  for (const entry of entries) {
    if (!isReached(entry, bits, lineage, action, resource.kind)) continue;
    evaluation.listener?.considers(table.key, entry.rule.name);
    const effect = visitRule(evaluation, table, entry, bits, action);
    if (effect === DENY) return DENY;
    if (effect === ALLOW) outcome = ALLOW;
  }
  return outcome;
};

/**
 * A rule speaks once for each row it stands for (docs/spec/policy-language.md#when-outputs-are-emitted), unless one of
 * them denies.
 */
function visitRule(
  evaluation: Evaluation,
  { key }: RuleTable,
  entry: RuleEntry,
  bits: number,
  action: string,
): Outcome {
  const { rule, effect } = entry;
  const rows = evaluation.collectsOutputs
    ? (rule.rows?.(action, evaluation.lineage) ?? countOfRoles(rule.roles, bits))
    : 1;
  let outcome: Outcome = UNDECIDED;
  for (let row = 0; row < rows; row++) {
    const result = resultOf(evaluation, entry);
    if (result === 'fails') {
      evaluation.failed = true;
      evaluation.denyingPolicy = key;
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

/** How many of its roles a rule reaches: a bit each, and one for everyone. */
function countOfRoles(roles: number, bits: number): number {
  if (roles < 0) return 1;
  let count = 0;
  for (let reached = roles & bits; reached !== 0; reached &= reached - 1) count++;
  return count;
}

/**
 * What a visit of a rule gives. `inactive`: its derived role is not active, which is silent the first time
 * (docs/spec/policy-language.md#outputs-and-inactive-derived-roles). `fails`: strict evaluation could not evaluate it
 * (docs/spec/policy-language.md#strict-evaluation).
 */
export type RuleResult = 'holds' | 'does not hold' | 'inactive' | 'fails';

/** The result of a rule, the first of this check when it has been visited before. */
export function resultOf(evaluation: Evaluation, entry: RuleEntry): RuleResult {
  const remembered = evaluation.firstResult(entry.identity);
  if (remembered !== undefined) return remembered ? 'holds' : 'does not hold';
  const result = evaluation.traced !== undefined ? strictResult(evaluation, entry) : firstResult(evaluation, entry);
  if (result !== 'fails') evaluation.rememberResult(entry.identity, result === 'holds');
  return result;
}

function firstResult({ request }: Evaluation, { rule }: RuleEntry): RuleResult {
  if (rule.when === undefined || rule.when(request)) return 'holds';
  const isSilent = rule.derivedRole !== undefined && rule.output !== undefined && !rule.derivedRole.when(request);
  return isSilent ? 'inactive' : 'does not hold';
}

/** The derived role first, then the rule; an absent condition is unconditional. */
function strictResult({ request }: Evaluation, { traced, tracedDerivedRole }: RuleEntry): RuleResult {
  const active = tracedDerivedRole?.(request) ?? true;
  if (typeof active === 'string') return 'fails';
  if (!active) return 'inactive';
  const holds = traced?.(request) ?? true;
  if (typeof holds === 'string') return 'fails';
  return holds ? 'holds' : 'does not hold';
}

/**
 * A rule that speaks: `<policy key>#<rule name>` is the source of its outputs
 * (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export interface OutputSource {
  readonly key: string;
  readonly name: string;
  readonly output: Output | undefined;
}

/**
 * Adds what a rule says when visited (docs/spec/policy-language.md#when-outputs-are-emitted); nothing when it has no
 * output for this end.
 */
export function say(evaluation: Evaluation, { key, name, output }: OutputSource, action: string, holds: boolean): void {
  const value = (holds ? output?.ruleActivated : output?.conditionNotMet)?.(evaluation.request);
  if (value === undefined) return;
  charge(STEPS_AN_OUTPUT);
  evaluation.outputs.push({ src: `${key}#${name}`, action, ...value });
}

/**
 * Of one output: making it, keeping it until all is answered, and writing it to the answer and the audit log. Each role
 * repeats it, so that a request with many roles could ask for millions; 100,000 are more than 10 MB.
 */
const STEPS_AN_OUTPUT = 500;
