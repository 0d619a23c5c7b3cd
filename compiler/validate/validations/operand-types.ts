import type { CheckedExpression } from '../../../packages/cel/ast/checked-expression.js';
import type { Types } from '../../ast/checked.js';
import type { CallExpr, Expr } from '../../../packages/cel/ast/expr.js';
import { placeOfNode } from '../../ast/places.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Expression } from '../../ast/policy.js';
import { visit } from '../../../packages/cel/ast/visit.js';
import type { CelType } from '../../../packages/cel/library/types.js';
import type { Problems } from '../../diagnostics/problems.js';
import { collectExpressions } from '../expressions-of.js';
import { describeType, neverApplies, neverEqual } from '../never-together.js';

/**
 * Warns about `==`, `!=` and `in` between types that are never equal (docs/spec/conditions.md#equality), such as an
 * attribute and a timestamp.
 */
export function warnOfComparisons(policies: PolicySet, types: Types, report: Problems): void {
  for (const use of listOperators(policies, types, (suspect) => neverHolds(suspect) !== undefined)) {
    const { expression, node } = use;
    const [left, right] = neverHolds(use) as readonly [CelType, CelType];
    report.add(
      'comparison/never-holds',
      placeOfNode(expression, node),
      {
        operator: findSign(node),
        left: describeType(left),
        right: describeType(right),
        always: node.function === '_!=_',
      },
      { notes: [{ message: suggestion(left, right, namePlainOperand(use)) }] },
    );
  }
}

/** Returns the types that are compared with each other and never equal. */
function neverHolds({
  node,
  operands,
}: Pick<OperatorUse, 'node' | 'operands'>): readonly [CelType, CelType] | undefined {
  const [left, right] = comparedBy(node.function, operands);
  return left === undefined || right === undefined || !neverEqual(left, right) ? undefined : [left, right];
}

/**
 * Returns the types that are compared with each other: the operands, or the operand and the elements of the collection.
 */
function comparedBy(operator: string, [left, right]: readonly CelType[]): readonly (CelType | undefined)[] {
  if (operator === '_==_' || operator === '_!=_') return [left, right];
  if (operator !== '@in') return [];
  if (right?.kind === 'list') return [left, right.element];
  return right?.kind === 'map' ? [left, right.key] : [];
}

function suggestion(left: CelType, right: CelType, plain: string): string {
  const conversion = CONVERSIONS[left.kind === 'dyn' ? right.kind : left.kind];
  return conversion === undefined
    ? 'compare values of the same type'
    : `convert the other side first: \`${conversion}(${plain})\``;
}

const CONVERSIONS: { readonly [kind in CelType['kind']]?: string } = {
  timestamp: 'timestamp',
  duration: 'duration',
  bytes: 'bytes',
};

/**
 * Warns about arithmetic and ordering that fails for every request (docs/spec/conditions.md#operators,
 * docs/spec/conditions.md#arithmetic): `R.attr.n + 1`, `R.attr.due < now()`.
 */
export function warnOfFailingOperators(policies: PolicySet, types: Types, report: Problems): void {
  for (const use of listOperators(
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
      { operator: findSign(node), left: describeType(left), right: right && describeType(right) },
      { notes: [{ message: suggestionForFailure(use) }] },
    );
  }
}

/**
 * Equality never fails; `in` and indexing have separate rules (docs/spec/conditions.md#selection-and-indexing,
 * docs/spec/conditions.md#membership).
 */
const JUDGED: ReadonlySet<string> = new Set(['_<_', '_<=_', '_>_', '_>=_', '_+_', '_-_', '_*_', '_/_', '_%_', '-_']);

function suggestionForFailure(use: OperatorUse): string {
  const kinds = use.operands.map(({ kind }) => kind);
  const plain = namePlainOperand(use);
  if (kinds.includes('timestamp')) return `JSON has no timestamps: write \`timestamp(${plain})\``;
  if (kinds.includes('duration')) return `JSON has no durations: write \`duration(${plain})\``;
  if (kinds.includes('bytes')) return `JSON has no bytes: write \`bytes(${plain})\``;
  if (use.node.function === '_%_') return `\`%\` only takes integers: write \`int(${plain})\``;
  if (kinds.includes('int') || kinds.includes('uint'))
    return `numbers in JSON are doubles: write \`1.0\` for \`1\`, or \`int(${plain})\``;
  return 'convert one of the two sides';
}

/** A use of an operator, with the certain types of its operands. */
interface OperatorUse {
  readonly expression: Expression;
  readonly node: CallExpr;
  readonly operands: readonly CelType[];
}

/** A use of an operator in a tree, which equal expressions share. */
type Use = Pick<OperatorUse, 'node' | 'operands'>;

/** Returns the operators in all compiled expressions that satisfy `isSuspect`, in source order. */
function listOperators(policies: PolicySet, types: Types, isSuspect: (use: Use) => boolean): readonly OperatorUse[] {
  const known = new Map<Expr, readonly Use[]>();
  const found: OperatorUse[] = [];
  for (const expression of collectExpressions(policies)) {
    const { ast } = expression;
    const checked = types.get(expression);
    if (ast === undefined || checked === undefined) continue;
    const uses = known.get(ast) ?? operatorsIn(ast, checked).filter(isSuspect);
    known.set(ast, uses);
    for (const use of uses) found.push({ expression, ...use });
  }
  return found;
}

function operatorsIn(ast: Expr, checked: CheckedExpression): readonly Use[] {
  const found: Use[] = [];
  visit(ast, (node) => {
    if (node.kind !== 'call' || !node.isOperator) return;
    const operands = node.args.map((arg) => checked.types.get(arg));
    if (!operands.includes(undefined)) found.push({ node, operands: operands as CelType[] });
  });
  return found;
}

/** The source of the operand that is plain JSON, for a note about its conversion; `R.attr.x` if it is long. */
function namePlainOperand({ expression, node, operands }: OperatorUse): string {
  const operand = node.args.find((_, index) => operands[index]?.kind === 'dyn');
  const text = operand === undefined ? '' : expression.text.slice(operand.start, operand.end);
  return text === '' || text.length > 40 || text.includes('\n') ? 'R.attr.x' : text;
}

/** An operator as written in source: `==` for `_==_`. */
function findSign({ function: name }: CallExpr): string {
  return name === '@in' ? 'in' : name.replaceAll('_', '');
}
