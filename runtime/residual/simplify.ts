import { allOf, anyOf, not } from './condition.js';
import { alike, type Condition, operandsOf, sameTerm, type Term, Unknown } from './term.js';

/**
 * A condition without what its own parts imply: `b and (a or b)` is `b`, also across levels (planner.md 8.3, 3). Two-valued, so the laws of
 * logic hold for all of it.
 */
export function simplify(condition: Condition): Condition {
  return simplified(split(condition), []);
}

/** What is known to hold, or not, where a part stands. */
interface Fact {
  readonly condition: Condition;
  readonly holds: boolean;
}

/** More parts than this stay as they are: the work grows with their square. */
const MOST_PARTS = 60;

/** `a && b` is true when both are: the logic of a term is logic of conditions. */
function split(condition: Condition): Condition {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
      return splitTerm(condition.term);
    case 'not':
      return not(split(condition.operand));
    case 'and':
      return allOf(...condition.operands.map(split).flatMap((operand) => partsOf(operand, 'and')));
    case 'or':
      return anyOf(...condition.operands.map(split).flatMap((operand) => partsOf(operand, 'or')));
    case 'unplannable':
      return condition;
  }
}

function splitTerm(term: Term): Condition {
  if (!(term instanceof Unknown)) return term === true;
  const parts = operandsOf(term, 'and') ?? operandsOf(term, 'or');
  if (parts === undefined) return { kind: 'is', term };
  const kind = operandsOf(term, 'and') === undefined ? 'or' : 'and';
  const conditions = parts.map(splitTerm).flatMap((operand) => partsOf(operand, kind));
  return kind === 'and' ? allOf(...conditions) : anyOf(...conditions);
}

function partsOf(condition: Condition, kind: 'and' | 'or'): readonly Condition[] {
  return typeof condition !== 'boolean' && condition.kind === kind ? condition.operands : [condition];
}

function simplified(condition: Condition, facts: readonly Fact[]): Condition {
  for (const fact of facts) {
    const outcome = outcomeOf(condition, fact);
    if (outcome !== undefined) return outcome;
  }
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
    case 'unplannable':
      return condition;
    case 'not':
      return not(simplified(condition.operand, facts));
    case 'and':
    case 'or':
      return simplifiedJoin(condition.kind, condition.operands, facts);
  }
}

/** Each operand in the light of the others: beside `a and`, a holds; beside `a or`, it does not. */
function simplifiedJoin(kind: 'and' | 'or', operands: readonly Condition[], facts: readonly Fact[]): Condition {
  const join = kind === 'and' ? allOf : anyOf;
  if (operands.length > MOST_PARTS) return join(...operands);
  const current = [...operands];
  for (const position of current.keys()) {
    const others = current.filter((_, other) => other !== position).flatMap((other) => factsOf(other, kind === 'and'));
    current[position] = simplified(current[position] as Condition, [...facts, ...others]);
  }
  return join(...current.flatMap((operand) => partsOf(operand, kind)));
}

function factsOf(condition: Condition, holds: boolean): readonly Fact[] {
  if (typeof condition === 'boolean') return [];
  return condition.kind === 'not' ? [{ condition: condition.operand, holds: !holds }] : [{ condition, holds }];
}

function outcomeOf(condition: Condition, fact: Fact): boolean | undefined {
  if (alike(condition, fact.condition)) return fact.holds;
  // `x` and CEL's `!x` are never both true.
  return fact.holds && excludes(condition, fact.condition) ? false : undefined;
}

function excludes(a: Condition, b: Condition): boolean {
  if (typeof a === 'boolean' || typeof b === 'boolean' || a.kind !== 'is' || b.kind !== 'is') return false;
  const [ofA] = operandsOf(a.term, 'not') ?? [];
  const [ofB] = operandsOf(b.term, 'not') ?? [];
  return (ofA !== undefined && sameTerm(ofA, b.term)) || (ofB !== undefined && sameTerm(ofB, a.term));
}
