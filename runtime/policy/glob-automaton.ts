import { type GlobToken, SEPARATOR } from './glob-syntax.js';
import type { Matcher } from './policy.js';

/**
 * A matcher for any glob: a finite automaton that is made deterministic as strings need it, so that each character
 * costs one lookup, whatever the string and the pattern contain. A pattern with more than `MAX_KNOWN` sets of states
 * starts again when they are all known; at worst a string then takes (length of string) x (length of pattern) steps.
 */
export function globAutomaton(tokens: readonly GlobToken[]): Matcher {
  const { start: first, accepts, after: statesAfter, bounds } = globStates(tokens);
  const ascii = Uint16Array.from({ length: 128 }, (_, code) => classIn(bounds, code));
  const known = new Map<string, Known>();
  let start: Known | undefined;

  const findKnown = (reached: GlobState): Known => {
    const key = reached.join();
    let found = known.get(key);
    if (found === undefined) {
      if (known.size >= MAX_KNOWN) {
        known.clear();
        // It references all known states.
        start = undefined;
      }
      found = { reached, accepts: accepts(reached), next: [] };
      known.set(key, found);
    }
    return found;
  };
  const after = ({ reached }: Known, code: number): Known => findKnown(statesAfter(reached, code));

  return (text) => {
    start ??= findKnown(first);
    let current = start;
    for (let at = 0; at < text.length; at++) {
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at++;
      const kind = code < 128 ? (ascii[code] as number) : classIn(bounds, code);
      current = current.next[kind] ??= after(current, code);
      if (current.reached.length === 0) return false;
    }
    return current.accepts;
  };
}

/** A state of the deterministic automaton: the states that the one of the pattern is in at once, in ascending order. */
export type GlobState = readonly number[];

/** The deterministic automaton of a glob. */
export interface GlobStates {
  readonly start: GlobState;
  readonly accepts: (state: GlobState) => boolean;
  /** The state after a code point; without elements if no string that continues so is accepted. */
  readonly after: (state: GlobState, code: number) => GlobState;
  /** The code points at which a class of characters begins, in ascending order: no state tells a class apart. */
  readonly bounds: readonly number[];
}

/** The automaton of a glob, for those who walk it. `glob` also matches what docs/spec/policy-language.md#globs adds. */
export function globStates(tokens: readonly GlobToken[]): GlobStates {
  const { states, accepts } = build(tokens);
  const closed = (from: readonly number[]): GlobState => [...closure(states, from)].sort((a, b) => a - b);
  return {
    start: closed([0]),
    accepts: (state) => state.includes(accepts),
    after: (state, code) =>
      closed(state.flatMap((index) => (states[index]?.reads?.(code) ? [(states[index] as State).then] : []))),
    bounds: listBounds(tokens),
  };
}

const MAX_KNOWN = 1000;

/** A set of states that the automaton is in at once. */
interface Known {
  readonly reached: readonly number[];
  readonly accepts: boolean;
  /** The next states, by class of character. */
  readonly next: Known[];
}

/** The code points at which a class of characters begins: no state distinguishes the members of a class. */
function listBounds(tokens: readonly GlobToken[]): readonly number[] {
  const bounds = new Set<number>();
  const add = (first: string, last = first): void =>
    void bounds.add(first.codePointAt(0) as number).add((last.codePointAt(0) as number) + 1);
  add(SEPARATOR);
  for (const token of tokens) {
    if (token.kind === 'range') add(token.first, token.last);
    if (token.kind === 'text') for (const character of token.text) add(character);
    if (token.kind === 'list') for (const character of token.characters) add(character);
  }
  return [...bounds].sort((a, b) => a - b);
}

/** The number of bounds that are not above the code point, by bisection. */
function classIn(bounds: readonly number[], code: number): number {
  let [low, high] = [0, bounds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((bounds[middle] as number) <= code) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reads one character and goes to `then`; `free` are the states that are reached without reading. */
interface State {
  reads?: (code: number) => boolean;
  then: number;
  readonly free: number[];
}

/** Alternatives that are being read: the states where they branch and join. */
interface Braces {
  readonly fork: number;
  readonly join: number;
}

function build(tokens: readonly GlobToken[]): { readonly states: readonly State[]; readonly accepts: number } {
  const states: State[] = [];
  const open: Braces[] = [];
  const add = (): number => states.push({ then: -1, free: [] }) - 1;
  const link = (from: number, to: number): void => void (states[from] as State).free.push(to);
  let end = add();

  const read = (reads: (code: number) => boolean, then: number): void => {
    const state = states[end] as State;
    state.reads = reads;
    state.then = then;
  };
  const readOne = (reads: (code: number) => boolean): void => {
    const next = add();
    read(reads, next);
    end = next;
  };
  const readMany = (reads: (code: number) => boolean): void => {
    const loop = add();
    link(end, loop);
    end = loop;
    read(reads, loop);
    const next = add();
    link(loop, next);
    end = next;
  };

  for (const token of tokens) {
    switch (token.kind) {
      case 'text':
        for (const character of token.text) readOne(is(character));
        break;
      case 'one':
        readOne(isNoSeparator);
        break;
      case 'star':
        readMany(isNoSeparator);
        break;
      case 'anything':
        readMany(isAny);
        break;
      case 'list':
        readOne(isListed(token.characters, token.negated));
        break;
      case 'range':
        readOne(isBetween(token.first, token.last, token.negated));
        break;
      case 'open': {
        const fork = end;
        open.push({ fork, join: add() });
        end = add();
        link(fork, end);
        break;
      }
      case 'or': {
        const { fork, join } = open.at(-1) as Braces;
        link(end, join);
        end = add();
        link(fork, end);
        break;
      }
      case 'close': {
        const { join } = open.pop() as Braces;
        link(end, join);
        end = join;
        break;
      }
    }
  }
  return { states, accepts: end };
}

/** The states given and all that are reached from them without reading. */
function closure(states: readonly State[], from: readonly number[]): ReadonlySet<number> {
  const reached = new Set(from);
  for (const index of reached) for (const next of (states[index] as State).free) reached.add(next);
  return reached;
}

const SEPARATOR_CODE = SEPARATOR.charCodeAt(0);

function isAny(): boolean {
  return true;
}

function isNoSeparator(code: number): boolean {
  return code !== SEPARATOR_CODE;
}

function is(character: string): (code: number) => boolean {
  const wanted = character.codePointAt(0);
  return (code) => code === wanted;
}

function isListed(characters: string, negated: boolean): (code: number) => boolean {
  const codes = new Set([...characters].map((character) => character.codePointAt(0)));
  return (code) => codes.has(code) !== negated;
}

function isBetween(first: string, last: string, negated: boolean): (code: number) => boolean {
  const low = first.codePointAt(0) as number;
  const high = last.codePointAt(0) as number;
  return (code) => (low <= code && code <= high) !== negated;
}
