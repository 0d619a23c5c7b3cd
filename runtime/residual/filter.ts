import { decided } from './condition.js';
import { withNulls } from './nulls.js';
import { complement, expression, joined, type Operand, sameOperand, type Shapes } from './operand.js';
import { simplify } from './simplify.js';
import type { Condition } from './term.js';
import { writeTerm } from './wire.js';

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
  /** Rewrites the condition, for adapters that lack operators. */
  readonly rewritten?: ((operand: Operand) => Operand) | undefined;
}

/** The default of this PDP. */
export const FLAT: Writing = { shapes: 'flat', nots: 'guarded' };

/** The trees of the reference (docs/spec/plans.md#reference-shapes), for adapters whose fixtures compare shapes. */
export const REFERENCE: Writing = { shapes: 'reference', nots: 'plain' };

/** Writes null for what is missing: for adapters without `has` and `unless` (docs/spec/plans.md#missing-as-null). */
export const NULLS: Writing = { shapes: 'flat', nots: 'exact', rewritten: withNulls };

/** The filter of a condition. Parts that no filter can express do not hold. */
export function filterOf(condition: Condition, writing: Writing = FLAT): Filter {
  const settled = decided(condition, false);
  const whole = written(writing.shapes === 'flat' ? simplify(settled) : settled, writing);
  const operand = writing.rewritten === undefined ? whole : writing.rewritten(whole);
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

/** Whether two filters are structurally equal. */
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
      return writeTerm(condition.term, writing.shapes, 'truth');
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
      const operand = writeTerm(condition.term, shapes, 'truth');
      if ('value' in operand) return { value: operand.value !== true };
      return nots === 'exact' ? expression('unless', operand) : unmet(operand);
    }
    case 'unplannable':
      return { value: false };
  }
}

/**
 * The two-valued not: true where the operand is not true, be it false or not to be evaluated
 * (docs/spec/plans.md#d-09-two-kinds-of-not). In terms of CEL's not and of `has` where these say it all, whatever the
 * row holds: of comparisons of attributes with constants or with one another, of attributes that are true or false, of
 * presence. Of anything else with the operator `unless`, true where its operand is not.
 */
function unmet(operand: Operand): Operand {
  return except(operand, true);
}

/** True where the operand is not `outcome`. */
function except(operand: Operand, outcome: boolean): Operand {
  if ('value' in operand) return { value: operand.value !== outcome };
  if ('variable' in operand)
    return isAttribute(operand)
      ? joined('or', [expression('ne', operand, { value: outcome }), absent(operand)], 'flat')
      : unless(operand, outcome);
  const { operator, operands } = operand.expression;
  const [first, second, third] = operands as [Operand, Operand, Operand];
  switch (operator) {
    case 'and':
    case 'or': {
      const parts = operands.map((part) => except(part, outcome));
      return joined((operator === 'and') === outcome ? 'or' : 'and', parts, 'flat');
    }
    case 'not':
      return except(first, !outcome);
    case 'if':
      return joined(
        'and',
        [
          joined('or', [except(first, true), except(second, outcome)], 'flat'),
          joined('or', [except(first, false), except(third, outcome)], 'flat'),
        ],
        'flat',
      );
    case 'has':
      return isAttribute(first) ? plain(operand, outcome) : unless(operand, outcome);
    case 'eq':
    case 'ne':
      return isReadable(first) && isReadable(second) ? exceptWhereAbsent(operand, outcome) : unless(operand, outcome);
    case 'in':
      return isReadable(first) && 'value' in second ? exceptWhereAbsent(operand, outcome) : unless(operand, outcome);
    default:
      return unless(operand, outcome);
  }
}

/** An operand that has a value whenever the attributes it reads are present. */
function exceptWhereAbsent(operand: Operand, outcome: boolean): Operand {
  const parts = 'expression' in operand ? operand.expression.operands : [];
  return joined('or', [plain(operand, outcome), ...parts.filter(isAttribute).map(absent)], 'flat');
}

function plain(operand: Operand, outcome: boolean): Operand {
  return outcome ? complement(operand, 'flat') : operand;
}

function unless(operand: Operand, outcome: boolean): Operand {
  return expression('unless', outcome ? operand : complement(operand, 'flat'));
}

function isReadable(operand: Operand): boolean {
  return 'value' in operand || isAttribute(operand) || ('variable' in operand && ALWAYS_THERE.has(operand.variable));
}

const ALWAYS_THERE: ReadonlySet<string> = new Set([
  'request.resource.id',
  'request.resource.policyVersion',
  'request.principal.id',
]);

/** The roots of attributes. The principal is one only where a database asks who it is (packages/analysis/rls). */
const ATTRIBUTES = ['request.resource.attr.', 'request.principal.attr.'];

/** An attribute itself: presence below one cannot be tested without knowing that the attribute is a map. */
function isAttribute(operand: Operand): boolean {
  if (!('variable' in operand)) return false;
  const { variable } = operand;
  return ATTRIBUTES.some((start) => variable.startsWith(start) && !variable.includes('.', start.length));
}

function absent(operand: Operand): Operand {
  return expression('not', expression('has', operand));
}
