import { evaluate, holds, type WireOperand } from './operands.js';

export interface WireRow {
  readonly id: string;
  readonly attr: { readonly [name: string]: unknown };
  /** As the row has it; a row without one has the empty string. */
  readonly policyVersion?: string | undefined;
}

/**
 * Whether the condition of a filter selects a row (docs/spec/plans.md#evaluating-a-filter), by an interpreter that is
 * not the product's.
 *
 * @throws NotJudged when the condition has an operator that the interpreter does not know.
 */
export function selectsRow(condition: WireOperand, { id, attr, policyVersion = '' }: WireRow): boolean {
  const request = { resource: { id, attr, policyVersion } };
  return holds(() => evaluate(condition, (name) => (name === 'request' ? request : undefined)));
}
