import type { CelFunction } from '../library/function.js';
import type { CelType } from '../library/types.js';
import type { Expr } from './expr.js';

/** Side tables about the nodes of one expression. Only valid expressions have them. */
export interface CheckedExpression {
  /**
   * The certain type of the value of a node, if the node evaluates at all. It may be less specific than the type that
   * messages print (docs/spec/conditions.md#overload-resolution): where CEL infers the type of an attribute from a
   * literal, as in `R.attr.l + [1]`, a `list(int)`, this is `list(dyn)`. Macros and `has` have the type of their
   * result; the field selection below `has` has that of the field.
   */
  readonly types: ReadonlyMap<Expr, CelType>;
  /** The row of the function table for a call. Operators and macros are not included. */
  readonly calls: ReadonlyMap<Expr, CelFunction>;
  /** The targets of identifiers and selections. A selection that is not included reads a map or a dynamic value. */
  readonly references: ReadonlyMap<Expr, Reference>;
}

/** The messages of the language that docs/spec/conditions.md#variables-in-scope declares. */
export type MessageKind = 'request' | 'principal' | 'resource' | 'aux-data' | 'jwt' | 'runtime';

/** The target of an identifier or a selection. */
export type Reference =
  /** The variable of a macro, by the name in the expression. */
  | { readonly kind: 'local'; readonly name: string }
  /** `request`, `P`, `request.resource`, `V` ... as a whole. */
  | { readonly kind: MessageRoot | 'variables' | 'constants' | 'globals' }
  /**
   * A field of a message, by its canonical name; the operand determines which message. Includes optional selections.
   */
  | { readonly kind: 'field'; readonly message: MessageKind; readonly field: string }
  /** `V.x`, `C.x`, `G.x`, including optional selections. */
  | { readonly kind: 'variable' | 'constant' | 'global'; readonly name: string }
  /**
   * A type as a value, by its runtime name: `int`, `google.protobuf.Timestamp`. Also the type that a message literal
   * creates.
   */
  | { readonly kind: 'type'; readonly name: string }
  | { readonly kind: 'enum'; readonly value: bigint };

/** The messages that exist in every request. */
export type MessageRoot = Exclude<MessageKind, 'jwt'>;
