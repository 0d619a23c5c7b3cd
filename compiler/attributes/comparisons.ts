import type { CallExpr, Expr } from '../../packages/cel/ast/expr.js';
import type { JsonValue } from '../ast/policy.js';
import type { Note } from '../diagnostics/diagnostic.js';
import { didYouMean } from '../../packages/cel/check/did-you-mean.js';
import { describe, type JsonType, mayBeEqual, mayBeOrdered, ofKinds, ofValues, listValues } from './json-type.js';
import { findItem, findMember } from './members.js';
import { type AttributeReport, cutText } from './report.js';
import type { Scope, Seen } from './scope.js';
import { see } from './see.js';

/**
 * Reports `==`, `!=`, `<` and the like, and `in`, if the schemas only allow values that are never equal, or that cannot
 * be ordered.
 */
export function judgeComparison(node: CallExpr, scope: Scope, report: AttributeReport): void {
  const [left, right] = node.args;
  if (left === undefined || right === undefined) return;
  const operator = node.function === '@in' ? 'in' : node.function.replaceAll('_', '');
  switch (operator) {
    case '==':
    case '!=':
      return judgeEquality(
        node,
        [left, right],
        `are never equal: \`${operator}\` is always ${operator === '!='}`,
        scope,
        report,
      );
    case '<':
    case '<=':
    case '>':
    case '>=': {
      const [a, b] = [see(left, scope), see(right, scope)];
      if (!isJudged(a, b) || mayBeOrdered(a.type, b.type)) return;
      return report.comparison(
        node,
        {
          left: operand(left, a, scope),
          right: operand(right, b, scope),
          consequence: `cannot be ordered: \`${operator}\` always fails`,
        },
        NO_HINTS,
        scope,
      );
    }
    case 'in':
      return judgeMembership(node, left, right, scope, report);
  }
}

function judgeEquality(
  node: Expr,
  [left, right]: readonly [Expr, Expr],
  consequence: string,
  scope: Scope,
  report: AttributeReport,
): void {
  const [a, b] = [see(left, scope), see(right, scope)];
  if (!isJudged(a, b) || mayBeEqual(a.type, b.type)) return;
  report.comparison(
    node,
    { left: operand(left, a, scope), right: operand(right, b, scope), consequence },
    () => hints(a, b),
    scope,
  );
}

function judgeMembership(node: CallExpr, left: Expr, right: Expr, scope: Scope, report: AttributeReport): void {
  const [value, collection] = [see(left, scope), see(right, scope)];
  if (right.kind === 'list') {
    for (const element of right.elements) {
      if (!element.optional) judgeEquality(element.value, [left, element.value], 'are never equal', scope, report);
    }
    return;
  }
  if (!isJudged(value, collection)) return;
  const hasList = collection.type.some(({ kinds }) => kinds.has('list'));
  const hasMap = collection.type.some(({ kinds }) => kinds.has('map'));
  const texts = { left: operand(left, value, scope), right: operand(right, collection, scope) };
  if (!hasList && !hasMap)
    return report.comparison(
      node,
      { ...texts, consequence: 'are incompatible: `in` requires a list or a map, and always fails' },
      NO_HINTS,
      scope,
    );
  if (hasMap) return hasList || !collection.isTyped ? undefined : judgeKey(left, right, collection, scope, report);
  const constant = findConstant(right, scope);
  const items =
    constant === undefined ? findItem(collection.type, undefined, scope.view.reader) : typeOfItems(constant);
  if (items === undefined || mayBeEqual(value.type, items)) return;
  const held = { ...collection, type: items };
  report.comparison(
    node,
    {
      left: texts.left,
      right: `the items of ${operand(right, held, scope)}`,
      consequence: 'are never equal: `in` is always false',
    },
    () => hints(value, held),
    scope,
  );
}

/** `"a" in R.attr`: tests for an attribute. */
function judgeKey(left: Expr, right: Expr, { type }: Seen, scope: Scope, report: AttributeReport): void {
  if (left.kind !== 'literal' || left.type !== 'string') return;
  const path = `${cutText(right, scope)}[${cutText(left, scope)}]`;
  report.unknown(
    { node: left, path, name: left.value, of: right, type },
    findMember(type, left.value, scope.view.reader),
    scope,
  );
}

/** Only comparisons that involve a schema are reported, and none that involve optionals. */
function isJudged(a: Seen, b: Seen): boolean {
  return (a.isTyped || b.isTyped) && !a.isOptional && !b.isOptional;
}

function operand(node: Expr, { type }: Seen, scope: Scope): string {
  const text = `\`${cutText(node, scope)}\``;
  return node.kind === 'literal' ? text : `${text} (${describe(type)})`;
}

const NO_HINTS = (): readonly Note[] => [];

/** Suggests the value of the schema that a string was probably meant to be. */
function hints(a: Seen, b: Seen): readonly Note[] {
  const [texts, others] = [a, b].map(
    ({ type }) => listValues(type)?.filter((value) => typeof value === 'string') ?? [],
  ) as [string[], string[]];
  const [written] = b.isTyped ? texts : others;
  return written === undefined ? [] : didYouMean(written, b.isTyped ? others : texts);
}

function findConstant(node: Expr, { checked, view }: Scope): JsonValue | undefined {
  const reference = checked.references.get(node);
  return reference?.kind === 'constant' ? view.bindings.constants.get(reference.name)?.value : undefined;
}

function typeOfItems(value: JsonValue): JsonType | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.flatMap((item) =>
    item === null || typeof item !== 'object' ? ofValues([item]) : ofKinds(Array.isArray(item) ? 'list' : 'map'),
  );
}
