import { sameCondition, sameTerm } from './alike.js';
import { joinedConditions, not } from './condition.js';
import { likenessUnderNots } from './likeness.js';
import { type Condition, matchOperands, type Node, type Term, Unknown } from './term.js';

/**
 * A condition without parts that its other parts imply: `b and (a or b)` is `b`, also across levels
 * (docs/spec/plans.md#flat-shapes). Conditions are two-valued, so the laws of logic hold.
 */
export function simplify(condition: Condition): Condition {
  return simplified(split(condition), undefined);
}

/** Conditions with more parts than this are not simplified: the work is quadratic. */
const MOST_PARTS = 60;

/** `a && b` is true if both are: the logical operators of a term become those of conditions. */
function split(condition: Condition): Condition {
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
      return splitTerm(condition.term, condition);
    case 'not': {
      const operand = split(condition.operand);
      return operand === condition.operand ? condition : not(operand);
    }
    case 'and':
    case 'or': {
      const parts: Condition[] = [];
      collect(parts, condition.kind, condition.operands);
      return joinedConditions(condition.kind, parts);
    }
    case 'unplannable':
      return condition;
  }
}

/**
 * Rules nest to one side, a hundred of them a hundred deep: so junctions of one kind are collected first, and compared
 * once.
 */
function collect(parts: Condition[], kind: 'and' | 'or', operands: readonly Condition[]): void {
  for (const operand of operands) {
    if (typeof operand === 'boolean' || (operand.kind === 'is' && !isLogical(operand.term.node))) parts.push(operand);
    else if (operand.kind === kind) collect(parts, kind, operand.operands);
    else addFlat(parts, kind, split(operand));
  }
}

function isLogical(node: Node): node is Node & { readonly kind: 'call'; readonly operator: 'and' | 'or' } {
  return node.kind === 'call' && (node.operator === 'and' || node.operator === 'or');
}

/** @param whole the term as a condition, if there is one. */
function splitTerm(term: Term, whole?: Condition): Condition {
  if (!(term instanceof Unknown)) return term === true;
  const { node } = term;
  if (!isLogical(node)) return whole ?? { kind: 'is', term };
  const { operator, operands } = node;
  const [first, second] = operands as readonly [Term, Term];
  if (matchOperands(first, operator) === undefined && matchOperands(second, operator) === undefined)
    return flattened(operator, [splitTerm(first), splitTerm(second)]);
  const parts: Condition[] = [];
  collectTerms(parts, operator, term);
  return joinedConditions(operator, parts);
}

function collectTerms(parts: Condition[], kind: 'and' | 'or', term: Term): void {
  const operands = matchOperands(term, kind);
  if (operands === undefined) addFlat(parts, kind, splitTerm(term));
  else for (const operand of operands) collectTerms(parts, kind, operand);
}

/** Merges the operands of nested junctions of the same kind. */
function flattened(kind: 'and' | 'or', operands: readonly Condition[]): Condition {
  if (!operands.some((operand) => isJunction(kind, operand))) return joinedConditions(kind, operands);
  const parts: Condition[] = [];
  for (const operand of operands) addFlat(parts, kind, operand);
  return joinedConditions(kind, parts);
}

function addFlat(parts: Condition[], kind: 'and' | 'or', condition: Condition): void {
  if (isJunction(kind, condition)) parts.push(...condition.operands);
  else parts.push(condition);
}

function isJunction(kind: 'and' | 'or', condition: Condition): condition is Junction {
  return typeof condition !== 'boolean' && condition.kind === kind;
}

type Junction = Extract<Condition, { readonly kind: 'and' | 'or' }>;

/** The known conditions at the position of an operand: the others hold in an `and`, and do not in an `or`. */
interface Surroundings {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Condition[];
  /** Their hashes without nots: only those with the hash of a condition can decide it. */
  readonly likenesses: readonly number[];
  /** The index of the operand in question. */
  position: number;
  readonly around: Surroundings | undefined;
}

function simplified(condition: Condition, around: Surroundings | undefined): Condition {
  const known = outcomeIn(condition, around);
  if (known !== undefined) return known;
  if (typeof condition === 'boolean') return condition;
  switch (condition.kind) {
    case 'is':
    case 'unplannable':
      return condition;
    case 'not': {
      const operand = simplified(condition.operand, around);
      return operand === condition.operand ? condition : not(operand);
    }
    case 'and':
    case 'or':
      return simplifiedJoin(condition, around);
  }
}

/** Each operand, simplified by the others. */
function simplifiedJoin(condition: Junction, around: Surroundings | undefined): Condition {
  const { kind, operands } = condition;
  if (operands.length > MOST_PARTS) return condition;
  const current = [...operands];
  const likenesses = current.map(likenessUnderNots);
  const surroundings: Surroundings = { kind, operands: current, likenesses, position: 0, around };
  let isSame = true;
  for (let position = 0; position < current.length; position++) {
    const operand = current[position] as Condition;
    surroundings.position = position;
    const simple =
      typeof operand !== 'boolean' && operand.kind === 'is'
        ? (outcomeIn(operand, surroundings) ?? operand)
        : simplified(operand, surroundings);
    if (simple === operand) continue;
    isSame = false;
    current[position] = simple;
    likenesses[position] = likenessUnderNots(simple);
  }
  return isSame ? condition : flattened(kind, current);
}

/** Whether the surroundings of a condition decide it: the outermost that do. */
function outcomeIn(condition: Condition, surroundings: Surroundings | undefined): boolean | undefined {
  const likeness = surroundings?.likenesses[surroundings.position];
  let known: boolean | undefined;
  for (let at = surroundings; at !== undefined; at = at.around) {
    const { likenesses, position } = at;
    for (let i = 0; i < likenesses.length; i++) {
      if (likenesses[i] !== likeness || i === position) continue;
      const outcome = outcomeBeside(condition, at.operands[i] as Condition, at.kind === 'and');
      if (outcome === undefined) continue;
      known = outcome;
      break;
    }
  }
  return known;
}

/** The outcome of a condition if another one is known to hold, or not to. */
function outcomeBeside(condition: Condition, other: Condition, holds: boolean): boolean | undefined {
  if (typeof other === 'boolean') return undefined;
  if (other.kind === 'not') return outcomeBeside(condition, other.operand, !holds);
  if (sameCondition(condition, other)) return holds;
  // `x` and CEL's `!x` are never both true.
  return holds && excludes(condition, other) ? false : undefined;
}

function excludes(a: Condition, b: Condition): boolean {
  if (typeof a === 'boolean' || typeof b === 'boolean' || a.kind !== 'is' || b.kind !== 'is') return false;
  return isComplement(a.term, b.term) || isComplement(b.term, a.term);
}

function isComplement(a: Unknown, b: Unknown): boolean {
  const operands = matchOperands(a, 'not');
  return operands !== undefined && sameTerm(operands[0], b);
}
