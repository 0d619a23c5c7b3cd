/** Keys, and 0 for items of lists, from the root of a document. */
export type Path = readonly (string | number)[];

/** What is being written at a position of a YAML document, which need not be well-formed. */
export interface YamlCursor {
  /** A key of the mapping at `path`, or the value at `path`. */
  readonly kind: 'key' | 'value';
  readonly path: Path;
  /** What is written of it before the position, without quotes, escapes and indentation. */
  readonly written: string;
  /** The other keys of the mapping. */
  readonly siblings: ReadonlySet<string>;
}

/** The maximum number of lines that are looked at above and below a position. */
const MOST_LINES = 5_000;

/**
 * Reads what is being written at an offset. While somebody writes, the document seldom parses, so mappings and lists
 * are told from the indentation of the lines above; flow collections from the line that they are on.
 */
export function yamlCursor(text: string, offset: number): YamlCursor {
  const from = Math.max(0, offset - 1_000_000);
  const above = text
    .slice(from, offset)
    .split(/\r\n|\r|\n/)
    .slice(-MOST_LINES);
  const below = text
    .slice(offset, offset + 1_000_000)
    .split(/\r\n|\r|\n/, MOST_LINES)
    .slice(1);
  const current = above.pop() as string;
  const inner = measureIndent(current) ?? current.length;
  return continued(above, current, inner) ?? onLine(above, current, below);
}

/** A line in a block scalar, or in a plain or quoted one that goes on. */
function continued(above: readonly string[], current: string, indent: number): YamlCursor | undefined {
  const header = above.findLastIndex((line) => (measureIndent(line) ?? Number.POSITIVE_INFINITY) < indent);
  if (header < 0) return undefined;
  const { key, column, value } = splitLine(above[header] as string);
  // The first key of an item has its indentation from the dash.
  if (key === undefined || column >= indent || value === '' || /^[[{&*#]/.test(value)) return undefined;
  const lines = [...above.slice(header + 1), current].map((line) => line.trimStart());
  const isBlock = /^[|>][-+0-9]*\s*(?:#.*)?$/.test(value);
  if (isBlock) return valueAt(pathTo(above.slice(0, header), above[header] as string), lines.join('\n'));
  if (isClosed(value)) return undefined;
  return valueAt(pathTo(above.slice(0, header), above[header] as string), unquoted([value, ...lines].join(' ')));
}

function onLine(above: readonly string[], current: string, below: readonly string[]): YamlCursor {
  const { key, value, column, dashes } = splitLine(current);
  const rest = key === undefined ? current.slice(column) : value;
  const path = pathTo(above, current);
  if (/^[[{]/.test(rest)) return inFlow(path, rest);
  if (key !== undefined) return valueAt(path, unquoted(value));
  const written = unquoted(rest);
  const siblings = new Set([...keysAt(above.toReversed(), column, dashes.length > 0), ...keysAt(below, column, false)]);
  return { kind: 'key', path, written, siblings };
}

function valueAt(path: Path, written: string): YamlCursor {
  return { kind: 'value', path, written, siblings: new Set() };
}

/** The parts of a line: `  - key: value`. */
interface LineParts {
  /** The columns of dashes. */
  readonly dashes: readonly number[];
  /** The column of what follows the dashes. */
  readonly column: number;
  readonly key: string | undefined;
  /** What follows the key and a tag of the value, or an empty string. */
  readonly value: string;
}

function splitLine(line: string): LineParts {
  const dashes: number[] = [];
  let column = measureIndent(line) ?? line.length;
  while (line[column] === '-' && (line[column + 1] === ' ' || column + 1 === line.length)) {
    dashes.push(column);
    column += 1;
    while (line[column] === ' ') column += 1;
  }
  const found = /^(?:"([^"\\]*)"|'([^']*)'|([\w$.-]+)) *:(?: +|$)/.exec(line.slice(column, column + 1_000));
  if (found === null) return { dashes, column, key: undefined, value: '' };
  const key = found[1] ?? found[2] ?? (found[3] as string);
  return { dashes, column, key, value: line.slice(column + found[0].length).replace(TAG, '') };
}

/** A tag such as `!!str`; the compiler ignores those of values. */
const TAG = /^![^\s,[\]{}]*\s+/;

/** Undefined for a line that is empty or a comment. */
function measureIndent(line: string): number | undefined {
  const indent = line.search(/[^ ]/);
  return indent < 0 || line[indent] === '#' ? undefined : indent;
}

/** The path of the value of the key on a line, or of the mapping or list that the line is in. */
function pathTo(above: readonly string[], line: string): Path {
  const steps: (string | number)[] = [];
  const { dashes, column, key } = splitLine(line);
  if (key !== undefined) steps.push(key);
  let limit = column;
  for (const dash of dashes.toReversed()) {
    steps.push(0);
    limit = dash;
  }
  let isItem = dashes.length > 0;
  for (let row = above.length - 1; row >= 0 && (limit > 0 || isItem); row -= 1) {
    const upper = above[row] as string;
    if (measureIndent(upper) === undefined) continue;
    const parts = splitLine(upper);
    // A list may have the indentation of its key.
    if (parts.key !== undefined && (parts.column < limit || (isItem && parts.column === limit))) {
      steps.push(parts.key);
      limit = parts.column;
      isItem = false;
    }
    for (const dash of parts.dashes.toReversed()) {
      if (dash >= limit) continue;
      steps.push(0);
      limit = dash;
      isItem = true;
    }
  }
  return steps.reverse();
}

/** The keys in a column until the mapping ends. */
function* keysAt(lines: Iterable<string>, column: number, isFirst: boolean): Generator<string> {
  if (isFirst) return;
  for (const line of lines) {
    const indent = measureIndent(line);
    if (indent === undefined) continue;
    const parts = splitLine(line);
    if (parts.key !== undefined && parts.column === column) yield parts.key;
    if (indent < column) return;
  }
}

/** Whether a quoted string ends on its line; a plain one may go on. */
function isClosed(value: string): boolean {
  const quote = value[0];
  if (quote !== '"' && quote !== "'") return false;
  return new RegExp(quote === '"' ? '^"(?:[^"\\\\]|\\\\.)*"' : "^'(?:[^']|'')*'").test(value);
}

function unquoted(value: string): string {
  if (value.startsWith('"')) return value.slice(1).replace(/\\(.)/g, '$1');
  return value.startsWith("'") ? value.slice(1).replaceAll("''", "'") : value;
}

interface Frame {
  readonly isMap: boolean;
  readonly keys: Set<string>;
  key: string | undefined;
}

/** A position in a flow collection, such as `{ match: { expr: "R.`. */
function inFlow(outer: Path, text: string): YamlCursor {
  const frames: Frame[] = [];
  let token = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    const frame = frames.at(-1);
    if ((character === '"' || character === "'") && token.trim() === '') {
      const end = endOfQuoted(text, at);
      token = unquoted(text.slice(at, end));
      at = end;
    } else if (character === '{' || character === '[') {
      frames.push({ isMap: character === '{', keys: new Set(), key: undefined });
      token = '';
    } else if (character === '}' || character === ']') {
      frames.pop();
      token = '';
    } else if (character === ',' && frame !== undefined) {
      frame.key = undefined;
      token = '';
    } else if (character === ':' && frame?.isMap === true && frame.key === undefined) {
      frame.key = token.trim();
      frame.keys.add(frame.key);
      token = '';
    } else token += character;
  }
  const steps = frames.flatMap(({ isMap, key }) => (isMap ? (key ?? []) : 0));
  const last = frames.at(-1);
  const path = [...outer, ...steps];
  const written = token.trimStart();
  if (last?.isMap === true && last.key === undefined) return { kind: 'key', path, written, siblings: last.keys };
  return valueAt(path, written);
}

/** The offset of the closing quote; the end of the text if there is none. */
function endOfQuoted(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\' && quote === '"') at += 1;
    else if (text[at] === quote) {
      if (quote !== "'" || text[at + 1] !== "'") return at;
      at += 1;
    }
  }
  return text.length;
}
