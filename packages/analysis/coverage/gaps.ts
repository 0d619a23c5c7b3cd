import type { FilePlace } from '../../../runtime/engine/parts.js';
import { type ClauseCoverage, isCovered, type RuleCoverage } from './rule-record.js';

/** Something that tests do not exercise. */
export interface Gap {
  readonly place: FilePlace;
  /** `owners: no test has action delete`. */
  readonly text: string;
}

/** What is not covered of a rule, in the order of its parts. */
export function findGaps(rule: RuleCoverage): readonly Gap[] {
  const { place } = rule;
  const name = rule.rule.slice(rule.rule.indexOf('#') + 1);
  if (rule.reached === 0) return [{ place, text: `${name}: never reached${nameUnmatched(rule)}` }];
  return [
    ...(rule.applied === 0 ? [{ place, text: `${name}: never applies` }] : []),
    ...rule.names
      .filter(({ matched }) => matched === 0)
      .map(({ kind, text }) => ({ place, text: `${name}: no test has ${kind} ${text}` })),
    ...rule.clauses.flatMap((clause) => {
      const gap = findGap(clause);
      return gap === undefined ? [] : { place: clause.place, text: `${name}: ${oneLine(clause.text)}: ${gap}` };
    }),
  ];
}

/** Which names keep a rule from being reached, if some of its names never matched. */
function nameUnmatched({ names }: RuleCoverage): string {
  const listed = (kind: 'action' | 'role'): string =>
    names
      .filter((name) => name.kind === kind)
      .map(({ text }) => text)
      .join(', ');
  const roles = listed('role');
  const actions = listed('action');
  if (actions === '') return '';
  return roles === '' ? `: no test asks for ${actions}` : `: no test asks for ${actions} with role ${roles}`;
}

function findGap(clause: ClauseCoverage): string | undefined {
  if (isCovered(clause)) return clause.isDecisive ? undefined : 'never decides alone';
  const { true: held, false: not, failed } = clause;
  if (held > 0) return 'only true';
  if (not === 0) return failed === 0 ? 'never evaluated' : 'always fails';
  return failed === 0 ? 'only false' : 'only false, or fails';
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
