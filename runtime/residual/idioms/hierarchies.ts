import { expression, type JsonValue, type Operand, matchOperands } from '../operand.js';
import { allOf, anyOf, readConstant, FALSE, guarded, not, TRUE } from './operands.js';

/** A test of a path, if the path is a string: a hierarchy is made of a list of strings, too. */
export interface PathTest {
  readonly path: Operand;
  readonly test: Operand;
}

/** `hierarchy(x).descendentOf(hierarchy("a.b"))` and the like, as tests of the string. */
export function asPathTest(operand: Operand): PathTest | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  if (operator === 'ne') {
    const isEqual = asPathTest(expression('eq', ...operands));
    return isEqual && { ...isEqual, test: not(isEqual.test) };
  }
  if (!Object.hasOwn(INVERSES, operator)) return undefined;
  const relation = operator as Relation;
  const [first, second] = operands as [Operand, Operand];
  return related(relation, first, second) ?? related(INVERSES[relation], second, first);
}

type Relation =
  | 'ancestorOf'
  | 'descendentOf'
  | 'immediateParentOf'
  | 'immediateChildOf'
  | 'siblingOf'
  | 'overlaps'
  | 'eq';

/** What the second hierarchy is to the first one. */
const INVERSES: { readonly [relation in Relation]: Relation } = {
  ancestorOf: 'descendentOf',
  descendentOf: 'ancestorOf',
  immediateParentOf: 'immediateChildOf',
  immediateChildOf: 'immediateParentOf',
  siblingOf: 'siblingOf',
  overlaps: 'overlaps',
  eq: 'eq',
};

function related(relation: Relation, unknown: Operand, known: Operand): PathTest | undefined {
  const [path, by = { value: '.' }] = matchOperands(unknown, 'hierarchy') ?? [];
  const separator = readConstant(by);
  const levels = readLevels(known);
  if (path === undefined || 'value' in path || typeof separator !== 'string' || separator === '') return undefined;
  if (levels === undefined || levels.length === 0 || levels.some((level) => level.includes(separator)))
    return undefined;
  const joined = (count: number): string => levels.slice(0, count).join(separator);
  const isText = expression('startsWith', path, { value: '' });
  const isOne = (paths: readonly string[]): Operand =>
    guarded(isText, paths.length === 0 ? FALSE : expression('in', path, { value: paths }));
  const above = levels.slice(1).map((_, index) => joined(index + 1));
  const isBelow = expression('startsWith', path, { value: joined(levels.length) + separator });
  switch (relation) {
    case 'ancestorOf':
      return { path, test: isOne(above) };
    case 'descendentOf':
      return { path, test: isBelow };
    case 'immediateParentOf':
      return { path, test: isOne(above.slice(-1)) };
    case 'overlaps':
      return { path, test: anyOf(isBelow, isOne([...above, joined(levels.length)])) };
    case 'immediateChildOf':
      return { path, test: allOf(isBelow, hasLevels(path, separator, levels.length + 1)) };
    case 'siblingOf': {
      const isBeside =
        levels.length === 1 ? TRUE : expression('startsWith', path, { value: joined(levels.length - 1) + separator });
      return { path, test: allOf(isBeside, hasLevels(path, separator, levels.length)) };
    }
    case 'eq':
      return { path, test: isOne([joined(levels.length)]) };
  }
}

function hasLevels(path: Operand, separator: string, count: number): Operand {
  return expression('eq', expression('size', expression('split', path, { value: separator })), { value: count });
}

/** The levels of a hierarchy that is known. */
function readLevels(operand: Operand): readonly string[] | undefined {
  const [path, by = { value: '.' }] = matchOperands(operand, 'hierarchy') ?? [];
  const [value, separator]: readonly (JsonValue | undefined)[] = [readConstant(path), readConstant(by)];
  if (typeof value === 'string')
    return typeof separator === 'string' && separator !== '' ? value.split(separator) : undefined;
  return Array.isArray(value) && value.every((level) => typeof level === 'string') ? (value as string[]) : undefined;
}
