import type { CodePointSet } from '../../cel/runtime/code-point-set.js';
import { parseSafeSubset, type SafeNode } from '../../cel/runtime/safe-regexp-parser.js';
import { isEncodable, stringConstant } from './smt.js';

/**
 * The texts in which a pattern has a match, as a term of the sort RegLan; undefined for patterns outside the safe subset
 * (docs/spec/conditions.md#regular-expression-functions), whose meaning RE2 decides.
 */
export function matchingTexts(pattern: string): string | undefined {
  const parsed = parseSafeSubset(pattern);
  const body = parsed && encodeLanguage(parsed.body);
  if (parsed === undefined || body === undefined) return undefined;
  const parts = [...(parsed.anchoredStart ? [] : ['re.all']), body, ...(parsed.anchoredEnd ? [] : ['re.all'])];
  return parts.length === 1 ? body : `(re.++ ${parts.join(' ')})`;
}

/** Repetitions are unrolled by solvers. */
const MOST_REPETITIONS = 100;

function encodeLanguage(node: SafeNode): string | undefined {
  switch (node.kind) {
    case 'set':
      return characters(node.set);
    case 'sequence':
      return combined('re.++', '(str.to_re "")', node.items);
    case 'choice':
      return combined('re.union', 're.none', node.branches);
    case 'repeat': {
      const body = encodeLanguage(node.body);
      if (body === undefined || node.min > MOST_REPETITIONS) return undefined;
      if (node.max !== Infinity)
        return node.max > MOST_REPETITIONS ? undefined : `((_ re.loop ${node.min} ${node.max}) ${body})`;
      if (node.min === 0) return `(re.* ${body})`;
      return node.min === 1 ? `(re.+ ${body})` : `(re.++ ((_ re.^ ${node.min}) ${body}) (re.* ${body}))`;
    }
  }
}

function combined(operator: string, empty: string, nodes: readonly SafeNode[]): string | undefined {
  const parts = nodes.map(encodeLanguage);
  if (parts.includes(undefined)) return undefined;
  return parts.length < 2 ? (parts[0] ?? empty) : `(${operator} ${parts.join(' ')})`;
}

/** Undefined if the set cuts the code points that the strings of SMT-LIB do not have. */
function characters(set: CodePointSet): string | undefined {
  const ranges = set.map(([low, high]) => {
    const isOpen = high === 0x10ffff;
    if (!isEncodable(low) || !(isOpen || isEncodable(high))) return undefined;
    return `(re.range ${charConstant(low)} ${isOpen ? '"\\u{2ffff}"' : charConstant(high)})`;
  });
  if (ranges.includes(undefined)) return undefined;
  return ranges.length < 2 ? (ranges[0] ?? 're.none') : `(re.union ${ranges.join(' ')})`;
}

/** Also half of a surrogate pair, which only a range can name. */
function charConstant(code: number): string {
  return code >= 0xd800 && code <= 0xdfff ? `"\\u{${code.toString(16)}}"` : stringConstant(String.fromCodePoint(code));
}
