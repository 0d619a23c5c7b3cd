/** A node of a filter as adapters read it (docs/spec/plans.md#plan-response). */
export type Operand =
  /** Any JSON. */
  | { readonly value: JsonValue }
  /** `request.resource.attr.x`, or the variable of a lambda and the fields selected from it. */
  | { readonly variable: string }
  | { readonly expression: Expression };

export interface Expression {
  readonly operator: string;
  readonly operands: readonly Operand[];
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };
