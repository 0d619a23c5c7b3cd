import { type CodePointSet, meet, setText } from './code-point-set.js';
import { parseSafeSubset, type SafeNode, type SafePattern } from './safe-regexp-parser.js';

/**
 * A RegExp that finds a match in exactly the texts in which RE2 finds one, in linear time; undefined when the pattern
 * is outside the subset for which both are certain. Only whether there is a match is the same: groups are not kept.
 * It is right if the host is: decisions use `verifiedRegExp`.
 */
export function safeRegExp(pattern: string): RegExp | undefined {
  const parsed = parseDeterministic(pattern);
  return parsed && printRegExp(parsed);
}

/** A pattern of the subset for which a backtracking engine needs only linear time. */
export function parseDeterministic(pattern: string): SafePattern | undefined {
  const parsed = parseSafeSubset(pattern);
  return parsed !== undefined && isDeterministic(parsed) ? parsed : undefined;
}

/** A pattern of the subset as a native RegExp. */
export function printRegExp({ anchoredStart, anchoredEnd, body }: SafePattern): RegExp {
  const end = anchoredStart || takesOneUnit(body) ? '$' : END_FOR_WIDE_SETS;
  return new RegExp(`${anchoredStart ? '^' : ''}(?:${print(body)})${anchoredEnd ? end : ''}`, 'u');
}

/**
 * The end of the string, in a lookahead. When only the end is anchored, V8 starts near the end of the string; V8 14.6
 * starts one unit too late when a set contains code points of two units. It does not do this for a lookahead.
 */
const END_FOR_WIDE_SETS = '(?![^])';

/**
 * Whether every code point of every set is one UTF-16 unit and no surrogate: then `$` is right everywhere, and faster.
 */
function takesOneUnit(node: SafeNode): boolean {
  switch (node.kind) {
    case 'set':
      return node.set.every(([, high]) => high < FIRST_SURROGATE);
    case 'sequence':
      return node.items.every(takesOneUnit);
    case 'choice':
      return node.branches.every(takesOneUnit);
    case 'repeat':
      return takesOneUnit(node.body);
  }
}

const FIRST_SURROGATE = 0xd800;

function print(node: SafeNode): string {
  switch (node.kind) {
    case 'set':
      return setText(node.set);
    case 'sequence':
      return node.items.map(print).join('');
    case 'choice':
      return `(?:${node.branches.map(print).join('|')})`;
    case 'repeat':
      return `(?:${print(node.body)})${quantifier(node.min, node.max)}`;
  }
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

/**
 * Whether a backtracking engine needs only linear time: at every choice at most one way can take the next code point,
 * and no text is matched in two ways. So a choice is never undone later than one code point on. A pattern that may
 * start anywhere must in addition be short, or end with its only unbounded repetition, which then has nothing left to
 * fail.
 */
function isDeterministic({ anchoredStart, anchoredEnd, body }: SafePattern): boolean {
  const positions: Positions = { count: 0, followers: [], sets: [] };
  if (analyse(body, positions) === undefined) return false;
  if (!anchoredStart && !hasBoundedSearch(body, anchoredEnd)) return false;
  return positions.followers.every((followers) => areDisjoint(followers, positions.sets));
}

/** More positions than these are re2js's work: a table of followers is quadratic. */
const MAX_POSITIONS = 300;

/** The places of the pattern that take a code point, bounded repetitions written out. */
interface Positions {
  count: number;
  readonly sets: CodePointSet[];
  readonly followers: number[][];
}

/** What a part of the pattern shows to the parts around it. */
interface Ends {
  readonly nullable: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const EMPTY: Ends = { nullable: true, first: [], last: [] };

/** The ends of a part, its followers recorded; undefined when it is ambiguous or too large. */
function analyse(node: SafeNode, positions: Positions): Ends | undefined {
  switch (node.kind) {
    case 'set':
      return place(node.set, positions);
    case 'sequence':
      return inOrder(
        node.items.map((item) => () => analyse(item, positions)),
        positions,
      );
    case 'choice':
      return eitherOf(node.branches, positions);
    case 'repeat':
      return repeated(node, positions);
  }
}

function place(set: CodePointSet, positions: Positions): Ends | undefined {
  if (positions.count >= MAX_POSITIONS) return undefined;
  const position = positions.count;
  positions.count += 1;
  positions.sets.push(set);
  positions.followers.push([]);
  return { nullable: false, first: [position], last: [position] };
}

function inOrder(parts: readonly (() => Ends | undefined)[], positions: Positions): Ends | undefined {
  let whole = EMPTY;
  for (const part of parts) {
    const next = part();
    if (next === undefined) return undefined;
    connect(whole.last, next.first, positions);
    whole = {
      nullable: whole.nullable && next.nullable,
      first: whole.nullable ? [...whole.first, ...next.first] : whole.first,
      last: next.nullable ? [...whole.last, ...next.last] : next.last,
    };
    if (!areDisjoint(whole.first, positions.sets)) return undefined;
  }
  return whole;
}

function eitherOf(branches: readonly SafeNode[], positions: Positions): Ends | undefined {
  const ends: Ends[] = [];
  for (const branch of branches) {
    const next = analyse(branch, positions);
    if (next === undefined) return undefined;
    ends.push(next);
  }
  if (ends.filter((end) => end.nullable).length > 1) return undefined;
  const first = ends.flatMap((end) => end.first);
  if (!areDisjoint(first, positions.sets)) return undefined;
  return { nullable: ends.some((end) => end.nullable), first, last: ends.flatMap((end) => end.last) };
}

function repeated(node: SafeNode & { kind: 'repeat' }, positions: Positions): Ends | undefined {
  const once = () => {
    const body = analyse(node.body, positions);
    // A body that may be empty can be repeated in more than one way.
    return body?.nullable ? undefined : body;
  };
  const required = Array.from({ length: node.min }, () => once);
  const optional = () => {
    const body = node.max === Infinity ? loop(once(), positions) : once();
    return body && { ...body, nullable: true };
  };
  if (node.max === Infinity) return inOrder([...required, optional], positions);
  return optionalTail(node.max - node.min, inOrder(required, positions), once, positions);
}

function loop(body: Ends | undefined, positions: Positions): Ends | undefined {
  if (body !== undefined) connect(body.last, body.first, positions);
  return body;
}

/** `(x(x(x)?)?)?` after what is required: each further one needs the one before it. */
function optionalTail(
  count: number,
  required: Ends | undefined,
  once: () => Ends | undefined,
  positions: Positions,
): Ends | undefined {
  let whole = required;
  let previous = required;
  for (let made = 0; made < count; made += 1) {
    const next = once();
    if (whole === undefined || previous === undefined || next === undefined) return undefined;
    connect(previous.last, next.first, positions);
    const first: readonly number[] = previous === EMPTY ? next.first : whole.first;
    whole = { nullable: whole.nullable, first, last: [...whole.last, ...next.last] };
    previous = next;
  }
  return whole;
}

/**
 * The same position twice among followers is a second way to the same text: it stays in the list, and the list is then
 * not disjoint.
 */
function connect(from: readonly number[], to: readonly number[], positions: Positions): void {
  for (const position of from) positions.followers[position]?.push(...to);
}

function areDisjoint(members: readonly number[], sets: readonly CodePointSet[]): boolean {
  return members.every((a, index) => members.slice(index + 1).every((b) => !meet(sets[a] ?? [], sets[b] ?? [])));
}

/** Whether an attempt at one place costs no more than the pattern's own size. */
function hasBoundedSearch(body: SafeNode, anchoredEnd: boolean): boolean {
  if (anchoredEnd || body.kind !== 'sequence') return !isUnbounded(body);
  const last = body.items[body.items.length - 1];
  if (last === undefined) return true;
  const rest = body.items.slice(0, -1);
  const tail = last.kind === 'repeat' ? last.body : last;
  return !rest.some(isUnbounded) && !isUnbounded(tail);
}

function isUnbounded(node: SafeNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'sequence':
      return node.items.some(isUnbounded);
    case 'choice':
      return node.branches.some(isUnbounded);
    case 'repeat':
      return node.max === Infinity || isUnbounded(node.body);
  }
}
