import { type CodePointSet, contains } from './code-point-set.js';
import { charge } from './meter.js';
import type { SafeNode, SafePattern } from './safe-regexp-parser.js';

/**
 * The position automaton of a pattern (Glushkov): a position is a set of code points in the pattern, with bounded
 * repetitions written out. A match reads one code point at each position that it passes.
 */
export interface Positions extends Ends {
  /** The code points that each position takes. */
  readonly sets: readonly CodePointSet[];
  /** The positions that can come next, by position. */
  readonly followers: readonly ReadonlySet<number>[];
  /** The number of pairs of a position and a follower. */
  readonly edges: number;
  /** Whether repetitions or empty branches can match the same text in two ways. */
  readonly isAmbiguous: boolean;
}

/** The positions of a pattern; undefined if there are too many of them, or of ways between them. */
export function findPositions({ body }: SafePattern): Positions | undefined {
  const builder = new Builder();
  const ends = builder.add(body);
  return builder.isTooLarge ? undefined : { ...builder, ...ends };
}

/** Patterns beyond these limits use RE2. */
const MAX_POSITIONS = 300;
const MAX_EDGES = 3000;
/** Those without a position count as well: `((){64}){64}`. */
const MAX_PARTS = 1200;

/** What a pattern, or a part of it, shows to the parts around it. */
interface Ends {
  /** Whether it matches the empty string. */
  readonly isNullable: boolean;
  /** The positions that can be the first of a match, or the last. */
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const EMPTY: Ends = { isNullable: true, first: [], last: [] };

/** Adds the parts of a pattern, until there are too many. */
class Builder {
  readonly sets: CodePointSet[] = [];
  readonly followers: Set<number>[] = [];
  isAmbiguous = false;
  edges = 0;
  #parts = 0;

  get isTooLarge(): boolean {
    return this.#parts > MAX_PARTS || this.sets.length > MAX_POSITIONS || this.edges > MAX_EDGES;
  }

  add(node: SafeNode): Ends {
    this.#parts += 1;
    if (this.isTooLarge) return EMPTY;
    switch (node.kind) {
      case 'set': {
        const position = [this.sets.push(node.set) - 1];
        this.followers.push(new Set());
        return { isNullable: false, first: position, last: position };
      }
      case 'sequence':
        return this.#inOrder(node.items);
      case 'choice':
        return this.#eitherOf(node.branches);
      case 'repeat':
        return this.#repeated(node);
    }
  }

  #inOrder(nodes: readonly SafeNode[]): Ends {
    return nodes.reduce((whole, node) => {
      const next = this.add(node);
      this.#connect(whole.last, next.first);
      return {
        isNullable: whole.isNullable && next.isNullable,
        first: whole.isNullable ? [...whole.first, ...next.first] : whole.first,
        last: next.isNullable ? [...whole.last, ...next.last] : next.last,
      };
    }, EMPTY);
  }

  #eitherOf(branches: readonly SafeNode[]): Ends {
    const ends = branches.map((branch) => this.add(branch));
    const nullable = ends.filter(({ isNullable }) => isNullable).length;
    if (nullable > 1) this.isAmbiguous = true;
    return {
      isNullable: nullable > 0,
      first: ends.flatMap(({ first }) => first),
      last: ends.flatMap(({ last }) => last),
    };
  }

  /** `x{2,4}` is `xx(x(x)?)?`: each optional repetition needs the one before it. */
  #repeated({ body, min, max }: SafeNode & { kind: 'repeat' }): Ends {
    const rest: SafeNode = { kind: 'repeat', body, min: 0, max: max - Math.max(min, 1) };
    if (min > 0) return this.#inOrder([...Array.from({ length: min }, () => body), rest]);
    if (max === 0) return EMPTY;
    const ends = max === Infinity ? this.add(body) : this.#inOrder([body, rest]);
    if (max === Infinity) this.#connect(ends.last, ends.first);
    // What can be empty can be left out in two ways.
    if (ends.isNullable) this.isAmbiguous = true;
    return { ...ends, isNullable: true };
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const position of from) {
      const followers = this.followers[position] as Set<number>;
      for (const next of to) {
        if (followers.has(next)) this.isAmbiguous = true;
        else this.edges += 1;
        followers.add(next);
      }
    }
  }
}

/** Which positions may have read the last code point, and where the next one leads. */
interface State {
  readonly positions: readonly number[];
  /** Whether the text so far ends with a match. */
  readonly accepts: boolean;
  /** States by the number of an interval of code points; filled when it is needed. */
  readonly next: State[];
}

/** States that are kept; a state of a large pattern takes some kilobytes. */
const MAX_STATES = 200;

/**
 * Finds matches of any pattern of the safe subset, in time linear in the text: a deterministic automaton whose states
 * are made when they are needed.
 */
export class Automaton {
  readonly #pattern: SafePattern;
  readonly #sets: readonly CodePointSet[];
  /** Followers by position; behind the last one is the start of a match. */
  readonly #followers: readonly Iterable<number>[];
  readonly #accepting: ReadonlySet<number>;
  readonly #stepsAUnit: number;
  /** The first code points of intervals: every set has all code points of an interval, or none. */
  readonly #intervals: readonly number[];
  readonly #states = new Map<string, State>();

  constructor(pattern: SafePattern, { sets, followers, edges, first, last, isNullable }: Positions) {
    this.#pattern = pattern;
    this.#sets = sets;
    this.#followers = [...followers, first];
    this.#accepting = new Set(isNullable ? [...last, sets.length] : last);
    this.#stepsAUnit = 1 + edges / 4;
    const ends = sets.flatMap((set) => set.flatMap(([low, high]) => [low, high + 1]));
    this.#intervals = [...new Set([0, ...ends])].sort((a, b) => a - b);
  }

  /** Whether there is a match in a text. */
  test(text: string): boolean {
    charge((text.length + 8) * this.#stepsAUnit);
    const { anchoredEnd } = this.#pattern;
    let state = this.#stateOf([this.#sets.length]);
    for (let at = 0; at < text.length; at += 1) {
      if (state.positions.length === 0 || (state.accepts && !anchoredEnd)) break;
      const code = text.codePointAt(at) as number;
      if (code > 0xffff) at += 1;
      state = state.next[this.#intervalOf(code)] ??= this.#after(state, code);
    }
    return state.accepts;
  }

  #after({ positions }: State, code: number): State {
    const next = new Set(this.#pattern.anchoredStart ? [] : [this.#sets.length]);
    for (const position of positions) {
      for (const follower of this.#followers[position] as Iterable<number>) {
        if (contains(this.#sets[follower] as CodePointSet, code)) next.add(follower);
      }
    }
    return this.#stateOf([...next].sort((a, b) => a - b));
  }

  #stateOf(positions: readonly number[]): State {
    const key = positions.join();
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    if (this.#states.size >= MAX_STATES) this.#states.clear();
    const accepts = positions.some((position) => this.#accepting.has(position));
    const state: State = { positions, accepts, next: [] };
    this.#states.set(key, state);
    return state;
  }

  #intervalOf(code: number): number {
    let low = 0;
    let high = this.#intervals.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#intervals[middle] as number) <= code) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
