import { ratio } from './harness/report.js';
import { OURS, type OverviewRow } from './overview.js';

/*
 * The picture of the table that results.md begins with: a bar for each row, on a logarithmic scale. Equal figures give
 * equal bytes. It has its own background, so that it can be read on light and dark pages.
 */

const WIDTH = 760;
const LEFT = 200;
const RIGHT = 130;
const TOP = 62;
const ROW = 30;
const BAR = 18;
const BOTTOM = 34;
/** The decades of the scale, in nanoseconds. */
const DECADES = [
  [1, '1 ns'],
  [10, '10 ns'],
  [100, '100 ns'],
  [1_000, '1 µs'],
  [10_000, '10 µs'],
  [100_000, '100 µs'],
  [1_000_000, '1 ms'],
] as const;

const STYLE = `
    .page { fill: #ffffff; stroke: #d0d7de; }
    text { fill: #1f2328; font: 13px system-ui, -apple-system, 'Segoe UI', sans-serif; }
    .title { font-size: 16px; font-weight: 600; }
    .quiet { fill: #59636e; font-size: 12px; }
    .ours { font-weight: 600; }
    .line { stroke: #d0d7de; }
    .bar { fill: #8c959f; }
    .bar.ours { fill: #0969da; }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #3d444d; }
      text { fill: #f0f6fc; }
      .quiet { fill: #9198a1; }
      .line { stroke: #3d444d; }
      .bar { fill: #656c76; }
      .bar.ours { fill: #4493f8; }
    }
`;

/** Draws the rows, in their order. */
export function drawPicture(rows: readonly OverviewRow[]): string {
  const height = TOP + rows.length * ROW + BOTTOM;
  const reference = rows.find(({ name }) => name === OURS) as OverviewRow;
  const decades = DECADES.slice(0, DECADES.findIndex(([value]) => rows.every((row) => cost(row) <= value)) + 1);
  const last = (decades.at(-1) ?? DECADES[0])[0];
  const x = (nanoseconds: number): number =>
    round(LEFT + ((WIDTH - LEFT - RIGHT) * Math.log10(Math.max(1, nanoseconds))) / Math.log10(last));
  const bottom = TOP + rows.length * ROW;
  const lines = decades.map(
    ([value, label]) =>
      `  <line class="line" x1="${x(value)}" y1="${TOP - 6}" x2="${x(value)}" y2="${bottom}"/>\n` +
      `  <text class="quiet" x="${x(value)}" y="${bottom + 18}" text-anchor="middle">${label}</text>`,
  );
  const bars = rows.map((row, at) => {
    const y = TOP + at * ROW;
    const middle = y + BAR / 2 + 4.5;
    const isOurs = row.name.startsWith(OURS);
    const to = isOurs
      ? ''
      : ` · ${ratio(cost(row) / (row.attributes === undefined ? reference.roles : cost(reference)))}`;
    const kind = isOurs ? ' ours' : '';
    return (
      `  <text class="name${kind}" x="${LEFT - 10}" y="${middle}" text-anchor="end">${escaped(row.name)}${row.attributes === undefined ? ' (roles only)' : ''}</text>\n` +
      `  <rect class="bar${kind}" x="${LEFT}" y="${y}" width="${round(x(cost(row)) - LEFT)}" height="${BAR}" rx="2"/>\n` +
      `  <text class="${kind.trim() || 'figure'}" x="${x(cost(row)) + 8}" y="${middle}">${printed(cost(row))}${to}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title">
  <title id="title">CPU time of one decision in process, by library</title>
  <style>${STYLE}  </style>
  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
  <text class="title" x="20" y="28">One decision in process: shorter is faster</text>
  <text class="quiet" x="20" y="46">CPU time (median), and how many times that of authz. Each line is ten times the one before.</text>
${lines.join('\n')}
${bars.join('\n')}
</svg>
`;
}

/** What the bar of a row shows. */
function cost({ roles, attributes }: OverviewRow): number {
  return attributes ?? roles;
}

function printed(nanoseconds: number): string {
  return nanoseconds < 1_000 ? `${nanoseconds} ns` : `${Number((nanoseconds / 1_000).toPrecision(3))} µs`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
