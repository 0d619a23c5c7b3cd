import { globAutomaton } from './glob-automaton.js';
import { type GlobToken, parseGlob, SEPARATOR } from './glob-syntax.js';
import type { Matcher } from './policy.js';

/** A matcher of whole strings, case-sensitive; an invalid glob matches nothing (docs/spec/policy-language.md#globs). */
export function glob(pattern: string): Matcher {
  if (pattern === '*') return matchesAll;
  const tokens = parseGlob(pattern);
  if (tokens === undefined) return matchesNone;
  return simpleGlob(tokens) ?? globAutomaton(tokens);
}

/**
 * A matcher of a string that is a glob only if it contains `*`, and otherwise matches itself
 * (docs/spec/policy-language.md#where-a-string-is-a-glob, "Where a text is treated as a glob").
 */
export function literalOrGlob(text: string): Matcher {
  return text.includes('*') ? glob(text) : literal(text);
}

/**
 * A matcher of an action that a role policy allows: both the string itself and its matches as a glob
 * (docs/spec/policy-language.md#globs).
 */
export function literalAndGlob(text: string): Matcher {
  return anyOf([literal(text), glob(text)]);
}

/** Matches a string if at least one of the matchers does. */
export function anyOf(matchers: readonly Matcher[]): Matcher {
  const [first] = matchers;
  if (first !== undefined && matchers.length === 1) return first;
  return (text) => {
    for (const matches of matchers) if (matches(text)) return true;
    return false;
  };
}

/** The globs that are common in policies, `view:*`, `view*`, `a:**`, `*:read`, without the automaton. */
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
