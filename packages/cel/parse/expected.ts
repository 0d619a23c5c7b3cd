import {
  calcBinding,
  type Choice,
  type Element,
  grammar,
  type LoopChoice,
  type RuleName,
  type Sequence,
} from './grammar.js';
import { type TokenType, tokenTypeName, tokenTypes } from './tokens.js';

/** A place in a production; `up` is where the production continues after the block, absent at its end. */
export interface Position {
  readonly sequence: Sequence;
  readonly index: number;
  readonly up: Position | undefined;
  /** The place is a loop whose body has been parsed at least once. */
  readonly again: boolean;
}

/** The tokens that can come next; `ends` if the production can end there. */
export interface Lookahead {
  readonly types: ReadonlySet<TokenType>;
  readonly ends: boolean;
}

/** The tokens that can begin a sequence or follow a position, cached for one report. */
interface Expected {
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
      for (const type of listFirst(element)) types.add(type);
      if (element.kind !== 'optional' && element.kind !== 'repeat') return false;
    }
    return true;
  };

  const listFirst = (element: Element): readonly TokenType[] => {
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

/** Returns the first place of a production. */
export function enterRule(rule: RuleName): Position {
  return { sequence: grammar[rule], index: 0, up: undefined, again: false };
}

/** Returns the place after the element at `position`. */
export function after(position: Position): Position {
  return { ...position, index: position.index + 1, again: false };
}

/** Returns the first place of a block; the parse continues at `up` after it. */
export function into(sequence: Sequence, up: Position): Position {
  return { sequence, index: 0, up, again: false };
}

/** The information available to a prediction. */
export interface Lookout {
  readonly expected: Expected;
  /** The type of the token `ahead` tokens after the current one. */
  peek(ahead: number): TokenType;
  /** Whether a token can follow the production being parsed in its current context. */
  canFollowRule(type: TokenType): boolean;
}

/** The index of an alternative, or the number of tokens after which no alternative matches. */
export type Prediction = { readonly alternative: number } | { readonly stuckAt: number };

/** Predicts the alternative of a choice from the next tokens. */
export function predictAlternative(choose: Choice, alternatives: readonly Sequence[], lookout: Lookout): Prediction {
  switch (choose) {
    case 'first':
      return predictByFirst(alternatives, lookout);
    case 'unary':
      return lookout.peek(0) === '-' ? predictMinus(lookout) : predictByFirst(alternatives, lookout);
    case 'member':
      return lookout.peek(0) === '.' ? predictSelection(lookout) : predictByFirst(alternatives, lookout);
    case 'primary':
      return predictPrimary(alternatives, lookout);
    case 'literal':
      if (lookout.peek(0) !== '-') return predictByFirst(alternatives, lookout);
      return { alternative: lookout.peek(1) === 'NUM_INT' ? 0 : 2 };
  }
}

/** Predicts whether a loop runs another iteration: alternative 0 is its body, 1 its end. */
export function predictLoop(choose: LoopChoice, body: Sequence, binds: number, lookout: Lookout): Prediction {
  const type = lookout.peek(0);
  const enters = lookout.expected.first(body).has(type);
  switch (choose) {
    case 'first':
      return { alternative: enters ? 0 : 1 };
    case 'relation':
      return { alternative: enters && binds === 0 ? 0 : 1 };
    case 'calc':
      return { alternative: enters && calcBinding(type) > binds ? 0 : 1 };
    case 'minus':
      if (!enters) return { alternative: 1 };
      return canStartUnaryOperand(lookout, 1) ? { alternative: 0 } : { stuckAt: 1 };
    case 'items':
      return { alternative: enters && lookout.expected.first(body.slice(1)).has(lookout.peek(1)) ? 0 : 1 };
  }
}

function predictByFirst(alternatives: readonly Sequence[], lookout: Lookout): Prediction {
  const alternative = alternatives.findIndex((sequence) => lookout.expected.first(sequence).has(lookout.peek(0)));
  return alternative < 0 ? { stuckAt: 0 } : { alternative };
}

/**
 * A `-` before a number is either its sign or an operator: both readings remain possible until the operand ends, so the
 * token after it must match as well.
 */
function predictMinus(lookout: Lookout): Prediction {
  const operand = lookout.peek(1);
  if (operand === 'NUM_INT' || operand === 'NUM_FLOAT') {
    const next = lookout.peek(2);
    return next === '.' || next === '[' || lookout.canFollowRule(next) ? { alternative: 0 } : { stuckAt: 2 };
  }
  return canStartUnaryOperand(lookout, 1) ? { alternative: 2 } : { stuckAt: 1 };
}

function canStartUnaryOperand(lookout: Lookout, ahead: number): boolean {
  return lookout.peek(ahead) === '-' || lookout.expected.first(grammar.member).has(lookout.peek(ahead));
}

function predictSelection(lookout: Lookout): Prediction {
  switch (lookout.peek(1)) {
    case '?':
    case 'ESC_IDENTIFIER':
      return { alternative: 0 };
    case 'IDENTIFIER':
      return { alternative: lookout.peek(2) === '(' ? 1 : 0 };
  }
  return { stuckAt: 1 };
}

function predictPrimary(alternatives: readonly Sequence[], lookout: Lookout): Prediction {
  if (lookout.peek(0) !== '.' && lookout.peek(0) !== 'IDENTIFIER') return predictByFirst(alternatives, lookout);
  let ahead = lookout.peek(0) === '.' ? 1 : 0;
  if (lookout.peek(ahead) !== 'IDENTIFIER') return { stuckAt: ahead };
  if (lookout.peek(ahead + 1) === '(') return { alternative: 1 };
  while (lookout.peek(ahead + 1) === '.' && lookout.peek(ahead + 2) === 'IDENTIFIER') ahead += 2;
  return { alternative: lookout.peek(ahead + 1) === '{' ? 5 : 0 };
}
