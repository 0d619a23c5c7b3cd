import { setText } from './code-point-set.js';
import { isDeterministic } from './safe-regexp-determinism.js';
import { parseSafeSubset, type SafeNode } from './safe-regexp-parser.js';

/**
 * A RegExp that finds a match in exactly the texts in which RE2 finds one, in linear time; undefined when the pattern
 * is outside the subset for which both are certain (conditions.md Appendix B). Only whether there is a match is the same:
 * groups are not kept.
 */
export function safeRegExp(pattern: string): RegExp | undefined {
  const parsed = parseSafeSubset(pattern);
  if (parsed === undefined || !isDeterministic(parsed)) return undefined;
  const { anchoredStart, anchoredEnd, body } = parsed;
  return new RegExp(`${anchoredStart ? '^' : ''}(?:${print(body)})${anchoredEnd ? '$' : ''}`, 'u');
}

function print(node: SafeNode): string {
  switch (node.kind) {
    case 'set':
      return setText(node.set);
    case 'sequence':
      return node.items.map(print).join('');
    case 'choice':
      return `(?:${node.branches.map(print).join('|')})`;
    case 'repeat':
      return `(?:${print(node.body)})${quantifier(node.min, node.max)}`;
  }
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}
