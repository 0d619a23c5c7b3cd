import type { Operator } from '../../../compiler/ir/value.js';
import { equality } from './equality.js';
import { order } from './order.js';
import type { QueryRecord } from './query-record.js';
import { apply, intConstant } from './smt.js';
import { kindOf, ofKind, type Term, type TermKind, unknown } from './values.js';

/** Operators that do not need all of their operands, and the one that classes of roles depend on. */
type Logical = 'and' | 'or' | 'not' | 'conditional' | 'inCollection';

/** An operator that evaluates its operands. */
export function encodeStrictOperator(
  query: QueryRecord,
  operator: Exclude<Operator, Logical>,
  operands: readonly Term[],
): Term {
  const { script } = query;
  const [a, b] = operands as [Term, Term];
  switch (operator) {
    case 'equals':
      query.compared.push([a, b]);
      return equality(a, b, script);
    case 'notEquals':
      query.compared.push([a, b]);
      return unknown(`(notEquals ${a.text} ${b.text} ${equality(a, b, script).text})`, true);
    case 'lessThan':
    case 'atMost':
    case 'greaterThan':
    case 'atLeast':
      query.compared.push([a, b]);
      return order(operator, a, b, script);
    case 'multiply': {
      const [factor, other] = typeof a.value === 'bigint' ? [a.value, b] : [b.value, a];
      if (typeof factor === 'bigint') return ofKind('integer', `(multiplyBy ${other.text} ${intConstant(factor)})`);
      return encodeArithmetic(query, operator, operands);
    }
    case 'add':
    case 'subtract':
    case 'divide':
    case 'modulo':
    case 'negate':
      return encodeArithmetic(query, operator, operands);
  }
}

function encodeArithmetic(query: QueryRecord, operator: string, operands: readonly Term[]): Term {
  if (operator !== 'negate') query.uninterpreted.add(`${operator} of some numbers`);
  const isJson = operator === 'add' && operands.every((operand) => operand.isJson);
  const term = apply(operator, ...operands.map(({ text }) => text));
  // A sum of JSON is a string, a list or a double, and doubles may leave what JSON has.
  return { ...unknown(term, isJson && operands.some(isString)), kind: kindOfResult(operator, operands.map(kindOf)) };
}

/** The kind of a result of kinds; undefined if it depends on the operands. */
function kindOfResult(operator: string, [a, b]: readonly (TermKind | undefined)[]): TermKind | undefined {
  if (operator === 'negate') return a === 'time' ? undefined : a;
  if (a === 'integer' && b === 'integer') return 'integer';
  const isAdded = operator === 'add';
  if (!isAdded && operator !== 'subtract') return undefined;
  if (a === 'duration') return b === 'duration' || (isAdded && b === 'time') ? b : undefined;
  if (a !== 'time') return undefined;
  if (b === 'duration') return 'time';
  return !isAdded && b === 'time' ? 'duration' : undefined;
}

function isString({ text, value }: Term): boolean {
  return typeof value === 'string' || text.startsWith('(Str ');
}
