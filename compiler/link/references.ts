import { append } from '../append.js';
import type { CallExpr, Expr, LiteralExpr } from '../../packages/cel/ast/expr.js';
import { children } from '../../packages/cel/ast/visit.js';

/** The selections of an expression from `V` and `C`: the first one for each name. */
export interface References {
  readonly variables: ReadonlyMap<string, Expr>;
  readonly constants: ReadonlyMap<string, Expr>;
}

/**
 * The variables and constants that an expression refers to
 * (docs/spec/policy-language.md#compiling-variables-and-constants): the selections `V.name`, `variables.name`,
 * `C.name`, `constants.name`. Optional selections are ignored, a comprehension variable named `V` is mistaken for the
 * real one, and what constant folding removes does not count (docs/spec/policy-language.md#identifiers).
 */
export function collectReferences(expr: Expr): References {
  const known = cache.get(expr);
  if (known !== undefined) return known;
  const references = findReferences(expr);
  cache.set(expr, references);
  return references;
}

// Every policy that imports an exported variable needs its references; trees never change, and entries are collected
// with them.
const cache = new WeakMap<Expr, References>();

function findReferences(expr: Expr): References {
  const variables = new Map<string, Expr>();
  const constants = new Map<string, Expr>();
  const truths = constantTruths(expr);
  // An explicit stack: an expression may be nested deeper than the call stack allows.
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (truths.has(node)) continue;
    if (node.kind === 'select' && !node.optional && node.operand.kind === 'ident') {
      const found = mentionedIn(node.operand.name, variables, constants);
      if (found?.has(node.field) === false) found.set(node.field, node);
    }
    append(pending, listRemaining(node, truths).reverse());
  }
  return { variables, constants };
}

function mentionedIn<T>(name: string, variables: T, constants: T): T | undefined {
  if (name === 'V' || name === 'variables') return variables;
  if (name === 'C' || name === 'constants') return constants;
  return undefined;
}

/** The children that remain after folding: for a constant ternary only the branch it takes. */
function listRemaining(node: Expr, truths: ReadonlyMap<Expr, boolean>): Expr[] {
  if (node.kind === 'call' && node.function === '_?_:_') {
    const [condition, whenTrue, whenFalse] = node.args;
    const decided = condition && truths.get(condition);
    const taken = decided === true ? whenTrue : whenFalse;
    if (decided !== undefined && taken !== undefined) return [taken];
  }
  return [...children(node)];
}

/**
 * The subexpressions that are true or false for every request: literals, comparisons of literals, and the `!`, `&&`,
 * `||`, ternaries and `in []` that they decide. The reference PDP removes these before it looks for references
 * (docs/spec/policy-language.md#identifiers).
 */
export function constantTruths(expr: Expr): ReadonlyMap<Expr, boolean> {
  const truths = new Map<Expr, boolean>();
  for (const node of bottomUp(expr)) {
    const truth = findTruth(node, truths);
    if (truth !== undefined) truths.set(node, truth);
  }
  return truths;
}

/** All nodes, children before parents. */
function bottomUp(expr: Expr): readonly Expr[] {
  const nodes: Expr[] = [];
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes.push(node);
    append(pending, children(node));
  }
  return nodes.reverse();
}

function findTruth(node: Expr, truths: ReadonlyMap<Expr, boolean>): boolean | undefined {
  if (node.kind === 'literal') return node.type === 'bool' ? node.value : undefined;
  if (node.kind !== 'call' || !node.isOperator) return undefined;
  const known = node.args.map((arg) => truths.get(arg));
  switch (node.function) {
    case '!_':
      return known[0] === undefined ? undefined : !known[0];
    case '_&&_':
      return known.includes(false) ? false : known.includes(undefined) ? undefined : true;
    case '_||_':
      return known.includes(true) ? true : known.includes(undefined) ? undefined : false;
    case '_?_:_':
      return known[0] === undefined ? undefined : known[0] ? known[1] : known[2];
    case '@in':
      return node.args[1]?.kind === 'list' && node.args[1].elements.length === 0 ? false : undefined;
    default:
      return evaluateComparison(node);
  }
}

/** Evaluates a comparison of two literals of the same type. */
function evaluateComparison(node: CallExpr): boolean | undefined {
  const [left, right] = node.args;
  if (left?.kind !== 'literal' || right?.kind !== 'literal' || left.type !== right.type) return undefined;
  if (node.function === '_==_') return isSimple(left) ? left.value === right.value : undefined;
  if (node.function === '_!=_') return isSimple(left) ? left.value !== right.value : undefined;
  if (left.type !== 'int' && left.type !== 'uint' && left.type !== 'double') return undefined;
  return ordered(node.function, left.value, right.value as bigint | number);
}

function isSimple(literal: LiteralExpr): boolean {
  return literal.type !== 'bytes';
}

function ordered(operator: string, left: bigint | number, right: bigint | number): boolean | undefined {
  if (operator === '_<_') return left < right;
  if (operator === '_<=_') return left <= right;
  if (operator === '_>_') return left > right;
  if (operator === '_>=_') return left >= right;
  return undefined;
}
