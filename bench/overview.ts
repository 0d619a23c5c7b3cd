import { ratio, table } from './harness/report.js';

export const OVERVIEW_TITLE = 'At a glance';

/** A row of the table that results.md begins with. Figures are medians, as they are printed. */
export interface OverviewRow {
  readonly name: string;
  /** Nanoseconds of a decision by roles alone, and of one that reads attributes. */
  readonly roles: number;
  readonly attributes: number | undefined;
  /** Bytes of the library in a program, minified and gzipped. */
  readonly bytes: number | undefined;
  /** Milliseconds of CPU from the import of the package to the first decision. */
  readonly start: number | undefined;
}

/** The row that others are compared with. */
export const OURS = 'authz';

const HEAD = ['measured', 'by roles, ns', 'with attributes, ns', 'to authz', 'KB gzipped', 'first decision, ms'];

/** The table, sorted by what a decision costs. */
export function printOverview(figures: readonly OverviewRow[]): string {
  const rows = figures.map(rounded);
  const reference = rows.find(({ name }) => name === OURS) as OverviewRow;
  const cells = [...rows]
    .sort(byCost)
    .map(({ name, roles, attributes, bytes, start }) => [
      name === OURS ? `**${name}**` : name,
      integer(roles),
      attributes === undefined ? NONE : integer(attributes),
      attributes === undefined
        ? ratio(roles / reference.roles)
        : ratio(attributes / (reference.attributes ?? Number.NaN)),
      bytes === undefined ? NONE : (bytes / 1000).toFixed(1),
      start === undefined ? NONE : start.toFixed(1),
    ]);
  return table(HEAD, cells);
}

/** Reads the rows of the table in the text of results.md. */
export function readOverview(text: string): readonly OverviewRow[] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${HEAD[0]}`) && HEAD.every((head) => line.includes(head)));
  const rows: OverviewRow[] = [];
  for (let at = first + 2; first >= 0 && lines[at]?.startsWith('|'); at++) {
    const [name = '', roles = '', attributes = '', , kilobytes = '', start = ''] = (lines[at] as string)
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    rows.push({
      name: name.replaceAll('*', ''),
      roles: number(roles) as number,
      attributes: number(attributes),
      bytes: scaled(number(kilobytes)),
      start: number(start),
    });
  }
  return rows;
}

const NONE = '–';

function byCost(one: OverviewRow, other: OverviewRow): number {
  return (one.attributes ?? one.roles) - (other.attributes ?? other.roles);
}

/** Ratios are those of the figures that are printed. */
function rounded(row: OverviewRow): OverviewRow {
  const { roles, attributes } = row;
  return {
    ...row,
    roles: Math.round(roles),
    attributes: attributes === undefined ? undefined : Math.round(attributes),
  };
}

function integer(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function number(cell: string): number | undefined {
  return cell === NONE ? undefined : Number(cell.replaceAll(',', ''));
}

function scaled(kilobytes: number | undefined): number | undefined {
  return kilobytes === undefined ? undefined : kilobytes * 1000;
}
