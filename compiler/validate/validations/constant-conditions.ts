import * as cel from '../../../packages/cel/runtime/index.js';
import type { Types } from '../../ast/checked.js';
import type { CallExpr, Expr, LiteralExpr } from '../../../packages/cel/ast/expr.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Condition, Expression, Match } from '../../ast/policy.js';
import { visit } from '../../../packages/cel/ast/visit.js';
import type { CelType } from '../../../packages/cel/library/types.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { collectConditions } from '../expressions-of.js';
import { describeType } from '../never-together.js';

/**
 * Warns about conditions, and parts of them, that always or never hold
 * (docs/spec/policy-language.md#results-of-conditions): they are constant, or their value is not a boolean. Of nested
 * parts only the outermost constant one is reported.
 */
export function warnOfConstantConditions(policies: PolicySet, types: Types, report: Problems): void {
  for (const condition of collectConditions(policies)) judge(condition.match, condition, types, report);
}

function judge(match: Match, condition: Condition, types: Types, report: Problems): void {
  const truth = findTruth(match);
  if (truth !== undefined) return reportConstant(match, truth, condition, report);
  if (match.kind === 'script') return;
  if (match.kind !== 'expr') {
    for (const part of match.of) judge(part, condition, types, report);
    return;
  }
  const { expression } = match;
  const type = findType(expression, types);
  if (type === undefined || isMaybeBool(type)) return;
  const notes = [{ message: 'only `true` holds: compare the value, or test for presence with `has(...)`' }];
  const reason = `it is ${describeType(type)}, not a boolean`;
  report.add('condition/always-false', expression.place, { text: shortened(expression.text), reason }, { notes });
}

/** Whether a match holds for every request; undefined if it depends on the request. */
function findTruth(match: Match): boolean | undefined {
  if (match.kind === 'script') return undefined;
  if (match.kind === 'expr') {
    const value = match.expression.ast && evaluateConstant(match.expression.ast);
    return value === undefined ? undefined : value === true;
  }
  const truths = match.of.map(findTruth);
  switch (match.kind) {
    case 'all':
      return truths.includes(false) ? false : truths.includes(undefined) ? undefined : true;
    case 'any':
      return truths.includes(true) ? true : truths.includes(undefined) ? undefined : false;
    case 'none':
      return truths.includes(true) ? false : truths.includes(undefined) ? undefined : true;
  }
}

function reportConstant(match: Match, truth: boolean, condition: Condition, report: Problems): void {
  const code = truth ? 'condition/always-true' : 'condition/always-false';
  report.add(
    code,
    findPlace(match, condition),
    { text: formatMatch(match) },
    { notes: [{ message: suggestion(truth, match === condition.match) }] },
  );
}

function suggestion(truth: boolean, isWhole: boolean): string {
  if (!isWhole) return 'remove this part, or compare with an attribute';
  return truth
    ? 'remove the condition: a rule without one always applies'
    : 'compare with an attribute, or remove what depends on the condition';
}

function findType(expression: Expression, types: Types): CelType | undefined {
  return expression.ast && types.get(expression)?.types.get(expression.ast);
}

function isMaybeBool({ kind }: CelType): boolean {
  return kind === 'bool' || kind === 'dyn' || kind === 'error' || kind === 'parameter';
}

function findPlace(match: Match, condition: Condition): Place {
  if (match === condition.match && match.kind !== 'expr') return condition.place;
  return firstExpression(match)?.place ?? condition.place;
}

function firstExpression(match: Match): Expression | undefined {
  if (match.kind === 'script') return undefined;
  if (match.kind === 'expr') return match.expression;
  return match.of.map(firstExpression).find((expression) => expression !== undefined);
}

function formatMatch(match: Match): string {
  if (match.kind === 'expr') return shortened(match.expression.text);
  return match.kind === 'script' ? 'script' : `${match.kind} of`;
}

/** Long expressions are shown in the code frame below the message anyway. */
function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length <= 60 ? line : `${line.slice(0, 59)}…`;
}

/**
 * The value of an expression that depends only on literals and operators (docs/spec/conditions.md#logical-operators,
 * docs/spec/conditions.md#constant-folding). Undefined if it depends on the request or fails.
 */
function evaluateConstant(expr: Expr): cel.Value | undefined {
  const known = cache.get(expr) ?? { value: findValue(expr) };
  cache.set(expr, known);
  return known.value;
}

// Equal expressions share their tree; trees never change, and entries are collected with them.
const cache = new WeakMap<Expr, { readonly value: cel.Value | undefined }>();

function findValue(expr: Expr): cel.Value | undefined {
  const nodes: Expr[] = [];
  visit(expr, (node) => nodes.push(node));
  const values = new Map<Expr, cel.Value>();
  // Children before parents, with an explicit list: an expression may be nested deeper than the call stack allows.
  for (const node of nodes.reverse()) {
    const value = evaluateNode(node, values);
    if (value !== undefined) values.set(node, value);
  }
  return values.get(expr);
}

type Values = ReadonlyMap<Expr, cel.Value>;

function evaluateNode(node: Expr, values: Values): cel.Value | undefined {
  if (node.kind === 'literal') return literalValue(node);
  if (node.kind === 'list') {
    const elements = node.elements.map(({ value, optional }) => (optional ? undefined : values.get(value)));
    return elements.includes(undefined) ? undefined : (elements as cel.Value[]);
  }
  return node.kind === 'call' && node.isOperator ? operation(node, values) : undefined;
}

function literalValue(node: LiteralExpr): cel.Value {
  return node.type === 'uint' ? new cel.Uint(node.value) : node.value;
}

function operation(node: CallExpr, values: Values): cel.Value | undefined {
  const operands = node.args.map((arg) => values.get(arg));
  const [first, second, third] = operands;
  switch (node.function) {
    case '_&&_':
      if (operands.includes(false)) return false;
      return first === true && second === true ? true : undefined;
    case '_||_':
      if (operands.includes(true)) return true;
      return first === false && second === false ? false : undefined;
    case '_?_:_':
      if (first === true) return second;
      return first === false ? third : undefined;
    case '@in':
      if (isEmptyList(node.args[1])) return false;
  }
  const run = OPERATORS.get(node.function);
  if (run === undefined || operands.includes(undefined)) return undefined;
  const result = run(first as cel.Value, second as cel.Value);
  return cel.isFailure(result) ? undefined : result;
}

function isEmptyList(node: Expr | undefined): boolean {
  return node?.kind === 'list' && node.elements.length === 0;
}

/** Unary operators ignore the second operand. */
const OPERATORS: ReadonlyMap<string, (first: cel.Result, second: cel.Result) => cel.Result> = new Map([
  ['!_', cel.not],
  ['-_', cel.negate],
  ['_==_', cel.equals],
  ['_!=_', cel.notEquals],
  ['_<_', cel.lessThan],
  ['_<=_', cel.atMost],
  ['_>_', cel.greaterThan],
  ['_>=_', cel.atLeast],
  ['_+_', cel.add],
  ['_-_', cel.subtract],
  ['_*_', cel.multiply],
  ['_/_', cel.divide],
  ['_%_', cel.modulo],
  ['@in', cel.inCollection],
]);
