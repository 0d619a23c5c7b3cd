import { visible } from '../../../compiler/diagnostics/visible.js';
import {
  type ClauseCoverage,
  type Coverage,
  type CoverageTotals,
  type FileCoverage,
  isCovered,
  percentOf,
  type RuleCoverage,
  type Share,
} from '../coverage.js';

/** A table by file, and then everything that is not covered, with its place. */
export function coverageText({ files, total }: Coverage, pathOf: (file: string) => string): string {
  const rows = [
    ['', 'rules', 'clauses', 'MC/DC', 'uncovered lines'],
    ...files.map((file) => [visible(pathOf(file.file)), ...cellsOf(file.total), uncoveredLines(file)]),
    ['all', ...cellsOf(total), ''],
  ];
  const gaps = files.flatMap((file) =>
    file.rules.flatMap((rule) =>
      gapsOf(rule).map(([line, column, text]) => `${visible(pathOf(file.file))}:${line}:${column}  ${text}`),
    ),
  );
  return `${[...table(rows), ...(gaps.length === 0 ? [] : ['', ...gaps])].join('\n')}\n`;
}

function cellsOf({ rules, clauses, mcdc }: CoverageTotals): readonly string[] {
  return [rules, clauses, mcdc].map(cell);
}

function cell(share: Share): string {
  return share.all === 0 ? '-' : `${percentOf(share)} % (${share.covered}/${share.all})`;
}

/** Left-aligned columns, two spaces apart. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
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

/** What is not covered of a rule: line, column and text. */
function gapsOf(rule: RuleCoverage): readonly (readonly [line: number, column: number, text: string])[] {
  const { line, column } = rule.place;
  const name = visible(rule.rule.slice(rule.rule.indexOf('#') + 1));
  if (rule.reached === 0) return [[line, column, `${name}: never reached${reasonOf(rule)}`]];
  return [
    ...(rule.applied === 0 ? [[line, column, `${name}: never applies`] as const] : []),
    ...rule.names
      .filter(({ matched }) => matched === 0)
      .map(({ kind, text }) => [line, column, `${name}: no test has ${kind} ${visible(text)}`] as const),
    ...rule.clauses.flatMap((clause) => {
      const gap = gapOf(clause);
      if (gap === undefined) return [];
      return [[clause.place.line, clause.place.column, `${name}: ${oneLine(clause.text)}: ${gap}`] as const];
    }),
  ];
}

/** Which names keep a rule from being reached, if some of its names never matched. */
function reasonOf({ names }: RuleCoverage): string {
  const listed = (kind: 'action' | 'role'): string =>
    names
      .filter((name) => name.kind === kind)
      .map(({ text }) => visible(text))
      .join(', ');
  const roles = listed('role');
  const actions = listed('action');
  if (actions === '') return '';
  return roles === '' ? `: no test asks for ${actions}` : `: no test asks for ${actions} with role ${roles}`;
}

function gapOf(clause: ClauseCoverage): string | undefined {
  if (isCovered(clause)) return clause.isDecisive ? undefined : 'never decides alone';
  const { true: held, false: not, failed } = clause;
  if (held > 0) return 'only true';
  if (not === 0) return failed === 0 ? 'never evaluated' : 'always fails';
  return failed === 0 ? 'only false' : 'only false, or fails';
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/g, ' '));
}
