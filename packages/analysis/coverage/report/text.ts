import { visible } from '../../../../compiler/diagnostics/visible.js';
import { columns } from '../../report/columns.js';
import { type Coverage, type CoverageTotals, type FileCoverage, toPercent, type Share } from '../coverage.js';
import { isCovered } from '../rule-record.js';
import { findGaps } from '../gaps.js';

/** A table by file, and then everything that is not covered, with its place. */
export function coverageText({ files, total }: Coverage, pathOf: (file: string) => string): string {
  const rows = [
    ['', 'rules', 'clauses', 'MC/DC', 'uncovered lines'],
    ...files.map((file) => [visible(pathOf(file.file)), ...formatCells(file.total), uncoveredLines(file)]),
    ['all', ...formatCells(total), ''],
  ];
  const gaps = files.flatMap((file) =>
    file.rules.flatMap((rule) =>
      findGaps(rule).map(({ place: { line, column }, text }) =>
        [`${visible(pathOf(file.file))}:${line}:${column}`, visible(text)].join('  '),
      ),
    ),
  );
  return `${[...columns(rows), ...(gaps.length === 0 ? [] : ['', ...gaps])].join('\n')}\n`;
}

function formatCells({ rules, clauses, mcdc }: CoverageTotals): readonly string[] {
  return [rules, clauses, mcdc].map(cell);
}

function cell(share: Share): string {
  return share.all === 0 ? '-' : `${toPercent(share)} % (${share.covered}/${share.all})`;
}

function uncoveredLines({ rules }: FileCoverage): string {
  const lines = rules.flatMap((rule) => [
    ...(rule.applied === 0 ? [rule.place.line] : []),
    ...rule.clauses
      .filter((clause) => clause.place.file === rule.place.file && !isCovered(clause))
      .map(({ place }) => place.line),
  ]);
  return [...new Set(lines)].sort((a, b) => a - b).join(', ');
}
