import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.js';

/** The result of a benchmark. */
export interface Section {
  readonly title: string;
  /** Markdown: tables and sentences about them. */
  readonly text: string;
  /** Targets that were missed. The benchmark fails if there is one. */
  readonly failures: readonly string[];
}

const RESULTS = join(ROOT, 'bench', 'results.md');

/** A table in Markdown. The first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => (row[column] as string).length)));
  const padded = (cell: string, column: number): string =>
    column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number);
  const line = (cells: readonly string[]): string => `| ${cells.map(padded).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

/**
 * Rewrites the measured sections and keeps the others. Writes no dates and no machine names, so that equal code gives
 * almost equal text.
 */
export function writeResults(sections: readonly Section[], order: readonly string[]): void {
  const known = new Map(oldSections().map((text) => [text.slice(0, text.indexOf('\n')), text]));
  for (const { title, text } of [METHOD, ...sections]) known.set(title, `${title}\n\n${text.trim()}\n`);
  const body = order.flatMap((title) => (known.has(title) ? [`## ${known.get(title)}`] : []));
  writeFileSync(RESULTS, `${['# Benchmarks\n', ...body].join('\n')}`);
}

/** `1,234`, or two significant digits, and mostly three. */
export function figure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(value >= 0.1 ? 2 : 3);
}

/** `2.31x`. */
export function ratio(value: number): string {
  return `${figure(value)}x`;
}

/** `12%`. */
export function percent(value: number): string {
  return `${Math.round(value * 100)}%`;
}

/** Bytes, written in megabytes. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6).toLocaleString('en-US')} MB`;
}

/** A sentence about a target. */
export function aim(text: string, isMet: boolean): string {
  return `- Target: ${text}: ${isMet ? 'met' : '**missed**'}.`;
}

export const METHOD_TITLE = 'Method';

const METHOD: Section = {
  title: METHOD_TITLE,
  text: `- The rows of a table were measured in one run, on a machine that others use as well. Each round gives every row a turn, so that
  other load affects all alike: trust the ratios, then the minima. Sections may come from different machines.
- Decisions, conditions and plans are measured after warm-up turns, by the CPU time of the process. What is compared must decide
  alike, or it is not measured.
- A *ratio* compares medians, unless the section defines another one. *Spread* is the interquartile range of the rounds, relative
  to the median.
- Each target is listed below its table, and marked if it was missed.

\`npm run bench\` repeats the measurements and rewrites this page; \`npm run bench -- in-process\` runs one group: \`in-process\`,
\`weights\`, \`compile\`, \`first-start\`, \`size\`, \`analysis\`, \`libraries\` or \`server\`.`,
  failures: [],
};

function oldSections(): readonly string[] {
  try {
    const sections = readFileSync(RESULTS, 'utf8').split(/^## /m).slice(1);
    return sections.map((section) => `${section.trim()}\n`);
  } catch {
    // There are no results yet.
    return [];
  }
}
