import type { Span } from '../diagnostics/span.js';
import { append } from '../append.js';
import { lineCount, type ModuleExport, type Printed, type PrintedPlace } from '../ir/emitted-file.js';
import { type PieceKind, PieceList } from '../ir/pieces.js';

/**
 * Text with places where it may break: a group stays on one line if it fits, otherwise each of its line breaks is
 * taken, but not those of nested groups.
 */
export type Doc = string | readonly Doc[] | Node;

// All have the same fields in the same order, and few have more: V8 then finds a field without a search.
type Node =
  | Container
  /**
   * A space, or nothing, that a broken group turns into a new line; `content` is printed only then, before the break.
   */
  | { readonly kind: 'line'; readonly text: string; readonly content: string; readonly width: number }
  /** Text that is printed only in a broken group. */
  | { readonly kind: 'when-broken'; readonly text: string; readonly content: undefined; readonly width: number }
  /** A new line, always; a group with one in it does not fit. */
  | { readonly kind: 'hard-line'; readonly text: ''; readonly content: undefined; readonly width: number }
  | Leaf;

/** `width` is that of the content on one line, once it was measured; negative before. */
type Container =
  | { readonly kind: 'group' | 'indent'; readonly text: ''; readonly content: Doc; width: number }
  /** Code that translates the text of a policy at `span`. */
  | {
      readonly kind: 'authored';
      readonly text: '';
      readonly content: Doc;
      width: number;
      readonly span: Span;
      readonly isCopy: boolean;
    };

/** Docs that look the same in any group. */
type Leaf =
  /** A literal or a comment. What follows needs to know where these are, and is told instead of reading the code. */
  | {
      readonly kind: 'literal' | 'comment';
      readonly text: string;
      readonly content: undefined;
      readonly width: number;
    }
  /** Code that mentions a name, `content`, which has to be imported or to be a parameter. */
  | { readonly kind: 'mention'; readonly text: string; readonly content: string; readonly width: number }
  /** The beginning of an exported declaration, up to its name. */
  | {
      readonly kind: 'export';
      readonly text: string;
      readonly content: undefined;
      readonly width: number;
      readonly isMentioned: boolean;
    }
  /** Code that was printed before. */
  | {
      readonly kind: 'printed';
      readonly text: string;
      readonly content: undefined;
      readonly width: number;
      readonly printed: Printed;
    }
  /** The end of authored code. */
  | {
      readonly kind: 'end';
      readonly text: '';
      readonly content: undefined;
      readonly width: number;
      readonly span: Span;
      readonly isCopy: boolean;
    };

/** A space or a new line. */
export const line: Doc = { kind: 'line', text: ' ', content: '', width: 1 };
/** Nothing or a new line. */
export const softLine: Doc = { kind: 'line', text: '', content: '', width: 0 };
/** The end of a bracketed list: nothing, or a trailing comma and a new line. */
const lastComma: Doc = { kind: 'line', text: '', content: ',', width: 0 };

export const whenBroken = (text: string): Doc => ({ kind: 'when-broken', text, content: undefined, width: 0 });

/** A new line whatever fits. */
export const hardLine: Doc = { kind: 'hard-line', text: '', content: undefined, width: Number.POSITIVE_INFINITY };

/** A literal whose text cannot end early (quote.ts, literals.ts). */
export const literal = (text: string): Doc => ({ kind: 'literal', text, content: undefined, width: text.length });

/** Comment lines (comment.ts). */
export const commented = (text: string): Doc => ({ kind: 'comment', text, content: undefined, width: text.length });

/**
 * A name that has to be imported or to be a parameter.
 * @param code that begins with the name, if it is not the name alone.
 */
export const mention = (name: string, code = name): Doc => ({
  kind: 'mention',
  text: code,
  content: name,
  width: code.length,
});

/**
 * `export const name`.
 * @param isMentioned whether other code of the module has the name.
 */
export const exported = (name: string, isMentioned: boolean): Doc => ({
  kind: 'export',
  text: name,
  content: undefined,
  width: EXPORT.length + name.length,
  isMentioned,
});

const EXPORT = 'export const ';

/** Code that was printed before. */
export const asPrinted = (code: Printed): Doc => ({
  kind: 'printed',
  text: code.text,
  content: undefined,
  width: code.text.length,
  printed: code,
});

export const group = (content: Doc): Doc => ({ kind: 'group', text: '', content, width: -1 });
export const indent = (content: Doc): Doc => ({ kind: 'indent', text: '', content, width: -1 });

/**
 * Marks code as the translation of what an author wrote, if it is known where: the code leads to the beginning of that,
 * and the code after it to the end, until the next mark.
 * @param isCopy whether code for the same place that is not a copy replaces this mark.
 */
export function authored(content: Doc, span: Span | undefined, isCopy = false): Doc {
  return span === undefined ? content : { kind: 'authored', text: '', content, width: -1, span, isCopy };
}

/** The docs with a separator between each two. */
export function join(docs: readonly Doc[], separator: Doc): Doc {
  if (docs.length < 2) return docs;
  // Of the length that it keeps: a list that grows has room for many more.
  const joined = new Array<Doc>(docs.length * 2 - 1);
  for (let index = 0; index < docs.length; index++) {
    if (index > 0) joined[index * 2 - 1] = separator;
    joined[index * 2] = docs[index] as Doc;
  }
  return joined;
}

const commaAndLine: Doc = [',', line];

/** `open a, b close`, one item a line with a trailing comma when it does not fit. */
export function bracketed(open: Doc, items: readonly Doc[], close: string): Doc {
  if (items.length === 0) return [open, close];
  return group([open, indent([softLine, join(items, commaAndLine)]), lastComma, close]);
}

/** `{ a: 1, b: 2 }`, one property a line when it does not fit. */
export function braced(properties: readonly Doc[]): Doc {
  if (properties.length === 0) return '{}';
  return group(['{', indent([line, join(properties, commaAndLine)]), whenBroken(','), line, '}']);
}

/** Adds the names that a doc mentions. */
export function addMentions(doc: Doc, names: Set<string>): void {
  if (typeof doc === 'string') return;
  if (isList(doc)) for (let index = 0; index < doc.length; index++) addMentions(doc[index] as Doc, names);
  else if (doc.kind === 'mention') names.add(doc.content);
  else if (doc.kind === 'printed') for (const name of doc.printed.mentions) names.add(name);
  else if (isContainer(doc)) addMentions(doc.content, names);
}

/** Columns that a line of generated code may have, as in the rest of the tree. */
export const WIDTH = 120;

/** Prints a doc without its places. */
export function unplaced(doc: Doc, depth = 0): Printed {
  const { text, lines, pieces, mentions, exports } = printed(doc, depth);
  return { text, lines, pieces, mentions, exports, places: [] };
}

/** The text of a doc on one line, but for the new lines that it always has: docs of equal code have equal ones. */
export function flatText(doc: Doc): string {
  if (typeof doc === 'string') return doc;
  if (isList(doc)) {
    let text = '';
    for (let index = 0; index < doc.length; index++) text += flatText(doc[index] as Doc);
    return text;
  }
  if (isContainer(doc)) return flatText(doc.content);
  if (doc.kind === 'hard-line') return '\n';
  return doc.kind === 'when-broken' ? '' : doc.text;
}

/**
 * Prints a doc, with the places that it marks and the kinds of its pieces, without a final new line.
 *
 * @param depth how many levels (two blanks each) the lines after the first are indented.
 */
export function printed(doc: Doc, depth = 0): Printed {
  const output = new Output(depth * 2);
  rest.size = 0;
  rest.push(doc, depth);
  while (rest.size > 0) {
    const depth = rest.depth;
    const doc = rest.take();
    if (doc === undefined) continue;
    if (typeof doc === 'string') {
      output.write(doc);
      continue;
    }
    if (isList(doc)) {
      rest.push(doc, depth);
      continue;
    }
    switch (doc.kind) {
      case 'indent':
        rest.push(doc.content, depth + 1);
        break;
      case 'group':
        if (rest.fits(doc, WIDTH - output.column)) writeFlat(doc.content, output);
        else rest.push(doc.content, depth);
        break;
      case 'authored': {
        const { span, isCopy } = doc;
        output.mark(span, false, isCopy);
        rest.push({ kind: 'end', text: '', content: undefined, width: 0, span, isCopy }, depth);
        rest.push(doc.content, depth);
        break;
      }
      case 'when-broken':
        output.write(doc.text);
        break;
      case 'hard-line':
        output.breakLine('', depth);
        break;
      case 'line':
        output.breakLine(doc.content, depth);
        break;
      default:
        output.writeLeaf(doc);
    }
  }
  return output.finish();
}

/** What was printed so far. */
class Output implements Printed {
  text = '';
  lines = 1;
  readonly pieces = new PieceList();
  readonly places: PrintedPlace[] = [];
  mentions: ReadonlySet<string> = NOTHING;
  readonly exports: ModuleExport[] = [];
  /** The number of marks that were begun and not ended. */
  private open = 0;
  /** The length of the code that is not in the pieces yet. */
  private code = 0;

  constructor(public column: number) {}

  /** Writes code. */
  write(text: string): void {
    this.code += text.length;
    this.append(text);
  }

  /** Ends a line of code. */
  breakLine(trailing: string, depth: number): void {
    const text = trailing + indentation(depth);
    this.text += text;
    this.code += text.length;
    this.lines += 1;
    this.column = depth * 2;
  }

  writeLeaf(doc: Leaf): void {
    switch (doc.kind) {
      case 'literal':
      case 'comment':
        return this.writePiece(doc.kind, doc.text);
      case 'mention':
        this.mention(doc.content);
        return this.write(doc.text);
      case 'export':
        this.exports.push({ name: doc.text, isMentioned: doc.isMentioned });
        this.writePiece('export', 'export ');
        this.write('const ');
        return doc.isMentioned ? this.write(doc.text) : this.writePiece('name', doc.text);
      case 'printed':
        return this.writePrinted(doc.printed);
      case 'end':
        return this.mark(doc.span, true, doc.isCopy);
    }
  }

  /** Marks where authored code begins or ends. */
  mark({ source, start, end }: Span, isEnd: boolean, isCopy: boolean): void {
    this.open += isEnd ? -1 : 1;
    this.places.push({
      offset: this.text.length,
      source,
      at: isEnd ? end : start,
      isEnd: this.open === 0,
      isCopy,
    });
  }

  /** What was printed, once that is all. */
  finish(): Printed {
    this.flush();
    return this;
  }

  private append(text: string): void {
    this.text += text;
    if (!text.includes('\n')) {
      this.column += text.length;
      return;
    }
    this.lines += lineCount(text) - 1;
    this.column = text.length - text.lastIndexOf('\n') - 1;
  }

  private writePiece(kind: PieceKind, text: string): void {
    this.flush();
    this.pieces.add(kind, text.length);
    this.append(text);
  }

  private flush(): void {
    this.pieces.add('code', this.code);
    this.code = 0;
  }

  private mention(name: string): void {
    if (this.mentions.has(name)) return;
    if (this.mentions === NOTHING) this.mentions = new Set([name]);
    else (this.mentions as Set<string>).add(name);
  }

  private writePrinted({ text, pieces, places, mentions, exports }: Printed): void {
    const start = this.text.length;
    this.flush();
    this.pieces.addAll(pieces);
    this.append(text);
    for (const place of places) this.places.push({ ...place, offset: start + place.offset });
    for (const name of mentions) this.mention(name);
    append(this.exports, exports);
  }
}

const NOTHING: ReadonlySet<string> = new Set();

/** A new line and its blanks. */
function indentation(depth: number): string {
  for (let next = INDENTATIONS.length; next <= depth && next < 64; next++) INDENTATIONS.push(`\n${'  '.repeat(next)}`);
  return INDENTATIONS[depth] ?? `\n${'  '.repeat(depth)}`;
}

const INDENTATIONS: string[] = [];

/** Prints the content of a group that fits. */
function writeFlat(doc: Doc, output: Output): void {
  if (typeof doc === 'string') {
    output.write(doc);
    return;
  }
  if (isList(doc)) {
    for (let index = 0; index < doc.length; index++) writeFlat(doc[index] as Doc, output);
    return;
  }
  switch (doc.kind) {
    case 'group':
    case 'indent':
      return writeFlat(doc.content, output);
    case 'authored':
      output.mark(doc.span, false, doc.isCopy);
      writeFlat(doc.content, output);
      return output.mark(doc.span, true, doc.isCopy);
    case 'line':
      return output.write(doc.text);
    case 'when-broken':
    case 'hard-line':
      return;
    default:
      output.writeLeaf(doc);
  }
}

/**
 * The docs that are to be printed in broken groups, the next one on top; of a list, the items from an index on. Lists
 * in place of objects, for there are as many as docs.
 */
class Rest {
  size = 0;
  private readonly docs: Doc[] = [];
  private readonly depths: number[] = [];
  private readonly nexts: number[] = [];

  push(doc: Doc, depth: number): void {
    this.docs[this.size] = doc;
    this.depths[this.size] = depth;
    this.nexts[this.size] = 0;
    this.size += 1;
  }

  /** The depth of the next doc. */
  get depth(): number {
    return this.depths[this.size - 1] as number;
  }

  /** Takes the next doc; undefined at the end of a list. */
  take(): Doc | undefined {
    const top = this.size - 1;
    const doc = this.docs[top] as Doc;
    if (typeof doc === 'string' || !isList(doc)) {
      this.size = top;
      return doc;
    }
    const next = this.nexts[top] as number;
    if (next + 1 >= doc.length) this.size = top;
    else this.nexts[top] = next + 1;
    return doc[next];
  }

  /** Whether a doc printed flat, and what follows it up to the next possible break, fits into this number of columns. */
  fits(doc: Container, columns: number): boolean {
    let left = afterFlat(doc, columns);
    for (let index = this.size - 1; left >= 0 && left !== Number.POSITIVE_INFINITY && index >= 0; index--) {
      const doc = this.docs[index] as Doc;
      const next = this.nexts[index] as number;
      left = next === 0 ? afterBroken(doc, left) : afterBrokenItems(doc as readonly Doc[], next, left);
    }
    return left >= 0;
  }
}

/** The columns that are left after a doc printed flat; negative if it does not fit. */
function afterFlat(doc: Doc, columns: number): number {
  if (typeof doc === 'string') return columns - doc.length;
  if (isList(doc)) {
    let left = columns;
    for (let index = 0; left >= 0 && index < doc.length; index++) left = afterFlat(doc[index] as Doc, left);
    return left;
  }
  if (doc.width >= 0) return columns - doc.width;
  const left = afterFlat(doc.content as Doc, columns);
  // A group is in other groups, each of which asks.
  if (left >= 0) (doc as Container).width = columns - left;
  return left;
}

/** The columns that are left after a doc in a broken group; infinite after a break. */
function afterBroken(doc: Doc, columns: number): number {
  if (typeof doc === 'string') return columns - doc.length;
  if (isList(doc)) return afterBrokenItems(doc, 0, columns);
  if (isContainer(doc)) return afterBroken(doc.content, columns);
  if (doc.kind === 'line' || doc.kind === 'hard-line') return Number.POSITIVE_INFINITY;
  return columns - (doc.kind === 'when-broken' ? doc.text.length : doc.width);
}

function afterBrokenItems(docs: readonly Doc[], from: number, columns: number): number {
  let left = columns;
  for (let index = from; left >= 0 && index < docs.length && left !== Number.POSITIVE_INFINITY; index++)
    left = afterBroken(docs[index] as Doc, left);
  return left;
}

/** One for all docs, which are printed one after the other. */
const rest = new Rest();

function isContainer(doc: Node): doc is Container {
  return doc.kind === 'group' || doc.kind === 'indent' || doc.kind === 'authored';
}

// `Array.isArray` does not narrow a readonly array away.
function isList(doc: Exclude<Doc, string>): doc is readonly Doc[] {
  return Array.isArray(doc);
}
