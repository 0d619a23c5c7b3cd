import { Timestamp, toTimestamp } from '../../../packages/cel/runtime/index.js';
import { withoutChoices } from '../choices.js';
import {
  asPathTest,
  findApart,
  findCounted,
  findEmptiness,
  type Pieces,
  readAccessor,
  readPieces,
  rewritten,
} from '../idioms/index.js';
import { calendarField, compareApart } from './calendar.js';
import { expression, type Expression, type JsonValue, type Operand, matchOperands, sameOperand } from '../operand.js';
import { intersection, membership, size, subset } from './collections.js';
import { isAnyReached, isReached } from './closures.js';
import { equality, ordering, readable } from './comparisons.js';
import { allOf, ALWAYS, anyOf, NEVER, type Sql, unless } from './fragment.js';
import { arithmetic, rounded } from './numbers.js';
import {
  fieldPresence,
  listFields,
  isQuantifier,
  macroName,
  overFields,
  quantified,
  type Quantifier,
} from './quantifiers.js';
import { Refusal } from './refusal.js';
import { whereRelated } from './relations.js';
import { momentIn, negated, type Scope } from './scope.js';
import { concat, inCase, isText, pieceAt, pieceCount, textTest } from './texts.js';
import { isTest, soughtElements } from './operators.js';
import { hasType, type TypeTest, readTypeTest } from './types.js';
import { FAILED, type SqlValue } from './value.js';
import { selectField, presence, variableValue } from './variables.js';

/**
 * Where an operand is true, or where it is false: TRUE there, and FALSE or NULL elsewhere. A failure is neither, so a
 * negation requests the other outcome, and is never SQL's NOT of an expression that may be NULL.
 */
export function truth(operand: Operand, outcome: boolean, scope: Scope): Sql {
  scope.statement.step();
  if ('value' in operand) return operand.value === outcome ? ALWAYS : NEVER;
  if ('variable' in operand) {
    const { variable } = operand;
    return whereRelated(scope, (inner) => renderBoolean(variableValue(variable, inner), outcome, inner));
  }
  const { operator, operands } = operand.expression;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  const ask = (part: Operand, wanted: boolean): Sql => truth(part, wanted, scope);
  switch (operator) {
    case 'and':
    case 'or': {
      if ((operator === 'and') === outcome) return allOf(...operands.map((part) => ask(part, outcome)));
      return anyOf(...operands.map((part) => truth(part, outcome, { ...scope, isChoice: true })));
    }
    case 'not':
      return ask(first, !outcome);
    case 'unless':
      return outcome ? unless(truth(first, true, negated(scope))) : ask(first, true);
    case 'if': {
      const [isTrue, isFalse] = [ask(first, true), ask(first, false)];
      return anyOf(
        isTrue === NEVER ? NEVER : allOf(isTrue, ask(second, outcome)),
        isFalse === NEVER ? NEVER : allOf(isFalse, ask(third, outcome)),
      );
    }
    case 'unread':
      return refuseUnread(first);
    default: {
      const lifted = isQuantifier(operator) ? operand : withoutChoices(operand, () => scope.statement.step());
      if (lifted !== operand) return ask(lifted, outcome);
      const simple = rewritten(operand);
      if (simple !== operand) return ask(simple, outcome);
      return whereRelated(scope, (inner) => tested(operand.expression, outcome, inner));
    }
  }
}

function refuseUnread(operator: Operand): never {
  throw new Refusal('value' in operator ? String(operator.value) : 'unread', 'of a value that may be a string');
}

/** Operators that return a boolean. */
function tested(asked: Expression, outcome: boolean, scope: Scope): Sql {
  const { operator, operands } = asked;
  const [first, second] = operands as [Operand, Operand];
  const a = (): SqlValue => renderValue(first, scope);
  const b = (): SqlValue => renderValue(second, scope);
  if (isQuantifier(operator)) return overLambda(operator, first, second, outcome, scope);
  const counted = findCounted(asked);
  if (counted !== undefined) return overLambda(counted, counted.range, counted.lambda, outcome, scope);
  const emptied = findEmptiness(asked);
  const list = emptied && renderValue(emptied.list, scope);
  if (emptied !== undefined && list?.kind === 'rows' && isReached(list)) {
    const isAny = isAnyReached(emptied.wantsSome === outcome ? scope : negated(scope), list);
    return emptied.wantsSome === outcome ? isAny : unless(isAny);
  }
  const apart = findApart(asked);
  if (apart !== undefined)
    return compareApart(
      scope,
      renderValue(apart.left, scope),
      renderValue(apart.right, scope),
      outcome ? apart : { ...apart, comparison: OPPOSITES[apart.comparison] },
    );
  const onPath = asPathTest({ expression: asked });
  if (onPath !== undefined) {
    const path = renderValue(onPath.path, scope);
    if (path.kind === 'scalar' && path.type === 'text') return truth(onPath.test, outcome, scope);
  }
  switch (operator) {
    case 'has':
      return 'variable' in first ? fieldPresence(first.variable, outcome, scope) : presence(first, outcome, scope);
    case 'eq':
    case 'ne':
      return equal(first, second, (operator === 'eq') === outcome, scope);
    case 'lt':
      return ordering(scope, a(), outcome ? '<' : '>=', b(), outcome);
    case 'le':
      return ordering(scope, a(), outcome ? '<=' : '>', b(), outcome);
    case 'gt':
      return ordering(scope, a(), outcome ? '>' : '<=', b(), outcome);
    case 'ge':
      return ordering(scope, a(), outcome ? '>=' : '<', b(), outcome);
    case 'in': {
      const options = listOf(second);
      return options === undefined ? membership(scope, a(), b(), outcome) : among(first, options, outcome, scope);
    }
    case 'startsWith':
    case 'endsWith':
    case 'contains':
      return textTest(scope, operator, a(), b(), outcome);
    case 'hasIntersection':
    case 'has_intersection':
    case 'sets.intersects':
      return intersection(scope, a(), b(), outcome);
    case 'isSubset':
    case 'is_subset':
      return subset(scope, a(), b(), outcome);
    case 'sets.contains':
      return subset(scope, b(), a(), outcome);
    default:
      return renderBoolean(computed(asked, scope), outcome, scope);
  }
}

const OPPOSITES = { eq: 'ne', ne: 'eq', lt: 'ge', le: 'gt', gt: 'le', ge: 'lt' } as const;

/** The value of an operand in a position other than a condition. */
function renderValue(operand: Operand, scope: Scope): SqlValue {
  scope.statement.step();
  if ('value' in operand) return { kind: 'constant', value: operand.value };
  if ('variable' in operand) return variableValue(operand.variable, scope);
  return computed(operand.expression, scope);
}

/** Operators that return any value. */
function computed({ operator, operands }: Expression, scope: Scope): SqlValue {
  const [first, second] = operands as [Operand, Operand];
  const a = (): SqlValue => renderValue(first, scope);
  const b = (): SqlValue => renderValue(second, scope);
  switch (operator) {
    case 'get-field':
    case 'index': {
      const [pieces, position] = [splitOf(first, scope), 'value' in second ? second.value : undefined];
      if (operator === 'index' && pieces !== undefined && Number.isSafeInteger(position) && (position as number) >= 0)
        return pieceAt(scope, pieces.value, pieces.separator, position as number);
      return selectField(operator, a(), second, scope);
    }
    case 'list':
    case 'struct': {
      const constant = foldConstant(expression(operator, ...operands));
      if (constant === undefined) throw new Refusal(operator, 'of parts that are not constants');
      return { kind: 'constant', value: constant };
    }
    case 'timestamp':
      return toMoment(scope, a());
    case 'size': {
      const pieces = splitOf(first, scope);
      return pieces === undefined ? size(scope, a()) : pieceCount(scope, pieces.value, pieces.separator);
    }
    case 'lowerAscii':
      return inCase(scope, 'lower', a());
    case 'upperAscii':
      return inCase(scope, 'upper', a());
    case 'math.ceil':
    case 'math.floor':
    case 'math.trunc':
      return rounded(operator, a());
    case 'add': {
      const [left, right] = [a(), b()];
      return isText(left) || isText(right) ? concat(scope, left, right) : arithmetic(scope, operator, left, right);
    }
    case 'sub':
    case 'mult':
    case 'div':
      return arithmetic(scope, operator, a(), b());
    default: {
      const accessor = readAccessor(expression(operator, ...operands));
      if (accessor !== undefined) return calendarField(scope, accessor, renderValue(accessor.of, scope));
      throw new Refusal(operator, 'cannot be translated to SQL exactly');
    }
  }
}

/** The string of which a list has the pieces; undefined for any other list. */
function splitOf(list: Operand, scope: Scope): { readonly value: SqlValue; readonly separator: string } | undefined {
  const pieces = readPieces(list);
  const value = pieces && renderValue(pieces.text, scope);
  // A hierarchy in a document may be a list.
  if (value === undefined || (pieces?.isHierarchy === true && (value.kind !== 'scalar' || value.type !== 'text')))
    return undefined;
  return { value, separator: (pieces as Pieces).separator };
}

/** A value as a condition: it fails unless it is a boolean. */
function renderBoolean(value: SqlValue, outcome: boolean, scope: Scope): Sql {
  const { dialect } = scope;
  switch (value.kind) {
    case 'constant':
      return value.value === outcome ? ALWAYS : NEVER;
    case 'scalar':
      if (value.type !== 'boolean') return NEVER;
      return outcome ? dialect.isTrue(value.sql) : dialect.isFalse(value.sql);
    case 'json':
      return equality(scope, value, { kind: 'constant', value: outcome }, true);
    case 'moment':
    case 'shifted':
    case 'row':
    case 'rows':
    case 'failed':
      return NEVER;
  }
}

function equal(a: Operand, b: Operand, isEqual: boolean, scope: Scope): Sql {
  const typed = readTypeTest(a, b);
  if (typed !== undefined) return tests(typed, isEqual, scope);
  // `timestamp(x) == timestamp(x)`: true where it can be read.
  if (matchOperands(a, 'timestamp') !== undefined && sameOperand(a, b))
    return isEqual ? readable(scope, renderValue(a, scope)) : NEVER;
  if (isTest(a) || isTest(b)) return equalTests(a, b, isEqual, scope);
  return equality(scope, renderValue(a, scope), renderValue(b, scope), isEqual);
}

function tests({ of, type }: TypeTest, outcome: boolean, scope: Scope): Sql {
  if ('variable' in of && listFields(of.variable, scope) !== undefined)
    return (type === 'map') === outcome ? ALWAYS : NEVER;
  return hasType(scope, renderValue(of, scope), type, outcome);
}

function equalTests(a: Operand, b: Operand, isEqual: boolean, scope: Scope): Sql {
  const [test, other] = isTest(a) ? [a, b] : [b, a];
  if ('value' in other && typeof other.value !== 'boolean')
    return isEqual ? NEVER : anyOf(truth(test, true, scope), truth(test, false, scope));
  if (!('value' in other) && !isTest(other)) {
    const value = renderValue(other, scope);
    if (value.kind !== 'scalar' || value.type !== 'boolean' || value.null === 'null')
      throw new Refusal('eq', 'a comparison with an operand that may not be a boolean');
  }
  const both = (left: boolean, right: boolean): Sql => allOf(truth(test, left, scope), truth(other, right, scope));
  return anyOf(both(true, isEqual), both(false, !isEqual));
}

/** `x in [R.attr.y, "a"]`: a list that fails if a part of it does. */
function among(element: Operand, options: readonly Operand[], outcome: boolean, scope: Scope): Sql {
  const each = options.map((option) => equal(element, option, outcome, scope));
  const parts = options.map((option) => readable(scope, renderValue(option, scope)));
  return outcome ? allOf(...parts, anyOf(...each)) : allOf(readable(scope, renderValue(element, scope)), ...each);
}

/** The parts of a list that is not constant. */
function listOf(operand: Operand): readonly Operand[] | undefined {
  if (!('expression' in operand) || operand.expression.operator !== 'list') return undefined;
  return foldConstant(operand) === undefined ? operand.expression.operands : undefined;
}

/** The JSON of a list or map literal; undefined if a part is not a constant. */
function foldConstant(operand: Operand): JsonValue | undefined {
  if ('value' in operand) return operand.value;
  if ('variable' in operand) return undefined;
  const { operator, operands } = operand.expression;
  if (operator === 'list') {
    const parts = operands.map(foldConstant);
    return parts.some((part) => part === undefined) ? undefined : (parts as JsonValue[]);
  }
  if (operator !== 'struct') return undefined;
  const entries = operands.map((entry) => ('expression' in entry ? entry.expression.operands.map(foldConstant) : []));
  return entries.every(([key, content]) => typeof key === 'string' && content !== undefined)
    ? Object.fromEntries(entries as [string, JsonValue][])
    : undefined;
}

function toMoment(scope: Scope, value: SqlValue): SqlValue {
  if (value.kind === 'moment') return value;
  if (value.kind === 'constant') {
    const at = typeof value.value === 'string' ? toTimestamp(value.value) : undefined;
    return at instanceof Timestamp ? { kind: 'moment', at } : FAILED;
  }
  if (value.kind === 'scalar' && value.type === 'timestamp')
    return { ...value, isUnread: false, null: value.null === 'never' ? 'never' : 'missing' };
  if (value.kind === 'json') return momentIn(scope, value);
  if (value.kind === 'row' || value.kind === 'rows') return FAILED;
  if (value.kind === 'scalar' && value.type !== 'text') return FAILED;
  throw new Refusal('timestamp', 'of a value that is not a timestamp column');
}

function overLambda(operator: Quantifier, range: Operand, lambda: Operand, outcome: boolean, scope: Scope): Sql {
  const [body, ...variables] =
    'expression' in lambda && lambda.expression.operator === 'lambda' ? lambda.expression.operands : [];
  const names = variables.flatMap((operand) =>
    'variable' in operand && !operand.variable.includes('.') ? [operand.variable] : [],
  );
  // Within a lambda of the same name, a variable cannot be distinguished from a body (docs/spec/plans.md#operands).
  const isClear =
    names.length === variables.length &&
    (names.length === 1 || (names.length === 2 && !scope.bound.has(names[0] as string)));
  if (body === undefined || !isClear) throw new Refusal(macroName(operator), 'over a lambda with ambiguous variables');
  const sought =
    names.length === 1 && typeof operator === 'string' ? soughtElements(operator, body, names[0] as string) : undefined;
  const macro = {
    quantifier: operator,
    variables: names.length,
    body: (values: readonly SqlValue[], wanted: boolean): Sql =>
      truth(body, wanted, {
        ...scope,
        bound: new Map([...scope.bound, ...names.map((name, index) => [name, values[index] as SqlValue] as const)]),
      }),
  };
  const fields = 'variable' in range ? listFields(range.variable, scope) : undefined;
  if ('variable' in range && fields !== undefined)
    return overFields(scope, { ...macro, variable: range.variable, fields }, outcome);
  const list = renderValue(range, scope);
  if (sought !== undefined && list.kind === 'json' && list.list !== undefined) {
    return intersection(scope, list, { kind: 'constant', value: sought }, (operator === 'exists') === outcome);
  }
  return quantified(scope, { ...macro, range: list }, outcome);
}
