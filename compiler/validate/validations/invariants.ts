import type { Types } from '../../ast/checked.js';
import type { Expr } from '../../../packages/cel/ast/expr.js';
import { makePolicyKey } from '../../ast/names.js';
import { placeOfNode } from '../../ast/places.js';
import type { About, Condition, Expression, Match, Policy } from '../../ast/policy.js';
import type { Bindings, PolicySet } from '../../ast/policy-set.js';
import { listPremises } from '../../ast/premises.js';
import { namesForStatements, type StatementNames } from '../../ast/statement-names.js';
import { children, visit } from '../../../packages/cel/ast/visit.js';
import type { Diagnostics } from '../../diagnostics/diagnostic.js';
import type { Problems } from '../../diagnostics/problems.js';
import type { Located } from '../../diagnostics/span.js';
import { expressionsOfCondition } from '../expressions-of.js';
import { isKnown, isKnownKind, suggest } from './known-names.js';

/**
 * Reports kinds, actions and rules that statements of invariants name and no policy has
 * (docs/spec/analysis.md#names-in-statements).
 */
export function checkStatementNames({ documents, invariants }: PolicySet, report: Diagnostics): Types {
  if (invariants.length === 0) return NO_TYPES;
  const names = documents.map(({ policy }) => ({ policy, ...namesForStatements(policy) }));
  for (const { policy } of invariants) {
    for (const { claim } of policy.statements) {
      if (claim.form === 'final') checkRule(claim.rule, names, report);
      else if (checkKind(claim.about, names, report)) {
        const actions = claim.form === 'implies' ? [...claim.about.actions, ...claim.also] : claim.about.actions;
        checkActions(actions, claim.about, names, report);
      }
    }
  }
  return NO_TYPES;
}

const NO_TYPES: Types = new Map();

/**
 * Reports conditions that read `runtime`: derived roles belong to a policy, and a statement is about requests
 * (docs/spec/analysis.md#about).
 */
export function checkPremises({ invariants }: PolicySet, report: Diagnostics): Types {
  for (const { policy, bindings } of invariants)
    for (const expression of listPremises(policy).flatMap(expressionsOfCondition))
      if (readsRuntime(expression, bindings))
        report.add('invariant/reads-runtime', expression.place, { text: onOneLine(expression.text) });
  return NO_TYPES;
}

function readsRuntime(expression: Expression, { variables }: Bindings): boolean {
  let found = false;
  const seen = new Set<Expression>();
  const pending = [expression];
  for (let next = pending.pop(); next !== undefined && !found; next = pending.pop()) {
    if (seen.has(next) || next.ast === undefined) continue;
    seen.add(next);
    visit(next.ast, (node) => {
      if (node.kind === 'ident' && node.name === 'runtime') found = true;
      const variable = node.kind === 'select' ? variables.get(node.field) : undefined;
      if (variable !== undefined) pending.push(variable.expression);
    });
  }
  return found;
}

type NamedPolicy = StatementNames & { readonly policy: Policy };

/** Whether some policy is about the kind of a statement. */
function checkKind({ resource }: About, names: readonly NamedPolicy[], report: Diagnostics): boolean {
  if (resource === undefined) return true;
  const resources = new Set(names.flatMap((policy) => policy.resources));
  if (isKnownKind(resource.value, resources)) return true;
  report.add('invariant/unknown-kind', resource.place, { kind: resource.value }, suggest(resource, resources));
  return false;
}

function checkActions(
  actions: readonly Located<string>[],
  { resource }: About,
  names: readonly NamedPolicy[],
  report: Diagnostics,
): void {
  const about = names.filter(
    ({ resources }) => resource === undefined || isKnownKind(resource.value, new Set(resources)),
  );
  const known = new Set(about.flatMap((policy) => policy.actions));
  for (const action of actions) {
    if (isKnown(action.value, known)) continue;
    report.add('invariant/unknown-action', action.place, { action: action.value }, suggest(action, known));
  }
}

/** Reports a rule that does not exist, or that is not a DENY. */
function checkRule(rule: Located<string>, names: readonly NamedPolicy[], report: Diagnostics): void {
  const rules = names.flatMap(({ policy, rules: own }) =>
    own.map(({ name, effect }) => ({ name: `${makePolicyKey(policy)}#${name}`, effect })),
  );
  const denies = new Set(rules.flatMap(({ name, effect }) => (effect === 'deny' ? [name] : [])));
  if (denies.has(rule.value)) return;
  const exists = rules.some(({ name }) => name === rule.value);
  if (exists) report.add('invariant/not-a-deny', rule.place, { rule: rule.value });
  else report.add('invariant/unknown-rule', rule.place, { rule: rule.value }, suggest(rule, denies));
}

/**
 * Warns about a `when` that excludes requests without an attribute: `R.attr.owner != P.id` is not true where there is no
 * owner, so the statement is not about such a request (docs/spec/analysis.md#about).
 */
export function warnOfFailingPremises({ invariants }: PolicySet, _types: Types, report: Problems): void {
  for (const { policy } of invariants) {
    for (const { claim } of policy.statements) {
      const when = claim.form === 'final' ? undefined : claim.about.when;
      if (when !== undefined) warnOfPremise(when, report);
    }
  }
}

function warnOfPremise(when: Condition, report: Problems): void {
  const guarded = new Set(expressionsOfCondition(when).flatMap(guardedIn));
  for (const expression of required(when.match)) {
    for (const part of expression.ast === undefined ? [] : conjuncts(expression.ast)) {
      const opposite = writeOpposite(part, expression);
      if (opposite === undefined) continue;
      const missing = attributesIn(part, expression).find((path) => !guarded.has(path));
      if (missing === undefined) continue;
      report.add(
        'invariant/when-may-fail',
        placeOfNode(expression, part),
        { text: cutText(part, expression), attribute: missing },
        { notes: [{ message: `write \`${opposite}\` under \`unless\` instead` }] },
      );
    }
  }
}

/** The expressions that must all be true. */
function required(match: Match): readonly Expression[] {
  if (match.kind === 'expr') return [match.expression];
  return match.kind === 'all' ? match.of.flatMap(required) : [];
}

function conjuncts(expr: Expr): readonly Expr[] {
  if (expr.kind === 'call' && expr.isOperator && expr.function === '_&&_') return expr.args.flatMap(conjuncts);
  return [expr];
}

/** The text of what a `!=` or `!` denies. */
function writeOpposite(expr: Expr, expression: Expression): string | undefined {
  if (expr.kind !== 'call' || !expr.isOperator) return undefined;
  const [operand] = expr.args;
  if (expr.function === '!_' && operand !== undefined) return cutText(operand, expression);
  if (expr.function !== '_!=_') return undefined;
  const { start, end, nameStart } = expr;
  return onOneLine(`${expression.text.slice(start, nameStart)}==${expression.text.slice(nameStart + 2, end)}`);
}

/** The arguments of `has`, as texts. */
function guardedIn(expression: Expression): readonly string[] {
  const found: string[] = [];
  if (expression.ast !== undefined)
    visit(expression.ast, (node) => {
      if (node.kind === 'macro' && node.macro === 'has' && node.range !== undefined)
        found.push(cutText(node.range, expression));
    });
  return found;
}

/** The attributes without which an expression cannot be evaluated, as texts. */
function attributesIn(expr: Expr, expression: Expression): readonly string[] {
  if (expr.kind === 'macro' && expr.macro === 'has') return [];
  if (expr.kind === 'select' && isAttribute(expr)) return [cutText(expr, expression)];
  return children(expr).flatMap((child) => attributesIn(child, expression));
}

function isAttribute(expr: Expr): boolean {
  if (expr.kind !== 'select' || expr.optional) return false;
  return isAttributes(expr.operand) || isAttribute(expr.operand);
}

/** Whether an expression is the attributes of the principal or of the resource as a whole. */
function isAttributes(expr: Expr): boolean {
  if (expr.kind !== 'select' || expr.field !== 'attr' || expr.optional) return false;
  const { operand } = expr;
  if (operand.kind === 'ident') return operand.name === 'R' || operand.name === 'P';
  return operand.kind === 'select' && operand.operand.kind === 'ident' && operand.operand.name === 'request';
}

function cutText({ start, end }: Expr, { text }: Expression): string {
  return onOneLine(text.slice(start, end));
}

function onOneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
