import { expression, type Operand, matchOperands } from '../operand.js';
import { allOf, anyOf, FALSE, guarded, listComparisons, not, readConstant } from './operands.js';

/** More constants than this are not compared one by one. */
const MOST_CONSTANTS = 100;

/** A string that is put together, or a constant that starts or ends with one, as equalities of what is read. */
export function asConcatTest(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  switch (operator) {
    case 'in': {
      const options = readConstant(second);
      return Array.isArray(options) ? amongConcats(first, options) : undefined;
    }
    case 'startsWith':
    case 'endsWith':
      return ofConstant(operator, readConstant(first), second);
    default:
      for (const { comparison, left, right } of listComparisons(operand.expression)) {
        if ((comparison !== 'eq' && comparison !== 'ne') || !('value' in right)) continue;
        const isEqual = amongConcats(left, [right.value]);
        if (isEqual !== undefined) return comparison === 'eq' ? isEqual : not(isEqual);
      }
      return undefined;
  }
}

/** True for a string; it fails for any other value. */
export function isText(operand: Operand): Operand {
  const parts = findParts(operand)?.filter((part) => typeof part !== 'string');
  return parts === undefined ? expression('startsWith', operand, { value: '' }) : allOf(...parts.map(isText));
}

/** `"org:" + x == "org:acme"`: what is read, where the parts around it are cut off. */
function amongConcats(operand: Operand, options: readonly unknown[]): Operand | undefined {
  const parts = findParts(operand);
  if (parts === undefined || options.length > MOST_CONSTANTS) return undefined;
  const unknown = parts.filter((part) => typeof part !== 'string') as Operand[];
  const solutions = options.flatMap((option) => (typeof option === 'string' ? solve(parts, option) : []));
  if (solutions.length > MOST_CONSTANTS) return undefined;
  const areTexts = allOf(...unknown.map(isText));
  if (solutions.length === 0) return guarded(areTexts, FALSE);
  const [only] = unknown as [Operand];
  if (unknown.length === 1) return guarded(areTexts, expression('in', only, { value: solutions.flat() }));
  return guarded(
    areTexts,
    anyOf(
      ...solutions.map((values) =>
        allOf(...values.map((value, index) => expression('eq', unknown[index] as Operand, { value }))),
      ),
    ),
  );
}

/** The parts of a string, of which no two that are not known stand side by side; undefined for anything else. */
function findParts(operand: Operand): readonly (string | Operand)[] | undefined {
  const parts = flatten(operand).reduce<(string | Operand)[]>((before, part) => {
    const last = before.at(-1);
    if (typeof part === 'string' && typeof last === 'string') before.splice(-1, 1, last + part);
    else if (part !== '') before.push(part);
    return before;
  }, []);
  const isClear = parts.every((part, index) => typeof part === 'string' || typeof parts[index + 1] !== 'object');
  return parts.length > 1 && isClear ? parts : undefined;
}

function flatten(operand: Operand): readonly (string | Operand)[] {
  const parts = matchOperands(operand, 'add');
  if (parts !== undefined) return parts.flatMap(flatten);
  const constant = readConstant(operand);
  return [typeof constant === 'string' ? constant : operand];
}

/** What the unknown parts are, in each way in which the parts make a string. */
function solve([first, ...rest]: readonly (string | Operand)[], text: string): readonly (readonly string[])[] {
  if (first === undefined) return text === '' ? [[]] : [];
  if (typeof first === 'string') return text.startsWith(first) ? solve(rest, text.slice(first.length)) : [];
  const [next] = rest;
  if (typeof next !== 'string') return [[text]];
  const found: (readonly string[])[] = [];
  for (let at = text.indexOf(next); at !== -1 && found.length <= MOST_CONSTANTS; at = text.indexOf(next, at + 1))
    for (const others of solve(rest, text.slice(at))) found.push([text.slice(0, at), ...others]);
  return found;
}

/** `"acme.sales".startsWith(x)`: `x` is one of the strings with which it starts. */
function ofConstant(test: 'startsWith' | 'endsWith', whole: unknown, part: Operand): Operand | undefined {
  if (typeof whole !== 'string' || 'value' in part || /\p{Surrogate}/u.test(whole)) return undefined;
  const points = [...whole];
  if (points.length >= MOST_CONSTANTS) return undefined;
  const value = Array.from({ length: points.length + 1 }, (_, count) =>
    (test === 'startsWith' ? points.slice(0, count) : points.slice(count)).join(''),
  );
  return guarded(isText(part), expression('in', part, { value }));
}
