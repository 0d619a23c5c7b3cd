import { classText } from './code-point-set.js';
import { parseSafeSubset, type SafeNode } from './safe-regexp-parser.js';
import { isDeterministic } from './safe-regexp-determinism.js';

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
      return classText(node.set);
    case 'sequence':
      return node.items.map(print).join('');
    case 'choice':
      return `(?:${node.branches.map(print).join('|')})`;
    case 'repeat':
      return `(?:${print(node.body)}){${node.min},${node.max === Infinity ? '' : node.max}}`;
  }
}
