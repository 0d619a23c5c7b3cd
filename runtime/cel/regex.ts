import type { RE2JS } from 're2js';
import { refuse } from './failures.js';
import { quotedText } from './quoted-text.js';
import { chargeList, chargeText, MAX_TEXT } from './meter.js';
import { chargeSearch, compileRe2 } from './regexp.js';
import { CelError, Optional, type Result } from './values.js';

/** `regex.extract(s, re)`: the first match, or its only group, as an optional (conditions.md 2.7). */
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

/** `regex.extractAll(s, re)`: all matches, or their only group where it is not empty (conditions.md 2.7). */
export function regexExtractAll(s: Result, re: Result): Result {
  if (typeof s !== 'string' || typeof re !== 'string') return refuse('regex.extractAll', s, re);
  const pattern = withOneGroup(re);
  if (pattern instanceof CelError) return pattern;
  const found = findAll(pattern, s, -1);
  if (pattern.groupCount() === 0) return found.map((match) => groupText(s, match, 0));
  return found.map((match) => groupText(s, match, 1)).filter((text) => text !== '');
}

/** `regex.replace(s, re, r)` and `(s, re, r, n)`: the first n matches, all for n < 0 (conditions.md 2.7). */
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
  // Matches may be as many as the string has units, each with its places.
  chargeSearch(pattern, s);
  chargeList(s.length);
  return (pattern.re2().findAllSubmatchIndex(s, limit) as readonly Match[] | null) ?? [];
}

function groupText(s: string, match: Match, group: number): string {
  const start = match[group * 2] ?? -1;
  return start < 0 ? '' : s.slice(start, match[group * 2 + 1]);
}

function replaceFound(s: string, found: readonly Match[], replacement: string, groups: number): string | CelError {
  let text = '';
  let end = 0;
  for (const match of found) {
    const expanded = expand(replacement, s, match, groups);
    if (expanded instanceof CelError) return expanded;
    chargeText(expanded.length + (match[0] ?? 0) - end);
    text += s.slice(end, match[0]) + expanded;
    if (text.length > MAX_TEXT) chargeText(text.length);
    end = match[1] ?? end;
  }
  return text + s.slice(end);
}

function expand(replacement: string, s: string, match: Match, groups: number): string | CelError {
  let text = '';
  chargeText(8 * replacement.length);
  for (let at = 0; at < replacement.length; at += 1) {
    const char = replacement.charAt(at);
    if (char !== '\\') {
      text += char;
      continue;
    }
    at += 1;
    const next = replacement.charAt(at);
    if (next === '') return new CelError(`invalid replacement string: '${replacement}' \\ not allowed at end`);
    const expanded = next === '\\' ? next : groupReference(next, replacement, s, match, groups);
    if (expanded instanceof CelError) return expanded;
    chargeText(expanded.length);
    text += expanded;
  }
  return text;
}

function groupReference(digit: string, replacement: string, s: string, match: Match, groups: number): string | CelError {
  if (!/^[0-9]$/.test(digit)) {
    return new CelError(`invalid replacement string: '${replacement}' \\ must be followed by a digit or \\`);
  }
  const group = Number(digit);
  if (group <= groups) return groupText(s, match, group);
  return new CelError(`replacement string references group ${group} but regex has only ${groups} group(s)`);
}
