import type { Types } from '../../ast/checked.js';
import { placeOfNode } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { CelType } from '../../cel/types.js';
import type { Problems } from '../../diagnostics/problems.js';
import { describeType, neverEqual } from '../never-together.js';
import { type OperatorUse, operatorsOf, plainOperandOf, signOf } from '../operators-of.js';

/**
 * Warns of `==`, `!=` and `in` between types that are never equal (docs/spec/conditions.md#equality), such as an
 * attribute and a timestamp.
 */
export function warnOfComparisons(policies: PolicySet, types: Types, report: Problems): void {
  for (const use of operatorsOf(policies, types, (suspect) => neverHolds(suspect) !== undefined)) {
    const { expression, node } = use;
    const [left, right] = neverHolds(use) as readonly [CelType, CelType];
    report.add(
      'comparison/never-holds',
      placeOfNode(expression, node),
      {
        operator: signOf(node),
        left: describeType(left),
        right: describeType(right),
        always: node.function === '_!=_',
      },
      { notes: [{ message: wayOut(left, right, plainOperandOf(use)) }] },
    );
  }
}

/** The types that are compared with each other and never equal. */
function neverHolds({
  node,
  operands,
}: Pick<OperatorUse, 'node' | 'operands'>): readonly [CelType, CelType] | undefined {
  const [left, right] = comparedBy(node.function, operands);
  return left === undefined || right === undefined || !neverEqual(left, right) ? undefined : [left, right];
}

/** What is compared with each other: the operands, or the operand and what the collection holds. */
function comparedBy(operator: string, [left, right]: readonly CelType[]): readonly (CelType | undefined)[] {
  if (operator === '_==_' || operator === '_!=_') return [left, right];
  if (operator !== '@in') return [];
  if (right?.kind === 'list') return [left, right.element];
  return right?.kind === 'map' ? [left, right.key] : [];
}

function wayOut(left: CelType, right: CelType, plain: string): string {
  const conversion = CONVERSIONS[left.kind === 'dyn' ? right.kind : left.kind];
  return conversion === undefined
    ? 'compare values of one type'
    : `convert the other side first: \`${conversion}(${plain})\``;
}

const CONVERSIONS: { readonly [kind in CelType['kind']]?: string } = {
  timestamp: 'timestamp',
  duration: 'duration',
  bytes: 'bytes',
};
