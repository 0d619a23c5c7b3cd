import type { Types } from '../../ast/checked.js';
import type { CallExpr } from '../../../packages/cel/ast/expr.js';
import { placeOfNode } from '../../ast/places.js';
import type { Expression, Output } from '../../ast/policy.js';
import type { LinkedPolicy, PolicySet } from '../../ast/policy-set.js';
import { visit } from '../../../packages/cel/ast/visit.js';
import type { Fix } from '../../diagnostics/fix.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Place } from '../../diagnostics/span.js';
import { collectExpressions } from '../expressions-of.js';
import { listUsingDocuments } from '../using-documents.js';

/**
 * Warns about deprecated spellings that still work (docs/spec/policy-language.md#deprecated-spellings): `output.expr`,
 * top-level `variables`, and two function names.
 */
export function warnOfDeprecatedSpellings(policies: PolicySet, types: Types, report: Problems): void {
  for (const output of policies.policies.flatMap(listOutputs)) {
    if (output.legacy === undefined) continue;
    report.add(
      'deprecated/output-expr',
      output.legacy.place,
      {},
      { notes: [{ message: 'write `output.when.ruleActivated`' }], fix: fixOfOutput(output, output.legacy.place) },
    );
  }
  for (const { file } of listUsingDocuments(policies)) {
    const [first] = file.legacyVariables;
    if (first === undefined) continue;
    const notes = [{ message: 'move them to `variables.local` below the policy type' }];
    report.add('deprecated/top-level-variables', first.name.place, {}, { notes });
  }
  for (const expression of collectExpressions(policies)) warnOfFunctions(expression, types, report);
}

/** Undefined if there is a `when`, or unless the key and its value are alone on one line. */
function fixOfOutput(
  { ruleActivated, conditionNotMet }: Output,
  { span: { source, start, end }, anchor }: Place,
): Fix | undefined {
  const { line, column } = source.lineAndColumn(anchor);
  const indent = source.line(line).slice(0, column - 1);
  const isOnOneLine = source.lineAndColumn(end).line === line && start > anchor;
  if (ruleActivated !== undefined || conditionNotMet !== undefined) return undefined;
  if (!isOnOneLine || indent.trim() !== '' || !source.text.startsWith('expr:', anchor)) return undefined;
  return {
    description: 'write `output.when.ruleActivated`',
    span: { source, start: anchor, end: anchor + 'expr'.length },
    text: `when:\n${indent}  ruleActivated`,
    isSafe: true,
  };
}

function listOutputs(linked: LinkedPolicy): readonly Output[] {
  const rules =
    linked.kind === 'principal' ? linked.policy.rules.flatMap(({ actions }) => actions) : linked.policy.rules;
  return rules.flatMap(({ output }) => output ?? []);
}

function warnOfFunctions(expression: Expression, types: Types, report: Problems): void {
  const calls = types.get(expression)?.calls;
  if (expression.ast === undefined || calls === undefined) return;
  visit(expression.ast, (node) => {
    const name = calls.get(node)?.name ?? '';
    const modern = MODERN_NAMES.get(name);
    if (modern === undefined || node.kind !== 'call') return;
    const place = placeOfNode(expression, { ...node, ...locateName(node) });
    const suggestion = { written: name, nearest: modern, isSafe: true };
    const notes = [{ message: `write \`${modern}\``, suggestion }];
    report.add('deprecated/function', place, { name, modern }, { notes });
  });
}

function locateName({ nameStart, function: name }: CallExpr): { readonly start: number; readonly end: number } {
  return { start: nameStart, end: nameStart + name.length };
}

const MODERN_NAMES: ReadonlyMap<string, string> = new Map([
  ['has_intersection', 'hasIntersection'],
  ['is_subset', 'isSubset'],
]);
