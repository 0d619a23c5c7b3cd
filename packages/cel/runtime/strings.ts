import { codePointCount, codePointIndex, codePointsOf, unitOffset } from './code-points.js';
import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { keyText } from './maps.js';
import { charge, chargeList, chargeText } from './meter.js';
import { findLastOffset, findOffset } from './text-search.js';
import { CelError, isFailure, type Result, type Value } from './values.js';

/** `s.contains(part)` (docs/spec/conditions.md#core-functions). */
export function contains(s: Result, part: Result): Result {
  return typeof s === 'string' && typeof part === 'string' ? findOffset(s, part, 0) >= 0 : refuseTexts(s, part);
}

/** `s.startsWith(part)`. */
export function startsWith(s: Result, part: Result): Result {
  if (typeof s !== 'string' || typeof part !== 'string') return refuseTexts(s, part);
  charge(part.length / 8);
  return s.startsWith(part);
}

/** `s.endsWith(part)`. */
export function endsWith(s: Result, part: Result): Result {
  if (typeof s !== 'string' || typeof part !== 'string') return refuseTexts(s, part);
  charge(part.length / 8);
  return s.endsWith(part);
}

/** `s.charAt(i)` (2.4; all indices count code points): empty at the very end. */
export function charAt(s: Result, i: Result): Result {
  if (typeof s !== 'string' || typeof i !== 'bigint') return refuse('charAt', s, i);
  chargeWalks(s, 3);
  if (i < 0n || i > BigInt(codePointCount(s))) return outOfRange(i);
  return s.slice(unitOffset(s, Number(i)), unitOffset(s, Number(i) + 1));
}

/** `s.indexOf(part)`, `s.indexOf(part, from)`: -1 when it does not occur from there on. */
export function indexOf(s: Result, part: Result, ...rest: readonly [Result?]): Result {
  const [from] = rest.length === 0 ? [0n] : rest;
  if (typeof s !== 'string' || typeof part !== 'string' || typeof from !== 'bigint')
    return refuse('indexOf', s, part, ...rest);
  chargeWalks(s, 3);
  if (from < 0n) return outOfRange(from);
  const size = codePointCount(s);
  if (part === '') return lesser(from, size);
  if (from >= BigInt(size)) return -1n;
  const found = findOffset(s, part, unitOffset(s, Number(from)));
  return BigInt(found < 0 ? -1 : codePointIndex(s, found));
}

/** `s.lastIndexOf(part)`, `s.lastIndexOf(part, from)`: the last occurrence that starts no later than there. */
export function lastIndexOf(s: Result, part: Result, ...rest: readonly [Result?]): Result {
  if (typeof s !== 'string' || typeof part !== 'string') return refuse('lastIndexOf', s, part, ...rest);
  chargeWalks(s, 3);
  const size = codePointCount(s);
  const [from] = rest.length === 0 ? [BigInt(part === '' ? size : Math.max(size - 1, 0))] : rest;
  if (typeof from !== 'bigint') return refuse('lastIndexOf', s, part, from);
  if (from < 0n) return outOfRange(from);
  if (part === '') return lesser(from, size);
  if (from >= BigInt(size)) return -1n;
  const found = findLastOffset(s, part, unitOffset(s, Number(from)));
  return BigInt(found < 0 ? -1 : codePointIndex(s, found));
}

/** `s.lowerAscii()`: only A to Z. */
export function lowerAscii(s: Result): Result {
  if (typeof s !== 'string') return refuse('lowerAscii', s);
  chargeRewriting(s);
  return s.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** `s.upperAscii()`: only a to z. */
export function upperAscii(s: Result): Result {
  if (typeof s !== 'string') return refuse('upperAscii', s);
  chargeRewriting(s);
  return s.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** `s.replace(old, with)`, `s.replace(old, with, n)`: literally; at most n times, a negative n without limit. */
export function replace(s: Result, old: Result, replacement: Result, ...rest: readonly [Result?]): Result {
  const [limit] = rest.length === 0 ? [-1n] : rest;
  if (
    typeof s !== 'string' ||
    typeof old !== 'string' ||
    typeof replacement !== 'string' ||
    typeof limit !== 'bigint'
  ) {
    return refuse('replace', s, old, replacement, ...rest);
  }
  const times = toTimes(limit);
  return old === '' ? interspersed(s, replacement, times) : joined(splitPieces(s, old, times + 1), replacement);
}

/**
 * `s.split(separator)`, `s.split(separator, n)`: at most n pieces, the last keeps the rest; a negative n without limit.
 */
export function split(s: Result, separator: Result, ...rest: readonly [Result?]): Result {
  const [limit] = rest.length === 0 ? [-1n] : rest;
  if (typeof s !== 'string' || typeof separator !== 'string' || typeof limit !== 'bigint') {
    return refuse('split', s, separator, ...rest);
  }
  if (limit === 0n) return [];
  if (separator !== '') return splitPieces(s, separator, toTimes(limit));
  chargePieces(s.length);
  const points = codePointsOf(s);
  const pieces = toTimes(limit);
  return points.length <= pieces ? points : [...points.slice(0, pieces - 1), points.slice(pieces - 1).join('')];
}

/** `s.substring(b)`, `s.substring(b, e)`. */
export function substring(s: Result, begin: Result, ...rest: readonly [Result?]): Result {
  if (typeof s !== 'string' || typeof begin !== 'bigint') return refuse('substring', s, begin, ...rest);
  chargeWalks(s, 3);
  const size = BigInt(codePointCount(s));
  const [end] = rest.length === 0 ? [size] : rest;
  if (typeof end !== 'bigint') return refuse('substring', s, begin, end);
  if (rest.length > 0 && begin > end) return new CelError(`invalid substring range. start: ${begin}, end: ${end}`);
  if (begin < 0n || begin > size) return outOfRange(begin);
  if (end < 0n || end > size) return outOfRange(end);
  return s.slice(unitOffset(s, Number(begin)), unitOffset(s, Number(end)));
}

/** `s.trim()`: white space as Unicode defines it, which is not what JavaScript trims. */
export function trim(s: Result): Result {
  if (typeof s !== 'string') return refuse('trim', s);
  let begin = 0;
  let end = s.length;
  while (begin < end && WHITE_SPACE.has(s.charCodeAt(begin))) begin++;
  while (end > begin && WHITE_SPACE.has(s.charCodeAt(end - 1))) end--;
  charge((begin + s.length - end) / 4);
  return s.slice(begin, end);
}

/** `s.reverse()`, by code points, and `list.reverse()`. */
export function reverse(x: Result): Result {
  if (typeof x === 'string') {
    chargePieces(x.length);
    return codePointsOf(x).toReversed().join('');
  }
  if (!Array.isArray(x)) return refuse('reverse', x);
  chargeList(x.length);
  return x.toReversed();
}

/** `list.join()`, `list.join(separator)`. */
export function join(list: Result, ...rest: readonly [Result?]): Result {
  const [separator] = rest.length === 0 ? [''] : rest;
  // The guard looks at the first element only (2); a later one fails in the function itself.
  const isTextList = Array.isArray(list) && (list.length === 0 || typeof list[0] === 'string');
  if (!isTextList || typeof separator !== 'string') return refuse('join', list, ...rest);
  const unfit = (list as readonly Value[]).find((element) => typeof element !== 'string');
  return unfit === undefined
    ? joined(list as readonly string[], separator)
    : new CelError(`join: invalid input: ${keyText(unfit)}`);
}

/** `strings.quote(s)`: in double quotes, with the escapes of a literal. */
export function stringsQuote(s: Result): Result {
  if (typeof s !== 'string') return refuse('strings.quote', s);
  chargeRewriting(s);
  return `"${s.replace(/[\x07\b\f\n\r\t\v\\"]/g, (char) => `\\${ESCAPES.get(char)}`)}"`;
}

/** The letter of each escape; other control characters stay as they are. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', 'a'],
  ['\b', 'b'],
  ['\f', 'f'],
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\v', 'v'],
  ['\\', '\\'],
  ['"', '"'],
]);

const WHITE_SPACE: ReadonlySet<number> = new Set([
  ...range(0x09, 0x0d),
  0x20,
  0x85,
  0xa0,
  0x1680,
  ...range(0x2000, 0x200a),
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x3000,
]);

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, position) => from + position);
}

function refuseTexts(s: Result, part: Result): CelError | undefined {
  if (isFailure(s)) return s;
  return isFailure(part) ? part : NO_SUCH_OVERLOAD;
}

function outOfRange(i: bigint): CelError {
  return new CelError(`index out of range: ${i}`);
}

function lesser(i: bigint, size: number): bigint {
  return i < BigInt(size) ? i : BigInt(size);
}

function toTimes(limit: bigint): number {
  return limit < 0n ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Splits into at most so many pieces, the last with all that is left. */
export function splitPieces(s: string, separator: string, count: number): readonly string[] {
  const pieces: string[] = [];
  let begin = 0;
  let end = findOffset(s, separator, 0);
  while (pieces.length < count - 1 && end >= 0) {
    chargePieces(1);
    pieces.push(s.slice(begin, end));
    begin = end + separator.length;
    end = findOffset(s, separator, begin);
  }
  pieces.push(s.slice(begin));
  return pieces;
}

// The replacement before each code point and at the end, as often as allowed.
function interspersed(s: string, replacement: string, times: number): string {
  chargePieces(s.length);
  const points = codePointsOf(s);
  chargeText(s.length + replacement.length * Math.min(times, points.length + 1));
  const parts = points.map((point, position) => (position < times ? replacement + point : point));
  return parts.join('') + (parts.length < times ? replacement : '');
}

function joined(texts: readonly string[], separator: string): string {
  let length = separator.length * Math.max(texts.length - 1, 0);
  for (const text of texts) length += text.length;
  charge(texts.length);
  chargeText(length);
  return texts.join(separator);
}

/** Charges for going through the code points of a string so many times. */
function chargeWalks(s: string, times: number): void {
  charge((times * s.length) / 8);
}

/** Charges for a string of the same length or twice that, made piece by piece. */
function chargeRewriting(s: string): void {
  charge(2 * s.length);
  chargeText(2 * s.length);
}

/** Charges for short strings. */
function chargePieces(count: number): void {
  charge(2 * count);
  chargeList(count, count);
}
