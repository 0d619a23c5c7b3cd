/**
 * The glob of docs/spec/policy-language.md#globs by translation to a RegExp: for comparison, as RegExp may backtrack.
 */
export function globMatch(pattern: string, text: string): boolean {
  if (pattern === '*') return true;
  const ends = /^([^*?[{\\]*)\*\*([^*?[{\\]*)$/u.exec(pattern);
  if (ends !== null) return text.startsWith(ends[1] as string) && text.endsWith(ends[2] as string);
  const source = sourceOf(pattern);
  return source !== undefined && new RegExp(`^(?:${source})$`, 'su').test(text);
}

/** A text that is a glob only if it contains a star. */
export function indexMatch(pattern: string, text: string): boolean {
  return pattern.includes('*') ? globMatch(pattern, text) : pattern === text;
}

function sourceOf(pattern: string): string | undefined {
  let source = '';
  let depth = 0;
  for (let rest = pattern; rest !== ''; ) {
    const brackets = /^\[(!?)(?:(.)-(.)\]|((?:\\.|[^\]\\])+)\])/su.exec(rest);
    const [piece, text] =
      rest[0] === '\\'
        ? [rest.slice(0, 2), quote([...rest.slice(1)][0] ?? '')]
        : rest.startsWith('**')
          ? [/^\*+/.exec(rest)?.[0] as string, '.*']
          : rest[0] === '*'
            ? ['*', '[^:]*']
            : rest[0] === '?'
              ? ['?', '[^:]']
              : rest[0] === '['
                ? [brackets?.[0] ?? '', brackets === null ? '' : setOf(brackets)]
                : rest[0] === '{'
                  ? ['{', '(?:']
                  : rest[0] === ',' && depth > 0
                    ? [',', '|']
                    : rest[0] === '}' && depth > 0
                      ? ['}', ')']
                      : [[...rest][0] as string, quote([...rest][0] as string)];
    if (piece === '' || text === undefined) return undefined;
    if (text === '(?:') depth++;
    if (text === ')') depth--;
    source += text;
    rest = rest.slice(Math.max(piece.length, rest[0] === '\\' ? 1 + ([...rest.slice(1)][0] ?? '').length : 0));
  }
  return source + ')'.repeat(depth);
}

function setOf([, negated, low, high, listed]: RegExpExecArray): string | undefined {
  const not = negated === '!' ? '^' : '';
  if (listed !== undefined) {
    if (/^[^\\]-/su.test(listed)) return undefined;
    return `[${not}${[...listed.replace(/\\(.)/gsu, '$1')].map(quote).join('')}]`;
  }
  return (low as string) > (high as string) ? undefined : `[${not}${quote(low as string)}-${quote(high as string)}]`;
}

function quote(character: string): string {
  return character === '' ? '(?:)' : `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
