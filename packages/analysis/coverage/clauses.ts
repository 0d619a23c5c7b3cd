import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Result } from '../../cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import { evaluate } from '../../../compiler/evaluate.js';
import { findExtent } from '../../../compiler/ir/origins.js';
import type { AuthoredText, Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { placeAt } from '../program/place.js';
import { makeSurroundings } from '../program/conditions.js';

/** The result of a clause: a clause that fails is neither true nor false. */
export type Truth = boolean | 'failed';

/** A leaf of a condition below `all`, `any`, `none`, `&&`, `||`, `!` and `?:`, with variables seen through. */
export interface Clause {
  /** The text as the author wrote it. Clauses of one text in one condition are one. */
  readonly text: string;
  /** Where it stands first. */
  readonly place: FilePlace;
}

/** A condition as a function of its clauses, by their index. */
export type Formula =
  | { readonly kind: 'clause'; readonly clause: number }
  | { readonly kind: 'all' | 'any' | 'none'; readonly of: readonly Formula[] }
  | { readonly kind: 'and' | 'or' | 'not' | 'conditional'; readonly of: readonly Formula[] };

/** A condition with its clauses. */
export interface ClausedCondition {
  readonly clauses: readonly Clause[];
  /** Each clause as a condition of the module. */
  readonly conditions: readonly Match[];
  readonly formula: Formula;
  /** The value of each clause for a request. None is left out, whatever the others are. */
  readonly vectorOf: (request: Request) => readonly Truth[];
}

/** Splits a condition of a module into its clauses. */
export function clausedCondition(match: Match, module: Module): ClausedCondition {
  const clauses: Clause[] = [];
  const values: Value[] = [];
  const conditions: Match[] = [];
  const indexes = new Map<string, number>();
  const addClause = (value: Value, expression: AuthoredText): Formula => {
    const { start, end } = findExtent(value) ?? { start: 0, end: expression.text.length };
    const text = expression.text.slice(start, end).trim();
    const known = indexes.get(text);
    if (known !== undefined) return { kind: 'clause', clause: known };
    indexes.set(text, clauses.length);
    values.push(value);
    conditions.push({ kind: 'expr', value, expression });
    clauses.push({ text, place: placeAt(expression.spanOf(start, end)) });
    return { kind: 'clause', clause: clauses.length - 1 };
  };
  const ofValue = (value: Value, expression: AuthoredText): Formula => {
    if (value.kind === 'operator') {
      const { operator } = value;
      if (operator === 'and' || operator === 'or' || operator === 'not' || operator === 'conditional')
        return { kind: operator, of: value.operands.map((operand) => ofValue(operand, expression)) };
    }
    const variable = value.kind === 'variable' ? module.variables.find(({ name }) => name === value.name) : undefined;
    return variable === undefined ? addClause(value, expression) : ofValue(variable.value, variable.expression);
  };
  const ofMatch = (part: Match): Formula =>
    part.kind === 'expr'
      ? ofValue(part.value, part.expression)
      : { kind: part.kind, of: part.of.map((inner) => ofMatch(inner)) };
  const formula = ofMatch(match);
  return {
    clauses,
    conditions,
    formula,
    vectorOf: (request) => {
      const within = makeSurroundings(module, request);
      return values.map((value) => toTruth(evaluate(value, within)));
    },
  };
}

/** A value that is not a boolean does not hold, and cannot be negated. */
function toTruth(result: Result): Truth {
  return typeof result === 'boolean' ? result : 'failed';
}

/** Whether a condition holds for a vector. A part of `all`, `any` or `none` that fails does not hold. */
export function holdsFor(formula: Formula, vector: readonly Truth[]): boolean {
  return truthFor(formula, vector) === true;
}

function truthFor(formula: Formula, vector: readonly Truth[]): Truth {
  if (formula.kind === 'clause') return vector[formula.clause] as Truth;
  const of = formula.of.map((part) => truthFor(part, vector));
  const [first, second, third] = of as [Truth, Truth, Truth];
  switch (formula.kind) {
    case 'all':
      return of.every((truth) => truth === true);
    case 'any':
      return of.includes(true);
    case 'none':
      return !of.includes(true);
    case 'and':
      if (of.includes(false)) return false;
      return of.includes('failed') ? 'failed' : true;
    case 'or':
      if (of.includes(true)) return true;
      return of.includes('failed') ? 'failed' : false;
    case 'not':
      return first === 'failed' ? first : !first;
    case 'conditional':
      return first === 'failed' ? first : first ? second : third;
  }
}

/**
 * Whether a clause decides for a vector: with its other truth value alone, the condition would turn. One that fails
 * would be true.
 */
export function isDecisive(formula: Formula, vector: readonly Truth[], clause: number): boolean {
  const flipped = vector.map((truth, index) => (index === clause ? truth !== true : truth));
  return holdsFor(formula, flipped) !== holdsFor(formula, vector);
}
