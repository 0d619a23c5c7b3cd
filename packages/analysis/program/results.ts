import type { Result } from '../../cel/runtime/index.js';
import { evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import type { Match } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';

/** The result of each value of a condition. */
export type Results = ReadonlyMap<Value, Result>;

/** Evaluates all expressions of a condition. */
export function evaluateAll(match: Match, surroundings: (observe: Surroundings['observe']) => Surroundings): Results {
  const results = new Map<Value, Result>();
  const within = surroundings((value, result) => results.set(value, result));
  const visit = (part: Match): void => {
    if (part.kind === 'expr') evaluate(part.value, within);
    else part.of.forEach(visit);
  };
  visit(match);
  return results;
}
