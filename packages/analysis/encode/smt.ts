/**
 * SMT-LIB 2.6 names and constants (https://smt-lib.org). All text of policies reaches a query through this file.
 */

/** What the strings of SMT-LIB end at, less room for strings between two of a query: see `stringConstant`. */
const LAST_CODE_POINT = 0x2efff;

/** Thrown for a term that the encoding does not cover. The question stays open. */
export class NotEncodable extends Error {}

/**
 * A symbol for any name: different names are different symbols. Symbols of the prelude have no blank, and names that
 * are made of policies do.
 */
export function symbol(name: string): string {
  const escaped = name.replace(/[^ -{}]|\\/gu, (char) => `~${(char.codePointAt(0) as number).toString(16)};`);
  return `|${escaped}|`;
}

/**
 * A string. The strings of SMT-LIB have code points up to 2FFFF, those of CEL up to 10FFFF. A model may use others than
 * a request does, as long as no string of the query is near the end and the order of others cannot be seen.
 * Throws a NotEncodable.
 */
export function stringConstant(text: string): string {
  const chars = Array.from(text, (char) => {
    const code = char.codePointAt(0) as number;
    if (!isEncodable(code)) throw new NotEncodable('a string has a code point beyond 2EFFF');
    if (char === '"') return '""';
    return code < 0x20 || code > 0x7e || char === '\\' ? `\\u{${code.toString(16)}}` : char;
  });
  return `"${chars.join('')}"`;
}

/** Whether a string or pattern may name a code point. */
export function isEncodable(code: number): boolean {
  return code <= LAST_CODE_POINT;
}

/** An integer. */
export function intConstant(value: bigint | number): string {
  return value < 0 ? `(- ${-value})` : String(value);
}

/** A finite double, exactly. */
export function realConstant(value: number): string {
  let numerator = Math.abs(value);
  let denominator = 1n;
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  const magnitude = denominator === 1n ? `${BigInt(numerator)}.0` : `(/ ${BigInt(numerator)}.0 ${denominator}.0)`;
  return value < 0 ? `(- ${magnitude})` : magnitude;
}

/** A function applied to arguments; the function alone without any. */
export function apply(name: string, ...args: readonly string[]): string {
  return args.length === 0 ? name : `(${name} ${args.join(' ')})`;
}

/** Conjunction. */
export function and(...operands: readonly string[]): string {
  return connected('and', 'false', operands);
}

/** Disjunction. */
export function or(...operands: readonly string[]): string {
  return connected('or', 'true', operands);
}

/** Implication. */
export function implies(premise: string, conclusion: string): string {
  return conclusion === 'true' ? 'true' : `(=> ${premise} ${conclusion})`;
}

/** Negation. */
export function not(operand: string): string {
  if (operand === 'true') return 'false';
  return operand === 'false' ? 'true' : `(not ${operand})`;
}

function connected(operator: 'and' | 'or', absorbing: string, operands: readonly string[]): string {
  const neutral = absorbing === 'true' ? 'false' : 'true';
  if (operands.includes(absorbing)) return absorbing;
  const left = [...new Set(operands)].filter((operand) => operand !== neutral);
  return left.length < 2 ? (left[0] ?? neutral) : `(${operator} ${left.join(' ')})`;
}
