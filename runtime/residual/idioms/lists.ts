import { expression, type Expression, type Operand, matchOperands } from '../operand.js';
import {
  allOf,
  anyOf,
  type Comparison,
  compares,
  listComparisons,
  readConstant,
  FAILS,
  FALSE,
  guarded,
  isEvaluated,
  isOfType,
  isReadable,
  not,
  TRUE,
} from './operands.js';
import { freshName, isName, readLambda, substituted } from './substitution.js';

/** A list that `filter` and `map` make of another one. */
interface Made {
  readonly range: Operand;
  /** The variable that stands for an element of the range in the steps. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** What it has for an element of the range that passes. */
  readonly element: Operand;
}

/** A test that elements have to pass, or the value that they become. */
type Step = { readonly where: Operand } | { readonly value: Operand };

/** More constants than this are not tested one by one. */
const MOST_CONSTANTS = 100;

/** A test of a list that `filter` and `map` make, as a quantifier over the list that it is made of. */
export function asQuantifiers(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  switch (operator) {
    case 'in': {
      const made = findMade(second, operand);
      return (
        made && whereMade(made, holdsFor(made, 'exists', expression('eq', first, made.element)), isReadable(first))
      );
    }
    case 'exists':
    case 'all':
    case 'exists_one': {
      const made = findMade(first, operand);
      const lambda = readLambda(second);
      const body = made && lambda && substituted(lambda.body, lambda.name, made.element);
      return made && body && whereMade(made, holdsFor(made, operator, body));
    }
    case 'hasIntersection':
    case 'has_intersection':
    case 'sets.intersects':
      return intersecting(operand, first, second) ?? intersecting(operand, second, first);
    case 'isSubset':
    case 'is_subset':
      return included(operand, first, second);
    case 'sets.contains':
      return included(operand, second, first);
    default:
      return comparedSize(operand) ?? comparedList(operand.expression);
  }
}

/** Where two lists, of which the first is made, have an element in common. */
function intersecting(whole: Operand, first: Operand, second: Operand): Operand | undefined {
  const made = findMade(first, whole);
  if (made === undefined) return undefined;
  const isList = listTest(second, whole);
  return isList && whereMade(made, holdsFor(made, 'exists', expression('in', made.element, second)), isList);
}

/** Where each element of one list, of which one is made, is in another. */
function included(whole: Operand, some: Operand, all: Operand): Operand | undefined {
  const made = findMade(some, whole);
  if (made !== undefined) {
    const isList = listTest(all, whole);
    return isList && whereMade(made, holdsFor(made, 'all', expression('in', made.element, all)), isList);
  }
  const constants = readConstant(some);
  const other = findMade(all, whole);
  if (other === undefined || !Array.isArray(constants) || constants.length > MOST_CONSTANTS) return undefined;
  const each = constants.map((value) => holdsFor(other, 'exists', expression('eq', { value }, other.element)));
  return whereMade(other, allOf(...each));
}

/** Where an operand is a list; undefined for a constant that is none. */
function listTest(operand: Operand, whole: Operand): Operand | undefined {
  if ('value' in operand) return Array.isArray(operand.value) ? TRUE : undefined;
  const made = findMade(operand, whole);
  if (made !== undefined) return isMade(made);
  return 'variable' in operand ? isOfType(operand, 'list') : undefined;
}

/** `size(l) > 0` and other comparisons, and `l == []`. */
function comparedSize(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const isEmptiness = (comparison === 'eq' || comparison === 'ne') && isEmptyList(right);
    const [sized] = matchOperands(left, 'size') ?? (isEmptiness ? [left] : []);
    const count = isEmptiness ? 0 : readConstant(right);
    const made = sized === undefined ? undefined : findMade(sized, operand);
    if (sized === undefined || made === undefined || typeof count !== 'number') continue;
    return withSize(made, sized, comparison, count);
  }
  return undefined;
}

function withSize(made: Made, sized: Operand, comparison: Comparison, count: number): Operand | undefined {
  const isWanted = (size: number): boolean => compares(size, comparison, count);
  const sizes = [1, 2, Math.floor(count), Math.floor(count) + 1, Number.MAX_SAFE_INTEGER].filter((size) => size > 0);
  if (sizes.every((size) => isWanted(size) === isWanted(1))) {
    if (isWanted(0) === isWanted(1)) return whereMade(made, isWanted(0) ? TRUE : FALSE);
    const isFull = holdsFor(made, 'exists', TRUE);
    return whereMade(made, isWanted(1) ? isFull : not(isFull));
  }
  const tests = collectTests(made);
  if (tests.length === 0)
    return whereMade(made, expression(comparison, expression('size', made.range), { value: count }));
  if (count === 1 && (comparison === 'eq' || comparison === 'ne')) {
    const isOne = holdsFor(made, 'exists_one', TRUE);
    return whereMade(made, comparison === 'eq' ? isOne : not(isOne));
  }
  // Stores that count elements know one `filter` of a list.
  const [range] = matchOperands(sized, 'filter') ?? [];
  if (made.steps.length === 1 && range === made.range) return undefined;
  const filtered = expression('filter', made.range, expression('lambda', allOf(...tests), { variable: made.name }));
  return whereMade(made, expression(comparison, expression('size', filtered), { value: count }));
}

/** `l == []`, `l == ["a"]`, of an attribute. */
function comparedList(compared: Expression): Operand | undefined {
  for (const { comparison, left, right } of listComparisons(compared)) {
    const constants = readConstant(right);
    if ((comparison !== 'eq' && comparison !== 'ne') || !('variable' in left) || !Array.isArray(constants)) continue;
    if (constants.length > 10 || constants.some((value) => value === null || typeof value === 'object')) continue;
    const size = expression('eq', expression('size', left), { value: constants.length });
    const each = constants.map((value, position) =>
      expression('eq', expression('index', left, { value: position }), { value }),
    );
    const isEqual = expression('if', isOfType(left, 'list'), allOf(size, ...each), FALSE);
    return comparison === 'eq' ? isEqual : not(isEqual);
  }
  return undefined;
}

function isEmptyList(operand: Operand): boolean {
  const value = readConstant(operand);
  return Array.isArray(value) && value.length === 0;
}

/** The list that an operand makes; undefined if it is made in another way. */
function findMade(operand: Operand, whole: Operand): Made | undefined {
  return made(operand, freshName(whole));
}

function made(operand: Operand, name: string): Made | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [range, lambda] = operands as [Operand, Operand];
  const parts = operator === 'transformList' ? filteredParts(lambda) : plainParts(operator, lambda);
  if (parts === undefined) return undefined;
  const inner = made(range, name) ?? { range, name, steps: [], element: { variable: name } };
  const where = parts.where && substituted(parts.where, parts.name, inner.element);
  const value = parts.value && substituted(parts.value, parts.name, inner.element);
  if ((parts.where && !where) || (parts.value && !value)) return undefined;
  return {
    ...inner,
    steps: [...inner.steps, ...(where ? [{ where }] : []), ...(value ? [{ value }] : [])],
    element: value ?? inner.element,
  };
}

interface Parts {
  readonly name: string;
  readonly where?: Operand;
  readonly value?: Operand;
}

function plainParts(operator: string, lambda: Operand): Parts | undefined {
  const of = readLambda(lambda);
  if (of === undefined || (operator !== 'filter' && operator !== 'map')) return undefined;
  return operator === 'filter' ? { name: of.name, where: of.body } : { name: of.name, value: of.body };
}

/** `l.map(t, p, e)`; with a name as its middle part, the lambda may have two variables. */
function filteredParts(lambda: Operand): Parts | undefined {
  const [where, value, variable, ...others] = matchOperands(lambda, 'lambda') ?? [];
  if (where === undefined || value === undefined || variable === undefined || others.length > 0) return undefined;
  return isName(variable) && !isName(value) ? { name: variable.variable, where, value } : undefined;
}

function collectTests({ steps }: Made): readonly Operand[] {
  return steps.flatMap((step) => ('where' in step ? [step.where] : []));
}

/** A quantifier over the range, of the elements that pass. */
function holdsFor(of: Made, quantifier: 'exists' | 'all' | 'exists_one', body: Operand): Operand {
  const tests = collectTests(of);
  const inner = quantifier === 'all' && tests.length > 0 ? anyOf(not(allOf(...tests)), body) : allOf(...tests, body);
  return over(of, quantifier, quantifier === 'all' ? (tests.length > 0 ? inner : body) : inner);
}

function over({ range, name }: Made, quantifier: string, body: Operand): Operand {
  return expression(quantifier, range, expression('lambda', body, { variable: name }));
}

/** A test where the list can be made; it fails where a step of an element does, which a quantifier would pass over. */
function whereMade(of: Made, test: Operand, ...others: readonly Operand[]): Operand {
  return guarded(allOf(...others, isMade(of)), test);
}

function isMade(of: Made): Operand {
  const each = of.steps.reduceRight<Operand>((rest, step) => {
    if ('value' in step) {
      const isThere = isReadable(step.value);
      return isThere === TRUE ? rest : rest === TRUE ? isThere : expression('if', isThere, rest, FAILS);
    }
    return rest === TRUE ? isEvaluated(step.where) : expression('if', step.where, rest, TRUE);
  }, TRUE);
  return over(of, 'all', each);
}

/** `size(l.filter(t, p)) >= 2`: how many elements have to pass. */
export interface CountedElements {
  readonly range: Operand;
  /** A lambda of one variable. */
  readonly lambda: Operand;
  readonly comparison: Comparison;
  /** A whole number. */
  readonly count: number;
  /** The comparison as SQL writes it, and its opposite. */
  readonly isTrue: string;
  readonly isFalse: string;
}

/** The elements that a test counts; undefined for any other test. */
export function findCounted(test: Expression): CountedElements | undefined {
  for (const { comparison, left, right } of listComparisons(test)) {
    const [sized] = matchOperands(left, 'size') ?? [];
    const [range, lambda] = (sized && matchOperands(sized, 'filter')) ?? [];
    const count = readConstant(right);
    if (range === undefined || lambda === undefined || readLambda(lambda) === undefined) continue;
    if (!Number.isSafeInteger(count)) continue;
    const [isTrue, isFalse] = ORDERS[comparison];
    return { range, lambda, comparison, count: count as number, isTrue, isFalse };
  }
  return undefined;
}

/** A list that a test compares with none, and whether it wants elements; undefined for any other test. */
export function findEmptiness(test: Expression): { readonly list: Operand; readonly wantsSome: boolean } | undefined {
  for (const { comparison, left, right } of listComparisons(test)) {
    const [list] = matchOperands(left, 'size') ?? [];
    const count = readConstant(right);
    if (list === undefined || typeof count !== 'number') continue;
    const [none, one, many] = [0, 1, Number.MAX_SAFE_INTEGER].map((size) => compares(size, comparison, count));
    if (none !== one && one === many) return { list, wantsSome: one === true };
  }
  return undefined;
}

const ORDERS: { readonly [comparison in Comparison]: readonly [string, string] } = {
  eq: ['=', '<>'],
  ne: ['<>', '='],
  lt: ['<', '>='],
  le: ['<=', '>'],
  gt: ['>', '<='],
  ge: ['>=', '<'],
};
