import * as cel from '../../packages/cel/runtime/index.js';
import { isKnown, type Node, getResult, type Sort, type Term, Unknown } from './term.js';

/*
 * The wire has one type of number, CEL has three (docs/spec/plans.md#values). Comparisons do not distinguish them,
 * functions do. So a filter is read by the rule that a whole constant is a double, and an int if a double has no
 * overload; a filter that this rule would misread cannot be sent over the wire.
 */

/** Functions of numbers that require one type, or return different results for different types. */
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

/** Clauses that reject doubles. */
const WANTS_INTS = /%[^a-zA-Z%]*[xXbo]/;

/** Operators that only have overloads for two operands of one type. */
export const ARITHMETIC: ReadonlySet<string> = new Set(['add', 'sub', 'mult', 'div', 'mod']);

/** Why an operator over these operands would be misread; undefined if it would not. */
export function misread(operator: string, operands: readonly Term[]): string | undefined {
  for (const operand of operands)
    if (hasRounded(operand) && !operands.every(isDouble)) return 'an integer that no double holds';
  if (ARITHMETIC.has(operator)) return isMisreadIn(operands) ? REASON : undefined;
  if (!KIND_COUNTS.has(operator) && !(operator === 'format' && WANTS_INTS.test(String(operands[0])))) return undefined;
  return operands.some((operand) => holdsInts(operand) || isWholeDouble(operand)) ? REASON : undefined;
}

/** The type of a term, if anything is known about it. */
export function sortOfTerm(term: Term): Sort {
  if (term instanceof Unknown) return term.sort;
  if (typeof term === 'bigint' || term instanceof cel.Uint) return 'int';
  if (typeof term === 'number') return 'double';
  return typeof term === 'string' ? 'string' : 'other';
}

/**
 * Arithmetic: a constant has the type of the other operand, which is known; and two unknown operands have the types
 * that they are read as.
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

/** Read as an int if a double has no overload. */
function isWholeDouble(term: Term): boolean {
  return Number.isInteger(term);
}

/**
 * Whether a value may contain an int that is read as a double. A constant int does not count: it is read as the type
 * that the operator requires.
 */
function holdsInts(term: Term): boolean {
  if (typeof term === 'bigint') return false;
  return term instanceof Unknown ? holdsIntsIn(term) : hasInt(term);
}

function holdsIntsIn({ node, sort }: Unknown): boolean {
  if (sort === 'json' || sort === 'string' || sort === 'bool' || sort === 'double') return false;
  return listSources(node, sort).some((part) => (part instanceof Unknown ? holdsIntsIn(part) : hasInt(part)));
}

/** The parts that a value may take its numbers from. */
function listSources(node: Node, sort: Sort): readonly Term[] {
  switch (node.kind) {
    case 'path':
      // The values of a macro's variable are not known here.
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
  return isKnown(term) && someNumber(getResult(term), isRounded);
}

function isRounded(number: number | bigint | cel.Uint): boolean {
  return typeof number !== 'number' && BigInt(Number(toInteger(number))) !== toInteger(number);
}

function toInteger(number: bigint | cel.Uint): bigint {
  return number instanceof cel.Uint ? number.value : number;
}

/** CEL rounds as well when it compares with doubles; a string is not a number. */
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
