import { escaped } from '../../analysis/report/html.js';
import { csvLine } from '../outputs/csv.js';
import type { ExportedPair, ReviewExport } from './export.js';

const COLUMNS = [
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

/** An export as CSV: a line for each pair, for what was not evaluated, and for what is irregular. */
export function reviewCsv({ pairs, notEvaluated, findings }: ReviewExport): string {
  return [
    csvLine(COLUMNS),
    ...pairs.map((pair) =>
      csvLine([
        'allowed',
        ...[pair.user, pair.kind, pair.resource, pair.scope, pair.action, pair.through],
        reasonsText(pair),
        placesText(pair),
        pair.timed ? 'timed' : '',
        '',
        ...[pair.decision?.decision, pair.decision?.by, pair.decision?.at, pair.decision?.note].map((one) => one ?? ''),
      ]),
    ),
    ...notEvaluated.map(({ kind, resource, scope, action, through, reason, place }) =>
      csvLine(['not evaluated', '', kind, resource, scope, action, through, '', place, '', reason, '', '', '', '']),
    ),
    ...findings.map(({ kind, user, text }) =>
      csvLine([kind, user, '', '', '', '', '', '', '', '', text, '', '', '', '']),
    ),
  ].join('');
}

function reasonsText({ reasons }: ExportedPair): string {
  return reasons.map(({ kind, name }) => `${kind} ${name}`).join('; ');
}

function placesText({ reasons }: ExportedPair): string {
  return [...new Set(reasons.map(({ file, line }) => `${file}:${line}`))].join('; ');
}

/** An export as a page without scripts, which loads nothing. */
export function reviewHtml(review: ReviewExport): string {
  const { at, policies, population, pairs, groups, notEvaluated, findings } = review;
  const facts = [
    ['Evaluated', at],
    ['Policies', policies],
    ['Users', `${population.users.count}, sha256:${population.users.hash}`],
    ['Resources', `${population.resources.count}, sha256:${population.resources.hash}`],
    ['Pairs', String(pairs.length)],
  ];
  return `<!doctype html>
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
${section(
  'Who may do what',
  ['User', 'Kind', 'Resource', 'Scope', 'Action', 'Through', 'Reasons', 'Lines', 'Timed', 'Decision'],
  pairs.map((pair) => [
    ...[pair.user, pair.kind, pair.resource, pair.scope, pair.action, pair.through],
    reasonsText(pair),
    placesText(pair),
    pair.timed ? 'timed' : '',
    decisionText(pair),
  ]),
)}
</html>
`;
}

function decisionText({ decision }: ExportedPair): string {
  return decision === undefined ? '' : `${decision.decision}, ${decision.by}, ${decision.at}`;
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `<section>\n<h2>${escaped(title)}</h2>\n${table(head, rows)}\n</section>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const titles = head.length === 0 ? '' : `<tr>${head.map((text) => `<th>${escaped(text)}`).join('')}\n`;
  return `<table>\n${titles}${rows.map((row) => `<tr>${row.map((text) => `<td>${escaped(text)}`).join('')}`).join('\n')}\n</table>`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 90rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
section { overflow-x: auto; }
th, td { text-align: left; padding: .2rem .8rem; vertical-align: top; border: 1px solid #8884; }
.gap { background: #cf222e33; padding: .5rem 1rem; }
`;
