import { isSafeToBacktrack } from '../../packages/cel/runtime/backtracking.js';
import { Automaton, findPositions } from '../../packages/cel/runtime/position-automaton.js';
import { printRegExp } from '../../packages/cel/runtime/safe-regexp.js';
import { parseSafeSubset } from '../../packages/cel/runtime/safe-regexp-parser.js';

/** The automaton of a pattern; undefined outside the safe subset. */
export function automatonOf(source: string): Automaton | undefined {
  const pattern = parseSafeSubset(source);
  const positions = pattern && findPositions(pattern);
  return pattern && positions && new Automaton(pattern, positions);
}

/** The native RegExp of a pattern, not compared with anything; undefined unless it takes linear time. */
export function safeRegExp(source: string): RegExp | undefined {
  const pattern = parseSafeSubset(source);
  const positions = pattern && findPositions(pattern);
  return pattern && positions && isSafeToBacktrack(pattern, positions) ? printRegExp(pattern) : undefined;
}
