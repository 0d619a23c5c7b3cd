import type { Coverage, FileCoverage } from '../coverage.js';
import type { ClauseCoverage, RuleCoverage } from '../rule-record.js';

/**
 * Coverage as lcov reads it: rules are functions, the lines of rules and clauses are lines, and the two truth values of
 * a clause are branches. A clause counts for the file that it is in, also if a rule of another file reads it through a
 * variable.
 */
export function coverageLcov({ files }: Coverage, pathOf: (file: string) => string): string {
  const clauses = files.flatMap(({ rules }) =>
    rules.flatMap((rule) => rule.clauses.map((clause) => ({ rule, clause }))),
  );
  const paths = new Set([...files.map(({ file }) => file), ...clauses.map(({ clause }) => clause.place.file)]);
  return [...paths]
    .sort()
    .map((path) =>
      record(
        pathOf(path),
        files.find(({ file }) => file === path)?.rules ?? [],
        clauses.filter(({ clause }) => clause.place.file === path),
      ),
    )
    .join('');
}

interface ClauseOfRule {
  readonly rule: RuleCoverage;
  readonly clause: ClauseCoverage;
}

function record(path: string, rules: FileCoverage['rules'], clauses: readonly ClauseOfRule[]): string {
  const hits = new Map<number, number>();
  const hit = (line: number, count: number): void => void hits.set(line, Math.max(hits.get(line) ?? 0, count));
  for (const { place, reached } of rules) hit(place.line, reached);
  for (const { clause } of clauses) hit(clause.place.line, clause.true + clause.false + clause.failed);
  const branches = clauses.flatMap(({ clause, rule }, index) => {
    const { line } = clause.place;
    const count = (times: number): string => (rule.reached === 0 ? '-' : String(times));
    return [
      `BRDA:${line},${index},0,${count(clause.true)}`,
      `BRDA:${line},${index},1,${count(clause.false + clause.failed)}`,
    ];
  });
  const lines = [...hits].sort(([a], [b]) => a - b);
  return `${[
    'TN:',
    `SF:${path}`,
    ...rules.map(({ rule, place }) => `FN:${place.line},${rule}`),
    ...rules.map(({ rule, applied }) => `FNDA:${applied},${rule}`),
    `FNF:${rules.length}`,
    `FNH:${rules.filter(({ applied }) => applied > 0).length}`,
    ...branches,
    `BRF:${branches.length}`,
    `BRH:${branches.filter((branch) => !/,(?:0|-)$/.test(branch)).length}`,
    ...lines.map(([line, count]) => `DA:${line},${count}`),
    `LF:${lines.length}`,
    `LH:${lines.filter(([, count]) => count > 0).length}`,
    'end_of_record',
  ].join('\n')}\n`;
}
