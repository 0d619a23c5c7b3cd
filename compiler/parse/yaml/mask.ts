import type { Source } from '../../diagnostics/source.js';
import type { Span } from '../../diagnostics/span.js';

/** A part of a source that is not well-formed, as it was taken out: the text around it keeps its offsets. */
export interface Mask {
  readonly start: number;
  readonly end: number;
  /** The offset of the scalar that stands in its place; absent if nothing does. */
  readonly placeholder?: number;
  /** It, with the line before it and the line after it: these may not have the meaning that the author gave them. */
  readonly lines: Pick<Span, 'start' | 'end'>;
  /** The offset of the last character before it, if it may belong to what that ends. */
  readonly after?: number;
}

export const NO_MASKS: readonly Mask[] = [];

/** Whether a scalar stands in the place of what was taken out. */
export function isMasked(offset: number | undefined, masks: readonly Mask[]): boolean {
  return masks.some(({ placeholder }) => placeholder !== undefined && placeholder === offset);
}

/** Whether an anchor may be defined in what was taken out. */
export function namesAnchor(name: string, masks: readonly Mask[], { text }: Source): boolean {
  return masks.some(({ start, end }) => text.slice(start, end).includes(`&${name}`));
}
