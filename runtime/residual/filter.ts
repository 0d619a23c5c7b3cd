import { decided } from './condition.js';
import { complement, expression, joined, type Operand, sameOperand, type Shapes } from './operand.js';
import { simplify } from './simplify.js';
import type { Condition } from './term.js';
import { unmet } from './unmet.js';
import { operandOf } from './wire.js';

/** Which rows to select (docs/spec/plans.md#plan-response). */
export type Filter =
  | { readonly kind: 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED' }
  | { readonly kind: 'KIND_CONDITIONAL'; readonly condition: Operand };

/**
 * How a filter is written. `nots` is how the two-valued not of DENY, `none` and consent is said
 * (docs/spec/plans.md#d-09-two-kinds-of-not):
 * - `plain`: as CEL's `not`, the reference's way. Rows without an attribute that a DENY reads are not selected: too
 *   few, never too many.
 * - `guarded`: with `has` where that says it all: `not(eq x 1) or not(has x)`; else with the operator `unless`, true
 *   where its operand is not. Exact.
 * - `exact`: with `unless` throughout. Exact too, and shorter.
 */
export interface Writing {
  readonly shapes: Shapes;
  readonly nots: 'plain' | 'guarded' | 'exact';
}

/** Ours, where nothing else is asked for. */
export const FLAT: Writing = { shapes: 'flat', nots: 'guarded' };

/** The trees of the reference (docs/spec/plans.md#reference-shapes), for adapters whose fixtures compare shapes. */
export const REFERENCE: Writing = { shapes: 'reference', nots: 'plain' };

/** The filter of a condition. What no filter can say counts as not held. */
export function filterOf(condition: Condition, writing: Writing = FLAT): Filter {
  const settled = decided(condition, false);
  const operand = written(writing.shapes === 'flat' ? simplify(settled) : settled, writing);
  if ('value' in operand) return operand.value === true ? ALLOWED : DENIED;
  return { kind: 'KIND_CONDITIONAL', condition: operand };
}

/** The filter of several actions: all of them must be allowed (docs/spec/plans.md#several-actions). */
export function filterOfAll(
  filters: readonly Filter[],
  { shapes }: Writing,
  textOf: (operand: Operand) => string,
): Filter {
  if (filters.some(({ kind }) => kind === 'KIND_ALWAYS_DENIED')) return DENIED;
  const texts = new Map(
    filters.flatMap((filter) =>
      filter.kind === 'KIND_CONDITIONAL' ? [[textOf(filter.condition), filter.condition] as const] : [],
    ),
  );
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, operand]) => operand);
  if (sorted.length === 0) return ALLOWED;
  if (sorted.length === 1) return { kind: 'KIND_CONDITIONAL', condition: sorted[0] as Operand };
  return {
    kind: 'KIND_CONDITIONAL',
    condition: shapes === 'flat' ? joined('and', sorted, 'flat') : expression('and', ...sorted),
  };
}

/** Whether two filters are written alike. */
export function sameFilter(a: Filter, b: Filter): boolean {
  if (a.kind !== 'KIND_CONDITIONAL' || b.kind !== 'KIND_CONDITIONAL') return a.kind === b.kind;
  return sameOperand(a.condition, b.condition);
}

const ALLOWED: Filter = { kind: 'KIND_ALWAYS_ALLOWED' };
const DENIED: Filter = { kind: 'KIND_ALWAYS_DENIED' };

function written(condition: Condition, writing: Writing): Operand {
  if (typeof condition === 'boolean') return { value: condition };
  switch (condition.kind) {
    case 'unplannable':
      return { value: false };
    case 'is':
      return operandOf(condition.term, writing.shapes, 'truth');
    case 'and':
    case 'or':
      return joined(
        condition.kind,
        condition.operands.map((operand) => written(operand, writing)),
        writing.shapes,
      );
    case 'not':
      return negated(condition.operand, writing);
  }
}

function negated(condition: Condition, writing: Writing): Operand {
  const { nots, shapes } = writing;
  if (nots === 'plain') return complement(written(condition, writing), shapes);
  if (typeof condition === 'boolean') return { value: !condition };
  switch (condition.kind) {
    case 'not':
      return written(condition.operand, writing);
    case 'and':
    case 'or':
      return joined(
        condition.kind === 'and' ? 'or' : 'and',
        condition.operands.map((operand) => negated(operand, writing)),
        shapes,
      );
    case 'is': {
      const operand = operandOf(condition.term, shapes, 'truth');
      if ('value' in operand) return { value: operand.value !== true };
      return nots === 'exact' ? expression('unless', operand) : unmet(operand);
    }
    case 'unplannable':
      return { value: false };
  }
}
