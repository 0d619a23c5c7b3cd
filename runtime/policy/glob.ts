import { globAutomaton } from './glob-automaton.js';
import { type GlobToken, parseGlob, SEPARATOR } from './glob-syntax.js';
import type { Matcher } from './policy.js';

/**
 * The texts a glob matches, whole and case-sensitive; one that is no valid glob matches none
 * (docs/spec/policy-language.md#globs).
 */
export function glob(pattern: string): Matcher {
  if (pattern === '*') return matchesAll;
  const tokens = parseGlob(pattern);
  if (tokens === undefined) return matchesNone;
  return simpleGlob(tokens) ?? globAutomaton(tokens);
}

/**
 * A text of a policy that is a glob only if it contains `*`, and itself otherwise
 * (docs/spec/policy-language.md#where-a-string-is-a-glob, "Where a text is treated as a glob").
 */
export function literalOrGlob(text: string): Matcher {
  return text.includes('*') ? glob(text) : literal(text);
}

/**
 * An action a role policy allows: both the text itself and what it matches as a glob
 * (docs/spec/policy-language.md#globs).
 */
export function literalAndGlob(text: string): Matcher {
  return anyOf([literal(text), glob(text)]);
}

/** What at least one of the matchers matches. */
export function anyOf(matchers: readonly Matcher[]): Matcher {
  const [first] = matchers;
  if (first !== undefined && matchers.length === 1) return first;
  return (text) => {
    for (const matches of matchers) if (matches(text)) return true;
    return false;
  };
}

/** The globs people write, `view:*`, `view*`, `a:**`, `*:read`, without the automaton. */
function simpleGlob(tokens: readonly GlobToken[]): Matcher | undefined {
  const [first, second, third] = tokens;
  if (first === undefined) return literal('');
  if (tokens.length === 1 && first.kind === 'text') return literal(first.text);
  if (tokens.length === 1) return around('', first, '');
  if (tokens.length === 2 && first.kind === 'text' && second !== undefined) return around(first.text, second, '');
  if (tokens.length === 2 && second?.kind === 'text') return around('', first, second.text);
  if (tokens.length === 3 && first.kind === 'text' && second !== undefined && third?.kind === 'text') {
    return around(first.text, second, third.text);
  }
  return undefined;
}

function around(start: string, middle: GlobToken, end: string): Matcher | undefined {
  if (middle.kind === 'star') return (text) => surrounds(text, start, end);
  // Start and end may overlap: `a:**:c` matches `a:c` (4.3, deviation 1).
  if (middle.kind === 'anything') return (text) => text.startsWith(start) && text.endsWith(end);
  return undefined;
}

function surrounds(text: string, start: string, end: string): boolean {
  const last = text.length - end.length;
  if (last < start.length || !text.startsWith(start) || !text.endsWith(end)) return false;
  const separator = text.indexOf(SEPARATOR, start.length);
  return separator === -1 || separator >= last;
}

function literal(expected: string): Matcher {
  return (text) => text === expected;
}

function matchesAll(): boolean {
  return true;
}

function matchesNone(): boolean {
  return false;
}
