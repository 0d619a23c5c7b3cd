import { visible } from '../../../../compiler/diagnostics/visible.js';
import type { Cell, Matrix, MatrixTable } from '../matrix.js';
import { listRemarks, nameText, Notes, rowTitle, titleParts, withPeople, wordAnswer } from './cells.js';

/** Tables as Markdown; long conditions are numbered below their table. */
export function matrixMarkdown({ tables, definitions }: Matrix, pathOf: (file: string) => string): string {
  const lines = [
    '# Who may do what',
    ...tables.flatMap(tableLines),
    ...(definitions.length === 0
      ? []
      : [
          '',
          '## Names in conditions',
          '',
          '| name | definition | place |',
          '|---|---|---|',
          ...definitions.map(
            ({ name, text, place: { file, line } }) =>
              `| ${code(name)} | ${code(text)} | ${code(`${pathOf(file)}:${line}`)} |`,
          ),
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function tableLines(table: MatrixTable): readonly string[] {
  const notes = new Notes();
  const rows = table.rows.map((row) =>
    line([plain(rowTitle(row)), ...row.cells.map((cell) => withPeople(cellText(cell, notes), cell))]),
  );
  return [
    '',
    `## ${titleParts(table).map(plain).join(', ')}`,
    '',
    line(['', ...table.actions.map((action) => plain(nameText(action, 'action')))]),
    `|${'---|'.repeat(table.actions.length + 1)}`,
    ...rows,
    ...listRemarks(table).flatMap((text) => ['', plain(text)]),
    ...(notes.conditions.length === 0 ? [] : ['']),
    ...notes.conditions.map((condition, index) => `${index + 1}. ${code(condition)}`),
  ];
}

function cellText(cell: Cell, notes: Notes): string {
  if (cell.answer !== 'condition') return wordAnswer(cell);
  const number = notes.numberCondition(cell.condition);
  return number === undefined ? `if ${code(cell.condition)}` : `if (${number})`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Text without a meaning in Markdown. */
function plain(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]()#+!|<>&@~-]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Text as code, also in a table. */
function code(text: string): string {
  const escaped = visible(text).replace(/[|<>&@]/g, (character) => `&#${character.charCodeAt(0)};`);
  if (escaped === visible(text) && !text.includes('`')) return `\`${escaped}\``;
  return `<code>${plain(text)}</code>`;
}
