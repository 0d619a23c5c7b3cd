import type { Mask } from './mask.js';

/** A text without some of its parts. */
export interface Masked {
  readonly text: string;
  readonly taken: readonly Taken[];
  /** Whether the part is a bracket that opens: what is in it may now be something else. */
  readonly opens?: boolean;
}

export interface Taken {
  readonly mask: Mask;
  /** The offset of the cause, if it may be far from the problem. */
  readonly cause?: number;
}

/**
 * The text with a scalar, or with a key without a value, in place of a part. Nothing if the part has no room for it.
 *
 * @param goesOn whether the part may belong to the value before it.
 */
export function* withPlaceholder(
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
    taken: [
      {
        mask: {
          start,
          end,
          lines: linesAround(text, start, end),
          placeholder,
          ...(goesOn && { after: endBefore(text, start) }),
        },
      },
    ],
  };
}

/** The text without a part: something is missing from what stands before it, and from what it stood in. */
export function blanked(text: string, start: number, end: number): Masked {
  return {
    text: text.slice(0, start) + blank(text.slice(start, end)) + text.slice(end),
    taken: [{ mask: { start, end, lines: linesAround(text, start, end), after: endBefore(text, start) } }],
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

/** The start of the line at an offset, or of the last one before it that has text. */
export function writtenLineAt(text: string, offset: number): number {
  let line = text.lastIndexOf('\n', Math.max(0, offset) - 1) + 1;
  while (line > 0 && isBlank(text, line)) line = text.lastIndexOf('\n', line - 2) + 1;
  return line;
}

/** The start of the first line after an offset that has text. */
export function nextLine(text: string, offset: number): number {
  let line = endOfLine(text, offset) + 1;
  while (line < text.length && isBlank(text, line)) line = endOfLine(text, line) + 1;
  return line;
}

export function endOfLine(text: string, line: number): number {
  const end = text.indexOf('\n', line);
  return end < 0 ? text.length : end;
}

export function isBlank(text: string, line: number): boolean {
  return /^[ \t\r]*(?:#|$)/.test(text.slice(line, endOfLine(text, line)));
}
