import type { Evaluation } from './evaluation.js';
import type { RuleEntry } from './rule-table.js';

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
  if (rule.when(request)) return 'holds';
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
