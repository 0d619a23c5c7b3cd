import { escaped } from '../../report/html.js';
import type { Cell, Matrix, MatrixTable } from '../matrix.js';
import { listRemarks, nameText, Notes, rowTitle, titleParts, withPeople, wordAnswer } from './cells.js';

/** One page without scripts and without anything to load. */
export function matrixHtml({ tables, definitions }: Matrix, pathOf: (file: string) => string): string {
  const rows = definitions.map(
    ({ name, text, place: { file, line } }) =>
      `<tr><th><code>${escaped(name)}</code><td><code>${escaped(text)}</code><td>${escaped(pathOf(file))}:${line}`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Who may do what</title>
<style>${STYLE}</style>
<h1>Who may do what</h1>
${tables.map(section).join('\n')}
${rows.length === 0 ? '' : `<section>\n<h2>Names in conditions</h2>\n<table>\n${rows.join('\n')}\n</table>\n</section>\n`}</html>
`;
}

function section(table: MatrixTable): string {
  const notes = new Notes();
  const remarks = listRemarks(table).map((text) => `<p>${escaped(text)}\n`);
  const head = ['', ...table.actions.map((action) => nameText(action, 'action'))];
  const rows = table.rows.map(
    (row) =>
      `<tr><th>${escaped(rowTitle(row))}${row.cells.map((cell) => withPeople(cellHtml(cell, notes), cell)).join('')}`,
  );
  const conditions = notes.conditions.map((condition) => `<li><code>${escaped(condition)}</code>`);
  return `<section>
<h2>${titleParts(table).map(escaped).join(', ')}</h2>
<table class="matrix">
<tr>${head.map((text) => `<th>${escaped(text)}`).join('')}
${rows.join('\n')}
</table>
${remarks.join('')}${conditions.length === 0 ? '' : `<ol>\n${conditions.join('\n')}\n</ol>\n`}</section>`;
}

function cellHtml(cell: Cell, notes: Notes): string {
  if (cell.answer !== 'condition') return `<td class="${cell.answer}">${wordAnswer(cell)}`;
  const number = notes.numberCondition(cell.condition);
  const condition = escaped(cell.condition);
  return number === undefined
    ? `<td class="condition">if <code>${condition}</code>`
    : `<td class="condition" title="${condition}">if (${number})`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
section { overflow-x: auto; }
th, td { text-align: left; padding: .2rem .8rem; vertical-align: top; border: 1px solid #8884; }
th { font-weight: 600; }
.allowed { background: #2da44e22; }
.condition { background: #bf870033; }
.denied { opacity: .6; }
.undecided { background: #cf222e33; }
`;
