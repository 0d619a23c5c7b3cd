import type { JsonValue } from '../../../compiler/ast/policy.js';
import { bool } from '../../cel/library/types.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import { findExtent, standsAt } from '../../../compiler/ir/origins.js';
import type { AuthoredText, Match } from '../../../compiler/ir/program.js';
import type { Literal, Operator, Value } from '../../../compiler/ir/value.js';
import { mapParts, parts } from '../../../compiler/ir/visit.js';

/** A small change of an expression or of a condition. */
export interface Edit<T> {
  readonly operator: 'op' | 'lit' | 'tree';
  readonly span: Span;
  /** The part that changes, as the author wrote it, and what it becomes. */
  readonly before: string;
  readonly after: string;
  readonly result: T;
}

/** The changes of a condition: of its expressions, and of how they are combined. */
export function conditionEdits(match: Match): readonly Edit<Match>[] {
  if (match.kind === 'expr')
    return valueEdits(match.value, match.expression).map((edit) => ({
      ...edit,
      result: { ...match, value: edit.result },
    }));
  const { kind, of } = match;
  const regrouped: Match = { kind: kind === 'any' ? 'all' : 'any', of };
  const span = spanOfCondition(match);
  return [
    { operator: 'tree', span, before: textOfCondition(match), after: textOfCondition(regrouped), result: regrouped },
    ...of.flatMap((part, index): readonly Edit<Match>[] => [
      ...(of.length < 2
        ? []
        : [
            {
              operator: 'tree' as const,
              span: spanOfCondition(part),
              before: textOfCondition(part),
              after: REMOVED,
              result: { kind, of: of.filter((_, at) => at !== index) },
            },
          ]),
      ...conditionEdits(part).map((edit) => ({ ...edit, result: { kind, of: of.with(index, edit.result) } })),
    ]),
  ];
}

export const REMOVED = '(removed)';

/** A condition as YAML, in a line. */
export function textOfCondition(match: Match): string {
  return match.kind === 'expr'
    ? match.expression.text.trim()
    : `{${match.kind}: {of: [${match.of.map(textOfCondition).join(', ')}]}}`;
}

/** The span of the first expression of a condition. */
export function spanOfCondition(match: Match): Span {
  return match.kind === 'expr'
    ? match.expression.spanOf(0, match.expression.text.length)
    : spanOfCondition(match.of[0] as Match);
}

/** The changes of an expression, in source order: of its operators and of its literals. */
export function valueEdits(value: Value, expression: AuthoredText): readonly Edit<Value>[] {
  return [
    ...ownEdits(value, expression),
    ...parts(value).flatMap((part, index) =>
      isCheckedText(value, part)
        ? []
        : valueEdits(part, expression).map((edit) => ({ ...edit, result: withPart(value, index, edit.result) })),
    ),
  ];
}

/** Whether a literal is checked when policies are compiled, as `timestamp("2025-01-01T00:00:00Z")`. */
function isCheckedText(value: Value, part: Value): boolean {
  return value.kind === 'call' && ['timestamp', 'duration'].includes(value.name) && part.kind === 'literal';
}

function withPart(value: Value, index: number, part: Value): Value {
  let next = 0;
  return mapParts(value, (own) => (next++ === index ? part : own));
}

function ownEdits(value: Value, expression: AuthoredText): readonly Edit<Value>[] {
  const extent = findExtent(value);
  if (extent === undefined) return [];
  const edit = (operator: 'op' | 'lit', after: string, result: Value): Edit<Value> => ({
    operator,
    span: expression.spanOf(extent.start, extent.end),
    before: expression.text.slice(extent.start, extent.end).trim(),
    after,
    result: standsAt(result, extent),
  });
  if (value.kind === 'literal')
    return otherLiterals(value).map((other) => edit('lit', literalText(other), { ...other, type: value.type }));
  if (value.kind !== 'operator') return [];
  const [left, right] = value.operands as [Value, Value];
  const [leftText, rightText] = value.operands.map((operand) => cutText(operand, expression)) as [string, string];
  const replaced = (operator: Operator): Edit<Value> =>
    edit('op', withSign(value, expression, operator), { ...value, operator });
  switch (value.operator) {
    case 'and':
    case 'or':
      return [
        replaced(value.operator === 'and' ? 'or' : 'and'),
        edit('op', leftText, left),
        edit('op', rightText, right),
      ];
    case 'not':
      return [edit('op', leftText, left)];
    case 'inCollection':
      return [
        edit('op', `!(${expression.text.slice(extent.start, extent.end).trim()})`, {
          kind: 'operator',
          operator: 'not',
          operands: [value],
          type: bool,
        }),
      ];
    default:
      return (OTHERS[value.operator] ?? []).map(replaced);
  }
}

/** Where a bound is off by one, and the opposite. */
const OTHERS: { readonly [operator: string]: readonly Operator[] } = {
  equals: ['notEquals'],
  notEquals: ['equals'],
  lessThan: ['atMost', 'atLeast'],
  atMost: ['lessThan', 'greaterThan'],
  greaterThan: ['atLeast', 'atMost'],
  atLeast: ['greaterThan', 'lessThan'],
};

const SIGNS: { readonly [operator: string]: string } = {
  and: '&&',
  or: '||',
  equals: '==',
  notEquals: '!=',
  lessThan: '<',
  atMost: '<=',
  greaterThan: '>',
  atLeast: '>=',
};

function cutText(value: Value, { text }: AuthoredText): string {
  const extent = findExtent(value);
  return extent === undefined ? '' : text.slice(extent.start, extent.end).trim();
}

/** The text of a comparison or connective, parentheses included, with another operator. */
function withSign(value: Value & { readonly kind: 'operator' }, { text }: AuthoredText, operator: Operator): string {
  const [own, left, right] = [value, ...value.operands].map(findExtent);
  if (own === undefined || left === undefined || right === undefined) return SIGNS[operator] as string;
  const between = text.slice(left.end, right.start).replace(SIGNS[value.operator] as string, SIGNS[operator] as string);
  return `${text.slice(own.start, left.end)}${between}${text.slice(right.start, own.end)}`.trim();
}

type Scalar = Value & Literal;

/** Another text, the numbers beside a number, the other boolean. */
function otherLiterals(value: Scalar): readonly Scalar[] {
  const { type } = value;
  switch (value.literal) {
    case 'string':
      return [{ ...value, value: otherText(value.value) }];
    case 'bool':
      return [{ ...value, value: !value.value }];
    case 'int':
      return [value.value + 1n, value.value - 1n]
        .filter((number) => BigInt.asIntN(64, number) === number)
        .map((number) => ({ kind: 'literal', literal: 'int', value: number, type }));
    case 'uint':
      return [value.value + 1n, value.value - 1n]
        .filter((number) => BigInt.asUintN(64, number) === number)
        .map((number) => ({ kind: 'literal', literal: 'uint', value: number, type }));
    case 'double':
      return numbersBeside(value.value).map((number) => ({ kind: 'literal', literal: 'double', value: number, type }));
    case 'null':
    case 'bytes':
    case 'json':
      return [];
  }
}

function otherText(text: string): string {
  return text === 'other' ? 'another' : 'other';
}

/** Lists the numbers beside a number, without those so large that they have no neighbours. */
function numbersBeside(number: number): readonly number[] {
  return [number + 1, number - 1].filter((other) => other !== number);
}

function literalText(value: Scalar): string {
  switch (value.literal) {
    case 'uint':
      return `${value.value}u`;
    case 'double':
      return Number.isInteger(value.value) ? value.value.toFixed(1) : String(value.value);
    case 'string':
      return JSON.stringify(value.value);
    default:
      return String(value.value);
  }
}

/** A constant with one of its texts, numbers and booleans changed as in an expression. */
export function constantEdits(value: JsonValue): readonly JsonValue[] {
  if (typeof value === 'string') return [otherText(value)];
  if (typeof value === 'boolean') return [!value];
  if (typeof value === 'number') return numbersBeside(value);
  if (value === null) return [];
  if (isList(value))
    return value.flatMap((item, index) => constantEdits(item).map((edited) => value.with(index, edited)));
  return Object.entries(value).flatMap(([name, item]) =>
    constantEdits(item).map((edited) => Object.fromEntries([...Object.entries(value), [name, edited]])),
  );
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
