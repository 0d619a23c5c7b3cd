import type { FactNames, PartialAnswer } from '../engine/index.js';
import { isAmong } from './fact-names.js';

/**
 * Leaves out of a partial answer the facts that its decision does not read: without a formula, the answer is all that is unknown.
 * Where nothing is left, the engine decides.
 */
export function narrowAnswer(
  answer: PartialAnswer,
  listRead: () => FactNames | undefined,
  isAllowed: () => boolean,
): PartialAnswer {
  if (typeof answer === 'boolean') return answer;
  const read = listRead();
  const needed = [...answer].filter((fact) => isAmong(fact, read));
  return needed.length > 0 ? new Set(needed) : isAllowed();
}
