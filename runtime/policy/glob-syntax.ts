/** The separator that `*` and `?` do not match (docs/spec/policy-language.md#globs). */
export const SEPARATOR = ':';

/** A piece of a glob. Characters are code points. */
export type GlobToken =
  | { readonly kind: 'text'; readonly text: string }
  /** `?` */
  | { readonly kind: 'one' }
  /** `*` */
  | { readonly kind: 'star' }
  /** `**` and longer */
  | { readonly kind: 'anything' }
  /** `[abc]`, `[!abc]` */
  | { readonly kind: 'list'; readonly negated: boolean; readonly characters: string }
  /** `[a-c]`, `[!a-c]` */
  | { readonly kind: 'range'; readonly negated: boolean; readonly first: string; readonly last: string }
  /** `{`, `,` and `}` of alternatives, balanced: a brace left open is closed at the end. */
  | { readonly kind: 'open' | 'or' | 'close' };

/** Reads a glob; undefined when it is not one, as with `[*` or `[z-a]` (docs/spec/policy-language.md#globs). */
export function parseGlob(pattern: string): readonly GlobToken[] | undefined {
  const characters = [...pattern];
  const tokens: GlobToken[] = [];
  let text = '';
  let depth = 0;
  let at = 0;

  const flush = (): void => {
    if (text !== '') tokens.push({ kind: 'text', text });
    text = '';
  };
  const push = (token: GlobToken): void => {
    flush();
    tokens.push(token);
  };

  while (at < characters.length) {
    const character = characters[at++] as string;
    if (character === '\\') {
      text += characters[at++] ?? '';
    } else if (character === '*') {
      const first = at;
      while (characters[at] === '*') at++;
      push({ kind: at === first ? 'star' : 'anything' });
    } else if (character === '?') {
      push({ kind: 'one' });
    } else if (character === '[') {
      const brackets = parseBrackets(characters, at);
      if (brackets === undefined) return undefined;
      push(brackets.token);
      at = brackets.end;
    } else if (character === '{') {
      push({ kind: 'open' });
      depth++;
    } else if (character === ',' && depth > 0) {
      push({ kind: 'or' });
    } else if (character === '}' && depth > 0) {
      push({ kind: 'close' });
      depth--;
    } else {
      text += character;
    }
  }
  flush();
  for (; depth > 0; depth--) tokens.push({ kind: 'close' });
  return tokens;
}

/** The content of brackets, `at` being after the opening one: exactly one range, or a list. */
function parseBrackets(characters: readonly string[], at: number): { token: GlobToken; end: number } | undefined {
  const negated = characters[at] === '!';
  const start = negated ? at + 1 : at;
  const first = characters[start];
  if (first === undefined) return undefined;

  if (characters[start + 1] === '-') {
    const last = characters[start + 2];
    if (last === undefined || characters[start + 3] !== ']' || readCode(last) < readCode(first)) return undefined;
    return { token: { kind: 'range', negated, first, last }, end: start + 4 };
  }

  let listed = '';
  for (let i = start; i < characters.length; i++) {
    const character = characters[i] as string;
    if (character === ']')
      return listed === '' ? undefined : { token: { kind: 'list', negated, characters: listed }, end: i + 1 };
    listed += character === '\\' ? (characters[++i] ?? '') : character;
  }
  return undefined;
}

function readCode(character: string): number {
  return character.codePointAt(0) as number;
}
