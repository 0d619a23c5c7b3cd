import type { Paint } from './paint.js';
import type { Span } from './span.js';
import { type Cell, splitCells } from './visible.js';

/** Lines shown before and after the marked one. */
const CONTEXT = 3;

/** A longer line is cut to a window around the underlined part. In UTF-16 units: a terminal of usual width, twice. */
const WINDOW = 160;

/** How much of a cut line is shown before the underlined part. */
const LEAD = 40;

/**
 * The lines around a span: the one it begins on is marked with `>` and underlined with `^~~~`.
 *
 *       1 | apiVersion: api.authz.dev/v1
 *     > 2 | resourcePolicy: []
 *         |                 ^~
 */
export function formatFrame(span: Span, paint: Paint): readonly string[] {
  const { source } = span;
  const at = source.lineAndColumn(span.start);
  const first = Math.max(1, at.line - CONTEXT);
  const last = Math.min(lastLine(span), at.line + CONTEXT);
  const gutter = String(last).length;
  const lines: string[] = [];
  for (let number = first; number <= last; number += 1) {
    const label = String(number).padStart(gutter);
    if (number !== at.line) {
      lines.push(`  ${paint.faint(`${label} |`)} ${formatWindow(cutWindow(source.line(number), 0))}`.trimEnd());
      continue;
    }
    const line = source.line(number);
    const start = at.column - 1;
    const end = Math.min(line.length, start + (span.end - span.start));
    const window = cutWindow(line, start);
    lines.push(`${paint.mark('>')} ${paint.faint(`${label} |`)} ${formatWindow(window)}`.trimEnd());
    lines.push(`  ${paint.faint(`${' '.repeat(gutter)} |`)} ${underline(window, start, end, paint)}`);
  }
  return lines;
}

/** A trailing line break starts an empty line, which is not shown. */
function lastLine({ source }: Span): number {
  const count = source.lineCount;
  return count > 1 && source.line(count) === '' ? count - 1 : count;
}

/** The part of a line that is shown. */
interface Window {
  /** The replacement for the text that is cut off in front. */
  readonly before: string;
  readonly text: string;
  /** Offset of the text in the line. */
  readonly from: number;
  readonly after: string;
}

function cutWindow(line: string, start: number): Window {
  if (line.length <= WINDOW) return { before: '', text: line, from: 0, after: '' };
  const from = boundary(line, Math.max(0, Math.min(start - LEAD, line.length - WINDOW)));
  const to = boundary(line, Math.min(line.length, from + WINDOW));
  return { before: from > 0 ? '…' : '', text: line.slice(from, to), from, after: to < line.length ? '…' : '' };
}

/** The offset itself, or the one before it if it would split a surrogate pair. */
function boundary(line: string, offset: number): number {
  const unit = line.charCodeAt(offset);
  const previous = line.charCodeAt(offset - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && previous >= 0xd800 && previous <= 0xdbff ? offset - 1 : offset;
}

function formatWindow({ before, text, after }: Window): string {
  return `${before}${splitCells(text)
    .map((cell) => cell.text)
    .join('')}${after}`;
}

function underline({ before, text, from }: Window, start: number, end: number, paint: Paint): string {
  const cells = splitCells(text);
  const lead = countCells(text, start - from);
  const under = Math.max(countCells(text, end - from), lead);
  const indent = before.length + measureCells(cells.slice(0, lead));
  const length = Math.max(1, measureCells(cells.slice(lead, under)));
  return `${' '.repeat(indent)}${paint.mark(`^${'~'.repeat(length - 1)}`)}`;
}

/** How many characters begin before an offset. */
function countCells(text: string, offset: number): number {
  return [...text.slice(0, Math.max(0, offset))].length;
}

function measureCells(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}
