import { expression, type Operand, matchOperands } from '../operand.js';
import {
  allOf,
  anyOf,
  type Comparison,
  compares,
  FAILS,
  FALSE,
  guarded,
  isOfType,
  isReadable,
  listComparisons,
  not,
  readConstant,
  TRUE,
  unread,
} from './operands.js';
import { freshName, readLambda } from './substitution.js';

/** A test of a list and of constants as a set, in terms of its elements. */
export function ofSet(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  switch (operator) {
    case 'isSubset':
    case 'is_subset':
      return included(first, second);
    case 'sets.contains':
      return included(second, first);
    case 'in':
      return asElement(first, second);
    case 'all': {
      // Whether there are elements at all.
      const isAlways = readConstant(readLambda(second)?.body) === true;
      return isAlways && 'variable' in first ? anyOf(isOfType(first, 'list'), isOfType(first, 'map')) : undefined;
    }
    default:
      return undefined;
  }
}

/** `R.attr.owner in R.attr.tags`, as a test of the elements; of a map it would be one of the keys. */
function asElement(element: Operand, list: Operand): Operand | undefined {
  if (!('variable' in element) || !('variable' in list)) return undefined;
  const variable = freshName(element, list);
  const lambda = expression('lambda', expression('eq', { variable }, element), { variable });
  const isKey = expression('if', isOfType(list, 'map'), unread('in'), FAILS);
  const isOne = expression('if', isOfType(list, 'list'), expression('exists', list, lambda), isKey);
  return guarded(isReadable(element), isOne);
}

/** Where each element of one list is in another. */
function included(some: Operand, all: Operand): Operand | undefined {
  const [elements, options] = [readConstant(some), readConstant(all)];
  if ('variable' in some && Array.isArray(options) && options.length > 0) {
    const name = freshName(some);
    const lambda = expression('lambda', expression('in', { variable: name }, all), { variable: name });
    return guarded(isOfType(some, 'list'), expression('all', some, lambda));
  }
  if (!('variable' in all) || !Array.isArray(elements)) return undefined;
  const each = elements.map((value) => expression('in', { value }, all));
  return guarded(isOfType(all, 'list'), each.length === 0 ? TRUE : allOf(...each));
}

/** What two lists have in common, or one without the other, as a test of both lists. */
export function asSetTest(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  if (operator === 'sets.equivalent')
    return allOf(expression('sets.contains', first, second), expression('sets.contains', second, first));
  if (operator === 'in') {
    const [one, other] = matchOperands(second, 'intersect') ?? [];
    return one && other && whereLists(one, other, allOf(expression('in', first, one), expression('in', first, other)));
  }
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const count = readConstant(right);
    const isEmptyList = Array.isArray(count) && count.length === 0 && (comparison === 'eq' || comparison === 'ne');
    const [sized] = matchOperands(left, 'size') ?? (isEmptyList ? [left] : []);
    const size = isEmptyList ? 0 : count;
    const found = sized && typeof size === 'number' ? withElements(sized, comparison, size) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether `intersect(a, b)` or `except(a, b)` has elements. */
function withElements(list: Operand, comparison: Comparison, size: number): Operand | undefined {
  const common = matchOperands(list, 'intersect');
  const [first, second] = common ?? matchOperands(list, 'except') ?? [];
  if (
    first === undefined ||
    second === undefined ||
    size > 1 ||
    compares(1, comparison, size) !== compares(2, comparison, size)
  )
    return undefined;
  const hasOne = expression(common === undefined ? 'isSubset' : 'hasIntersection', first, second);
  const [whenEmpty, whenFull] = [compares(0, comparison, size), compares(1, comparison, size)];
  if (whenEmpty === whenFull) return whereLists(first, second, whenFull ? TRUE : FALSE);
  return whenFull === (common !== undefined) ? hasOne : not(hasOne);
}

function whereLists(one: Operand, other: Operand, test: Operand): Operand {
  const lists = [one, other].filter((list) => !Array.isArray(readConstant(list)));
  return guarded(allOf(...lists.map((list) => isOfType(list, 'list'))), test);
}
