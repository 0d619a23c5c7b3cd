import type { Source } from '../diagnostics/source.js';
import type { Span } from '../diagnostics/span.js';
import type { Printed, PrintedPlace } from '../ir/emitted-file.js';

/**
 * Text with places where it may break: a group stays on one line if it fits, otherwise each of its line breaks is
 * taken, but not those of nested groups.
 */
export type Doc =
  | string
  | readonly Doc[]
  | { readonly kind: 'group' | 'indent'; readonly content: Doc }
  /**
   * A space, or nothing, that a broken group turns into a new line; `trailing` is printed only then, before the break.
   */
  | { readonly kind: 'line'; readonly flat: string; readonly trailing: string }
  /** Text that is printed only in a broken group. */
  | { readonly kind: 'when-broken'; readonly text: string }
  /** A new line, always; a group with one in it does not fit. */
  | { readonly kind: 'hard-line' }
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
export const lastComma: Doc = { kind: 'line', flat: '', trailing: ',' };

export const whenBroken = (text: string): Doc => ({ kind: 'when-broken', text });

/** A new line whatever fits. */
export const hardLine: Doc = { kind: 'hard-line' };

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
export function bracketed(open: string, items: readonly Doc[], close: string): Doc {
  if (items.length === 0) return `${open}${close}`;
  return group([open, indent([softLine, join(items, [',', line])]), lastComma, close]);
}

/** `{ a: 1, b: 2 }`, one property a line when it does not fit. */
export function braced(properties: readonly Doc[]): Doc {
  if (properties.length === 0) return '{}';
  return group(['{', indent([line, join(properties, [',', line])]), whenBroken(','), line, '}']);
}

/** Columns that a line of generated code may have, as in the rest of the tree. */
export const WIDTH = 120;

/** A doc that is to be printed; of a list, the items from `next` on. */
interface Frame {
  readonly doc: Doc;
  readonly depth: number;
  readonly flat: boolean;
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

/** Prints a doc, with the places that it marks. */
export function printed(doc: Doc, depth = 0): Printed {
  let text = '';
  let column = depth * 2;
  const places: PrintedPlace[] = [];
  let open = 0;
  const stack: Frame[] = [{ doc, depth, flat: false, next: 0 }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { depth, flat } = frame;
    const doc = takeFrom(frame, stack);
    if (doc === undefined) continue;
    if (typeof doc === 'string') {
      text += doc;
      const lineBreak = doc.lastIndexOf('\n');
      column = lineBreak === -1 ? column + doc.length : doc.length - lineBreak - 1;
    } else if (isList(doc)) {
      stack.push({ doc, depth, flat, next: 0 });
    } else if (doc.kind === 'indent') {
      stack.push({ doc: doc.content, depth: depth + 1, flat, next: 0 });
    } else if (doc.kind === 'group') {
      stack.push({ doc: doc.content, depth, flat: flat || fits(doc.content, WIDTH - column, stack), next: 0 });
    } else if (doc.kind === 'when-broken') {
      text += flat ? '' : doc.text;
      column += flat ? 0 : doc.text.length;
    } else if (doc.kind === 'hard-line') {
      text += `\n${'  '.repeat(depth)}`;
      column = depth * 2;
    } else if (doc.kind === 'line' && flat) {
      text += doc.flat;
      column += doc.flat.length;
    } else if (doc.kind === 'line') {
      text += `${doc.trailing}\n${'  '.repeat(depth)}`;
      column = depth * 2;
    } else if (doc.kind === 'place') {
      const { source, at, isEnd, isCopy } = doc;
      open += isEnd ? -1 : 1;
      places.push({ offset: text.length, source, at, isEnd: open === 0, isCopy });
    }
  }
  return { text, places };
}

/**
 * The next doc of the frame on top of the stack; a frame without further docs is removed. Undefined for a list that is
 * at its end.
 */
function takeFrom(frame: Pick<Frame, 'doc' | 'next'>, stack: unknown[]): Doc | undefined {
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
  let left = columns;
  const stack: Omit<Frame, 'depth'>[] = [{ doc, flat: true, next: 0 }];
  let following = after.length;
  while (left >= 0) {
    if (stack.length === 0) {
      following -= 1;
      const frame = after[following];
      if (frame === undefined) return true;
      stack.push({ ...frame });
    }
    const frame = stack.at(-1) as Omit<Frame, 'depth'>;
    const { flat } = frame;
    const doc = takeFrom(frame, stack);
    if (doc === undefined) continue;
    if (typeof doc === 'string') left -= doc.length;
    else if (isList(doc)) stack.push({ doc, flat, next: 0 });
    else if (doc.kind === 'when-broken') left -= flat ? 0 : doc.text.length;
    else if (doc.kind === 'hard-line') return !flat;
    else if (doc.kind === 'line' && !flat) return true;
    else if (doc.kind === 'line') left -= doc.flat.length;
    else if (doc.kind !== 'place') stack.push({ doc: doc.content, flat, next: 0 });
  }
  return false;
}

// `Array.isArray` does not narrow a readonly array away.
function isList(doc: Exclude<Doc, string>): doc is readonly Doc[] {
  return Array.isArray(doc);
}
