import type { Clause, ConditionTree, FilePlace, Outcome, ReadValue, Verdict } from '../../../runtime/engine/parts.js';
import * as cel from '../../cel/runtime/index.js';
import { findExtent } from '../../../compiler/ir/origins.js';
import type { AuthoredText, Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts } from '../../../compiler/ir/visit.js';
import { placeAt } from '../program/place.js';
import type { Results } from '../program/results.js';

/** What the tree of a condition is made from. */
export interface EvaluatedCondition {
  readonly module: Module;
  /** Results of an evaluation of all its expressions. */
  readonly results: Results;
  readonly isStrict: boolean;
}

/** The tree of a condition. */
export function conditionTree(match: Match, evaluated: EvaluatedCondition): ConditionTree {
  const { module, results, isStrict } = evaluated;
  if (match.kind === 'expr') return makeClause(match.value, { expression: match.expression, module, results });
  const of = match.of.map((part) => conditionTree(part, evaluated));
  return { kind: match.kind, result: combined(match.kind, of, isStrict), of };
}

/** Whether a tree holds; without strict evaluation, a part that cannot be evaluated does not. */
export function judgeTree(tree: ConditionTree, isStrict: boolean): Verdict {
  if (!isClause(tree)) return tree.result;
  return isStrict && 'error' in tree.result ? 'fails' : isTrue(tree);
}

/** Whether a tree holds: a part that cannot be evaluated does not. */
export function isTrue(tree: ConditionTree): boolean {
  return isClause(tree) ? 'value' in tree.result && tree.result.value === true : tree.result === true;
}

/** Whether a part of a tree is an expression. */
export function isClause(tree: ConditionTree): tree is Clause {
  return 'text' in tree;
}

function combined(kind: 'all' | 'any' | 'none', of: readonly ConditionTree[], isStrict: boolean): Verdict {
  // `all` ends at the first part that does not hold, the others at the first that does.
  for (const part of of) {
    const verdict = judgeTree(part, isStrict);
    if (verdict === 'fails') return verdict;
    if (verdict !== (kind === 'all')) return kind === 'any';
  }
  return kind !== 'any';
}

interface Context {
  /** The expression that the value is in. */
  readonly expression: AuthoredText;
  readonly module: Module;
  readonly results: Results;
}

function makeClause(value: Value, context: Context): Clause {
  const clause = {
    kind: 'expression' as const,
    text: findText(value, context.expression),
    place: findPlace(value, context.expression),
    result: toOutcome(context.results.get(value)),
  };
  if (value.kind === 'variable') {
    const variable = context.module.variables.find(({ name }) => name === value.name);
    if (variable === undefined) return clause;
    const { expression } = variable;
    const definition = makeClause(variable.value, { ...context, expression });
    const { comparison, values, of } = definition;
    return {
      ...clause,
      kind: 'variable',
      place: definition.place,
      definition: expression.text.trim(),
      ...(comparison === undefined ? {} : { comparison }),
      ...(values === undefined ? {} : { values }),
      ...(of === undefined ? {} : { of }),
    };
  }
  if (isConnective(value)) return { ...clause, of: value.operands.map((operand) => makeClause(operand, context)) };
  const comparison = formatComparison(value, context);
  if (comparison !== undefined) return { ...clause, comparison };
  // The result of an attribute alone says what it is.
  const values = value.kind === 'has' || isRead(value) ? [] : listReads(value, context);
  return values.length === 0 ? clause : { ...clause, values };
}

/** Whether the parts of a value are clauses of their own. */
function isConnective(value: Value): value is Value & { readonly kind: 'operator' } {
  return value.kind === 'operator' && ['and', 'or', 'not', 'conditional'].includes(value.operator);
}

const SIGNS: { readonly [operator: string]: string } = {
  equals: '==',
  notEquals: '!=',
  lessThan: '<',
  atMost: '<=',
  greaterThan: '>',
  atLeast: '>=',
  inCollection: 'in',
};

/** A comparison with the values in place of their names. */
function formatComparison(value: Value, { results }: Context): string | undefined {
  const sign = value.kind === 'operator' ? SIGNS[value.operator] : undefined;
  if (value.kind !== 'operator' || sign === undefined) return undefined;
  const [left, right] = value.operands.map((operand) => shown(toOutcome(results.get(operand))));
  return `${left} ${sign} ${right}`;
}

/** An outcome in a line: JSON, or the error in brackets. */
export function shown(outcome: Outcome): string {
  return 'error' in outcome ? `(${outcome.error})` : JSON.stringify(outcome.value);
}

/** The values that a clause reads: attributes, variables and constants, each once. */
function listReads(value: Value, context: Context): readonly ReadValue[] {
  const found = new Map<string, ReadValue>();
  const visit = (part: Value): void => {
    if (part !== value && isRead(part)) {
      const text = findText(part, context.expression);
      found.set(text, { text, result: toOutcome(context.results.get(part)) });
    } else parts(part).forEach(visit);
  };
  visit(value);
  return [...found.values()];
}

/** Whether a value is only read, not computed; variables of macros have a value for each element. */
function isRead(value: Value): boolean {
  if (value.kind === 'select') return isRead(value.operand);
  if (value.kind === 'index') return isRead(value.operand) && value.index.kind === 'literal';
  return ['field', 'variable', 'constant', 'global'].includes(value.kind);
}

function findText(value: Value, { text }: AuthoredText): string {
  const extent = findExtent(value);
  return (extent === undefined ? text : text.slice(extent.start, extent.end)).trim();
}

function findPlace(value: Value, { text, spanOf }: AuthoredText): FilePlace {
  const { start, end } = findExtent(value) ?? { start: 0, end: text.length };
  return placeAt(spanOf(start, end));
}

/** A failure without a text is a value that is missing. */
function toOutcome(result: cel.Result): Outcome {
  if (cel.isFailure(result)) return { error: result?.message ?? 'no such key' };
  const output = cel.toOutput(result);
  // Not a failure: a value such as NaN, which JSON does not have.
  return { value: 'error' in output ? `(${output.error})` : output.val };
}
