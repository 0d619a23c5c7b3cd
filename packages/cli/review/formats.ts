import { escaped } from '../../analysis/report/html.js';
import { csvLine } from '../outputs/csv.js';
import type { ExportedPair, ReviewExport } from './export.js';

/** The columns of the CSV. */
export const COLUMNS = [
  'status',
  'user',
  'kind',
  'resource',
  'scope',
  'action',
  'through',
  'reasons',
  'places',
  'timed',
  'text',
  'decision',
  'by',
  'at',
  'note',
];

/** The parts of an export besides its pairs, which are written while they are evaluated. */
export type ExportSummary = Omit<ReviewExport, 'pairs'> & { readonly pairCount: number };

/** How an export is written: a part before its pairs, one for each, and one after them. */
export interface ExportFormat {
  readonly head: (facts: Pick<ReviewExport, 'format' | 'at' | 'policies' | 'population' | 'actions'>) => string;
  readonly pair: (pair: ExportedPair, isFirst: boolean) => string;
  readonly tail: (summary: ExportSummary) => string;
}

/** CSV: a line for each pair, for what was not evaluated, and for what is irregular. */
export const CSV: ExportFormat = {
  head: () => csvLine(COLUMNS),
  pair: (pair) =>
    csvLine([
      'allowed',
      ...[pair.user, pair.kind, pair.resource, pair.scope, pair.action, pair.through],
      reasonsText(pair),
      placesText(pair),
      pair.timed ? 'timed' : '',
      '',
      ...[pair.decision?.decision, pair.decision?.by, pair.decision?.at, pair.decision?.note].map((one) => one ?? ''),
    ]),
  tail: ({ notEvaluated, findings }) =>
    [
      ...notEvaluated.map(({ kind, resource, scope, action, through, reason, place }) =>
        csvLine(['not evaluated', '', kind, resource, scope, action, through, '', place, '', reason, '', '', '', '']),
      ),
      ...findings.map(({ kind, user, text }) =>
        csvLine([kind, user, '', '', '', '', '', '', '', '', text, '', '', '', '']),
      ),
    ].join(''),
};

/** JSON: a {@link ReviewExport} with a pair on each line. */
export const JSON_FORMAT: ExportFormat = {
  head: (facts) =>
    `{\n${Object.entries(facts)
      .map(([name, value]) => `${member(name, value)},\n`)
      .join('')}  "pairs": [`,
  pair: (pair, isFirst) => `${isFirst ? '' : ','}\n    ${JSON.stringify(pair)}`,
  tail: ({ groups, notEvaluated, findings }) =>
    `\n  ],\n${Object.entries({ groups, notEvaluated, findings })
      .map(([name, value]) => member(name, value))
      .join(',\n')}\n}\n`,
};

function member(name: string, value: unknown): string {
  return `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function reasonsText({ reasons }: ExportedPair): string {
  return reasons.map(({ kind, name }) => `${kind} ${name}`).join('; ');
}

function placesText({ reasons }: ExportedPair): string {
  return [...new Set(reasons.map(({ file, line }) => `${file}:${line}`))].join('; ');
}

/** A page without scripts, which loads nothing. What it says of its pairs stands before them. */
export function reviewHtml(review: ExportSummary, pairs: readonly string[]): readonly string[] {
  const { at, policies, population, pairCount, groups, notEvaluated, findings } = review;
  const facts = [
    ['Evaluated', at],
    ['Policies', policies],
    ['Users', `${population.users.count}, sha256:${population.users.hash}`],
    ['Resources', `${population.resources.count}, sha256:${population.resources.hash}`],
    ['Pairs', String(pairCount)],
  ];
  const head = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Access review</title>
<style>${STYLE}</style>
<h1>Access review</h1>
${notEvaluated.length > 0 ? `<p class="gap">${notEvaluated.length} parts were not evaluated: this review is not complete.\n` : ''}${table([], facts)}
${section(
  'By reason',
  ['Reason', 'Name', 'Rule', 'Pairs'],
  groups.map((one) => [one.kind, one.name, one.rule, String(one.pairs)]),
)}
${section(
  'Not evaluated',
  ['Kind', 'Resource', 'Scope', 'Action', 'Through', 'Why', 'Line'],
  notEvaluated.map((one) => [one.kind, one.resource, one.scope, one.action, one.through, one.reason, one.place]),
)}
${section(
  'Irregular',
  ['What', 'User', ''],
  findings.map(({ kind, user, text }) => [kind, user, text]),
)}
`;
  if (pairs.length === 0) return [head, '</html>\n'];
  const titles = ['User', 'Kind', 'Resource', 'Scope', 'Action', 'Through', 'Reasons', 'Lines', 'Timed', 'Decision'];
  return [
    head,
    `<section>\n<h2>Who may do what</h2>\n<table>\n${headRow(titles)}`,
    ...pairs,
    '</table>\n</section>\n</html>\n',
  ];
}

/** The row of a pair on the page. */
export function htmlRow(pair: ExportedPair): string {
  return `${row([
    ...[pair.user, pair.kind, pair.resource, pair.scope, pair.action, pair.through],
    reasonsText(pair),
    placesText(pair),
    pair.timed ? 'timed' : '',
    decisionText(pair),
  ])}\n`;
}

function decisionText({ decision }: ExportedPair): string {
  return decision === undefined ? '' : `${decision.decision}, ${decision.by}, ${decision.at}`;
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `<section>\n<h2>${escaped(title)}</h2>\n${table(head, rows)}\n</section>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `<table>\n${head.length === 0 ? '' : headRow(head)}${rows.map(row).join('\n')}\n</table>`;
}

function headRow(titles: readonly string[]): string {
  return `<tr>${titles.map((text) => `<th>${escaped(text)}`).join('')}\n`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((text) => `<td>${escaped(text)}`).join('')}`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
section { overflow-x: auto; }
th, td { text-align: left; padding: .2rem .8rem; vertical-align: top; border: 1px solid #8884; }
.gap { background: #cf222e33; padding: .5rem 1rem; }
`;
