import { blanked, endOfLine, isBlank, type Masked, nextLine, withPlaceholder, writtenLineAt } from './masked.js';

/** The lines that are most likely at fault: those of the problem, and those before them. */
export function linesNear(
  text: string,
  { offset, start }: { readonly offset: number; readonly start: number },
): ReadonlySet<number> {
  const lines = new Set<number>();
  for (const at of [start, offset]) {
    const line = writtenLineAt(text, at);
    lines.add(line);
    lines.add(writtenLineAt(text, line - 1));
  }
  return lines;
}

/** The lines of the entries and items that a line is in, the innermost first. */
export function* parentsOf(text: string, line: number): Iterable<number> {
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
export function* masksOf(text: string, line: number): Iterable<Masked> {
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
