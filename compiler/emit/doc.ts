import type { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';
import type { ModuleExport, Printed, PrintedPlace } from '../ir/emitted-file.js';
import { type PieceKind, PieceList } from '../ir/pieces.js';

/**
 * Text with places where it may break: a group stays on one line if it fits, otherwise each of its line breaks is
 * taken, but not those of nested groups.
 */
export type Doc =
  | string
  | readonly Doc[]
  | { readonly kind: 'group'; readonly content: Doc }
  | { readonly kind: 'indent'; readonly content: Doc }
  /**
   * A space, or nothing, that a broken group turns into a new line; `trailing` is printed only then, before the break.
   */
  | { readonly kind: 'line'; readonly flat: string; readonly trailing: string }
  /** Text that is printed only in a broken group. */
  | { readonly kind: 'when-broken'; readonly text: string }
  /** A new line, always; a group with one in it does not fit. */
  | { readonly kind: 'hard-line' }
  /** A literal or a comment. What follows needs to know where these are, and is told instead of reading the code. */
  | { readonly kind: 'literal' | 'comment'; readonly text: string }
  /** A name that has to be imported or to be a parameter where it is mentioned. */
  | { readonly kind: 'mention'; readonly text: string }
  /** The beginning of an exported declaration, up to its name. */
  | { readonly kind: 'export'; readonly text: string; readonly isMentioned: boolean }
  /** Code that was printed before. */
  | { readonly kind: 'printed'; readonly printed: Printed }
  /** The code from here on translates the text of a policy from `at` on. */
  | {
      readonly kind: 'place';
      readonly source: Source;
      readonly at: number;
      readonly isEnd: boolean;
      readonly isCopy: boolean;
    };

/** A space or a new line. */
export const line: Doc = { kind: 'line', flat: ' ', trailing: '' };
/** Nothing or a new line. */
export const softLine: Doc = { kind: 'line', flat: '', trailing: '' };
/** The end of a bracketed list: nothing, or a trailing comma and a new line. */
const lastComma: Doc = { kind: 'line', flat: '', trailing: ',' };

export const whenBroken = (text: string): Doc => ({ kind: 'when-broken', text });

/** A new line whatever fits. */
export const hardLine: Doc = { kind: 'hard-line' };

/** A literal whose text cannot end early (quote.ts, literals.ts). */
export const literal = (text: string): Doc => ({ kind: 'literal', text });

/** Comment lines (comment.ts). */
export const commented = (text: string): Doc => ({ kind: 'comment', text });

/** A name that has to be imported or to be a parameter. */
export const mention = (text: string): Doc => ({ kind: 'mention', text });

/**
 * `export const name`.
 * @param isMentioned whether other code of the module has the name.
 */
export const exported = (name: string, isMentioned: boolean): Doc => ({ kind: 'export', text: name, isMentioned });

export const group = (content: Doc): Doc => ({ kind: 'group', content });
export const indent = (content: Doc): Doc => ({ kind: 'indent', content });

/**
 * Marks code as the translation of what an author wrote, if it is known where: the code leads to the beginning of that,
 * and the code after it to the end, until the next mark.
 * @param isCopy whether code for the same place that is not a copy replaces this mark.
 */
export function authored(content: Doc, span: Span | undefined, isCopy = false): Doc {
  if (span === undefined) return content;
  const { source, start, end } = span;
  return [
    { kind: 'place', source, at: start, isEnd: false, isCopy },
    content,
    { kind: 'place', source, at: end, isEnd: true, isCopy },
  ];
}

/** The docs with a separator between each two. */
export function join(docs: readonly Doc[], separator: Doc): Doc {
  const joined: Doc[] = [];
  for (const doc of docs) {
    if (joined.length > 0) joined.push(separator);
    joined.push(doc);
  }
  return joined;
}

/** `open a, b close`, one item a line with a trailing comma when it does not fit. */
export function bracketed(open: Doc, items: readonly Doc[], close: string): Doc {
  if (items.length === 0) return [open, close];
  return group([open, indent([softLine, join(items, [',', line])]), lastComma, close]);
}

/** `{ a: 1, b: 2 }`, one property a line when it does not fit. */
export function braced(properties: readonly Doc[]): Doc {
  if (properties.length === 0) return '{}';
  return group(['{', indent([line, join(properties, [',', line])]), whenBroken(','), line, '}']);
}

/** Adds the names that a doc mentions. */
export function addMentions(doc: Doc, names: Set<string>): void {
  if (typeof doc === 'string') return;
  if (isList(doc)) for (const item of doc) addMentions(item, names);
  else if (doc.kind === 'mention') names.add(doc.text);
  else if (doc.kind === 'printed') for (const name of doc.printed.mentions) names.add(name);
  else if ('content' in doc) addMentions(doc.content, names);
}

/** Columns that a line of generated code may have, as in the rest of the tree. */
export const WIDTH = 120;

/** A doc that is to be printed in broken groups; of a list, the items from `next` on. */
interface Frame {
  readonly doc: Doc;
  readonly depth: number;
  next: number;
}

/**
 * The text of a doc, without a final new line.
 *
 * @param depth how many levels (two blanks each) the lines after the first are indented.
 */
export function print(doc: Doc, depth = 0): string {
  return printed(doc, depth).text;
}

/** A doc as it is printed, without its places. */
export function unplaced(doc: Doc, depth = 0): Doc {
  const { text, pieces, mentions, exports } = printed(doc, depth);
  return { kind: 'printed', printed: { text, pieces, mentions, exports, places: [] } };
}

/** Prints a doc, with the places that it marks and the kinds of its pieces. */
export function printed(doc: Doc, depth = 0): Printed {
  const output = new Output(depth * 2);
  const stack: Frame[] = [{ doc, depth, next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { depth } = frame;
    const doc = takeFrom(frame, stack);
    if (doc === undefined) continue;
    if (typeof doc === 'string') {
      output.write(doc);
    } else if (isList(doc)) {
      stack.push({ doc, depth, next: 0 });
    } else if (doc.kind === 'indent') {
      stack.push({ doc: doc.content, depth: depth + 1, next: 0 });
    } else if (doc.kind === 'group') {
      if (fits(doc.content, WIDTH - output.column, stack)) writeFlat(doc.content, output);
      else stack.push({ doc: doc.content, depth, next: 0 });
    } else if (doc.kind === 'when-broken') {
      output.write(doc.text);
    } else if (doc.kind === 'hard-line') {
      output.write(`\n${'  '.repeat(depth)}`);
    } else if (doc.kind === 'line') {
      output.write(`${doc.trailing}\n${'  '.repeat(depth)}`);
    } else {
      output.writeLeaf(doc);
    }
  }
  return output;
}

/** Docs that look the same in any group. */
type Leaf = Extract<Doc, { kind: 'literal' | 'comment' | 'mention' | 'export' | 'printed' | 'place' }>;

/** What was printed so far. */
class Output implements Printed {
  text = '';
  readonly pieces = new PieceList();
  readonly places: PrintedPlace[] = [];
  readonly mentions = new Set<string>();
  readonly exports: ModuleExport[] = [];
  /** The number of marks that were begun and not ended. */
  private open = 0;

  constructor(public column: number) {}

  write(text: string, kind: PieceKind = 'code'): void {
    this.text += text;
    this.pieces.add(kind, text.length);
    const lineBreak = text.lastIndexOf('\n');
    this.column = lineBreak === -1 ? this.column + text.length : text.length - lineBreak - 1;
  }

  writeLeaf(doc: Leaf): void {
    switch (doc.kind) {
      case 'literal':
      case 'comment':
        return this.write(doc.text, doc.kind);
      case 'mention':
        this.mentions.add(doc.text);
        return this.write(doc.text);
      case 'export':
        this.exports.push({ name: doc.text, isMentioned: doc.isMentioned });
        this.write('export ', 'export');
        this.write('const ');
        return this.write(doc.text, doc.isMentioned ? 'code' : 'name');
      case 'printed':
        return this.writePrinted(doc.printed);
      case 'place':
        return this.mark(doc);
    }
  }

  private writePrinted({ text, pieces, places, mentions, exports }: Printed): void {
    const start = this.text.length;
    for (const piece of pieces.of(text)) this.write(piece.text, piece.kind);
    for (const place of places) this.places.push({ ...place, offset: start + place.offset });
    for (const name of mentions) this.mentions.add(name);
    this.exports.push(...exports);
  }

  private mark({ source, at, isEnd, isCopy }: Extract<Doc, { kind: 'place' }>): void {
    this.open += isEnd ? -1 : 1;
    this.places.push({ offset: this.text.length, source, at, isEnd: this.open === 0, isCopy });
  }
}

/** Prints the content of a group that fits. */
function writeFlat(doc: Doc, output: Output): void {
  if (typeof doc === 'string') output.write(doc);
  else if (isList(doc)) for (const item of doc) writeFlat(item, output);
  else if (doc.kind === 'group' || doc.kind === 'indent') writeFlat(doc.content, output);
  else if (doc.kind === 'line') output.write(doc.flat);
  else if (doc.kind !== 'when-broken' && doc.kind !== 'hard-line') output.writeLeaf(doc);
}

/**
 * The next doc of the frame on top of the stack; a frame without further docs is removed. Undefined for a list that is
 * at its end.
 */
function takeFrom(frame: Frame, stack: Frame[]): Doc | undefined {
  const { doc } = frame;
  if (typeof doc === 'string' || !isList(doc)) {
    stack.pop();
    return doc;
  }
  const item = doc[frame.next];
  frame.next += 1;
  if (frame.next >= doc.length) stack.pop();
  return item;
}

/**
 * Whether a doc printed flat, and the text after it up to the next possible break, fits into this number of columns.
 */
function fits(doc: Doc, columns: number, after: readonly Frame[]): boolean {
  let left = afterFlat(doc, columns);
  for (let index = after.length - 1; left >= 0 && left !== Number.POSITIVE_INFINITY && index >= 0; index--) {
    const { doc, next } = after[index] as Frame;
    left = next === 0 ? afterBroken(doc, left) : afterBrokenItems(doc as readonly Doc[], next, left);
  }
  return left >= 0;
}

/** The columns that are left after a doc printed flat; negative if it does not fit. */
function afterFlat(doc: Doc, columns: number): number {
  if (typeof doc === 'string') return columns - doc.length;
  if (isList(doc)) {
    let left = columns;
    for (let index = 0; left >= 0 && index < doc.length; index++) left = afterFlat(doc[index] as Doc, left);
    return left;
  }
  switch (doc.kind) {
    case 'group':
    case 'indent':
      return afterFlat(doc.content, columns);
    case 'line':
      return columns - doc.flat.length;
    case 'hard-line':
      return -1;
    case 'when-broken':
    case 'place':
      return columns;
    default:
      return columns - measureWidth(doc);
  }
}

/** The columns that are left after a doc in a broken group; infinite after a break. */
function afterBroken(doc: Doc, columns: number): number {
  if (typeof doc === 'string') return columns - doc.length;
  if (isList(doc)) return afterBrokenItems(doc, 0, columns);
  switch (doc.kind) {
    case 'group':
    case 'indent':
      return afterBroken(doc.content, columns);
    case 'line':
    case 'hard-line':
      return Number.POSITIVE_INFINITY;
    case 'when-broken':
      return columns - doc.text.length;
    case 'place':
      return columns;
    default:
      return columns - measureWidth(doc);
  }
}

function measureWidth(doc: Exclude<Leaf, { kind: 'place' }>): number {
  if (doc.kind === 'printed') return doc.printed.text.length;
  return doc.kind === 'export' ? `export const ${doc.text}`.length : doc.text.length;
}

function afterBrokenItems(docs: readonly Doc[], from: number, columns: number): number {
  let left = columns;
  for (let index = from; left >= 0 && index < docs.length && left !== Number.POSITIVE_INFINITY; index++)
    left = afterBroken(docs[index] as Doc, left);
  return left;
}

// `Array.isArray` does not narrow a readonly array away.
function isList(doc: Exclude<Doc, string>): doc is readonly Doc[] {
  return Array.isArray(doc);
}
