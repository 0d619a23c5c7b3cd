import * as cel from '../../packages/cel/runtime/index.js';
import { sameTerm } from './alike.js';
import { call } from './call.js';
import { allOf, anyOf, not } from './condition.js';
import { and, complement, conditional, or, tested } from './logic.js';
import { equals } from './operators.js';
import { findProblem } from './problem.js';
import { isReadable, select, whereEvaluated } from './selection.js';
import { type Condition, failed, isKnown, type Node, matchOperands, getResult, type Term, Unknown } from './term.js';

/**
 * Whether an expression is true, as a condition: this is where a failure becomes false
 * (docs/spec/plans.md#outcome-of-a-condition).
 */
export function holds(term: Term): Condition {
  return term instanceof Unknown && term.isClean ? { kind: 'is', term } : truth(term, true);
}

/** Whether an expression is false: it is not if it cannot be evaluated. */
export function isFalse(term: Term): Condition {
  return truth(term, false);
}

function truth(term: Term, polarity: boolean): Condition {
  if (isClean(term)) return { kind: 'is', term: (polarity ? term : complement(term)) as Unknown };
  if (isKnown(term)) return getResult(term) === polarity;
  if (mentionsCondition(term)) return ofParts(term as Unknown, polarity);
  const cleaned = asUnrolled(cleanse(term, polarity));
  if (!(cleaned instanceof Unknown)) return cleaned === polarity;
  const reason = findProblem(cleaned);
  if (reason !== undefined) return { kind: 'unplannable', reason };
  const positive = polarity ? cleaned : complement(cleaned);
  return { kind: 'is', term: positive as Unknown };
}

/** Finds out whether a term is clean: for one that is asked often. */
export function markClean(term: Unknown): void {
  term.isClean =
    term.reference === undefined &&
    !mentionsCondition(term) &&
    cleanse(term, true) === term &&
    cleanse(term, false) === term &&
    findProblem(term) === undefined;
}

function isClean(term: Term): boolean {
  return term instanceof Unknown && term.isClean;
}

/**
 * The number of elements that the reference unrolls, only if the macro is the whole expression
 * (docs/spec/plans.md#macros-over-known-collections).
 */
const UNROLLED_IN_REFERENCE = 10;

function asUnrolled(term: Term): Term {
  if (!(term instanceof Unknown) || term.reference === undefined) return term;
  const { node, sort, reference } = term;
  const size =
    reference.kind === 'macro' && isKnown(reference.range) ? cel.size(getResult(reference.range)) : undefined;
  const isSmall = typeof size === 'bigint' && size <= UNROLLED_IN_REFERENCE;
  return isSmall || findProblem(new Unknown(reference, sort)) !== undefined ? new Unknown(node, sort) : term;
}

/** If a part is a condition already, the logical operators around it become conditions too. */
function ofParts(term: Unknown, polarity: boolean): Condition {
  const { node } = term;
  if (node.kind === 'condition') return polarity ? node.condition : not(node.condition);
  if (node.kind === 'call') {
    const [first, second, third] = node.operands as [Term, Term, Term];
    switch (node.operator) {
      case 'and':
      case 'or': {
        const parts = [truth(first, polarity), truth(second, polarity)];
        return (node.operator === 'and') === polarity ? allOf(...parts) : anyOf(...parts);
      }
      case 'not':
        return truth(first, !polarity);
      case 'if':
        return ofBranches([first, second, third], (branch) => branch, polarity);
      default:
        return ofLifted(node, polarity);
    }
  }
  return { kind: 'unplannable', reason: 'a condition as a value' };
}

function ofBranches(
  [condition, whenTrue, whenFalse]: readonly [Term, Term, Term],
  of: (branch: Term) => Term,
  polarity: boolean,
): Condition {
  return anyOf(
    allOf(truth(condition, true), truth(of(whenTrue), polarity)),
    allOf(truth(condition, false), truth(of(whenFalse), polarity)),
  );
}

/** `f(c ? a : b)` is `c ? f(a) : f(b)`: this moves conditions to where logical operators are. */
function ofLifted({ operator, operands, run }: Node & { kind: 'call' }, polarity: boolean): Condition {
  const position = operands.findIndex((operand) => mentionsCondition(operand));
  const branches = matchOperands(operands[position], 'if') as readonly [Term, Term, Term] | undefined;
  if (run === undefined || branches === undefined) return { kind: 'unplannable', reason: 'a condition as a value' };
  return ofBranches(branches, (branch) => call(operator, run, ...operands.with(position, branch)), polarity);
}

function mentionsCondition(term: Term): boolean {
  if (!(term instanceof Unknown) || term.isClean) return false;
  const { node } = term;
  if (node.kind === 'condition') return true;
  if (node.kind === 'call') return node.operands.some(mentionsCondition);
  return node.kind === 'macro' && [node.range, ...node.bodies].some(mentionsCondition);
}

/**
 * A term that has a truth value exactly if the given one has it, and no failure inside: `a || FAILURE` is true if `a`
 * is, and never false (docs/spec/plans.md#d-13-errors-beside-unknowns). Parts that are known to have no other outcome
 * are folded.
 */
function cleanse(term: Term, polarity: boolean): Term {
  return isClean(term) ? term : tested(cleansed(tested(term), polarity));
}

function cleansed(term: Term, polarity: boolean): Term {
  if (isKnown(term)) {
    const known = getResult(term);
    return typeof known === 'boolean' ? known : !polarity;
  }
  const { node, sort, reference } = term as Unknown;
  if (node.kind === 'macro' && (node.operator === 'exists' || node.operator === 'all')) {
    const [body] = node.bodies as [Term];
    const inner = cleanse(body, polarity);
    if (inner === body) return term;
    // No element passes: the result is known, unless the range cannot be iterated, which never passes.
    if (inner === false && node.operator === 'exists' && polarity) return false;
    if (inner === true && node.operator === 'all' && !polarity) return true;
    return new Unknown({ ...node, bodies: [inner] }, sort, reference);
  }
  if (node.kind !== 'call') return term;
  const [first, second, third] = node.operands as [Term, Term, Term];
  switch (node.operator) {
    case 'and':
    case 'or':
      return rejoined(term as Unknown, cleanse(first, polarity), cleanse(second, polarity));
    case 'not': {
      const operand = cleanse(first, !polarity);
      return operand === first ? term : withReference(complement(operand), reference);
    }
    case 'if':
      return withReference(cleansedConditional([first, second, third], polarity), reference);
    default:
      return cleansedAtom(term as Unknown, polarity);
  }
}

function rejoined(term: Unknown, first: Term, second: Term): Term {
  const { node, reference } = term;
  if (node.kind !== 'call' || (first === node.operands[0] && second === node.operands[1])) return term;
  return withReference(node.operator === 'and' ? and(first, second) : or(first, second), reference);
}

function withReference(term: Term, reference: Node | undefined): Term {
  return term instanceof Unknown && reference !== undefined ? new Unknown(term.node, term.sort, reference) : term;
}

function cleansedConditional([condition, ...branches]: readonly [Term, Term, Term], polarity: boolean): Term {
  const [isTrue, isFalse] = cleansedTest(condition);
  const [whenTrue, whenFalse] = branches.map((branch) => cleanse(branch, polarity)) as [Term, Term];
  const chosen = sameTerm(isTrue, isFalse) ? conditional(isTrue, whenTrue, whenFalse) : undefined;
  if (chosen !== undefined && typeof whenTrue !== 'boolean' && typeof whenFalse !== 'boolean') return chosen;
  const towards = (branch: Term): Term => (polarity ? branch : complement(branch));
  const decided = or(and(isTrue, towards(whenTrue)), and(complement(isFalse), towards(whenFalse)));
  const asWritten = chosen instanceof Unknown && !branches.some((branch) => failed(branch)) ? chosen.node : undefined;
  return withReference(polarity ? decided : complement(decided), asWritten);
}

/** Where the test of a choice is true, and where it is false. Both are asked for wherever the choice is asked for. */
function cleansedTest(test: Term): readonly [isTrue: Term, isFalse: Term] {
  const known = test instanceof Unknown ? cleansedTests.get(test) : undefined;
  if (known !== undefined) return known;
  const cleansed = [cleanse(test, true), cleanse(test, false)] as const;
  if (test instanceof Unknown) cleansedTests.set(test, cleansed);
  return cleansed;
}

/** A test may have choices in its own test: without this, the work would double with each of them. */
const cleansedTests = new WeakMap<Unknown, readonly [isTrue: Term, isFalse: Term]>();

function cleansedAtom(term: Unknown, polarity: boolean): Term {
  const expanded = expandedIndex(term, polarity);
  if (expanded !== undefined) return expanded;
  const tested = findNeverTrue(term);
  if (tested === undefined) return term;
  if (polarity) return false;
  // False if the operand can be read at all.
  const readable = isReadable(tested);
  return readable === undefined ? term : complement(readable);
}

/**
 * The unknown operand of a comparison that can only be false, or fail: with an empty list, or with a type that JSON
 * does not have (docs/spec/plans.md#d-11-folds-that-drop-an-error,
 * docs/spec/plans.md#d-12-types-that-json-does-not-have).
 */
function findNeverTrue({ node }: Unknown): Term | undefined {
  if (node.kind !== 'call') return undefined;
  const [first, second] = node.operands as [Term, Term];
  if (node.operator === 'in' && isKnown(second)) return isEmpty(getResult(second)) ? first : undefined;
  if (node.operator !== 'eq') return undefined;
  if (isJson(first) && isNeverJson(second)) return first;
  return isJson(second) && isNeverJson(first) ? second : undefined;
}

function isEmpty(value: cel.Result): boolean {
  return cel.size(value) === 0n;
}

function isJson(term: Term): boolean {
  return term instanceof Unknown && term.sort === 'json';
}

function isNeverJson(term: Term): boolean {
  return term instanceof Uint8Array || term instanceof cel.Timestamp || term instanceof cel.Duration;
}

const MOST_ENTRIES = 1000;

/**
 * `M[k] == c` over a known map is a disjunction over its entries (docs/spec/plans.md#known-maps), in any position and
 * for any test of `M[k]`.
 */
function expandedIndex(term: Unknown, polarity: boolean): Term | undefined {
  const found = findIndex(term);
  if (found === undefined) return undefined;
  const { key, entries } = found;
  if (entries.length > MOST_ENTRIES) return undefined;
  const decided = entries.reduceRight<Term>((rest, [name, value]) => {
    const there = cleanse(replaced(term, found.term, value), polarity);
    return or(and(equals(key, name), polarity ? there : complement(there)), rest);
  }, false);
  const isWhole = entries.every(([, value]) => isKnown(value));
  const outcome = polarity ? decided : complement(decided);
  return isWhole ? outcome : cleanse(whereEvaluated(entries, outcome), polarity);
}

interface IndexedMap {
  readonly term: Unknown;
  readonly key: Term;
  /** The entries sorted by key. */
  readonly entries: readonly (readonly [key: Term, value: Term])[];
}

function findIndex(term: Term): IndexedMap | undefined {
  if (!(term instanceof Unknown) || term.reference !== undefined) return undefined;
  const { node } = term;
  if (node.kind === 'field') return findIndex(node.operand);
  if (node.kind !== 'call' || node.operator === 'if' || node.operator === 'and' || node.operator === 'or')
    return undefined;
  if (node.operator === 'index') {
    const [map, key] = node.operands as [Term, Term];
    const entries = listEntries(map);
    if (entries !== undefined) return { term, key, entries };
  }
  if (node.run === undefined) return undefined;
  for (const operand of node.operands) {
    const found = findIndex(operand);
    if (found !== undefined) return found;
  }
  return undefined;
}

function listEntries(map: Term): readonly (readonly [Term, Term])[] | undefined {
  if (map instanceof Unknown)
    return map.node.kind === 'struct' && map.node.entries.every(([key]) => isKnown(key))
      ? sortedByKey(map.node.entries)
      : undefined;
  if (failed(map) || Array.isArray(map)) return undefined;
  const keys = cel.mapEach(map, (key) => key);
  return Array.isArray(keys) ? sortedByKey(keys.map((key) => [key, cel.index(map, key)])) : undefined;
}

function sortedByKey(entries: readonly (readonly [Term, Term])[]): readonly (readonly [Term, Term])[] {
  return [...entries].sort(([a], [b]) => (String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0));
}

function replaced(term: Term, sought: Unknown, value: Term): Term {
  if (term === sought) return value;
  if (!(term instanceof Unknown)) return term;
  const { node } = term;
  if (node.kind === 'field') return select(replaced(node.operand, sought, value), node.name);
  if (node.kind !== 'call' || node.run === undefined) return term;
  return call(node.operator, node.run, ...node.operands.map((operand) => replaced(operand, sought, value)));
}
