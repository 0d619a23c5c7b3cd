import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { solverNoteFor } from '../../diff/report/paragraphs.js';
import type { VerifiedStatement, VerifyReport } from '../report.js';
import { ANSWERS, decisiveRows, openReasons, rowsForSolver } from './statements.js';

/**
 * A line for each statement: its document, its name as a JSON string, answer, form, number of rows, and what decides it:
 * the first request that refutes it, or why it is not decided.
 */
export function verifyList(report: VerifyReport): string {
  const note = solverNoteFor(rowsForSolver(report));
  const lines = [...report.statements.map(formatLine), ...(note === undefined ? [] : [`note: ${note}`])];
  return lines.map((line) => `${line}\n`).join('');
}

function formatLine(statement: VerifiedStatement): string {
  const { invariants, name, form, answer, reason, rows } = statement;
  const decisive = decisiveRows(statement);
  const first = decisive.find(({ request }) => request !== undefined);
  return [
    visible(invariants),
    visibleJson(name),
    ANSWERS[answer].replace(' ', '-'),
    form,
    `rows=${rows.length}`,
    ...(reason === undefined ? [] : [reason.replaceAll(' ', '-')]),
    ...openReasons(decisive, visible),
    ...(first?.request === undefined ? [] : [visibleJson(first.request)]),
  ].join(' ');
}
