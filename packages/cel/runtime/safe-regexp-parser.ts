import { type CodePointSet, complement, mergeRanges } from './code-point-set.js';

/** A pattern of the safe subset: what stands between `^` and `$`, and whether they are there. */
export interface SafePattern {
  readonly anchoredStart: boolean;
  readonly anchoredEnd: boolean;
  readonly body: SafeNode;
}

/** A part of a pattern. Laziness and capture are dropped: neither changes whether there is a match. */
export type SafeNode =
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'sequence'; readonly items: readonly SafeNode[] }
  | { readonly kind: 'choice'; readonly branches: readonly SafeNode[] }
  | { readonly kind: 'repeat'; readonly body: SafeNode; readonly min: number; readonly max: number };

/**
 * The part of RE2's syntax whose meaning can be said with sets of code points: literals, `.`, classes, `\d \w \s`,
 * groups, `|`, quantifiers, `^` first, `$` last, `(?i)` first over ASCII. Undefined for anything else, valid or not:
 * re2js then judges it.
 */
export function parseSafeSubset(pattern: string): SafePattern | undefined {
  if (pattern.length > MAX_LENGTH) return undefined;
  const foldsCase = pattern.startsWith('(?i)');
  const rest = foldsCase ? pattern.slice(4) : pattern;
  const anchoredStart = rest.startsWith('^');
  const anchoredEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(rest);
  const chars = [...rest.slice(anchoredStart ? 1 : 0, anchoredEnd ? -1 : undefined)];
  const state: State = { chars, foldsCase, at: 0, depth: 0 };
  const body = parseChoice(state);
  if (body === undefined || state.at < chars.length) return undefined;
  // `^a|b$` anchors one branch each.
  if ((anchoredStart || anchoredEnd) && body.kind === 'choice') return undefined;
  return { anchoredStart, anchoredEnd, body: trimmed(body, anchoredStart, anchoredEnd) };
}

/**
 * The pattern without what a match need not have: at an end that is not anchored `.*` changes nothing, and `a+` is `a`,
 * since only whether there is a match counts.
 */
function trimmed(body: SafeNode, anchoredStart: boolean, anchoredEnd: boolean): SafeNode {
  if (body.kind !== 'sequence') return body;
  let { items } = body;
  if (!anchoredStart) items = withoutOptionalStart(items);
  if (!anchoredEnd) items = withoutOptionalStart(items.toReversed()).toReversed();
  return { kind: 'sequence', items };
}

function withoutOptionalStart(items: readonly SafeNode[]): readonly SafeNode[] {
  const start = items.findIndex((item) => item.kind !== 'repeat' || item.min > 0);
  const [first, ...others] = start === -1 ? [] : items.slice(start);
  if (first === undefined) return [];
  return [first.kind === 'repeat' ? { ...first, max: first.min } : first, ...others];
}

const MAX_LENGTH = 500;
const MAX_DEPTH = 20;

interface State {
  readonly chars: readonly string[];
  readonly foldsCase: boolean;
  at: number;
  depth: number;
}

function parseChoice(state: State): SafeNode | undefined {
  const branches: SafeNode[] = [];
  do {
    const branch = parseSequence(state);
    if (branch === undefined) return undefined;
    branches.push(branch);
  } while (take(state, '|'));
  return branches.length === 1 ? branches[0] : { kind: 'choice', branches };
}

function parseSequence(state: State): SafeNode | undefined {
  const items: SafeNode[] = [];
  while (state.at < state.chars.length && !isNext(state, '|') && !isNext(state, ')')) {
    const atom = parseAtom(state);
    const item = atom && parseQuantifier(state, atom);
    if (item === undefined) return undefined;
    items.push(item);
  }
  return { kind: 'sequence', items };
}

function parseAtom(state: State): SafeNode | undefined {
  if (take(state, '(')) return parseGroup(state);
  const set = parseSet(state);
  return set && { kind: 'set', set };
}

function parseGroup(state: State): SafeNode | undefined {
  if (take(state, '?') && !take(state, ':')) return undefined;
  state.depth += 1;
  const body = state.depth > MAX_DEPTH ? undefined : parseChoice(state);
  state.depth -= 1;
  return take(state, ')') ? body : undefined;
}

function parseQuantifier(state: State, body: SafeNode): SafeNode | undefined {
  const bounds = parseBounds(state);
  if (bounds === undefined) return body;
  if (bounds === 'unsafe') return undefined;
  take(state, '?');
  // A second quantifier on the same atom is RE2's to refuse.
  if ('*+?{'.includes(state.chars[state.at] ?? ' ')) return undefined;
  return { kind: 'repeat', body, min: bounds[0], max: bounds[1] };
}

function parseBounds(state: State): readonly [min: number, max: number] | 'unsafe' | undefined {
  if (take(state, '*')) return [0, Infinity];
  if (take(state, '+')) return [1, Infinity];
  if (take(state, '?')) return [0, 1];
  if (!isNext(state, '{')) return undefined;
  const end = state.chars.indexOf('}', state.at);
  const match = /^\{(\d{1,3})(,(\d{0,3}))?\}$/.exec(state.chars.slice(state.at, end + 1).join(''));
  if (match === null) return 'unsafe';
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : match[3] === '' ? Infinity : Number(match[3]);
  if (max < min) return 'unsafe';
  state.at = end + 1;
  return [min, max];
}

/** One code point out of a set: a literal, `.`, an escape or a class. */
function parseSet(state: State): CodePointSet | undefined {
  const char = read(state);
  if (char === '' || '*+?{}()|^$]'.includes(char)) return undefined;
  if (char === '.') return NOT_NEWLINE;
  if (char === '[') return parseClass(state);
  if (char !== '\\') return foldedCode(state, readCode(char));
  const escape = read(state);
  return perlClass(state, escape) ?? foldedCode(state, escapedCode(escape));
}

function parseClass(state: State): CodePointSet | undefined {
  const negated = take(state, '^');
  const ranges: (readonly [number, number])[] = [];
  do {
    const item = parseClassItem(state);
    if (item === undefined) return undefined;
    ranges.push(...item);
  } while (!isNext(state, ']'));
  state.at += 1;
  const set = mergeRanges(ranges);
  return negated ? complement(set) : set;
}

/** A code point, a range or a Perl class. A `]` or `-` in an unusual place is RE2's to judge. */
function parseClassItem(state: State): CodePointSet | undefined {
  const char = state.chars[state.at];
  const escape = state.chars[state.at + 1] ?? '';
  const perl = char === '\\' ? perlClass(state, escape) : undefined;
  if (perl !== undefined) {
    state.at += 2;
    return opensRange(state) ? undefined : perl;
  }
  const low = parseClassChar(state);
  if (!opensRange(state)) return foldedCode(state, low);
  state.at += 1;
  const high = parseClassChar(state);
  if (low === undefined || high === undefined || high < low) return undefined;
  return folded(state, [[low, high]]);
}

/** A hyphen last in its class is only a hyphen. */
function opensRange(state: State): boolean {
  return isNext(state, '-') && state.chars[state.at + 1] !== ']';
}

function parseClassChar(state: State): number | undefined {
  const char = read(state);
  if (char === '' || char === ']' || char === '[') return undefined;
  if (char === '-') return isNext(state, ']') ? readCode(char) : undefined;
  if (char !== '\\') return readCode(char);
  return escapedCode(read(state));
}

function foldedCode(state: State, code: number | undefined): CodePointSet | undefined {
  return code === undefined ? undefined : folded(state, only(code));
}

function escapedCode(escape: string): number | undefined {
  const control = CONTROLS.get(escape);
  if (control !== undefined) return control;
  return /^[!-/:-@[-`{-~]$/.test(escape) ? readCode(escape) : undefined;
}

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['t', 9],
  ['n', 10],
  ['r', 13],
  ['v', 11],
]);

const DIGITS: CodePointSet = [[0x30, 0x39]];
const WORDS: CodePointSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** RE2's `\s` has no vertical tab. */
const SPACES: CodePointSet = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];
const NOT_NEWLINE = complement([[0x0a, 0x0a]]);

const PERL_CLASSES: ReadonlyMap<string, CodePointSet> = new Map([
  ['d', DIGITS],
  ['w', WORDS],
  ['s', SPACES],
]);

/** `\d` and the like; a capital letter is the complement, taken after folding. */
function perlClass(state: State, escape: string): CodePointSet | undefined {
  const positive = PERL_CLASSES.get(escape.toLowerCase());
  const set = positive && folded(state, positive);
  return set && (escape === escape.toLowerCase() ? set : complement(set));
}

/** Adds, under `(?i)`, both cases of ASCII letters, and the two code points outside ASCII that fold to `k` and `s`. */
function folded(state: State, set: CodePointSet): CodePointSet | undefined {
  if (!state.foldsCase) return set;
  const all: string[] = [];
  for (const [low, high] of set) {
    if (high > 0x7f) return undefined;
    for (let code = low; code <= high; code += 1) {
      const lower = String.fromCharCode(code).toLowerCase();
      all.push(lower, lower.toUpperCase());
      if (lower === 'k') all.push('\u212a');
      if (lower === 's') all.push('\u017f');
    }
  }
  return mergeRanges(all.map(readCode).flatMap(only));
}

function only(code: number): CodePointSet {
  return [[code, code]];
}

function readCode(char: string): number {
  return char.codePointAt(0) ?? 0;
}

/** The next code point, which is passed; empty behind the end. */
function read(state: State): string {
  const char = state.chars[state.at] ?? '';
  state.at += 1;
  return char;
}

function isNext(state: State, char: string): boolean {
  return state.chars[state.at] === char;
}

function take(state: State, char: string): boolean {
  if (!isNext(state, char)) return false;
  state.at += 1;
  return true;
}
