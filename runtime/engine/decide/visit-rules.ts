import { charge } from '../../../packages/cel/runtime/index.js';
import { ALLOW, DENY, type Output } from '../../policy/index.js';
import { entriesFor, isReached, type RuleEntry, type RuleTable } from '../find/tables.js';
import { type Evaluation, type Outcome, UNDECIDED, type VisitRules } from './evaluation.js';

/**
 * Evaluates rules one by one in the order of the policy, with their outputs, up to the first DENY. Bundles with outputs
 * or shared results bring it, and traced ones.
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
 * A rule emits an output for each row that it stands for (docs/spec/policy-language.md#when-outputs-are-emitted), up to
 * one that denies.
 */
function visitRule(
  evaluation: Evaluation,
  { key }: RuleTable,
  entry: RuleEntry,
  bits: number,
  action: string,
): Outcome {
  const { effect, output } = entry;
  const rows = evaluation.collectsOutputs
    ? (entry.rows?.(action, evaluation.lineage) ?? countOfRoles(entry.roles, bits))
    : 1;
  let outcome: Outcome = UNDECIDED;
  for (let row = 0; row < rows; row++) {
    const result = evaluateEntry(evaluation, entry);
    if (result === 'fails') {
      evaluation.failed = true;
      evaluation.denyingPolicy = key;
      return DENY;
    }
    if (result === 'inactive') continue;
    const holds = result === 'holds';
    if (output !== undefined && evaluation.collectsOutputs)
      emitOutput(evaluation, { key, name: entry.rule.name, output }, action, holds);
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
 * The result of a visit of a rule. `inactive`: its derived role is not active; the first such visit emits no output
 * (docs/spec/policy-language.md#outputs-and-inactive-derived-roles). `fails`: in strict evaluation it has an error
 * (docs/spec/policy-language.md#strict-evaluation).
 */
export type RuleResult = 'holds' | 'does not hold' | 'inactive' | 'fails';

/** The result of a rule: its first one in this check, if it has been visited before. */
export function evaluateEntry(evaluation: Evaluation, entry: RuleEntry): RuleResult {
  const remembered = evaluation.firstResult(entry.identity);
  if (remembered !== undefined) return remembered ? 'holds' : 'does not hold';
  const result = evaluation.traced !== undefined ? strictResult(evaluation, entry) : firstResult(evaluation, entry);
  if (result !== 'fails') evaluation.rememberResult(entry.identity, result === 'holds');
  return result;
}

function firstResult({ request }: Evaluation, { rule, when, output }: RuleEntry): RuleResult {
  if (when === undefined || when(request)) return 'holds';
  const isSilent = output !== undefined && rule.derivedRole !== undefined && !rule.derivedRole.when(request);
  return isSilent ? 'inactive' : 'does not hold';
}

/** Evaluates the derived role, then the rule; without a condition either holds. */
function strictResult({ request }: Evaluation, { traced, tracedDerivedRole }: RuleEntry): RuleResult {
  const active = tracedDerivedRole?.(request) ?? true;
  if (typeof active === 'string') return 'fails';
  if (!active) return 'inactive';
  const holds = traced?.(request) ?? true;
  if (typeof holds === 'string') return 'fails';
  return holds ? 'holds' : 'does not hold';
}

/**
 * A rule with outputs; `<policy key>#<rule name>` is their source
 * (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export interface OutputSource {
  readonly key: string;
  readonly name: string;
  readonly output: Output | undefined;
}

/** Adds the output of a rule for its result (docs/spec/policy-language.md#when-outputs-are-emitted), if it has one. */
export function emitOutput(
  evaluation: Evaluation,
  { key, name, output }: OutputSource,
  action: string,
  holds: boolean,
): void {
  const value = (holds ? output?.ruleActivated : output?.conditionNotMet)?.(evaluation.request);
  if (value === undefined) return;
  charge(STEPS_AN_OUTPUT);
  evaluation.outputs.push({ src: `${key}#${name}`, action, ...value });
}

/**
 * The cost of one output: to make it, to keep it until the response, and to write it to the response and the audit log.
 * Each role repeats it, so that a request with many roles could cause millions; 100,000 are more than 10 MB.
 */
const STEPS_AN_OUTPUT = 500;
