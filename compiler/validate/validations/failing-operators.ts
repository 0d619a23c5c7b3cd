import type { Types } from '../../ast/checked.js';
import { placeOfNode } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Problems } from '../../diagnostics/problems.js';
import { describeType, neverApplies } from '../never-together.js';
import { type OperatorUse, operatorsOf, plainOperandOf, signOf } from '../operators-of.js';

/**
 * Warns of arithmetic and orderings that fail in every request (docs/spec/conditions.md#operators,
 * docs/spec/conditions.md#arithmetic): `R.attr.n + 1`, `R.attr.due < now()`.
 */
export function warnOfFailingOperators(policies: PolicySet, types: Types, report: Problems): void {
  for (const use of operatorsOf(
    policies,
    types,
    ({ node, operands }) => JUDGED.has(node.function) && neverApplies(node.function, operands),
  )) {
    const { expression, node, operands } = use;
    const [left, right] = operands;
    if (left === undefined) continue;
    report.add(
      'expression/always-fails',
      placeOfNode(expression, node),
      { operator: signOf(node), left: describeType(left), right: right && describeType(right) },
      { notes: [{ message: wayOut(use) }] },
    );
  }
}

/**
 * Equality never fails; `in` and indexing have rules of their own (docs/spec/conditions.md#selection-and-indexing,
 * docs/spec/conditions.md#membership).
 */
const JUDGED: ReadonlySet<string> = new Set(['_<_', '_<=_', '_>_', '_>=_', '_+_', '_-_', '_*_', '_/_', '_%_', '-_']);

function wayOut(use: OperatorUse): string {
  const kinds = use.operands.map(({ kind }) => kind);
  const plain = plainOperandOf(use);
  if (kinds.includes('timestamp')) return `moments are texts in JSON: write \`timestamp(${plain})\``;
  if (kinds.includes('duration')) return `spans of time are texts in JSON: write \`duration(${plain})\``;
  if (kinds.includes('bytes')) return `bytes are texts in JSON: write \`bytes(${plain})\``;
  if (use.node.function === '_%_') return `\`%\` takes integers only: write \`int(${plain})\``;
  if (kinds.includes('int') || kinds.includes('uint'))
    return `numbers in JSON are doubles: write \`1.0\` for \`1\`, or \`int(${plain})\``;
  return 'convert one of the two sides';
}
