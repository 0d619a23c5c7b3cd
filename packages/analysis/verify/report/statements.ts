import { reasonText, requestParts } from '../../diff/report/paragraphs.js';
import type { StatementAnswer, VerifiedRow, VerifiedStatement, VerifyReport } from '../report.js';

/** The answer as people read it. */
export const ANSWERS: Readonly<Record<StatementAnswer, string>> = {
  proved: 'proved',
  refuted: 'refuted',
  undecided: 'not decided',
};

/** `3 statements: 1 proved, 1 refuted, 1 not decided` */
export function summaryText({ summary }: VerifyReport): string {
  const { statements } = summary;
  const counts = (['proved', 'refuted', 'undecided'] as const).map((answer) => `${summary[answer]} ${ANSWERS[answer]}`);
  return `${statements} ${statements === 1 ? 'statement' : 'statements'}: ${counts.join(', ')}`;
}

/** The rows that make a statement refuted or undecided. */
export function decisiveRows({ answer, rows }: VerifiedStatement): readonly VerifiedRow[] {
  return answer === 'proved' ? [] : rows.filter((row) => row.answer === answer);
}

/**
 * What refutes a row of a statement, as a sentence.
 *
 * @param shown how names are shown.
 */
export function refutation(
  { form, rows }: VerifiedStatement,
  { kind, version, scope, action, also, request }: VerifiedRow,
  shown: (name: string) => string,
): string {
  const atRoot = rows.some((row) => row.scope !== '') ? ' in the root scope' : '';
  const place = [
    version === 'default' ? '' : ` of version ${shown(version)}`,
    scope === '' ? atRoot : ` in scope ${shown(scope)}`,
  ].join('');
  if (request === undefined) return `no request to ${shown(action)} ${shown(kind)}${place} is allowed: proved`;
  const { principal, resource } = request;
  const who = `${shown(principal.id)} [${principal.roles.map(shown).join(', ')}]`;
  const what = `${shown(action)} ${shown(resource.kind)} ${shown(resource.id)}${place}`;
  switch (form) {
    case 'always':
      return `${who} may not ${what}`;
    case 'implies':
      return `${who} may ${what}, and may not ${shown(also ?? '')} it`;
    case 'final':
      return `${who} may ${what}, to which the rule applies`;
    case 'never':
    case 'reachable':
      return `${who} may ${what}`;
  }
}

/** Why rows are not decided, each reason once. */
export function openReasons(rows: readonly VerifiedRow[], shown: (name: string) => string): readonly string[] {
  return [
    ...new Set(
      rows.flatMap(({ reason, uninterpreted = [] }) =>
        reason === undefined ? [] : [reasonText({ reason, uninterpreted }, shown)],
      ),
    ),
  ];
}

/** Whether a request refutes a proof of a row, which is a bug in authz. */
export function isProofRefuted({ reason }: VerifiedRow): boolean {
  return reason === 'proof refuted';
}

/** The number of rows that a solver could decide. */
export function rowsForSolver({ statements }: VerifyReport): number {
  return statements.flatMap(({ rows }) => rows).filter(({ reason }) => reason === 'no solver').length;
}

/** The parts of the request of a row; none if it has none. */
export function listParts({ request }: VerifiedRow): readonly (readonly [string, unknown])[] {
  return request === undefined ? [] : requestParts({ request });
}
