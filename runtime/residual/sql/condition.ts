import { Timestamp, toTimestamp } from '../../../packages/cel/runtime/index.js';
import { withoutChoices } from '../choices.js';
import { expression, type Expression, type JsonValue, type Operand, operandsOf, sameOperand } from '../operand.js';
import { intersection, membership, size, subset } from './collections.js';
import { equality, ordering, readable } from './comparisons.js';
import { allOf, ALWAYS, anyOf, NEVER, type Sql, unless } from './fragment.js';
import { arithmetic } from './numbers.js';
import { fieldPresence, fieldsOf, isQuantifier, overFields, quantified } from './quantifiers.js';
import { Refusal } from './refusal.js';
import { whereRelated } from './relations.js';
import { momentIn, negated, type Scope } from './scope.js';
import { concat, inCase, isText, textTest } from './texts.js';
import { hasType, type TypeTest, typeTestOf } from './types.js';
import { FAILED, type SqlValue } from './value.js';
import { fieldOf, presence, variableValue } from './variables.js';

/**
 * Where an operand is true, or where it is false: TRUE there, and FALSE or NULL elsewhere. A failure is neither, so a
 * negation requests the other outcome, and is never SQL's NOT of an expression that may be NULL.
 */
export function truth(operand: Operand, outcome: boolean, scope: Scope): Sql {
  scope.statement.step();
  if ('value' in operand) return operand.value === outcome ? ALWAYS : NEVER;
  if ('variable' in operand) {
    const { variable } = operand;
    return whereRelated(scope, (inner) => booleanOf(variableValue(variable, inner), outcome, inner));
  }
  const { operator, operands } = operand.expression;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  const ask = (part: Operand, wanted: boolean): Sql => truth(part, wanted, scope);
  switch (operator) {
    case 'and':
    case 'or': {
      const parts = operands.map((part) => ask(part, outcome));
      return (operator === 'and') === outcome ? allOf(...parts) : anyOf(...parts);
    }
    case 'not':
      return ask(first, !outcome);
    case 'unless':
      return outcome ? unless(truth(first, true, negated(scope))) : ask(first, true);
    case 'if':
      return anyOf(allOf(ask(first, true), ask(second, outcome)), allOf(ask(first, false), ask(third, outcome)));
    default: {
      const lifted = isQuantifier(operator) ? operand : withoutChoices(operand, () => scope.statement.step());
      if (lifted !== operand) return ask(lifted, outcome);
      return whereRelated(scope, (inner) => tested(operand.expression, outcome, inner));
    }
  }
}

/** Operators that return a boolean. */
function tested(asked: Expression, outcome: boolean, scope: Scope): Sql {
  const { operator, operands } = asked;
  const [first, second] = operands as [Operand, Operand];
  const a = (): SqlValue => valueOf(first, scope);
  const b = (): SqlValue => valueOf(second, scope);
  if (isQuantifier(operator)) return overLambda(operator, first, second, outcome, scope);
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
      return booleanOf(computed(asked, scope), outcome, scope);
  }
}

/** The value of an operand in a position other than a condition. */
function valueOf(operand: Operand, scope: Scope): SqlValue {
  scope.statement.step();
  if ('value' in operand) return { kind: 'constant', value: operand.value };
  if ('variable' in operand) return variableValue(operand.variable, scope);
  return computed(operand.expression, scope);
}

/** Operators that return any value. */
function computed({ operator, operands }: Expression, scope: Scope): SqlValue {
  const [first, second] = operands as [Operand, Operand];
  const a = (): SqlValue => valueOf(first, scope);
  const b = (): SqlValue => valueOf(second, scope);
  switch (operator) {
    case 'get-field':
    case 'index':
      return fieldOf(operator, a(), second, scope);
    case 'list':
    case 'struct': {
      const constant = constantOf(expression(operator, ...operands));
      if (constant === undefined) throw new Refusal(operator, 'of parts that are not constants');
      return { kind: 'constant', value: constant };
    }
    case 'timestamp':
      return momentOf(scope, a());
    case 'size':
      return size(scope, a());
    case 'lowerAscii':
      return inCase(scope, 'lower', a());
    case 'upperAscii':
      return inCase(scope, 'upper', a());
    case 'add': {
      const [left, right] = [a(), b()];
      return isText(left) || isText(right) ? concat(scope, left, right) : arithmetic(scope, operator, left, right);
    }
    case 'sub':
    case 'mult':
    case 'div':
      return arithmetic(scope, operator, a(), b());
    default:
      throw new Refusal(operator, 'cannot be translated to SQL exactly');
  }
}

/** A value as a condition: it fails unless it is a boolean. */
function booleanOf(value: SqlValue, outcome: boolean, scope: Scope): Sql {
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
  const typed = typeTestOf(a, b);
  if (typed !== undefined) return tests(typed, isEqual, scope);
  // `timestamp(x) == timestamp(x)`: true where it can be read.
  if (operandsOf(a, 'timestamp') !== undefined && sameOperand(a, b))
    return isEqual ? readable(scope, valueOf(a, scope)) : NEVER;
  if (isTest(a) || isTest(b)) return equalTests(a, b, isEqual, scope);
  return equality(scope, valueOf(a, scope), valueOf(b, scope), isEqual);
}

function tests({ of, type }: TypeTest, outcome: boolean, scope: Scope): Sql {
  if ('variable' in of && fieldsOf(of.variable, scope) !== undefined)
    return (type === 'map') === outcome ? ALWAYS : NEVER;
  return hasType(scope, valueOf(of, scope), type, outcome);
}

/** Whether an operand is a boolean whenever it has a value. */
function isTest(operand: Operand): boolean {
  if (!('expression' in operand)) return false;
  const { operator } = operand.expression;
  return isQuantifier(operator) || TESTS.has(operator);
}

const TESTS: ReadonlySet<string> = new Set([
  'and',
  'or',
  'not',
  'unless',
  'has',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'in',
  'startsWith',
  'endsWith',
  'contains',
  'hasIntersection',
  'has_intersection',
  'sets.intersects',
  'isSubset',
  'is_subset',
  'sets.contains',
]);

function equalTests(a: Operand, b: Operand, isEqual: boolean, scope: Scope): Sql {
  const [test, other] = isTest(a) ? [a, b] : [b, a];
  if ('value' in other && typeof other.value !== 'boolean')
    return isEqual ? NEVER : anyOf(truth(test, true, scope), truth(test, false, scope));
  if (!('value' in other) && !isTest(other)) {
    const value = valueOf(other, scope);
    if (value.kind !== 'scalar' || value.type !== 'boolean' || value.null === 'null')
      throw new Refusal('eq', 'a comparison with an operand that may not be a boolean');
  }
  const both = (left: boolean, right: boolean): Sql => allOf(truth(test, left, scope), truth(other, right, scope));
  return anyOf(both(true, isEqual), both(false, !isEqual));
}

/** `x in [R.attr.y, "a"]`: a list that fails if a part of it does. */
function among(element: Operand, options: readonly Operand[], outcome: boolean, scope: Scope): Sql {
  const each = options.map((option) => equal(element, option, outcome, scope));
  const parts = options.map((option) => readable(scope, valueOf(option, scope)));
  return outcome ? allOf(...parts, anyOf(...each)) : allOf(readable(scope, valueOf(element, scope)), ...each);
}

/** The parts of a list that is not constant. */
function listOf(operand: Operand): readonly Operand[] | undefined {
  if (!('expression' in operand) || operand.expression.operator !== 'list') return undefined;
  return constantOf(operand) === undefined ? operand.expression.operands : undefined;
}

/** The JSON of a list or map literal; undefined if a part is not a constant. */
function constantOf(operand: Operand): JsonValue | undefined {
  if ('value' in operand) return operand.value;
  if ('variable' in operand) return undefined;
  const { operator, operands } = operand.expression;
  if (operator === 'list') {
    const parts = operands.map(constantOf);
    return parts.some((part) => part === undefined) ? undefined : (parts as JsonValue[]);
  }
  if (operator !== 'struct') return undefined;
  const entries = operands.map((entry) => ('expression' in entry ? entry.expression.operands.map(constantOf) : []));
  return entries.every(([key, content]) => typeof key === 'string' && content !== undefined)
    ? Object.fromEntries(entries as [string, JsonValue][])
    : undefined;
}

function momentOf(scope: Scope, value: SqlValue): SqlValue {
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

function overLambda(
  operator: 'exists' | 'all' | 'exists_one',
  range: Operand,
  lambda: Operand,
  outcome: boolean,
  scope: Scope,
): Sql {
  const [body, ...variables] =
    'expression' in lambda && lambda.expression.operator === 'lambda' ? lambda.expression.operands : [];
  const names = variables.flatMap((operand) =>
    'variable' in operand && !operand.variable.includes('.') ? [operand.variable] : [],
  );
  // Within a lambda of the same name, a variable cannot be distinguished from a body (docs/spec/plans.md#operands).
  const isClear =
    names.length === variables.length &&
    (names.length === 1 || (names.length === 2 && !scope.bound.has(names[0] as string)));
  if (body === undefined || !isClear) throw new Refusal(operator, 'over a lambda with ambiguous variables');
  const sought = names.length === 1 ? soughtElements(operator, body, names[0] as string) : undefined;
  const macro = {
    quantifier: operator,
    variables: names.length,
    body: (values: readonly SqlValue[], wanted: boolean): Sql =>
      truth(body, wanted, {
        ...scope,
        bound: new Map([...scope.bound, ...names.map((name, index) => [name, values[index] as SqlValue] as const)]),
      }),
  };
  const fields = 'variable' in range ? fieldsOf(range.variable, scope) : undefined;
  if ('variable' in range && fields !== undefined)
    return overFields(scope, { ...macro, variable: range.variable, fields }, outcome);
  const list = valueOf(range, scope);
  if (sought !== undefined && list.kind === 'json' && list.list !== undefined) {
    return intersection(scope, list, { kind: 'constant', value: sought }, (operator === 'exists') === outcome);
  }
  return quantified(scope, { ...macro, range: list }, outcome);
}

/**
 * The constants that `exists(t, t == c)`, `exists(t, t in cs)` and `all(t, t != c)` look for: an index on the list
 * finds them.
 */
function soughtElements(quantifier: string, body: Operand, name: string): readonly JsonValue[] | undefined {
  if (!('expression' in body)) return undefined;
  const { operator, operands } = body.expression;
  const [first, second] = operands as [Operand, Operand];
  const isElement = (operand: Operand): boolean => 'variable' in operand && operand.variable === name;
  if (operator === 'in' && quantifier === 'exists') {
    return isElement(first) && 'value' in second && Array.isArray(second.value)
      ? (second.value as readonly JsonValue[])
      : undefined;
  }
  if (operator !== (quantifier === 'exists' ? 'eq' : 'ne') || quantifier === 'exists_one') return undefined;
  const constant = isElement(first) ? second : isElement(second) ? first : undefined;
  return constant !== undefined && 'value' in constant ? [constant.value] : undefined;
}
