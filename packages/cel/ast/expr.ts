/**
 * The CEL syntax tree (docs/spec/conditions.md#grammar). Offsets are UTF-16 units in the source of the expression;
 * `Expression` (policy.ts) converts them to spans of the file. Macros remain nodes, because the emitter generates
 * loops, not folds.
 */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | IndexExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | MessageExpr
  | MacroExpr;

interface Node {
  /** Half-open range in the source of the expression. */
  readonly start: number;
  readonly end: number;
}

/** A literal; `type` distinguishes `1`, `1u` and `1.0`. Ints and uints are exact and in range. */
export type LiteralExpr = Node & { readonly kind: 'literal' } & (
    | { readonly type: 'null'; readonly value: null }
    | { readonly type: 'bool'; readonly value: boolean }
    | { readonly type: 'int'; readonly value: bigint }
    | { readonly type: 'uint'; readonly value: bigint }
    | { readonly type: 'double'; readonly value: number }
    | { readonly type: 'string'; readonly value: string }
    | { readonly type: 'bytes'; readonly value: Uint8Array }
  );

/** A name. `rooted` is the leading dot, which skips iteration variables (docs/spec/conditions.md#grammar). */
export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
  readonly rooted: boolean;
}

/** `operand.field` or `operand.?field`. `fieldStart` is where the field's name begins. */
export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly fieldStart: number;
  readonly optional: boolean;
}

/** `operand[index]` or `operand[?index]`. */
export interface IndexExpr extends Node {
  readonly kind: 'index';
  readonly operand: Expr;
  readonly index: Expr;
  readonly optional: boolean;
}

/** The operators, spelled as CEL's checker prints them. */
export type Operator =
  | '_&&_'
  | '_||_'
  | '_?_:_'
  | '!_'
  | '-_'
  | '_==_'
  | '_!=_'
  | '_<_'
  | '_<=_'
  | '_>_'
  | '_>=_'
  | '@in'
  | '_+_'
  | '_-_'
  | '_*_'
  | '_/_'
  | '_%_';

/**
 * A function call or an operator. `target` is the receiver of the member form; a namespaced function such as
 * `math.abs(x)` is parsed as a member call on the identifier `math` and distinguished by the checker.
 */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly function: Operator | (string & {});
  readonly isOperator: boolean;
  /** `.f(x)` with nothing before the dot: a global call that skips iteration variables. */
  readonly rooted: boolean;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
  /** Where the name or the operator sign begins. */
  readonly nameStart: number;
}

/** `[a, ?b]`. */
export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly { readonly optional: boolean; readonly value: Expr }[];
}

/** `{k: v, ?k2: o}`. */
export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly { readonly optional: boolean; readonly key: Expr; readonly value: Expr }[];
}

/** `google.protobuf.Duration{seconds: 1}`. */
export interface MessageExpr extends Node {
  readonly kind: 'message';
  readonly typeName: string;
  readonly fields: readonly { readonly optional: boolean; readonly name: string; readonly value: Expr }[];
}

/** The macros of docs/spec/conditions.md#macros that bind names or need an unevaluated argument. */
export type MacroName =
  | 'has'
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'filter'
  | 'map'
  | 'transformList'
  | 'transformMap'
  | 'transformMapEntry'
  | 'sortBy'
  | 'cel.bind'
  | 'optMap'
  | 'optFlatMap'
  | 'math.greatest'
  | 'math.least';

/**
 * An expanded macro, one shape for all:
 * - `has`: `range` is the field selection;
 * - comprehensions: `range` is the receiver, `variables` one or two names, `predicate` the filter if written, `body`
 *   the result
 *   (for `all`, `exists`, `exists_one`, `filter` the body is the predicate itself and `predicate` is absent);
 * - `sortBy`, `optMap`, `optFlatMap`: `range` the receiver, one variable, `body` the key or the mapped value;
 * - `cel.bind`: `range` is the initialiser, one variable, `body` where it is visible;
 * - `math.greatest`, `math.least`: `args`, no variables.
 */
export interface MacroExpr extends Node {
  readonly kind: 'macro';
  readonly macro: MacroName;
  readonly range: Expr | undefined;
  readonly variables: readonly string[];
  readonly predicate: Expr | undefined;
  readonly body: Expr | undefined;
  readonly args: readonly Expr[];
  readonly nameStart: number;
}
