import type { Types } from '../ast/checked.js';
import type { CallExpr, Expr, IndexExpr, MacroExpr, SelectExpr } from '../../packages/cel/ast/expr.js';
import type { Bindings } from '../ast/policy-set.js';
import type { Expression, Match, Output } from '../ast/policy.js';
import { children } from '../../packages/cel/ast/visit.js';
import { judgeComparison } from './comparisons.js';
import { nameFact, type Facts, factsWhen, factsWhenMatch, union } from './facts.js';
import { findMember } from './members.js';
import { type AttributeReport, cutText } from './report.js';
import type { SchemaReader } from './schema-reader.js';
import { type Roots, type Scope, makeScope, type Seen, type View } from './scope.js';
import { findLiteralKey, scopeWithin, see } from './see.js';

/** The maximum number of different facts under which one variable is checked. */
const MOST_USES = 50;

/**
 * Checks all attribute accesses that a rule or derived role can reach, and reports those that the schemas do not
 * contain.
 */
export class Judge {
  /** Keyed by variable: the facts under which it was checked. */
  private readonly uses = new Map<string, Set<string>>();
  /** Not recursive: variables may form a long chain. */
  private readonly pending: { readonly expression: Expression; readonly facts: Facts }[] = [];

  /** @param isStrict whether to report attributes that may be missing. */
  constructor(
    private readonly view: View,
    private readonly report: AttributeReport,
    private readonly isStrict: boolean,
  ) {}

  /** A condition, reached where the facts hold. */
  condition(match: Match, facts: Facts): void {
    this.match(match, facts);
    this.variables();
  }

  /** The outputs of a rule with a condition. */
  output({ ruleActivated, conditionNotMet, legacy }: Output, match: Match | undefined, facts: Facts): void {
    const when = (truth: boolean): Facts =>
      match === undefined || !this.isStrict ? facts : union(facts, factsWhenMatch(match, truth, this.view));
    for (const expression of [ruleActivated, legacy])
      if (expression !== undefined) this.expression(expression, when(true));
    if (conditionNotMet !== undefined) this.expression(conditionNotMet, when(false));
    this.variables();
  }

  private match(match: Match, facts: Facts): void {
    switch (match.kind) {
      case 'expr':
        return this.expression(match.expression, facts);
      case 'script':
        return;
      case 'all':
      case 'any':
      case 'none': {
        let known = facts;
        for (const operand of match.of) {
          this.match(operand, known);
          // The next one is only evaluated if this one has not decided the result.
          if (this.isStrict) known = union(known, factsWhenMatch(operand, match.kind === 'all', this.view));
        }
      }
    }
  }

  private expression(expression: Expression, facts: Facts): void {
    const scope = makeScope(expression, this.view);
    if (scope !== undefined && expression.ast !== undefined) this.node(expression.ast, scope, facts);
  }

  private node(node: Expr, scope: Scope, facts: Facts): void {
    switch (node.kind) {
      case 'select': {
        const reference = scope.checked.references.get(node);
        if (reference?.kind === 'variable') return this.variable(reference.name, facts);
        this.node(node.operand, scope, facts);
        if (reference === undefined) this.member(node, node.field, scope, facts);
        return;
      }
      case 'index': {
        for (const child of children(node)) this.node(child, scope, facts);
        const key = findLiteralKey(node);
        if (key !== undefined) this.member(node, key, scope, facts);
        return;
      }
      case 'call':
        return this.call(node, scope, facts);
      case 'macro':
        return this.macro(node, scope, facts);
      case 'literal':
      case 'ident':
      case 'list':
      case 'map':
      case 'message':
        for (const child of children(node)) this.node(child, scope, facts);
    }
  }

  private call(node: CallExpr, scope: Scope, facts: Facts): void {
    const [first, second, third] = node.args;
    const when = (condition: Expr, truth: boolean): Facts =>
      this.isStrict ? union(facts, factsWhen(condition, truth, scope)) : facts;
    if (first !== undefined && second !== undefined && (node.function === '_&&_' || node.function === '_||_')) {
      // In any order: a failure is absorbed by the other operand (docs/spec/conditions.md#logical-operators).
      const truth = node.function === '_&&_';
      this.node(first, scope, when(second, truth));
      return this.node(second, scope, when(first, truth));
    }
    if (first !== undefined && second !== undefined && third !== undefined && node.function === '_?_:_') {
      this.node(first, scope, facts);
      this.node(second, scope, when(first, true));
      return this.node(third, scope, when(first, false));
    }
    for (const child of children(node)) this.node(child, scope, facts);
    if (node.isOperator) judgeComparison(node, scope, this.report);
  }

  private macro(node: MacroExpr, scope: Scope, facts: Facts): void {
    const { range, predicate, body, args } = node;
    if (node.macro === 'has') return this.presence(range, scope, facts);
    const within = scopeWithin(node, scope);
    if (range !== undefined) this.node(range, scope, facts);
    for (const arg of args) this.node(arg, scope, facts);
    if (predicate !== undefined) this.node(predicate, within, facts);
    const known = predicate === undefined || !this.isStrict ? facts : union(facts, factsWhen(predicate, true, within));
    if (body !== undefined) this.node(body, within, known);
  }

  /** `has(a.b)`: `a` is read, `b` is tested for presence. */
  private presence(range: Expr | undefined, scope: Scope, facts: Facts): void {
    if (range?.kind !== 'select' || scope.checked.references.has(range)) return;
    this.node(range.operand, scope, facts);
    const { type, isTyped } = see(range.operand, scope);
    const access = { node: range, path: cutText(range, scope), name: range.field, of: range.operand, type };
    if (isTyped) this.report.unknown(access, findMember(type, range.field, scope.view.reader), scope);
  }

  private member(node: SelectExpr | IndexExpr, name: string, scope: Scope, facts: Facts): void {
    const operand = see(node.operand, scope);
    if (!operand.isTyped) return;
    const member = findMember(operand.type, name, scope.view.reader);
    const access = { node, path: cutText(node, scope), name, of: node.operand, type: operand.type };
    if (this.report.unknown(access, member, scope) || !this.isStrict) return;
    const isGuarded = operand.path !== undefined && facts.has(nameFact([...operand.path, name]));
    if (!member.isRequired && !node.optional && !operand.isOptional && !isGuarded) this.report.optional(node, scope);
  }

  private variable(name: string, facts: Facts): void {
    const variable = this.view.bindings.variables.get(name);
    const uses = this.uses.get(name) ?? new Set();
    const key = [...facts].sort().join();
    if (variable === undefined || uses.has(key) || uses.size >= MOST_USES) return;
    this.uses.set(name, uses.add(key));
    this.pending.push({ expression: variable.expression, facts });
  }

  private variables(): void {
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop())
      this.expression(next.expression, next.facts);
  }
}

/** The properties that views share. */
export interface Sight {
  readonly types: Types;
  readonly reader: SchemaReader;
  /** Whether to report attributes that may be missing. */
  readonly isStrict: boolean;
}

/** A view of a document; its variables are in dependency order, so that each is checked once. */
export function makeView(roots: Roots, bindings: Bindings, { types, reader, isStrict }: Sight): View {
  const variables = new Map<string, Seen>();
  const presence = new Map<string, { readonly whenTrue: Facts; readonly whenFalse: Facts }>();
  const view: View = { roots, bindings, types, reader, variables, presence };
  for (const { name, expression } of bindings.variables.values()) {
    const scope = makeScope(expression, view);
    if (scope === undefined || expression.ast === undefined) continue;
    variables.set(name, see(expression.ast, scope));
    if (isStrict)
      presence.set(name, {
        whenTrue: factsWhen(expression.ast, true, scope),
        whenFalse: factsWhen(expression.ast, false, scope),
      });
  }
  return view;
}
