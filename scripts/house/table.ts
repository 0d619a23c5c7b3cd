/** One thing that is measured, with the figures that it is made of: files and lines, for example. */
export interface Row {
  readonly what: string;
  readonly figures: readonly Figure[];
}

export interface Figure {
  readonly value: number;
  /** At most so much; absent where it is only shown. */
  readonly aim?: number;
  /** What is counted: `files`, `%`. */
  readonly unit: string;
}

/** A Markdown table of rows: what, today, aim, and whether every figure is within its aim. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ what, figures }) => [
    what,
    figures.map(({ value, unit }) => amount(value, unit)).join(', '),
    figures.flatMap(({ aim, unit }) => (aim === undefined ? [] : [amount(aim, unit)])).join(', '),
    verdict(figures),
  ]);
  const head = ['', 'today', 'aim', ''];
  const widths = head.map((title, column) =>
    Math.max(title.length, 3, ...cells.map((row) => (row[column] as string).length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n');
}

function verdict(figures: readonly Figure[]): string {
  if (figures.every(({ aim }) => aim === undefined)) return '';
  return figures.every(({ value, aim }) => aim === undefined || value <= aim) ? 'met' : 'not met';
}

function amount(value: number, unit: string): string {
  const text = value.toLocaleString('en-US', { maximumFractionDigits: 1 });
  return unit === '%' ? `${text} %` : unit === '' ? text : `${text} ${unit}`;
}
