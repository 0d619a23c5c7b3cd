/** An entry or an item in brackets, or a bracket that closes nothing. */
export interface Part {
  readonly start: number;
  /** The position of its value, if it has a key. */
  readonly value?: number;
  /** The offset after its last character. */
  readonly end: number;
  /** How many brackets it is in. */
  readonly depth: number;
  readonly isStray?: boolean;
  /** The offset of the bracket or the quote that nothing closes, as the layout of the lines says. */
  readonly unclosed?: number;
  /** The start of the line that is outside of it, in the layout, if that is indented like no other beside it. */
  readonly next?: number | undefined;
}

interface Bracket {
  readonly opening: number;
  readonly closer: '}' | ']';
  /** The indentation of its line. */
  readonly indent: number;
  /** The start of its line. */
  readonly line: number;
  /** The indentation of what is in it, if that begins on another line. */
  inner?: number;
  isEmpty: boolean;
  entry: { start: number; value?: number } | undefined;
  /** The bracket or the quote in its entry that nothing closes. */
  unclosed: number | undefined;
}

/**
 * The offset of the outermost bracket that an offset is in, as the layout of the lines says: the lines of what is in it
 * are indented more than its own. Undefined if there is none.
 */
export function openBracketAbove(text: string, offset: number): number | undefined {
  const first = text.search(/\S/);
  if (text[first] === '{' || text[first] === '[') return first;
  let found: number | undefined;
  let column = Number.POSITIVE_INFINITY;
  for (let end = offset; end > 0; ) {
    const line = text.lastIndexOf('\n', end - 1) + 1;
    const written = text.slice(line, end);
    const indent = written.search(/[^ \r]/);
    if (indent >= 0 && indent < column && written[indent] !== '#') {
      const opening = bracketAtEnd(text, line);
      if (opening !== undefined && opening <= offset) found = opening;
      column = indent;
    }
    end = line - 1;
  }
  return found;
}

/**
 * The parts in the bracket at an offset, in the order of their ends. A bracket or a quote that is not closed ends where
 * the layout of the lines says so. Linear in the length of the text.
 */
export function partsInBrackets(text: string, from: number): readonly Part[] {
  const parts: Part[] = [];
  const stack: Bracket[] = [];
  const isWhole = from === text.search(/\S/);
  let line = text.lastIndexOf('\n', from - 1) + 1;
  let indent = indentAt(text, line);
  /** The end of the last token. */
  let last = from;
  let startsToken = true;
  let isFirst = false;
  let at = from;
  while (at < text.length) {
    const character = text[at] as string;
    if (character === '\n') {
      line = at + 1;
      indent = indentAt(text, line);
      isFirst = true;
      at += 1;
      continue;
    }
    if (/\s/.test(character)) {
      at += 1;
      continue;
    }
    if (character === '#' && (at === 0 || /\s/.test(text[at - 1] as string))) {
      at = endOfLine(text, at);
      continue;
    }
    if (isFirst) beginLine(character);
    isFirst = false;
    const top = stack.at(-1);
    if (top === undefined && at > from) return parts;
    if (character === '[' || character === '{') open(character);
    else if (character === ']' || character === '}') close(character);
    else if (character === ',') endEntry();
    else if (character === ':' && isAfterKey()) {
      if (top?.entry && top.entry.value === undefined) top.entry.value = at + 1;
    } else {
      begin();
      if (startsToken && (character === '"' || character === "'")) skipString(character);
    }
    startsToken = /[[{,:]/.test(text[at] as string);
    at += 1;
    last = at;
    if (stack.length === 0) return parts;
  }
  while (stack.length > 0) pop(true);
  return parts;

  function isAfterKey(): boolean {
    return /["']/.test(text[at - 1] as string) || /[\s,[\]{}]/.test(text[at + 1] ?? '\n');
  }

  function begin(): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    top.isEmpty = false;
    top.entry ??= { start: at };
  }

  function open(character: '[' | '{'): void {
    begin();
    const closer = character === '[' ? ']' : '}';
    stack.push({ opening: at, closer, indent, line, isEmpty: true, entry: undefined, unclosed: undefined });
  }

  /** A line that is indented less than what is in a bracket is outside of it. */
  function beginLine(character: string): void {
    const closes = character === ']' || character === '}';
    for (let top = stack.at(-1); top !== undefined && stack.length > (isWhole ? 1 : 0); top = stack.at(-1)) {
      if (top.isEmpty && !closes) top.inner ??= indent;
      const isOutside = closes ? indent < top.indent : indent < Math.min(top.inner ?? indent + 1, top.indent + 1);
      if (!isOutside) break;
      pop(true);
      // Its comma, if it has one, is in what is not closed.
      endEntry(stack.at(-1)?.inner === indent ? undefined : at);
    }
  }

  function close(character: ']' | '}'): void {
    const fits = stack.findLastIndex(({ closer, line: own }) => closer === character && own === line);
    const top = stack.at(-1) as Bracket;
    if (top.closer !== character && fits < 0) {
      parts.push({ start: at, end: at + 1, depth: stack.length, isStray: true });
      return;
    }
    // It may be the wrong one, or the right one is missing.
    const around = stack.at(-2)?.entry;
    if (top.closer !== character && around)
      parts.push({ ...around, end: at + 1, depth: stack.length - 1, unclosed: top.opening });
    if (top.closer !== character) while (stack.length > fits + 1) pop(true);
    pop(false);
  }

  function pop(isUnclosed: boolean): void {
    endEntry();
    const { opening } = stack.pop() as Bracket;
    const around = stack.at(-1);
    if (around && isUnclosed) around.unclosed ??= opening;
  }

  function endEntry(next?: number): void {
    const top = stack.at(-1);
    if (top === undefined) return;
    const { entry, unclosed } = top;
    if (entry)
      parts.push({ ...entry, end: last, depth: stack.length, ...(unclosed !== undefined && { unclosed, next }) });
    top.entry = undefined;
    top.unclosed = undefined;
  }

  /** A string that goes on after its line is not closed. */
  function skipString(quote: string): void {
    const opening = at;
    const end = endOfLine(text, at);
    for (at += 1; at < end; at += 1) {
      if (text[at] === '\\' && quote === '"') at += 1;
      else if (text[at] === quote && quote === "'" && text[at + 1] === quote) at += 1;
      else if (text[at] === quote) return;
    }
    at = end - 1;
    const top = stack.at(-1);
    if (top) top.unclosed ??= opening;
  }
}

/** The offset of the first of the brackets that open at the end of a line. */
function bracketAtEnd(text: string, line: number): number | undefined {
  let found: number | undefined;
  for (let at = endOfLine(text, line) - 1; at >= line && /[[{ \t\r]/.test(text[at] as string); at -= 1)
    if (text[at] === '[' || text[at] === '{') found = at;
  return found;
}

function indentAt(text: string, line: number): number {
  const length = text.slice(line, endOfLine(text, line)).search(/[^ \t]/);
  return Math.max(0, length);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
