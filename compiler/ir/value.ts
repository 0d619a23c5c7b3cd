import type { JsonValue } from '../ast/policy.js';
import type { CelType } from '../../packages/cel/library/types.js';

/**
 * A CEL term with every name resolved. It has no span: an expression is reported by its rule. `type` comes from the
 * checker, so that the emitter can choose the simplest correct JavaScript.
 */
export type Value = { readonly type: CelType } & (
  | Literal
  | { readonly kind: 'field'; readonly of: RequestPart; readonly name: string }
  | { readonly kind: 'part'; readonly part: RequestPart }
  | { readonly kind: 'variable' | 'constant' | 'global' | 'local'; readonly name: string }
  /** `has(V.x)`: whether a variable, constant or global is set. */
  | { readonly kind: 'is-set'; readonly binding: 'variable' | 'constant' | 'global'; readonly name: string }
  /**
   * All of them as a whole. `before`: in the definition of this variable, `V` contains only the variables that are
   * evaluated before it.
   */
  | { readonly kind: 'bindings'; readonly of: 'variables' | 'constants' | 'globals'; readonly before?: string }
  | { readonly kind: 'select' | 'has' | 'optional-select'; readonly operand: Value; readonly name: string }
  | { readonly kind: 'index' | 'optional-index'; readonly operand: Value; readonly index: Value }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly operands: readonly Value[] }
  /**
   * `name` is the function's name in CEL and in filters (docs/spec/plans.md#operator-names); `runtime` is the function
   * that implements it.
   */
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly runtime: string;
      readonly pure: boolean;
      readonly args: readonly Value[];
    }
  | { readonly kind: 'list'; readonly elements: readonly { readonly optional: boolean; readonly value: Value }[] }
  | {
      readonly kind: 'map';
      readonly entries: readonly { readonly optional: boolean; readonly key: Value; readonly value: Value }[];
    }
  | { readonly kind: 'type-name'; readonly name: string }
  | Macro
);

/** A scalar known at compile time. `json` is a policy constant that is not a scalar. */
export type Literal = { readonly kind: 'literal' } & (
  | { readonly literal: 'null'; readonly value: null }
  | { readonly literal: 'bool'; readonly value: boolean }
  | { readonly literal: 'int' | 'uint'; readonly value: bigint }
  | { readonly literal: 'double'; readonly value: number }
  | { readonly literal: 'string'; readonly value: string }
  | { readonly literal: 'bytes'; readonly value: Uint8Array }
  | { readonly literal: 'json'; readonly value: JsonValue }
);

export type RequestPart = 'request' | 'principal' | 'resource' | 'auxData' | 'runtime';

export type Operator =
  | 'and'
  | 'or'
  | 'not'
  | 'conditional'
  | 'equals'
  | 'notEquals'
  | 'lessThan'
  | 'atMost'
  | 'greaterThan'
  | 'atLeast'
  | 'inCollection'
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  | 'modulo'
  | 'negate';

/**
 * A comprehension or a binding. `runtime` is the function of packages/cel/runtime that implements it; `variables` are visible in
 * the body.
 */
export interface Macro {
  readonly kind: 'macro';
  readonly runtime: string;
  readonly range: Value;
  readonly variables: readonly string[];
  readonly predicate: Value | undefined;
  readonly body: Value;
}
