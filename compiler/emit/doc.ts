/**
 * Text with places where it may break: a group stays on one line if it fits, otherwise all of its own line breaks are taken.
 */
export type Doc =
  | string
  | readonly Doc[]
  | { readonly kind: 'group' | 'indent'; readonly content: Doc }
  /** A space, or nothing, that a broken group turns into a new line; `trailing` is printed only then, before the break. */
  | { readonly kind: 'line'; readonly flat: string; readonly trailing: string }
  /** A text that is there only in a broken group. */
  | { readonly kind: 'when-broken'; readonly text: string }
  /** A new line, always; a group with one in it does not fit. */
  | { readonly kind: 'hard-line' };

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

/** The docs with a separator between each two. */
export function join(docs: readonly Doc[], separator: Doc): Doc {
  return docs.flatMap((doc, index) => (index === 0 ? [doc] : [separator, doc]));
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

const WIDTH = 100;

interface Frame {
  readonly doc: Doc;
  readonly depth: number;
  readonly flat: boolean;
}

/**
 * The text of a doc, without a final new line.
 *
 * @param depth how many levels (two blanks each) the lines after the first are indented.
 * @param used how many columns the first line has already.
 */
export function print(doc: Doc, depth = 0, used = depth * 2): string {
  let text = '';
  let column = used;
  const stack: Frame[] = [{ doc, depth, flat: false }];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    const { doc, depth, flat } = frame;
    if (typeof doc === 'string') {
      text += doc;
      column += doc.length;
    } else if (isList(doc)) {
      for (let i = doc.length - 1; i >= 0; i -= 1) stack.push({ doc: doc[i] as Doc, depth, flat });
    } else if (doc.kind === 'indent') {
      stack.push({ doc: doc.content, depth: depth + 1, flat });
    } else if (doc.kind === 'group') {
      stack.push({ doc: doc.content, depth, flat: flat || fits(doc.content, WIDTH - column, stack) });
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
    }
  }
  return text;
}

/** Whether a doc printed flat, and what follows it up to the next possible break, fits into so many columns. */
function fits(doc: Doc, columns: number, after: readonly Frame[]): boolean {
  let left = columns;
  const stack: Pick<Frame, 'doc' | 'flat'>[] = [{ doc, flat: true }];
  let next = after.length;
  while (left >= 0) {
    let frame: Pick<Frame, 'doc' | 'flat'> | undefined = stack.pop();
    if (frame === undefined) {
      next -= 1;
      frame = after[next];
    }
    if (frame === undefined) return true;
    const { doc, flat } = frame;
    if (typeof doc === 'string') left -= doc.length;
    else if (isList(doc)) for (let i = doc.length - 1; i >= 0; i -= 1) stack.push({ doc: doc[i] as Doc, flat });
    else if (doc.kind === 'when-broken') left -= flat ? 0 : doc.text.length;
    else if (doc.kind === 'hard-line') return !flat;
    else if (doc.kind === 'line' && !flat) return true;
    else if (doc.kind === 'line') left -= doc.flat.length;
    else stack.push({ doc: doc.content, flat });
  }
  return false;
}

// `Array.isArray` does not narrow a readonly array away.
function isList(doc: Exclude<Doc, string>): doc is readonly Doc[] {
  return Array.isArray(doc);
}
