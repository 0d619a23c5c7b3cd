import { visible } from '../../../../compiler/diagnostics/visible.js';
import { columns } from '../../report/columns.js';
import type { Definition } from '../definitions.js';
import type { Cell, Matrix, MatrixTable } from '../matrix.js';
import { listRemarks, nameText, Notes, rowTitle, titleParts, withPeople, wordAnswer } from './cells.js';

/** Tables for a terminal; long conditions are numbered below their table. */
export function matrixText({ tables, definitions }: Matrix, pathOf: (file: string) => string): string {
  const blocks = [
    ...tables.map(tableLines),
    ...(definitions.length === 0 ? [] : [definitionLines(definitions, pathOf)]),
  ];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function tableLines(table: MatrixTable): readonly string[] {
  const notes = new Notes();
  const rows = [
    ['', ...table.actions.map((action) => nameText(action, 'action'))],
    ...table.rows.map((row) => [rowTitle(row), ...row.cells.map((cell) => withPeople(cellText(cell, notes), cell))]),
  ];
  return [
    titleParts(table).join('   '),
    ...columns(rows).map((line) => `  ${line}`),
    ...remarkLines(table),
    ...notes.conditions.map((condition, index) => `  [${index + 1}] ${visible(condition)}`),
  ];
}

function remarkLines(table: MatrixTable): readonly string[] {
  return listRemarks(table).map((text) => `  ${text}`);
}

function cellText(cell: Cell, notes: Notes): string {
  if (cell.answer !== 'condition') return wordAnswer(cell);
  const number = notes.numberCondition(cell.condition);
  return number === undefined ? `if ${visible(cell.condition)}` : `if [${number}]`;
}

/** The names that conditions have. */
function definitionLines(definitions: readonly Definition[], pathOf: (file: string) => string): readonly string[] {
  return columns(
    definitions.map(({ name, text, place: { file, line } }) => [
      visible(name),
      visible(text),
      `${visible(pathOf(file))}:${line}`,
    ]),
  );
}

/** The roles and principals that may do one action, each with the condition. */
export function answersText({ tables, definitions }: Matrix, pathOf: (file: string) => string): string {
  const blocks = tables.map((table) => [
    [...titleParts(table), ...table.actions.map((action) => nameText(action, 'action'))].join('   '),
    ...(table.rows.length === 0 ? ['  nobody'] : []),
    ...columns(table.rows.map((row) => [rowTitle(row), ...row.cells.map(answerText)])).map((line) => `  ${line}`),
    ...remarkLines(table),
  ]);
  const names = definitions.length === 0 ? [] : [definitionLines(definitions, pathOf)];
  return `${[...blocks, ...names].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function answerText(cell: Cell): string {
  return cell.answer === 'condition' ? `if ${visible(cell.condition)}` : wordAnswer(cell);
}
