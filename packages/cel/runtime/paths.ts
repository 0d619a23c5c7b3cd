import { refuse } from './failures.js';
import { firstNonString, notAString, passesAsStrings } from './lists-of-strings.js';
import { charge, chargeList, chargeText } from './meter.js';
import { CelError, type Result, type Value } from './values.js';

/** `basePath(p)`: the last element (docs/spec/conditions.md#paths). */
export function basePath(path: Result): Result {
  return ofPath('basePath', path, (encoded) => (encoded.value === '/' ? '/' : lastElement(encoded.value)));
}

/** `dirPath(p)`: the path without its last element; the root of a drive or share is its own. */
export function dirPath(path: Result): Result {
  return ofPath('dirPath', path, (encoded) => {
    const { kind, windows, value } = encoded;
    const slash = value.lastIndexOf('/');
    if (kind === 'drive')
      return slash === 0 ? `${decodePath(encoded, value)}\\` : decodePath(encoded, value.slice(0, slash));
    if (kind === 'unc')
      return value.split('/').length <= 3 ? decodePath(encoded, value) : decodePath(encoded, value.slice(0, slash));
    if (!windows) return slash < 0 ? '.' : cleanPath(value.slice(0, slash + 1));
    if (slash < 0) return new CelError('internal error: runtime error: slice bounds out of range [:-1]');
    return decodePath(encoded, value.slice(0, slash));
  });
}

/** `extPath(p)`: from the last dot of the last element on. */
export function extPath(path: Result): Result {
  return ofPath('extPath', path, ({ value }) => {
    const element = lastElement(value);
    const dot = element.lastIndexOf('.');
    return dot < 0 ? '' : element.slice(dot);
  });
}

/** `volumeName(p)`: `C:`, `\\host\share` or nothing. */
export function volumeName(path: Result): Result {
  return ofPath('volumeName', path, (encoded) => {
    const elements = encoded.value.split('/');
    switch (encoded.kind) {
      case 'normal':
        return '';
      case 'drive':
        return elements[1] ?? '';
      case 'unc':
        return elements.length < 3 ? '' : decodePath(encoded, elements.slice(0, 3).join('/'));
    }
  });
}

/** `joinPath(list)`, in the style of the first element; a single element is returned as it is. */
export function joinPath(list: Result): Result {
  if (!passesAsStrings(list)) return refuse('joinPath', list);
  chargeList(list.length, list.length);
  const unfit = firstNonString(list);
  if (unfit !== undefined) return unfitElement(unfit);
  if (list.length <= 1) return list[0] ?? '';
  const encoded: EncodedPath[] = [];
  for (const element of list) {
    const path = encodePath(element as string);
    if (path instanceof CelError) return path;
    encoded.push(path);
  }
  return decodePath(encoded[0] as EncodedPath, cleanPath(encoded.map((path) => path.value).join('/')));
}

/** `relPath(base, target)`: the way from one to the other, in the target's style. */
export function relPath(base: Result, target: Result): Result {
  return ofTwo('relPath', base, target, relative);
}

/**
 * `pathHasPrefix(path, prefix)`; hidden files directly below the prefix are not (docs/spec/conditions.md#paths), nor is
 * the prefix itself in another spelling.
 */
export function pathHasPrefix(path: Result, prefix: Result): Result {
  return ofTwo('pathHasPrefix', path, prefix, (full, start) => {
    if (path === prefix) return true;
    const way = relative(start, full);
    return way instanceof CelError ? way : !/^[./]/.test(way);
  });
}

/** `pathMatch(path, glob)`. */
export function pathMatch(path: Result, glob: Result): Result {
  if (typeof path !== 'string' || typeof glob !== 'string') return refuse('pathMatch', path, glob);
  return matchesOne(path, glob);
}

/** `pathMatchAnyOf(path, globs)`: the globs are tried in order, the first that fails to parse is the result. */
export function pathMatchAnyOf(path: Result, globs: Result): Result {
  if (typeof path !== 'string' || !passesAsStrings(globs)) return refuse('pathMatchAnyOf', path, globs);
  const unfit = firstNonString(globs);
  if (unfit !== undefined) return unfitElement(unfit);
  for (const glob of globs) {
    const matched = matchesOne(path, glob as string);
    if (matched !== false) return matched;
  }
  return false;
}

function ofPath(name: string, path: Result, give: (encoded: EncodedPath) => string | CelError): Result {
  if (typeof path !== 'string') return refuse(name, path);
  const encoded = encodePath(path);
  return encoded instanceof CelError ? encoded : give(encoded);
}

function ofTwo(
  name: string,
  a: Result,
  b: Result,
  give: (a: EncodedPath, b: EncodedPath) => boolean | string | CelError,
): Result {
  if (typeof a !== 'string' || typeof b !== 'string') return refuse(name, a, b);
  const one = encodePath(a);
  if (one instanceof CelError) return one;
  const other = encodePath(b);
  return other instanceof CelError ? other : give(one, other);
}

function unfitElement(element: Value): CelError {
  return new CelError(`failed to convert list to string slice: ${notAString(element)}`);
}

function lastElement(value: string): string {
  return value.slice(value.lastIndexOf('/') + 1);
}

function relative(base: EncodedPath, target: EncodedPath): string | CelError {
  if (base.value === target.value) return '.';
  const from = base.value === '.' ? [] : splitPath(base.value);
  const to = splitPath(target.value);
  let shared = 0;
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1;
  const isUnreachable = base.value.startsWith('/') !== target.value.startsWith('/') || from[shared] === '..';
  if (isUnreachable) {
    const reason = `Rel: can't make ${target.value} relative to ${base.value}`;
    return new CelError(`failed to determine relative path of ${target.value}: ${reason}`);
  }
  const way = [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
  return target.windows ? way.replaceAll('/', '\\') : way;
}

function splitPath(value: string): readonly string[] {
  return value.split('/').filter((element) => element !== '');
}

function matchesOne(path: string, glob: string): boolean | CelError {
  const subject = encodePath(path);
  if (subject instanceof CelError) return subject;
  const pattern = encodePath(glob);
  if (pattern instanceof CelError) return pattern;
  const parsed = parseGlob(pattern.value);
  if (parsed !== undefined) return matchesGlob(parsed, subject.value);
  return new CelError(`failed to match pattern "${glob}" on path "${path}": syntax error in pattern`);
}

/** A glob taken apart; each token but a star takes one code point. */
export type Glob = readonly Token[];

type Token =
  | { readonly kind: 'literal'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'class'; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** The shell glob of docs/spec/conditions.md#paths: `*`, `?`, `[a-c]`, `[^a]`, no escape; undefined for a bad class. */
function parseGlob(glob: string): Glob | undefined {
  const chars = [...glob];
  const tokens: Token[] = [];
  let at = 0;
  while (at < chars.length) {
    const char = chars[at] as string;
    at += 1;
    if (char !== '[') {
      tokens.push(char === '*' ? { kind: 'star' } : char === '?' ? { kind: 'any' } : { kind: 'literal', char });
      continue;
    }
    const parsed = parseClass(chars, at);
    if (parsed === undefined) return undefined;
    tokens.push(parsed.token);
    at = parsed.end;
  }
  return tokens;
}

/**
 * Whether the glob takes the whole path. On failure only the last star is tried anew, so the time is their lengths'
 * product.
 */
function matchesGlob(glob: Glob, path: string): boolean {
  charge(path.length * (glob.some(({ kind }) => kind === 'star') ? countSteps(glob) : 1));
  const chars = [...path];
  let token = 0;
  let at = 0;
  let star = -1;
  let starEnd = 0;
  while (at < chars.length) {
    const current = glob[token];
    if (current?.kind === 'star') {
      star = token;
      starEnd = at;
      token += 1;
    } else if (current !== undefined && takes(current, chars[at] as string)) {
      token += 1;
      at += 1;
    } else {
      if (star < 0 || chars[starEnd] === '/') return false;
      starEnd += 1;
      at = starEnd;
      token = star + 1;
    }
  }
  return glob.slice(token).every((rest) => rest.kind === 'star');
}

/** One for each token, and for each range of a class. */
function countSteps(glob: Glob): number {
  return glob.reduce((steps, token) => steps + (token.kind === 'class' ? token.ranges.length : 1), 0);
}

function takes(token: Exclude<Token, { kind: 'star' }>, char: string): boolean {
  switch (token.kind) {
    case 'literal':
      return token.char === char;
    case 'any':
      return char !== '/';
    case 'class':
      return (
        token.ranges.some(([low, high]) => readCode(low) <= readCode(char) && readCode(char) <= readCode(high)) !==
        token.negated
      );
  }
}

function readCode(char: string): number {
  return char.codePointAt(0) ?? 0;
}

function parseClass(chars: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = chars[start] === '^';
  const ranges: [string, string][] = [];
  let at = negated ? start + 1 : start;
  while (chars[at] !== ']' || ranges.length === 0) {
    const low = classChar(chars, at);
    if (low === undefined) return undefined;
    at += 1;
    if (chars[at] !== '-') {
      ranges.push([low, low]);
      continue;
    }
    const high = classChar(chars, at + 1);
    if (high === undefined) return undefined;
    at += 2;
    ranges.push([low, high]);
  }
  return { token: { kind: 'class', negated, ranges }, end: at + 1 };
}

/** A hyphen or a bracket cannot be an end of a range, and something must follow. */
function classChar(chars: readonly string[], at: number): string | undefined {
  const char = chars[at];
  return char === '-' || char === ']' || at + 1 >= chars.length ? undefined : char;
}

/** A path as the functions work on it: cleaned, with slashes (docs/spec/conditions.md#paths). */
interface EncodedPath {
  /** `drive` stands under `/X:`, `unc` under `/host/share`, where the share may still be missing. */
  readonly kind: 'normal' | 'drive' | 'unc';
  /** Whether it was written with backslashes, and is to be printed so. */
  readonly windows: boolean;
  readonly value: string;
}

/** Reads a path of either style. A drive letter without any backslash is refused unless it stands alone. */
function encodePath(path: string): EncodedPath | CelError {
  charge(20 + 2 * path.length);
  chargeText(8 * path.length);
  const windows = path.includes('\\');
  const slashed = windows ? path.replaceAll('\\', '/') : path;
  if (/^\\\\[^\\/]/.test(path)) return { kind: 'unc', windows, value: cleanPath(slashed.slice(1)) };
  if (/^[A-Za-z]:/.test(path)) {
    if (!windows && path.length > 2) return new CelError(`failed to encode path ${path}: unsupported Win32 path`);
    return { kind: 'drive', windows: true, value: cleanPath(`/${slashed}`) };
  }
  return { kind: 'normal', windows, value: cleanPath(slashed) };
}

/** A cleaned value in the style of the path it came from. */
function decodePath({ kind, windows }: EncodedPath, value: string): string {
  switch (kind) {
    case 'normal':
      return windows ? value.replaceAll('/', '\\') : value;
    case 'drive':
      return value.replace(/^\//, '').replaceAll('/', '\\');
    case 'unc':
      return `${value.startsWith('/') ? '\\' : ''}${value.replaceAll('/', '\\')}`;
  }
}

/** The shortest Unix path that means the same, without looking at any file; `.` for nothing. */
function cleanPath(path: string): string {
  const rooted = path.startsWith('/');
  const kept: string[] = [];
  for (const element of path.split('/')) {
    if (element === '' || element === '.') continue;
    if (element !== '..') kept.push(element);
    else if (kept.length > 0 && kept[kept.length - 1] !== '..') kept.pop();
    else if (!rooted) kept.push(element);
  }
  const text = kept.join('/');
  if (rooted) return `/${text}`;
  return text === '' ? '.' : text;
}
