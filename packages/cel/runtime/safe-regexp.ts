import { setText } from './code-point-set.js';
import type { SafeNode, SafePattern } from './safe-regexp-parser.js';

/** Whether a text has a match of one pattern. */
export interface Matcher {
  test(text: string): boolean;
}

/** A pattern of the subset as a native RegExp. */
export function printRegExp({ anchoredStart, anchoredEnd, body }: SafePattern): RegExp {
  const end = anchoredStart || takesOneUnit(body) ? '$' : END_FOR_WIDE_SETS;
  return new RegExp(`${anchoredStart ? '^' : ''}(?:${print(body)})${anchoredEnd ? end : ''}`, 'u');
}

/**
 * The end of the string, in a lookahead. When only the end is anchored, V8 starts near the end of the string; V8 14.6
 * starts one unit too late when a set contains code points of two units. It does not do this for a lookahead.
 */
const END_FOR_WIDE_SETS = '(?![^])';

/**
 * Whether every code point of every set is one UTF-16 unit and no surrogate: then `$` is right everywhere, and faster.
 */
function takesOneUnit(node: SafeNode): boolean {
  switch (node.kind) {
    case 'set':
      return node.set.every(([, high]) => high < FIRST_SURROGATE);
    case 'sequence':
      return node.items.every(takesOneUnit);
    case 'choice':
      return node.branches.every(takesOneUnit);
    case 'repeat':
      return takesOneUnit(node.body);
  }
}

const FIRST_SURROGATE = 0xd800;

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
