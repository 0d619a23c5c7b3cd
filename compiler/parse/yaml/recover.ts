import type { Diagnostics } from '../../diagnostics/diagnostic.js';
import type { Source } from '../../diagnostics/source.js';
import type { Place } from '../../diagnostics/span.js';
import type { Mask } from './mask.js';

/** A problem for which a text is not well-formed. */
export interface SyntaxProblem {
  readonly offset: number;
  /** Where the bracket or the quote opens that the offset is in; otherwise the offset. */
  readonly start: number;
  /** Problems with the same cause are reported as one. */
  readonly cause?: string;
  readonly place: Place;
  readonly reportTo: (report: Diagnostics, others: readonly Place[]) => void;
}

/** A text that is not well-formed. */
export interface Malformed {
  /** The first problem, or several that do not depend on each other. */
  readonly problems: readonly SyntaxProblem[];
  /** How many errors the YAML package made, each of which takes as long as many characters. */
  readonly errors?: number;
  /** Whether nothing else can be read. */
  readonly isFatal?: boolean;
}

interface Recovered<Read> {
  readonly read: Read | Malformed;
  readonly problems: readonly SyntaxProblem[];
  readonly masks: readonly Mask[];
}

/** The maximum number of syntax errors of a file. */
const MOST_PROBLEMS = 20;
/** The maximum number of texts that are tried, and of their characters. An error counts as so many. */
const MOST_TRIES = 300;
const MOST_CHARACTERS = 1024 * 1024;
const CHARACTERS_PER_ERROR = 64;

/**
 * Reads a text without the parts that are not well-formed. For each problem, the smallest part is taken out without which
 * the text is well-formed as far as the end of that part: a value, an entry or an item, then those around them. YAML that
 * is written in brackets has no such parts.
 */
export function recover<Read extends object>(
  { text: whole }: Source,
  read: (text: string) => Read | Malformed,
): Recovered<Read> {
  const problems: SyntaxProblem[] = [];
  const masks: Mask[] = [];
  let text = whole;
  let result = read(text);
  let tries = MOST_TRIES;
  let characters = MOST_CHARACTERS;
  while ('problems' in result) {
    problems.push(...result.problems.filter(isNew));
    if (result.isFatal || problems.length >= MOST_PROBLEMS || /^\s*[[{]/.test(text)) break;
    const [first] = result.problems;
    const found = first && tryMasks(first);
    if (found === undefined) break;
    masks.push(found.mask);
    text = found.text;
    result = found.result;
  }
  return { read: result, problems, masks };

  /** A problem beside another one has the same cause. */
  function isNew({ offset, start }: SyntaxProblem): boolean {
    const isBeside = masks.some(({ lines }) => lines.start <= start && start <= lines.end);
    return !isBeside && problems.every((known) => known.offset !== offset);
  }

  /**
   * Of the parts near a problem, one without which there is no other problem; otherwise the first without which there is
   * none on its lines, or none in it. Then the first of these parts around them.
   */
  function tryMasks(problem: SyntaxProblem): Tried | undefined {
    const near = linesNear(text, problem);
    let best: Tried | undefined;
    for (const line of near) {
      for (const masked of masksOf(text, line)) {
        const tried = tryMask(masked);
        if (tried === undefined || tried.reach === Number.POSITIVE_INFINITY) return tried ?? best;
        if (rank(tried) > (best === undefined ? 0 : rank(best))) best = tried;
      }
    }
    if (best !== undefined) return best;
    for (const line of parentsOf(text, Math.min(...near))) {
      for (const masked of masksOf(text, line)) {
        const tried = tryMask(masked);
        if (tried === undefined || rank(tried) > 0) return tried;
      }
    }
    return undefined;
  }

  /** Undefined if there were too many tries. */
  function tryMask(masked: Masked): Tried | undefined {
    if (tries <= 0 || characters < whole.length) return undefined;
    const next = read(masked.text);
    tries -= 1;
    characters -= whole.length + ('problems' in next ? CHARACTERS_PER_ERROR * (next.errors ?? 1) : 0);
    const reach = 'problems' in next ? Math.min(...next.problems.map(({ start }) => start)) : Number.POSITIVE_INFINITY;
    return { ...masked, result: next, reach };
  }

  function rank({ mask, reach }: Tried): 0 | 1 | 2 {
    return reach > mask.lines.end ? 2 : reach > mask.end ? 1 : 0;
  }

  interface Tried extends Masked {
    readonly result: Read | Malformed;
    /** The offset of the next problem. */
    readonly reach: number;
  }
}

interface Masked {
  readonly text: string;
  readonly mask: Mask;
}

/** The lines that are most likely at fault: those of the problem, and those before them. */
function linesNear(text: string, { offset, start }: SyntaxProblem): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const at of [start, offset]) {
    const line = writtenLineAt(text, at);
    lines.add(line);
    lines.add(writtenLineAt(text, line - 1));
  }
  return lines;
}

/** The start of the line at an offset, or of the last one before it that has text. */
function writtenLineAt(text: string, offset: number): number {
  let line = text.lastIndexOf('\n', Math.max(0, offset) - 1) + 1;
  while (line > 0 && isBlank(text, line)) line = text.lastIndexOf('\n', line - 2) + 1;
  return line;
}

/** The lines of the entries and items that a line is in, the innermost first. */
function* parentsOf(text: string, line: number): Iterable<number> {
  let column = columnAt(text, line);
  for (let at = line; at > 0 && column > 0; ) {
    at = text.lastIndexOf('\n', at - 2) + 1;
    if (isBlank(text, at) || columnAt(text, at) >= column) continue;
    column = columnAt(text, at);
    yield at;
  }
}

const LINE = /[ \t]*((?:- +)*)(?:("[^"\n]*"|'[^'\n]*'|[\w$<][^\n:#]*):(?=\s|$))?/y;

/** The value of a line, its entry, its item, and the line with all that is indented below it. */
function* masksOf(text: string, line: number): Iterable<Masked> {
  LINE.lastIndex = line;
  const [prefix = '', dashes = '', key] = LINE.exec(text) ?? [];
  const indent = columnOf(text, line, key !== undefined);
  const lineEnd = endOfLine(text, line);
  const content = line + text.slice(line, lineEnd).search(/[^ \t]/) + dashes.length;
  const below = endBelow(text, line, indent + dashes.length, key !== undefined);
  if (key !== undefined) yield* withPlaceholder(text, line + prefix.length, below, 'x');
  // An entry of its own stands for the line, so that the others of its mapping stay.
  const goesOn = key === undefined && dashes === '';
  yield* withPlaceholder(text, content, below, 'x:', goesOn);
  if (lineEnd < below) yield* withPlaceholder(text, content, lineEnd, 'x:', goesOn);
  if (dashes !== '') {
    yield* withPlaceholder(text, content, endBelow(text, line, indent, false), 'x');
    // An item with another indentation than the others of its list ends before them.
    yield blanked(text, line, endBelow(text, line, indent + dashes.length - 1, false));
  }
  yield blanked(text, line, endBelow(text, line, indent, false));
}

/**
 * The text with a scalar, or with a key without a value, in place of a part. Nothing if the part has no room for it.
 *
 * @param goesOn whether the part may belong to the value before it.
 */
function* withPlaceholder(
  text: string,
  start: number,
  end: number,
  instead: 'x' | 'x:',
  goesOn = false,
): Iterable<Masked> {
  const placeholder = start + text.slice(start, end).search(/[^ \t\r\n]/);
  const rest = placeholder + instead.length;
  if (placeholder < start || rest > end || /[ \t\r\n]/.test(text.slice(placeholder, rest))) return;
  yield {
    text: text.slice(0, placeholder) + instead + blank(text.slice(rest, end)) + text.slice(end),
    mask: {
      start,
      end,
      lines: linesAround(text, start, end),
      placeholder,
      ...(goesOn && { after: endBefore(text, start) }),
    },
  };
}

/** The text without a part: something is missing from what stands before it, and from what it stood in. */
function blanked(text: string, start: number, end: number): Masked {
  return {
    text: text.slice(0, start) + blank(text.slice(start, end)) + text.slice(end),
    mask: { start, end, lines: linesAround(text, start, end), after: endBefore(text, start) },
  };
}

function linesAround(text: string, start: number, end: number): Mask['lines'] {
  const line = writtenLineAt(text, start);
  return { start: writtenLineAt(text, line - 1), end: endOfLine(text, Math.min(nextLine(text, end), text.length)) };
}

/** The offset of the last character before an offset that is not white space. */
function endBefore(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length - 1;
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

/** The end of the last line after a line that is indented more than a column, or is an item of the list of its key. */
function endBelow(text: string, line: number, column: number, isKey: boolean): number {
  let end = endOfLine(text, line);
  for (let next = end + 1; next < text.length; next = endOfLine(text, next) + 1) {
    if (isBlank(text, next)) continue;
    const indent = columnAt(text, next);
    const isItem = isKey && indent === column && /^-\s/.test(text.slice(next + indent, next + indent + 2));
    if (indent <= column && !isItem) break;
    end = endOfLine(text, next);
  }
  return end;
}

/** The start of the first line after an offset that has text. */
function nextLine(text: string, offset: number): number {
  let line = endOfLine(text, offset) + 1;
  while (line < text.length && isBlank(text, line)) line = endOfLine(text, line) + 1;
  return line;
}

function endOfLine(text: string, line: number): number {
  const end = text.indexOf('\n', line);
  return end < 0 ? text.length : end;
}

function isBlank(text: string, line: number): boolean {
  return /^[ \t\r]*(?:#|$)/.test(text.slice(line, endOfLine(text, line)));
}

/** The column of a line. That of a key that is indented with tabs is before what stands below it. */
function columnOf(text: string, line: number, isKey: boolean): number {
  const column = columnAt(text, line);
  const isAlone = isKey && /:[ \t\r]*$/.test(text.slice(line, endOfLine(text, line)));
  return isAlone && column === Number.POSITIVE_INFINITY ? columnAt(text, nextLine(text, line)) - 1 : column;
}

/** The number of spaces before a line. Tabs have no column: nothing is below a line that is indented with them. */
function columnAt(text: string, line: number): number {
  const [indent = ''] = /^[ \t]*/.exec(text.slice(line, endOfLine(text, line))) ?? [];
  return indent.includes('\t') ? Number.POSITIVE_INFINITY : indent.length;
}
