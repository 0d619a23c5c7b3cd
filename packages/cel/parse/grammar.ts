import type { TokenType } from './tokens.js';

/**
 * The productions of docs/spec/conditions.md#productions as data, in the form that produces the error messages of
 * docs/spec/conditions.md#syntax-errors.
 */
export type RuleName =
  | 'start'
  | 'expr'
  | 'or'
  | 'and'
  | 'relation'
  | 'calc'
  | 'unary'
  | 'member'
  | 'primary'
  | 'literal'
  | 'field'
  | 'args'
  | 'elements'
  | 'element'
  | 'entries'
  | 'fields'
  | 'optionalField';

/**
 * An element of a production. `choose` names the function that decides where one token of lookahead is not enough;
 * `binds` is the binding strength of the right operand of a left-associative operator.
 */
export type Element =
  | { readonly kind: 'tokens'; readonly types: readonly TokenType[] }
  | { readonly kind: 'rule'; readonly rule: RuleName; readonly binds: number }
  | { readonly kind: 'optional'; readonly body: Sequence }
  | { readonly kind: 'repeat'; readonly body: Sequence; readonly choose: LoopChoice; readonly atLeastOnce: boolean }
  | { readonly kind: 'choice'; readonly alternatives: readonly Sequence[]; readonly choose: Choice };

export type Sequence = readonly Element[];
export type LoopChoice = 'first' | 'relation' | 'calc' | 'minus' | 'items';
export type Choice = 'first' | 'unary' | 'member' | 'primary' | 'literal';

const multiplicative: readonly TokenType[] = ['*', '/', '%'];
const additive: readonly TokenType[] = ['+', '-'];

export const grammar: Readonly<Record<RuleName, Sequence>> = {
  start: [rule('expr'), token('EOF')],
  expr: [rule('or'), optional(token('?'), rule('or'), token(':'), rule('expr'))],
  or: [rule('and'), repeat('first', token('||'), rule('and'))],
  and: [rule('relation'), repeat('first', token('&&'), rule('relation'))],
  relation: [rule('calc'), repeat('relation', token('<', '<=', '>=', '>', '==', '!=', 'in'), rule('relation', 1))],
  calc: [
    rule('unary'),
    repeat('calc', choice('first', [token(...multiplicative), rule('calc', 2)], [token(...additive), rule('calc', 1)])),
  ],
  unary: [
    choice(
      'unary',
      [rule('member')],
      [...oneOrMore('first', '!'), rule('member')],
      [...oneOrMore('minus', '-'), rule('member')],
    ),
  ],
  member: [
    rule('primary'),
    repeat(
      'first',
      choice(
        'member',
        [token('.'), optional(token('?')), rule('field')],
        [token('.'), token('IDENTIFIER'), token('('), optional(rule('args')), token(')')],
        [token('['), optional(token('?')), rule('expr'), token(']')],
      ),
    ),
  ],
  primary: [
    choice(
      'primary',
      [optional(token('.')), token('IDENTIFIER')],
      [optional(token('.')), token('IDENTIFIER'), token('('), optional(rule('args')), token(')')],
      [token('('), rule('expr'), token(')')],
      [token('['), optional(rule('elements')), optional(token(',')), token(']')],
      [token('{'), optional(rule('entries')), optional(token(',')), token('}')],
      [
        optional(token('.')),
        token('IDENTIFIER'),
        repeat('first', token('.'), token('IDENTIFIER')),
        token('{'),
        optional(rule('fields')),
        optional(token(',')),
        token('}'),
      ],
      [rule('literal')],
    ),
  ],
  args: [rule('expr'), repeat('first', token(','), rule('expr'))],
  elements: [rule('element'), repeat('items', token(','), rule('element'))],
  element: [optional(token('?')), rule('expr')],
  entries: [
    rule('element'),
    token(':'),
    rule('expr'),
    repeat('items', token(','), rule('element'), token(':'), rule('expr')),
  ],
  fields: [
    rule('optionalField'),
    token(':'),
    rule('expr'),
    repeat('items', token(','), rule('optionalField'), token(':'), rule('expr')),
  ],
  optionalField: [optional(token('?')), rule('field')],
  field: [choice('first', [token('IDENTIFIER')], [token('ESC_IDENTIFIER')])],
  literal: [
    choice(
      'literal',
      [optional(token('-')), token('NUM_INT')],
      [token('NUM_UINT')],
      [optional(token('-')), token('NUM_FLOAT')],
      [token('STRING')],
      [token('BYTES')],
      [token('true')],
      [token('false')],
      [token('null')],
    ),
  ],
};

/** The binding strength of an operator of `calc`. */
export function calcBinding(type: TokenType): number {
  return multiplicative.includes(type) ? 2 : 1;
}

function token(...types: readonly TokenType[]): Element {
  return { kind: 'tokens', types };
}

function rule(name: RuleName, binds = 0): Element {
  return { kind: 'rule', rule: name, binds };
}

function optional(...body: Sequence): Element {
  return { kind: 'optional', body };
}

function repeat(choose: LoopChoice, ...body: Sequence): Element {
  return { kind: 'repeat', body, choose, atLeastOnce: false };
}

function oneOrMore(choose: LoopChoice, type: TokenType): Sequence {
  return [token(type), { kind: 'repeat', body: [token(type)], choose, atLeastOnce: true }];
}

function choice(choose: Choice, ...alternatives: readonly Sequence[]): Element {
  return { kind: 'choice', alternatives, choose };
}
