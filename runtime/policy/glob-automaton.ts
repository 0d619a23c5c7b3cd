import { type GlobToken, SEPARATOR } from './glob-syntax.js';
import type { Matcher } from './policy.js';

/**
 * A matcher for any glob: the automaton is in all its states at once, so a text takes at most (length of text) x
 * (length of pattern) steps, whatever either contains.
 */
export function globAutomaton(tokens: readonly GlobToken[]): Matcher {
  const { states, accepts } = build(tokens);
  return (text) => {
    let current = closure(states, [0]);
    for (const character of text) {
      const code = character.codePointAt(0) as number;
      const reached: number[] = [];
      for (const index of current) {
        const state = states[index] as State;
        if (state.reads?.(code)) reached.push(state.then);
      }
      if (reached.length === 0) return false;
      current = closure(states, reached);
    }
    return current.has(accepts);
  };
}

/** Reads one character and goes to `then`; `free` are the states reached without reading. */
interface State {
  reads?: (code: number) => boolean;
  then: number;
  readonly free: number[];
}

/** Alternatives being read: where they part, where they meet. */
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
