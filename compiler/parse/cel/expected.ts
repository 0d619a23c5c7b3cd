import { type Element, grammar, type RuleName, type Sequence } from './grammar.js';
import { type TokenType, tokenTypeName, tokenTypes } from './tokens.js';

/** A place in a production; `up` is where its block goes on, absent at the end of the production itself. */
export interface Position {
  readonly sequence: Sequence;
  readonly index: number;
  readonly up: Position | undefined;
  /** The place is a loop that has been through its body. */
  readonly again: boolean;
}

/** The tokens that can come next; `ends` when the production can be over there. */
export interface Lookahead {
  readonly types: ReadonlySet<TokenType>;
  readonly ends: boolean;
}

/** What can begin a sequence or follow a position, remembered for the life of one report. */
export interface Expected {
  first(sequence: Sequence): ReadonlySet<TokenType>;
  at(position: Position): Lookahead;
}

export function expectedTokens(): Expected {
  const known = new Map<Sequence, ReadonlySet<TokenType>>();

  const first = (sequence: Sequence): ReadonlySet<TokenType> => {
    const found = known.get(sequence);
    if (found !== undefined) return found;
    const types = new Set<TokenType>();
    addFirst(sequence, 0, types);
    known.set(sequence, types);
    return types;
  };

  /** Returns whether the rest of the sequence can be empty. */
  const addFirst = (sequence: Sequence, from: number, types: Set<TokenType>): boolean => {
    for (let i = from; i < sequence.length; i++) {
      const element = sequence[i];
      if (element === undefined) return true;
      for (const type of firstOf(element)) types.add(type);
      if (element.kind !== 'optional' && element.kind !== 'repeat') return false;
    }
    return true;
  };

  const firstOf = (element: Element): readonly TokenType[] => {
    switch (element.kind) {
      case 'tokens':
        return element.types;
      case 'rule':
        return [...first(grammar[element.rule])];
      case 'optional':
      case 'repeat':
        return [...first(element.body)];
      case 'choice':
        return element.alternatives.flatMap((alternative) => [...first(alternative)]);
    }
  };

  const at = (position: Position): Lookahead => {
    const types = new Set<TokenType>();
    let place: Position | undefined = position;
    while (place !== undefined && addFirst(place.sequence, place.index, types)) place = place.up;
    return { types, ends: place === undefined };
  };

  return { first, at };
}

/** `'+'` for one token, `{'+', NUM_INT}` for several, in the order of their declaration. */
export function describeTokens(types: ReadonlySet<TokenType>): string {
  const names = (['EOF', ...tokenTypes] as const).filter((type) => types.has(type)).map(tokenTypeName);
  return names.length === 1 ? names.join('') : `{${names.join(', ')}}`;
}

/** The first place of a production. */
export function startOf(rule: RuleName): Position {
  return { sequence: grammar[rule], index: 0, up: undefined, again: false };
}

/** The place after the element at `position`. */
export function after(position: Position): Position {
  return { ...position, index: position.index + 1, again: false };
}

/** The first place of a block that goes on at `up`. */
export function into(sequence: Sequence, up: Position): Position {
  return { sequence, index: 0, up, again: false };
}
