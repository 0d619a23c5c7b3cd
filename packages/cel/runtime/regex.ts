import type { RE2JS } from 're2js';
import { refuse } from './failures.js';
import { quotedText } from './quoted-text.js';
import { charge, chargeMemory, chargeText, MAX_TEXT } from './meter.js';
import { compileRe2, meteredEngine } from './regexp.js';
import { CelError, Optional, type Result } from './values.js';

/**
 * `regex.extract(s, re)`: the first match, or its only group, as an optional
 * (docs/spec/conditions.md#regular-expression-functions).
 */
export function regexExtract(s: Result, re: Result): Result {
  if (typeof s !== 'string' || typeof re !== 'string') return refuse('regex.extract', s, re);
  const pattern = withOneGroup(re);
  if (pattern instanceof CelError) return pattern;
  const [match] = findAll(pattern, s, 1);
  if (match === undefined) return new Optional(undefined);
  if (pattern.groupCount() === 0) return new Optional(groupText(s, match, 0));
  const group = groupText(s, match, 1);
  return new Optional(group === '' ? undefined : group);
}

/**
 * `regex.extractAll(s, re)`: all matches, or their only group where it is not empty
 * (docs/spec/conditions.md#regular-expression-functions).
 */
export function regexExtractAll(s: Result, re: Result): Result {
  if (typeof s !== 'string' || typeof re !== 'string') return refuse('regex.extractAll', s, re);
  const pattern = withOneGroup(re);
  if (pattern instanceof CelError) return pattern;
  const found = findAll(pattern, s, -1);
  if (pattern.groupCount() === 0) return found.map((match) => groupText(s, match, 0));
  return found.map((match) => groupText(s, match, 1)).filter((text) => text !== '');
}

/**
 * `regex.replace(s, re, r)` and `(s, re, r, n)`: the first n matches, all for n < 0
 * (docs/spec/conditions.md#regular-expression-functions).
 */
export function regexReplace(s: Result, re: Result, replacement: Result, ...limit: readonly [n?: Result]): Result {
  const n = limit.length === 0 ? -1n : limit[0];
  if (typeof s !== 'string' || typeof re !== 'string' || typeof replacement !== 'string' || typeof n !== 'bigint') {
    return refuse('regex.replace', s, re, replacement, ...limit);
  }
  if (n === 0n) return s;
  const pattern = compileRe2(re);
  if (pattern instanceof CelError) return pattern;
  return replaceFound(s, findAll(pattern, s, n < 0n ? -1 : Number(n)), replacement, pattern.groupCount());
}

/** A match: start and end of the whole and of each group in UTF-16 units, -1 for a group that took no part. */
type Match = readonly number[];

function withOneGroup(re: string): RE2JS | CelError {
  const pattern = compileRe2(re);
  if (pattern instanceof CelError || pattern.groupCount() <= 1) return pattern;
  return new CelError(`regular expression has more than one capturing group: ${quotedText(re)}`);
}

/** re2js's own find loop keeps an empty match next to the match before it; RE2 and this do not. */
function findAll(pattern: RE2JS, s: string, limit: number): readonly Match[] {
  return (meteredEngine(pattern, s).findAllSubmatchIndex(s, limit) as readonly Match[] | null) ?? [];
}

function groupText(s: string, match: Match, group: number): string {
  const start = match[group * 2] ?? -1;
  return start < 0 ? '' : s.slice(start, match[group * 2 + 1]);
}

function replaceFound(s: string, found: readonly Match[], replacement: string, groups: number): string | CelError {
  if (found.length === 0) return s;
  const parts = splitReplacement(replacement, groups);
  if (parts instanceof CelError) return parts;
  let text = '';
  let end = 0;
  for (const match of found) {
    const pieces = [
      s.slice(end, match[0]),
      ...parts.map((part) => (typeof part === 'string' ? part : groupText(s, match, part))),
    ];
    charge(10 * pieces.length);
    for (const piece of pieces) {
      chargeText(piece.length);
      text += piece;
    }
    if (text.length > MAX_TEXT) chargeText(text.length);
    end = match[1] ?? end;
  }
  return text + s.slice(end);
}

/** A replacement taken apart: texts, and the numbers of the groups between them. */
function splitReplacement(replacement: string, groups: number): readonly (string | number)[] | CelError {
  const parts: (string | number)[] = [];
  charge(replacement.length / 8);
  let begin = 0;
  for (let at = replacement.indexOf('\\'); at >= 0; at = replacement.indexOf('\\', begin)) {
    charge(20);
    chargeMemory(BYTES_A_PART);
    const next = replacement.charAt(at + 1);
    if (next === '') return new CelError(`invalid replacement string: '${replacement}' \\ not allowed at end`);
    const part = next === '\\' ? next : groupReference(next, replacement, groups);
    if (part instanceof CelError) return part;
    parts.push(replacement.slice(begin, at), part);
    begin = at + 2;
  }
  return [...parts, replacement.slice(begin)];
}

/** A text and a reference, with their places in a list. */
const BYTES_A_PART = 80;

function groupReference(digit: string, replacement: string, groups: number): number | CelError {
  if (!/^[0-9]$/.test(digit)) {
    return new CelError(`invalid replacement string: '${replacement}' \\ must be followed by a digit or \\`);
  }
  const group = Number(digit);
  if (group <= groups) return group;
  return new CelError(`replacement string references group ${group} but regex has only ${groups} group(s)`);
}
