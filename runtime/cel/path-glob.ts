import { charge } from './meter.js';

/** A glob taken apart; each token but a star takes one code point. */
export type Glob = readonly Token[];

type Token =
  | { readonly kind: 'literal'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** The shell glob of docs/spec/conditions.md#paths: `*`, `?`, `[a-c]`, `[^a]`, no escape; undefined for a bad class. */
export function parseGlob(glob: string): Glob | undefined {
  const chars = [...glob];
  const tokens: Token[] = [];
  let at = 0;
  while (at < chars.length) {
    const char = chars[at] as string;
    at += 1;
    if (char !== '[') {
      tokens.push(char === '*' ? { kind: 'star' } : char === '?' ? { kind: 'any' } : { kind: 'literal', char });
      continue;
    }
    const parsed = parseClass(chars, at);
    if (parsed === undefined) return undefined;
    tokens.push(parsed.token);
    at = parsed.end;
  }
  return tokens;
}

/**
 * Whether the glob takes the whole path. On failure only the last star is tried anew, so the time is their lengths'
 * product.
 */
export function matchesGlob(glob: Glob, path: string): boolean {
  charge(path.length * (glob.some(({ kind }) => kind === 'star') ? stepsOf(glob) : 1));
  const chars = [...path];
  let token = 0;
  let at = 0;
  let star = -1;
  let starEnd = 0;
  while (at < chars.length) {
    const current = glob[token];
    if (current?.kind === 'star') {
      star = token;
      starEnd = at;
      token += 1;
    } else if (current !== undefined && takes(current, chars[at] as string)) {
      token += 1;
      at += 1;
    } else {
      if (star < 0 || chars[starEnd] === '/') return false;
      starEnd += 1;
      at = starEnd;
      token = star + 1;
    }
  }
  return glob.slice(token).every((rest) => rest.kind === 'star');
}

/** One for each token, and for each range of a class. */
function stepsOf(glob: Glob): number {
  return glob.reduce((steps, token) => steps + (token.kind === 'class' ? token.ranges.length : 1), 0);
}

function takes(token: Exclude<Token, { kind: 'star' }>, char: string): boolean {
  switch (token.kind) {
    case 'literal':
      return token.char === char;
    case 'any':
      return char !== '/';
    case 'class':
      return (
        token.ranges.some(([low, high]) => codeOf(low) <= codeOf(char) && codeOf(char) <= codeOf(high)) !==
        token.negated
      );
  }
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}

function parseClass(chars: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = chars[start] === '^';
  const ranges: [string, string][] = [];
  let at = negated ? start + 1 : start;
  while (chars[at] !== ']' || ranges.length === 0) {
    const low = classChar(chars, at);
    if (low === undefined) return undefined;
    at += 1;
    if (chars[at] !== '-') {
      ranges.push([low, low]);
      continue;
    }
    const high = classChar(chars, at + 1);
    if (high === undefined) return undefined;
    at += 2;
    ranges.push([low, high]);
  }
  return { token: { kind: 'class', negated, ranges }, end: at + 1 };
}

/** A hyphen or a bracket cannot be an end of a range, and something must follow. */
function classChar(chars: readonly string[], at: number): string | undefined {
  const char = chars[at];
  return char === '-' || char === ']' || at + 1 >= chars.length ? undefined : char;
}
