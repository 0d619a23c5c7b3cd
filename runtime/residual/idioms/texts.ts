import { expression, type Operand, matchOperands } from '../operand.js';
import { isText } from './concats.js';
import { allOf, anyOf, compares, FALSE, listComparisons, readConstant, guarded, not } from './operands.js';

/** A pattern or a part of a string, as tests that stores have. */
export function asTextTests(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  const [first, second] = operands as [Operand, Operand];
  if (operator === 'matches') return asLiterals(first, readConstant(second));
  if (operator === 'in') return amongPieces(readConstant(first), second);
  for (const { comparison, left, right } of listComparisons(operand.expression)) {
    const found = firstPosition(
      left,
      (position) => compares(position, comparison, readConstant(right) as number),
      right,
    );
    if (found !== undefined) return found;
    if (comparison !== 'eq' && comparison !== 'ne') continue;
    const constant = readConstant(right);
    const isEqual = startPiece(left, constant) ?? testStart(left, constant) ?? firstCharacter(left, constant);
    if (isEqual !== undefined) return comparison === 'eq' ? isEqual : not(isEqual);
  }
  return undefined;
}

/** `x.matches("^(a|b)$")`: a pattern of characters that stand for themselves, and of alternatives. */
function asLiterals(text: Operand, pattern: unknown): Operand | undefined {
  const parsed = typeof pattern === 'string' && !('value' in text) ? parseLiterals(pattern) : undefined;
  if (parsed === undefined) return undefined;
  const { atStart, atEnd, literals } = parsed;
  if (atStart && atEnd) return guarded(isText(text), expression('in', text, { value: literals }));
  const test = atStart ? 'startsWith' : atEnd ? 'endsWith' : 'contains';
  return anyOf(...literals.map((value) => expression(test, text, { value })));
}

interface Literals {
  readonly atStart: boolean;
  readonly atEnd: boolean;
  readonly literals: readonly string[];
}

function parseLiterals(pattern: string): Literals | undefined {
  const atStart = pattern.startsWith('^');
  const atEnd = /(?<!\\)(?:\\\\)*\$$/.test(pattern);
  const inner = pattern.slice(atStart ? 1 : 0, atEnd ? -1 : undefined);
  // Without an end in sight, what repeats any character there may be empty.
  const left = !atStart && inner.startsWith('.*') ? inner.slice(2) : inner;
  const body = !atEnd && /(?<!\\)(?:\\\\)*\.\*$/.test(left) ? left.slice(0, -2) : left;
  const group = /^\((?:\?:)?(.*)\)$/s.exec(body)?.[1];
  if (group === undefined && (atStart || atEnd) && body.includes('|')) return undefined;
  const literals = (group ?? body).split('|').map(parseLiteral);
  return literals.includes(undefined) ? undefined : { atStart, atEnd, literals: literals as string[] };
}

/** The characters that a pattern stands for; undefined for any other pattern. */
function parseLiteral(pattern: string): string | undefined {
  if (!/^(?:[^\\^$.|?*+()[\]{}]|\\[^A-Za-z0-9])*$/su.test(pattern)) return undefined;
  return pattern.replace(/\\(.)/gsu, '$1');
}

/** `"b" in x.split("/")`. */
function amongPieces(piece: unknown, list: Operand): Operand | undefined {
  const { text, separator } = readSplit(list) ?? {};
  if (text === undefined || separator === undefined || typeof piece !== 'string') return undefined;
  if (piece.includes(separator)) return undefined;
  return anyOf(
    expression('startsWith', text, { value: piece + separator }),
    expression('endsWith', text, { value: separator + piece }),
    expression('contains', text, { value: separator + piece + separator }),
    expression('eq', text, { value: piece }),
  );
}

/** `x.split("/")[0] == "a"`. */
function startPiece(operand: Operand, piece: unknown): Operand | undefined {
  const [list, position] = matchOperands(operand, 'index') ?? [];
  const { text, separator } = (list && readSplit(list)) ?? {};
  if (text === undefined || separator === undefined || readConstant(position) !== 0) return undefined;
  if (typeof piece !== 'string' || piece.includes(separator)) return undefined;
  return anyOf(expression('startsWith', text, { value: piece + separator }), expression('eq', text, { value: piece }));
}

/** A string that is split, and by what. */
export interface Pieces {
  readonly text: Operand;
  readonly separator: string;
  /** Whether it is one of `hierarchy`, which reads lists, too. */
  readonly isHierarchy: boolean;
}

/** `x.split("/")` and `hierarchy(x, "/")`; undefined for any other list. */
export function readPieces(operand: Operand): Pieces | undefined {
  const [path, by = { value: '.' }] = matchOperands(operand, 'hierarchy') ?? [];
  const [text, separator, ...others] = path === undefined ? (matchOperands(operand, 'split') ?? []) : [path, by];
  const constant = readConstant(separator);
  if (text === undefined || 'value' in text || others.length > 0) return undefined;
  if (typeof constant !== 'string' || constant === '' || /\0|\p{Surrogate}/u.test(constant)) return undefined;
  return { text, separator: constant, isHierarchy: path !== undefined };
}

function readSplit(operand: Operand): { readonly text: Operand; readonly separator: string } | undefined {
  const [text, by, ...others] = matchOperands(operand, 'split') ?? [];
  const separator = readConstant(by);
  if (text === undefined || 'value' in text || others.length > 0) return undefined;
  return typeof separator === 'string' && separator.length === 1 ? { text, separator } : undefined;
}

/** `x.substring(0, 2) == "ab"`. */
function testStart(operand: Operand, start: unknown): Operand | undefined {
  const [text, from, to] = matchOperands(operand, 'substring') ?? [];
  const length = readConstant(to);
  if (text === undefined || 'value' in text || readConstant(from) !== 0 || typeof start !== 'string') return undefined;
  if (typeof length !== 'number' || [...start].length !== length) return undefined;
  const isLong = expression('ge', expression('size', text), { value: length });
  return guarded(allOf(isText(text), isLong), expression('startsWith', text, { value: start }));
}

/** `x.charAt(0) == "a"`. */
function firstCharacter(operand: Operand, character: unknown): Operand | undefined {
  const [text, position] = matchOperands(operand, 'charAt') ?? [];
  if (text === undefined || 'value' in text || readConstant(position) !== 0 || typeof character !== 'string')
    return undefined;
  if (character === '') return guarded(isText(text), expression('eq', text, { value: '' }));
  const isOne = [...character].length === 1;
  return isOne ? expression('startsWith', text, { value: character }) : guarded(isText(text), FALSE);
}

/** `x.indexOf("a") >= 0`: whether it starts with the string, contains it elsewhere, or does not contain it. */
function firstPosition(operand: Operand, isWanted: (position: number) => boolean, bound: Operand): Operand | undefined {
  const [text, sought, ...others] = matchOperands(operand, 'indexOf') ?? [];
  const part = readConstant(sought);
  if (text === undefined || 'value' in text || typeof part !== 'string' || others.length > 0) return undefined;
  const limit = readConstant(bound);
  // All positions after the first have to be alike.
  if (typeof limit !== 'number' || limit > 1 || isWanted(1) !== isWanted(2)) return undefined;
  const [starts, contains] = ['startsWith', 'contains'].map((test) => expression(test, text, { value: part })) as [
    Operand,
    Operand,
  ];
  const [isAbsent, isFirst, isLater] = [isWanted(-1), isWanted(0), isWanted(1)];
  if (isFirst === isLater) {
    if (isAbsent === isFirst) return guarded(isText(text), { value: isFirst });
    return isFirst ? contains : not(contains);
  }
  if (isAbsent === isLater) return isFirst ? starts : not(starts);
  const isElsewhere = allOf(contains, not(starts));
  return isLater ? isElsewhere : not(isElsewhere);
}
