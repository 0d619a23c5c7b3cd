import type { CallExpr, Expr, MacroExpr, SelectExpr } from '../../packages/cel/ast/expr.js';
import type { Match } from '../ast/policy.js';
import { type Scope, makeScope, type View } from './scope.js';
import { scopeWithin, see } from './see.js';

/** Paths that are certainly present. */
export type Facts = ReadonlySet<string>;

/** The facts of an impossible case: all of them. */
type Outcome = Facts | 'never';

export const NO_FACTS: Facts = new Set();

/** A path as an element of facts. */
export function nameFact(path: readonly string[]): string {
  return JSON.stringify(path);
}

/**
 * The paths that are certainly present if an expression is true, or false (docs/spec/conditions.md#logical-operators,
 * docs/spec/conditions.md#the-has-macro).
 */
export function factsWhen(node: Expr, truth: boolean, scope: Scope): Facts {
  return settled(outcome(node, truth, scope));
}

/** The paths that are certainly present if a match holds, or does not. */
export function factsWhenMatch(match: Match, truth: boolean, view: View): Facts {
  return settled(outcomeOfMatch(match, truth, view));
}

export function union(a: Facts, b: Facts): Facts {
  if (a.size === 0 || b.size === 0) return a.size === 0 ? b : a;
  return new Set([...a, ...b]);
}

/** The facts that hold in every one of several cases. */
export function common(cases: readonly Facts[]): Facts {
  return settled(cases.reduce<Outcome>(intersect, 'never'));
}

function outcomeOfMatch(match: Match, truth: boolean, view: View): Outcome {
  switch (match.kind) {
    case 'expr': {
      const { expression } = match;
      const scope = makeScope(expression, view);
      return scope === undefined || expression.ast === undefined ? NO_FACTS : outcome(expression.ast, truth, scope);
    }
    case 'script':
      return NO_FACTS;
    case 'all':
    case 'any':
    case 'none': {
      // `all` is true, `any` false, `none` true if each operand is as follows; in the other case at least one of them
      // is not.
      const each = match.kind === 'all';
      const isEach = (match.kind === 'any') !== truth;
      const outcomes = match.of.map((operand) => outcomeOfMatch(operand, isEach ? each : !each, view));
      return outcomes.reduce(isEach ? unite : intersect, isEach ? NO_FACTS : 'never');
    }
  }
}

function outcome(node: Expr, truth: boolean, scope: Scope): Outcome {
  if (node.kind === 'literal') return node.value === truth ? NO_FACTS : 'never';
  if (node.kind === 'macro') return ofMacro(node, truth, scope);
  if (node.kind === 'select') return ofVariable(node, truth, scope);
  return node.kind === 'call' ? ofCall(node, truth, scope) : NO_FACTS;
}

function ofVariable(node: SelectExpr, truth: boolean, { checked, view }: Scope): Outcome {
  const reference = checked.references.get(node);
  const presence = reference?.kind === 'variable' ? view.presence.get(reference.name) : undefined;
  return (truth ? presence?.whenTrue : presence?.whenFalse) ?? NO_FACTS;
}

function ofMacro(node: MacroExpr, truth: boolean, scope: Scope): Outcome {
  if (node.macro === 'cel.bind' && node.body !== undefined) return outcome(node.body, truth, scopeWithin(node, scope));
  if (node.macro !== 'has' || node.range === undefined || !truth) return NO_FACTS;
  return assumePresence(see(node.range, scope).path);
}

function ofCall(node: CallExpr, truth: boolean, scope: Scope): Outcome {
  const [first, second, third] = node.args;
  if (node.function === 'hasValue' && node.target !== undefined)
    return truth ? assumePresence(see(node.target, scope).path) : NO_FACTS;
  if (!node.isOperator || first === undefined) return NO_FACTS;
  if (node.function === '!_') return outcome(first, !truth, scope);
  if (second === undefined) return NO_FACTS;
  switch (node.function) {
    case '_&&_':
    case '_||_': {
      const isEach = (node.function === '_&&_') === truth;
      return (isEach ? unite : intersect)(outcome(first, truth, scope), outcome(second, truth, scope));
    }
    case '_?_:_': {
      const then = unite(outcome(first, true, scope), outcome(second, truth, scope));
      return third === undefined
        ? then
        : intersect(then, unite(outcome(first, false, scope), outcome(third, truth, scope)));
    }
    case '@in': {
      const { path, type } = see(second, scope);
      const isMap = path !== undefined && type.every(({ kinds }) => !kinds.has('list'));
      return truth && isMap && first.kind === 'literal' && first.type === 'string'
        ? assumePresence([...path, first.value])
        : NO_FACTS;
    }
    default:
      return NO_FACTS;
  }
}

/** A path is present only if each of its prefixes is. */
function assumePresence(path: readonly string[] | undefined): Facts {
  return path === undefined ? NO_FACTS : new Set(path.map((_, index) => nameFact(path.slice(0, index + 1))));
}

function unite(a: Outcome, b: Outcome): Outcome {
  return a === 'never' || b === 'never' ? 'never' : union(a, b);
}

function intersect(a: Outcome, b: Outcome): Outcome {
  if (a === 'never') return b;
  return b === 'never' ? a : new Set([...a].filter((fact) => b.has(fact)));
}

function settled(result: Outcome): Facts {
  return result === 'never' ? NO_FACTS : result;
}
