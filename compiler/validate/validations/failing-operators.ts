import type { Types } from '../../ast/checked.js';
import { placeOfNode } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { CelType } from '../../cel/types.js';
import type { Problems } from '../../diagnostics/problems.js';
import { describeType, neverApplies } from '../never-together.js';
import { operatorsOf, signOf } from '../operators-of.js';

/** Warns of arithmetic and orderings that fail in every request (conditions.md 2.1, 3.2): `R.attr.n + 1`, `R.attr.due < now()`. */
export function warnOfFailingOperators(policies: PolicySet, types: Types, report: Problems): void {
  for (const { expression, node, operands } of operatorsOf(policies, types)) {
    const [left, right] = operands;
    if (left === undefined || !JUDGED.has(node.function) || !neverApplies(node.function, operands)) continue;
    report.add(
      'expression/always-fails',
      placeOfNode(expression, node),
      { operator: signOf(node), left: describeType(left), right: right && describeType(right) },
      { notes: [{ message: wayOut(signOf(node), operands) }] },
    );
  }
}

/** Equality never fails; `in` and indexing have rules of their own (conditions.md 3.7, 3.11). */
const JUDGED: ReadonlySet<string> = new Set(['_<_', '_<=_', '_>_', '_>=_', '_+_', '_-_', '_*_', '_/_', '_%_', '-_']);

function wayOut(operator: string, operands: readonly CelType[]): string {
  const kinds = operands.map(({ kind }) => kind);
  if (kinds.includes('timestamp')) return 'moments are texts in JSON: write `timestamp(R.attr.x)`';
  if (kinds.includes('duration')) return 'spans of time are texts in JSON: write `duration(R.attr.x)`';
  if (kinds.includes('bytes')) return 'bytes are texts in JSON: write `bytes(R.attr.x)`';
  if (operator === '%') return '`%` takes integers only: write `int(R.attr.x) % 2`';
  if (kinds.includes('int') || kinds.includes('uint')) return 'numbers in JSON are doubles: write `1.0` for `1`, or `int(R.attr.x)`';
  return 'convert one of the two sides';
}
