import { type Formula, isDecisive, type Truth } from '../coverage/clauses.js';
import type { Sight } from '../coverage/rule-record.js';

/** A clause that should decide with a truth value. */
export interface Decisive {
  readonly clause: number;
  readonly isTrue: boolean;
}

/** Whether a clause decides with a truth value. One that fails is not true. */
export function decides(formula: Formula, vector: readonly Truth[], { clause, isTrue }: Decisive): boolean {
  return (vector[clause] === true) === isTrue && isDecisive(formula, vector, clause);
}

/**
 * How many clauses would have to turn before one decides, as an estimate: clauses that a condition has twice are
 * counted twice.
 */
export function distanceToDecisive(formula: Formula, vector: readonly Truth[], wanted: Decisive): number {
  return distance({ kind: 'clause', clause: wanted.clause }, vector, wanted.isTrue) + onPath(formula, vector, wanted);
}

/** How many clauses would have to turn before a formula is true or false. A failure is half of the way to false. */
export function distance(formula: Formula, vector: readonly Truth[], wanted: boolean): number {
  if (formula.kind === 'clause') {
    const truth = vector[formula.clause];
    if (truth === wanted) return 0;
    return truth === 'failed' && !wanted ? 0.5 : 1;
  }
  const to = (part: Formula, value: boolean): number => distance(part, vector, value);
  switch (formula.kind) {
    case 'all':
    case 'and':
      return wanted ? sum(formula.of, (part) => to(part, true)) : least(formula.of, (part) => to(part, false));
    case 'any':
    case 'or':
      return wanted ? least(formula.of, (part) => to(part, true)) : sum(formula.of, (part) => to(part, false));
    case 'none':
      return wanted ? sum(formula.of, (part) => to(part, false)) : least(formula.of, (part) => to(part, true));
    case 'not':
      return to(formula.of[0] as Formula, !wanted);
    case 'conditional': {
      const [condition, yes, no] = formula.of as [Formula, Formula, Formula];
      return Math.min(to(condition, true) + to(yes, wanted), to(condition, false) + to(no, wanted));
    }
  }
}

/** How many clauses would have to turn before a rule applies. */
export function distanceToApplies(sight: Sight): number {
  return distanceTo(sight, isWantedBy(sight)) + distanceToActive(sight);
}

/** How many clauses would have to turn before a rule does not apply. */
export function distanceFromApplying(sight: Sight): number {
  if (!sight.applies) return 0;
  const { through } = sight;
  const own = sight.record.condition === undefined ? Infinity : distanceTo(sight, !isWantedBy(sight));
  return Math.min(own, through === undefined ? Infinity : distanceFromApplying(through));
}

/** How many clauses would have to turn before the derived role of a rule is active. */
export function distanceToActive({ through }: Sight): number {
  return through === undefined ? 0 : distanceToApplies(through);
}

/** The value that the condition of a rule has where the rule applies. */
function isWantedBy({ origin: { rule } }: Sight): boolean {
  return !('inverted' in rule && rule.inverted);
}

function distanceTo({ record, vector }: Sight, wanted: boolean): number {
  return record.condition === undefined ? 0 : distance(record.condition.formula, vector, wanted);
}

/** How many other clauses would have to turn before a formula has another value whenever one clause has. */
function onPath(formula: Formula, vector: readonly Truth[], wanted: Decisive): number {
  const to = (part: Formula, value: boolean): number => distance(part, vector, value);
  const through = (part: Formula): number => onPath(part, vector, wanted);
  switch (formula.kind) {
    case 'clause':
      return formula.clause === wanted.clause ? 0 : Infinity;
    case 'all':
    case 'and':
      return least(formula.of, (part) => through(part) + sum(formula.of, (o) => (o === part ? 0 : to(o, true))));
    case 'any':
    case 'or':
    case 'none':
      return least(formula.of, (part) => through(part) + sum(formula.of, (o) => (o === part ? 0 : to(o, false))));
    case 'not':
      return through(formula.of[0] as Formula);
    case 'conditional': {
      const [condition, yes, no] = formula.of as [Formula, Formula, Formula];
      return Math.min(
        through(condition) + Math.min(to(yes, true) + to(no, false), to(yes, false) + to(no, true)),
        through(yes) + to(condition, true),
        through(no) + to(condition, false),
      );
    }
  }
}

function sum(of: readonly Formula[], distanceOf: (part: Formula) => number): number {
  return of.reduce((all, part) => all + distanceOf(part), 0);
}

function least(of: readonly Formula[], distanceOf: (part: Formula) => number): number {
  return of.reduce((smallest, part) => Math.min(smallest, distanceOf(part)), Infinity);
}
