import type { CelFunction } from '../cel/function.js';
import type { CelType } from '../cel/types.js';
import type { Expr } from './expr.js';
import type { Expression } from './policy.js';

/** What the checker found out about every valid expression: what `validate` promises to `lower`. */
export type Types = ReadonlyMap<Expression, CheckedExpression>;

/** Side tables about the nodes of one expression. Only valid expressions have them. */
export interface CheckedExpression {
  /**
   * What the value of a node certainly is, if the node evaluates at all. It may say less than the type that messages
   * print (docs/spec/conditions.md#overload-resolution): where CEL takes the literal's word for the attribute's, as in
   * `R.attr.l + [1]`, a `list(int)`, this says `list(dyn)`. Macros and `has` have the type of their result; the field
   * selection below `has` that of the field.
   */
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The row of the function table behind a call. Operators and macros are not in it. */
  readonly calls: ReadonlyMap<Expr, CelFunction>;
  /** What identifiers and selections denote. A selection that is not in it reads a map or a dynamic value. */
  readonly references: ReadonlyMap<Expr, Reference>;
}

/** The messages of the language that docs/spec/conditions.md#variables-in-scope declares. */
export type MessageKind = 'request' | 'principal' | 'resource' | 'aux-data' | 'jwt' | 'runtime';

/** What an identifier or a selection denotes. */
export type Reference =
  /** The variable of a macro, by the name its author gave it. */
  | { readonly kind: 'local'; readonly name: string }
  /** `request`, `P`, `request.resource`, `V` ... as a whole. */
  | { readonly kind: MessageRoot | 'variables' | 'constants' | 'globals' }
  /** A field of a message, canonical name; the operand tells which message. `optional` selections too. */
  | { readonly kind: 'field'; readonly message: MessageKind; readonly field: string }
  /** `V.x`, `C.x`, `G.x`, optional selections too. */
  | { readonly kind: 'variable' | 'constant' | 'global'; readonly name: string }
  /**
   * A type as a value, by its runtime name: `int`, `google.protobuf.Timestamp`. Also the type a message literal makes.
   */
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'enum'; readonly value: bigint };

/** The messages that have a place in every request. */
export type MessageRoot = Exclude<MessageKind, 'jwt'>;
