import type { JsonValue } from '../ast/policy.js';
import type { CelType } from '../cel/types.js';

/**
 * A CEL term with every name resolved: the second vocabulary's half for values. It has no span: an
 * expression is reported by its rule. `type` is the checker's, for the emitter's choice of the plainest JavaScript that
 * is right.
 */
export type Value = { readonly type: CelType } & (
  | Literal
  | { readonly kind: 'field'; readonly of: RequestPart; readonly name: string }
  | { readonly kind: 'part'; readonly part: RequestPart }
  | { readonly kind: 'variable' | 'constant' | 'global' | 'local'; readonly name: string }
  /** `has(V.x)`: whether a variable, constant or global is set. */
  | { readonly kind: 'is-set'; readonly binding: 'variable' | 'constant' | 'global'; readonly name: string }
  /**
   * All of them as a whole. `before`: `V` in the definition of this variable has only those that are evaluated before
   * it.
   */
  | { readonly kind: 'bindings'; readonly of: 'variables' | 'constants' | 'globals'; readonly before?: string }
  | { readonly kind: 'select' | 'has' | 'optional-select'; readonly operand: Value; readonly name: string }
  | { readonly kind: 'index' | 'optional-index'; readonly operand: Value; readonly index: Value }
  | { readonly kind: 'operator'; readonly operator: Operator; readonly operands: readonly Value[] }
  /** `name` is the function's in CEL, and in filters (docs/spec/plans.md#operator-names); `runtime` is what runs it. */
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

/** A scalar known at compile time. `json` is a constant of the policy that is not a scalar. */
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

/** A comprehension or a binding. `runtime` is the function of runtime/cel that runs it; the body sees `variables`. */
export interface Macro {
  readonly kind: 'macro';
  readonly runtime: string;
  readonly range: Value;
  readonly variables: readonly string[];
  readonly predicate: Value | undefined;
  readonly body: Value;
}
