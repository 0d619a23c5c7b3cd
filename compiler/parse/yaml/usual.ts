import type { Source } from '../../diagnostics/source.js';
import type { Place } from '../../diagnostics/span.js';
import { MAX_VALUES } from '../limits.js';
import type { YamlEntry, YamlMapping, YamlNode, YamlSequence } from './node.js';
import { typePlainScalar } from './scalar.js';

/**
 * Reads the YAML that most policies are written in: block mappings and sequences of scalars that end on their line, and
 * flow collections on one line. Equals what the YAML package reads, in an eighth of the time
 * (docs/decisions/compiler.md#0116). Undefined for anything else, which includes
 * all that is not well-formed.
 */
export function readUsual(source: Source): YamlMapping | undefined {
  if (UNUSUAL_CHARACTER.test(source.text)) return undefined;
  const root = new UsualReader(source).root();
  return root?.type === 'Mapping' && root.size <= MAX_VALUES ? root : undefined;
}

/** Control characters, those that look like spaces or are halves of a pair, and others that are rare. */
const UNUSUAL_CHARACTER = /\r(?!\n)|[^\r\n -~\u00a1-\u024f]/;

/** Far below the limits of depth, so that these need no check. */
const MAX_USUAL_DEPTH = 30;

// Patterns never backtrack further than a key is long: a policy may be one line of megabytes.
/** A key, and the spaces after its colon. */
const KEY = /([A-Za-z_][\w-]{0,99}):(?: +|(?=\r?\n|$))/y;
const START = /---\r?\n/y;
const DASH = /- +/y;
const SPACES = / */y;
const SPACES_AND_LINES = /[ \r\n]*/y;
const TO_LINE_END = /[^\r\n]*/y;
/** What may follow a value on its line. */
const AFTER_VALUE = /(?: +#[^\r\n]*| *)(?:\r?\n|$)/y;
const DOUBLE = /"[^"\\\r\n]*"/y;
/** Two quotes are one. */
const SINGLE = /'[^'\r\n]*'(?!')/y;
const PLAIN = /[\w(./$][^\r\n]*/y;
const PLAIN_IN_FLOW = /[\w(./$][^\r\n,[\]{}]*/y;
const EMPTY = /\[\]|\{\}/y;
/** A colon that could end a key. */
const KEY_END = /:(?: |$)/;
const KEY_END_IN_FLOW = /:(?![\w*])/;

/** Methods return undefined where the text is not usual; the reader then ends. */
class UsualReader {
  private readonly text: string;
  private at = 0;
  /** The column of the next token of a new line; -1 at the end of the text. */
  private column = 0;
  /** The column of the comment before it that is indented most. */
  private commentColumn = -1;
  /** The end of the line of the last value. */
  private valueEnd = 0;
  /** How many values within collections were read: the reader ends before these take much memory. */
  private values = 0;

  constructor(private readonly source: Source) {
    this.text = source.text;
  }

  root(): YamlNode | undefined {
    this.skip(START);
    this.skipGap();
    if (this.column !== 0) return undefined;
    const root = this.block(0, '$', 1);
    return this.at === this.text.length ? root : undefined;
  }

  private block(column: number, path: string, depth: number): YamlNode | undefined {
    if (depth > MAX_USUAL_DEPTH) return undefined;
    return this.isAtDash() ? this.sequence(column, path, depth) : this.mapping(column, path, depth);
  }

  private mapping(column: number, path: string, depth: number): YamlNode | undefined {
    const start = this.at;
    const entries: YamlEntry[] = [];
    const keys = new Set<string>();
    let colon = -1;
    do {
      const keyAt = this.at;
      const name = this.token(KEY)?.[1];
      if (name === undefined || keys.has(name)) return undefined;
      keys.add(name);
      const keyEnd = keyAt + name.length;
      if (colon === -1) colon = keyEnd;
      const key = this.makeKey(name, keyAt, path);
      const value = this.entryValue(column, key.place.path, depth);
      if (value === undefined || this.column > column) return undefined;
      entries.push({ key, value });
    } while (this.column === column);
    if (!this.isClosed(column)) return undefined;
    return makeMapping(this.place(start, this.valueEnd, path, colon), entries);
  }

  /** A value on the line of its key, or on the lines below. */
  private entryValue(column: number, path: string, depth: number): YamlNode | undefined {
    if (!this.skip(AFTER_VALUE)) return this.lineValue(column, path, depth);
    this.skipGap();
    if (this.column > column || (this.column === column && this.isAtDash()))
      return this.block(this.column, path, depth + 1);
    return undefined;
  }

  private sequence(column: number, path: string, depth: number): YamlNode | undefined {
    const start = this.at;
    const items: YamlNode[] = [];
    do {
      const dashAt = this.at;
      if (!this.skip(DASH)) return undefined;
      const itemPath = `${path}[${items.length}]`;
      const item = isMatch(KEY, this.text, this.at)
        ? this.mapping(column + this.at - dashAt, itemPath, depth + 1)
        : this.lineValue(column, itemPath, depth);
      if (item === undefined || this.column > column) return undefined;
      items.push(item);
    } while (this.column === column && this.isAtDash());
    if (!this.isClosed(column)) return undefined;
    return makeSequence(this.place(start, this.valueEnd, path), items);
  }

  /** A value that ends on its line, and the gap after it. */
  private lineValue(column: number, path: string, depth: number): YamlNode | undefined {
    const value = this.value(path, depth, false);
    if (value === undefined || !this.skip(AFTER_VALUE)) return undefined;
    this.valueEnd = this.at;
    this.skipGap();
    // The next line would continue this one.
    return this.column > column ? undefined : value;
  }

  private value(path: string, depth: number, isInFlow: boolean): YamlNode | undefined {
    this.values += 1;
    if (this.values > MAX_VALUES) return undefined;
    switch (this.text.charAt(this.at)) {
      case '"':
        return this.quoted(DOUBLE, 'double', path);
      case "'":
        return this.quoted(SINGLE, 'single', path);
      case '[':
        return this.flowSequence(path, depth + 1);
      case '{':
        return this.flowMapping(path, depth + 1);
    }
    return this.plain(path, isInFlow);
  }

  private plain(path: string, isInFlow: boolean): YamlNode | undefined {
    const start = this.at;
    const [line] = this.token(isInFlow ? PLAIN_IN_FLOW : PLAIN) ?? [];
    if (line === undefined) return undefined;
    const comment = line.indexOf(' #');
    if (comment !== -1 && isInFlow) return undefined;
    const written = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
    if ((isInFlow ? KEY_END_IN_FLOW : KEY_END).test(written)) return undefined;
    this.at = start + written.length;
    const place = this.place(start, this.at, path);
    const { type, text } = typePlainScalar(written);
    if (type === 'Nan' || type === 'Infinity') return { type, place, size: 1, depth: 0 };
    return { type, text, style: 'plain', written: { notation: 'plain', span: place.span }, place, size: 1, depth: 0 };
  }

  private quoted(pattern: RegExp, notation: 'single' | 'double', path: string): YamlNode | undefined {
    const start = this.at;
    const [written] = this.token(pattern) ?? [];
    if (written === undefined) return undefined;
    return {
      type: 'String',
      text: written.slice(1, -1),
      style: 'quoted',
      written: { notation, span: { source: this.source, start: start + 1, end: this.at - 1 } },
      place: this.place(start, this.at, path),
      size: 1,
      depth: 0,
    };
  }

  private flowSequence(path: string, depth: number): YamlNode | undefined {
    const start = this.at;
    const items: YamlNode[] = [];
    if (depth > MAX_USUAL_DEPTH) return undefined;
    if (this.skip(EMPTY)) return makeSequence(this.place(start, this.at, path), items);
    do {
      this.skipOne();
      const item = this.value(`${path}[${items.length}]`, depth, true);
      if (item === undefined) return undefined;
      items.push(item);
      this.skip(SPACES);
    } while (this.text.charAt(this.at) === ',');
    if (this.text.charAt(this.at) !== ']') return undefined;
    this.at += 1;
    return makeSequence(this.place(start, this.at, path), items);
  }

  private flowMapping(path: string, depth: number): YamlNode | undefined {
    const start = this.at;
    const entries: YamlEntry[] = [];
    const keys = new Set<string>();
    if (depth > MAX_USUAL_DEPTH) return undefined;
    if (this.skip(EMPTY)) return makeMapping(this.place(start, this.at, path), entries);
    do {
      this.skipOne();
      const keyAt = this.at;
      const name = this.token(KEY)?.[1];
      if (name === undefined || keys.has(name)) return undefined;
      keys.add(name);
      const key = this.makeKey(name, keyAt, path);
      const value = this.value(key.place.path, depth, true);
      if (value === undefined) return undefined;
      entries.push({ key, value });
      this.skip(SPACES);
    } while (this.text.charAt(this.at) === ',');
    if (this.text.charAt(this.at) !== '}') return undefined;
    this.at += 1;
    return makeMapping(this.place(start, this.at, path), entries);
  }

  /** A bracket or comma, and the spaces after it. */
  private skipOne(): void {
    this.at += 1;
    this.skip(SPACES);
  }

  /** Moves over empty lines and comments to the next token. */
  private skipGap(): void {
    this.commentColumn = -1;
    for (this.skip(SPACES_AND_LINES); this.text.charAt(this.at) === '#'; this.skip(SPACES_AND_LINES)) {
      this.commentColumn = Math.max(this.commentColumn, this.findColumn(this.at));
      this.skip(TO_LINE_END);
    }
    this.column = this.at === this.text.length ? -1 : this.findColumn(this.at);
  }

  private findColumn(offset: number): number {
    return offset === 0 ? 0 : offset - this.text.lastIndexOf('\n', offset - 1) - 1;
  }

  /** The YAML package counts comments that are indented as a block to the block, which is then longer. */
  private isClosed(column: number): boolean {
    return this.commentColumn < Math.max(column, 1);
  }

  private isAtDash(): boolean {
    return isMatch(DASH, this.text, this.at);
  }

  private token(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text) ?? undefined;
    if (match !== undefined) this.at = pattern.lastIndex;
    return match;
  }

  private skip(pattern: RegExp): boolean {
    const isFound = isMatch(pattern, this.text, this.at);
    if (isFound) this.at = pattern.lastIndex;
    return isFound;
  }

  private makeKey(text: string, at: number, path: string): YamlEntry['key'] {
    return { type: typePlainScalar(text).type, text, place: this.place(at, at + text.length, `${path}.${text}`) };
  }

  private place(start: number, end: number, path: string, anchor = start): Place {
    return { span: { source: this.source, start, end }, anchor, path };
  }
}

function isMatch(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

function makeMapping(place: Place, entries: readonly YamlEntry[]): YamlMapping {
  let [size, depth] = [1, 0];
  for (const { value } of entries) {
    size += value.size;
    depth = Math.max(depth, value.depth);
  }
  return { type: 'Mapping', place, size, depth: depth + 1, entries };
}

function makeSequence(place: Place, items: readonly YamlNode[]): YamlSequence {
  let [size, depth] = [1, 0];
  for (const item of items) {
    size += item.size;
    depth = Math.max(depth, item.depth);
  }
  return { type: 'Sequence', place, size, depth: depth + 1, items };
}
