import * as cel from '../cel/index.js';
import { isKnown, type Node, resultOf, type Sort, type Term, Unknown } from './term.js';

/*
 * The wire has one kind of number where CEL has three (docs/spec/plans.md#values). Comparisons do not tell them apart,
 * functions do. So a filter is read with the rule that a whole constant is a double, and an int where a double has no
 * overload; what that rule reads otherwise than it was meant has no form on the wire.
 */

/** Functions of numbers that want one kind, or give another result for another. */
const KIND_COUNTS: ReadonlySet<string> = new Set([
  'substring',
  'charAt',
  'slice',
  'split',
  'replace',
  'indexOf',
  'lastIndexOf',
  'lists.range',
  'flatten',
  'type',
  'timestamp',
  'duration',
  'uint',
  'math.abs',
  'math.sign',
  'math.ceil',
  'math.floor',
  'math.round',
  'math.trunc',
  'math.sqrt',
  'math.isNaN',
  'math.isInf',
  'math.isFinite',
  'math.bitAnd',
  'math.bitOr',
  'math.bitXor',
  'math.bitNot',
  'math.bitShiftLeft',
  'math.bitShiftRight',
]);

const REASON = 'a number whose kind counts';

/** Clauses that refuse doubles. */
const WANTS_INTS = /%[^a-zA-Z%]*[xXbo]/;

/** Operators that have overloads for two operands of one kind only. */
export const ARITHMETIC: ReadonlySet<string> = new Set(['add', 'sub', 'mult', 'div', 'mod']);

/** Why an operator over these operands would be read otherwise; undefined when it would not. */
export function misread(operator: string, operands: readonly Term[]): string | undefined {
  for (const operand of operands)
    if (hasRounded(operand) && !operands.every(isDouble)) return 'an integer that no double holds';
  if (ARITHMETIC.has(operator)) return isMisreadIn(operands) ? REASON : undefined;
  if (!KIND_COUNTS.has(operator) && !(operator === 'format' && WANTS_INTS.test(String(operands[0])))) return undefined;
  return operands.some((operand) => holdsInts(operand) || isWholeDouble(operand)) ? REASON : undefined;
}

/** The kind of a term, if anything is known of it. */
export function sortOfTerm(term: Term): Sort {
  if (term instanceof Unknown) return term.sort;
  if (typeof term === 'bigint' || term instanceof cel.Uint) return 'int';
  if (typeof term === 'number') return 'double';
  return typeof term === 'string' ? 'string' : 'other';
}

/**
 * Arithmetic: a constant is of the kind of the other operand, which is known; and two unknown operands are of the kinds
 * they are read as.
 */
function isMisreadIn(operands: readonly Term[]): boolean {
  if (operands.some((operand) => operand instanceof cel.Uint)) return true;
  const numbers = operands.filter(isNumber).length;
  return operands.some(
    (operand) => operand instanceof Unknown && ((numbers > 0 && operand.sort === 'other') || holdsInts(operand)),
  );
}

function isNumber(term: Term): boolean {
  return typeof term === 'number' || typeof term === 'bigint';
}

/** Read as an int where a double has no overload. */
function isWholeDouble(term: Term): boolean {
  return Number.isInteger(term);
}

/**
 * Whether an int that is read as a double may be in a value. A constant int is none: it is read as what the operator
 * wants.
 */
function holdsInts(term: Term): boolean {
  if (typeof term === 'bigint') return false;
  return term instanceof Unknown ? holdsIntsIn(term) : hasInt(term);
}

function holdsIntsIn({ node, sort }: Unknown): boolean {
  if (sort === 'json' || sort === 'string' || sort === 'bool' || sort === 'double') return false;
  return partsOf(node, sort).some((part) => (part instanceof Unknown ? holdsIntsIn(part) : hasInt(part)));
}

/** The parts that a value may have its numbers from. */
function partsOf(node: Node, sort: Sort): readonly Term[] {
  switch (node.kind) {
    case 'path':
      // What a macro's variable goes through is not known here.
      return sort === 'other' && node.root !== 'request.resource' ? ANY_INT : [];
    case 'call':
      if (node.operator === 'if') return node.operands.slice(1);
      if (node.operator === 'index') return node.operands.slice(0, 1);
      return sort === 'int' && !ARITHMETIC.has(node.operator)
        ? []
        : node.operands.filter((operand) => !isText(operand));
    case 'field':
      return [node.operand];
    case 'struct':
      return node.entries.map(([, value]) => value);
    case 'macro':
      return [node.range, ...node.bodies];
    case 'optional':
      return [node.value];
    case 'attributes':
    case 'condition':
    case 'roles':
    case 'unplannable':
      return [];
  }
}

const ANY_INT: readonly Term[] = [0n];

function isText(term: Term): boolean {
  return sortOfTerm(term) === 'string';
}

function hasInt(value: Term): boolean {
  return someNumber(value, (number) => typeof number !== 'number');
}

/** Whether a constant is rounded on the wire. */
function hasRounded(term: Term): boolean {
  return isKnown(term) && someNumber(resultOf(term), isRounded);
}

function isRounded(number: number | bigint | cel.Uint): boolean {
  return typeof number !== 'number' && BigInt(Number(integerOf(number))) !== integerOf(number);
}

function integerOf(number: bigint | cel.Uint): bigint {
  return number instanceof cel.Uint ? number.value : number;
}

/** Beside doubles CEL rounds as well; a text is not a number. */
function isDouble(term: Term): boolean {
  if (isKnown(term)) return true;
  const sort = sortOfTerm(term);
  return sort === 'json' || sort === 'double' || sort === 'string' || sort === 'bool';
}

function someNumber(value: Term, passes: (number: number | bigint | cel.Uint) => boolean): boolean {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof cel.Uint) return passes(value);
  if (Array.isArray(value)) return value.some((element) => someNumber(element, passes));
  if (!(value instanceof cel.ValueMap)) return false;
  return [...value.entries.values()].some((entry) => entry.some((part) => someNumber(part, passes)));
}
