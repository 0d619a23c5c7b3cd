import { visibleJson } from '../../../../compiler/diagnostics/visible.js';
import { narrowedTo, solverNoteFor } from '../../diff/report/paragraphs.js';
import { code, comment, inCode, listed, MOST_NAMES } from '../../report/markdown.js';
import type { VerifiedStatement, VerifyReport } from '../report.js';
import { ANSWERS, decisiveRows, openReasons, listParts, refutation, rowsForSolver } from './statements.js';

/** The last line: a bot finds its comment by it, to replace it. */
const MARKER = '<!-- authzc-verify -->';

/**
 * A report for a comment on a pull request: a table of what is not proved, and the requests that refute it. All texts of
 * policies are code, in which nothing is a link, a mention or a tag.
 */
export function markdownVerification(report: VerifyReport): string {
  return comment({
    title: formatTitle(report),
    head: ['| | statement | form | why |', '|---|---|---|---|'],
    items: report.statements.filter(({ answer }) => answer !== 'proved'),
    rowOf: formatRow,
    requestsOf: formatRequests,
    end: formatEnd(report),
  });
}

function formatTitle({ summary }: VerifyReport): string {
  const counts = (['refuted', 'undecided', 'proved'] as const)
    .filter((answer) => summary[answer] > 0)
    .map((answer) => `${summary[answer]} ${ANSWERS[answer]}`);
  return `### Invariants: ${counts.length === 0 ? 'no statements' : counts.join(', ')}`;
}

function formatEnd(report: VerifyReport): string {
  const { proved } = report.summary;
  const narrowed = narrowedTo(report);
  const note = solverNoteFor(rowsForSolver(report));
  return [
    ...(narrowed === undefined ? [] : [`Only ${code(narrowed)} was looked at.`, '']),
    ...(note === undefined ? [] : [`${note}.`, '']),
    `${proved} ${proved === 1 ? 'statement' : 'statements'} proved. ${MARKER}`,
  ].join('\n');
}

const SIGNS = { proved: '✅', refuted: '❌', undecided: '❔' } as const;

function formatRow(statement: VerifiedStatement): string {
  const { invariants, name, form, answer } = statement;
  return `| ${SIGNS[answer]} ${ANSWERS[answer]} | ${code(name)} (${code(invariants)}) | ${form} | ${giveReason(statement)} |`;
}

function giveReason(statement: VerifiedStatement): string {
  const { answer, reason } = statement;
  if (reason !== undefined) return reason;
  const decisive = decisiveRows(statement);
  if (answer === 'undecided') {
    const cut = decisive.map(({ uninterpreted = [], ...row }) => ({
      ...row,
      uninterpreted: uninterpreted.slice(0, MOST_NAMES),
    }));
    return listed(openReasons(cut, code));
  }
  return listed(decisive.slice(0, 1).map((row) => refutation(statement, row, code)));
}

function formatRequests({ name, ...statement }: VerifiedStatement): readonly string[] {
  const row = decisiveRows({ name, ...statement }).find(({ request }) => request !== undefined);
  if (row?.request === undefined) return [];
  const request = Object.fromEntries([...listParts(row), ['action', row.request.action]]);
  return [`- ${code(name)}: \`${inCode(visibleJson(request))}\``];
}
