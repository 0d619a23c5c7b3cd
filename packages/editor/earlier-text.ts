import type { Source } from '../../compiler/diagnostics/source.js';
import type { Span } from '../../compiler/diagnostics/span.js';

/** An earlier text of a document, in which what is before and behind all edits since is found again. */
export class EarlierText {
  private readonly isSame: boolean;
  /** How many characters both texts begin with, and how many more they end with. */
  private readonly start: number;
  private readonly end: number;

  constructor(
    private readonly earlier: Source,
    private readonly current: Source,
  ) {
    const [before, after] = [earlier.text, current.text];
    const most = Math.min(before.length, after.length);
    this.isSame = before === after;
    let start = 0;
    while (start < most && before[start] === after[start]) start += 1;
    let end = 0;
    while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
    this.start = start;
    this.end = end;
  }

  /** Where an offset of the current text was; undefined within edits. */
  findOffset(offset: number): number | undefined {
    if (offset <= this.start) return offset;
    return offset >= this.current.text.length - this.end ? offset - this.shift : undefined;
  }

  /** Where a span of the earlier text is now; undefined if an edit is in it or touches it, so that it may be a longer word. */
  toCurrent({ start, end }: Span): Span | undefined {
    const { current: source, shift } = this;
    if (this.isSame || end < this.start) return { source, start, end };
    return start > this.earlier.text.length - this.end ? { source, start: start + shift, end: end + shift } : undefined;
  }

  private get shift(): number {
    return this.current.text.length - this.earlier.text.length;
  }
}
