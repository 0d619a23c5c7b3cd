import { join } from 'node:path';
import type { VerifiedRow, VerifiedStatement, VerifyReport } from '../../analysis/verify/report.js';
import {
  decisiveRows,
  isProofRefuted,
  openReasons,
  listParts,
  refutation,
} from '../../analysis/verify/report/statements.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import { visible, visibleJson } from '../../../compiler/diagnostics/visible.js';
import { regionAt } from './region.js';
import type { Finding, FindingRule } from './finding.js';

/** The rules of statements. */
export const STATEMENT_RULES: readonly FindingRule[] = [
  {
    id: 'invariant/refuted',
    level: 'error',
    help: `
The policies violate an invariant. The message shows a request that they decide differently.

Correct the policies or the invariant. \`authzc explain\` shows which rules decide the request.
`,
  },
  {
    id: 'invariant/undecided',
    level: 'warning',
    help: `
An invariant could be neither proved nor refuted.

Install the solver or raise \`--effort\`. \`--allow-undecided\` accepts undecided invariants.
`,
  },
];

/**
 * The statements that are not proved.
 *
 * @param folder the folder of the policies.
 */
export function statementFindings(
  { statements }: VerifyReport,
  folder: string,
  sources: readonly Source[],
): readonly Finding[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  return statements.flatMap((statement): readonly Finding[] => {
    const { answer, place } = statement;
    if (answer === 'proved') return [];
    const source = byPath.get(place.file);
    return [
      {
        rule: `invariant/${answer}`,
        level: answer === 'refuted' ? 'error' : 'warning',
        message: formatMessage(statement),
        location: { path: join(folder, place.file), ...(source && { region: regionAt(place, source) }) },
      },
    ];
  });
}

/** The first request that refutes a statement, or why it is not decided. */
function formatMessage(statement: VerifiedStatement): string {
  const { name, answer, reason } = statement;
  const rows = decisiveRows(statement);
  const [first] = rows;
  if (reason !== undefined) return `${name}: ${reason}`;
  if (answer === 'undecided') {
    const refutedProofs = rows.filter(isProofRefuted).slice(0, 1).flatMap(partLines);
    return [`${name}: not decided`, ...openReasons(rows, visible), ...refutedProofs].join('\n');
  }
  if (first === undefined) return `${name}: refuted`;
  return [`${name}: ${refutation(statement, first, visible)}`, ...partLines(first)].join('\n');
}

function partLines(row: VerifiedRow): readonly string[] {
  return listParts(row).map(([part, value]) => `${part} ${visibleJson(value)}`);
}
