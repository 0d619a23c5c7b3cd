import type { Paint } from '../../../../compiler/diagnostics/paint.js';
import { visible, visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { narrowedTo, solverNoteFor } from '../../diff/report/paragraphs.js';
import type { RulePlace } from '../../diff/report.js';
import type { StatementAnswer, VerifiedRow, VerifiedStatement, VerifyReport } from '../report.js';
import {
  decisiveRows,
  isProofRefuted,
  openReasons,
  listParts,
  refutation,
  rowsForSolver,
  summaryText,
} from './statements.js';

/** How a report is shown on a terminal. */
export interface VerifyStyle {
  readonly paint: Paint;
  /** The path of a policy as the reader would open it. */
  readonly pathOf: (file: string) => string;
}

/** What the number of rows of a proof counts. */
const ROW = 'a row is a kind, version, scope and action';

/** The number of rows of a statement that are shown. */
const MOST_ROWS = 3;

/** A report for people: a line for each statement, and the requests that refute it. */
export function prettyVerification(report: VerifyReport, style: VerifyStyle): string {
  const lines: string[] = [];
  let document = '';
  for (const statement of report.statements) {
    const { invariants, place } = statement;
    const heading = `${style.paint.strong(visible(invariants))} (${visible(style.pathOf(place.file))})`;
    if (heading !== document) lines.push(...(lines.length === 0 ? [] : ['']), heading);
    document = heading;
    lines.push(...statementLines(statement, measureWidth(report, invariants), style));
  }
  const narrowed = narrowedTo(report);
  const note = solverNoteFor(rowsForSolver(report));
  lines.push(
    ...(lines.length === 0 ? [] : ['']),
    ...(narrowed === undefined ? [] : [`only ${visible(narrowed)}`]),
    ...(report.statements.some(({ answer }) => answer === 'proved')
      ? [`${summaryText(report)} (${ROW})`]
      : [summaryText(report)]),
    ...(note === undefined ? [] : [`${style.paint.strong('note:')} ${note}`]),
  );
  return lines.map((line) => `${line}\n`).join('');
}

function measureWidth({ statements }: VerifyReport, document: string): number {
  return Math.max(
    ...statements.filter(({ invariants }) => invariants === document).map(({ name }) => visible(name).length),
  );
}

const MARKS: Readonly<Record<StatementAnswer, string>> = { proved: '✔', refuted: '✘', undecided: '?' };

function statementLines(statement: VerifiedStatement, width: number, style: VerifyStyle): readonly string[] {
  const { name, answer, rows } = statement;
  const decisive = decisiveRows(statement);
  const shown = answer === 'refuted' ? decisive.slice(0, MOST_ROWS) : [];
  const refutedProofs = decisive.filter(isProofRefuted).slice(0, MOST_ROWS);
  const left = answer === 'refuted' ? decisive.length - shown.length : 0;
  return [
    `  ${style.paint.mark(MARKS[answer])} ${visible(name).padEnd(width)}   ${formatResult(statement, rows.length, style)}`,
    ...shown.flatMap((row) => rowLines(statement, row, style)),
    ...refutedProofs.flatMap(partLines),
    ...(left === 0 ? [] : [`      … and ${left} more`]),
  ];
}

function formatResult(statement: VerifiedStatement, rows: number, { paint, pathOf }: VerifyStyle): string {
  const { answer, place, reason } = statement;
  switch (answer) {
    case 'proved':
      return `proved, ${rows} ${rows === 1 ? 'row' : 'rows'}`;
    case 'undecided':
      return `not decided: ${openReasons(decisiveRows(statement), visible).join('; ')}`;
    case 'refuted': {
      const at = paint.faint(visible(`${pathOf(place.file)}:${place.line}`));
      return reason === undefined ? at : `${reason}, ${at}`;
    }
  }
}

function partLines(row: VerifiedRow): readonly string[] {
  return listParts(row).map(([name, part]) => `        ${name.padEnd(9)}  ${visibleJson(part)}`);
}

function rowLines(statement: VerifiedStatement, row: VerifiedRow, style: VerifyStyle): readonly string[] {
  return [
    `      ${refutation(statement, row, visible)}`,
    ...partLines(row),
    ...(row.request === undefined ? [] : [`        ${deciderText(statement.form, row.decidedBy ?? null, style)}`]),
  ];
}

function deciderText(
  form: VerifiedStatement['form'],
  decider: RulePlace | null,
  { paint, pathOf }: VerifyStyle,
): string {
  if (decider === null) return 'no rule allows';
  const { rule, place } = decider;
  const at = paint.faint(visible(`${pathOf(place.file)}:${place.line}`));
  return `${form === 'always' ? 'denied' : 'allowed'} by ${visible(rule.slice(rule.indexOf('#') + 1))}, ${at}`;
}
