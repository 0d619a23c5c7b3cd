import { append } from '../append.js';
import type { Expr } from '../ast/expr.js';
import { children } from '../ast/visit.js';
import { constantTruths } from './constant-truths.js';

/** What an expression selects of `V` and `C`, by name, each with the first selection of it. */
export interface References {
  readonly variables: ReadonlyMap<string, Expr>;
  readonly constants: ReadonlyMap<string, Expr>;
}

/**
 * The variables and constants an expression refers to (docs/spec/policy-language.md#compiling-variables-and-constants):
 * the selections `V.name`, `variables.name`, `C.name`, `constants.name`. An optional selection is invisible, a
 * comprehension variable called `V` is mistaken for the real one, and what constant folding removes does not count
 * (docs/spec/policy-language.md#identifiers).
 */
export function referencesOf(expr: Expr): References {
  const known = cache.get(expr);
  if (known !== undefined) return known;
  const references = findReferences(expr);
  cache.set(expr, references);
  return references;
}

// An exported variable is asked for once by every policy that imports it; trees never change, and entries go with them.
const cache = new WeakMap<Expr, References>();

function findReferences(expr: Expr): References {
  const variables = new Map<string, Expr>();
  const constants = new Map<string, Expr>();
  const truths = constantTruths(expr);
  // A stack of our own: an expression may be deeper than the call stack.
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (truths.has(node)) continue;
    if (node.kind === 'select' && !node.optional && node.operand.kind === 'ident') {
      const found = mentionedIn(node.operand.name, variables, constants);
      if (found?.has(node.field) === false) found.set(node.field, node);
    }
    append(pending, remainingOf(node, truths).reverse());
  }
  return { variables, constants };
}

function mentionedIn<T>(name: string, variables: T, constants: T): T | undefined {
  if (name === 'V' || name === 'variables') return variables;
  if (name === 'C' || name === 'constants') return constants;
  return undefined;
}

/** The children that folding leaves: of a decided ternary only the branch it takes. */
function remainingOf(node: Expr, truths: ReadonlyMap<Expr, boolean>): Expr[] {
  if (node.kind === 'call' && node.function === '_?_:_') {
    const [condition, whenTrue, whenFalse] = node.args;
    const decided = condition && truths.get(condition);
    const taken = decided === true ? whenTrue : whenFalse;
    if (decided !== undefined && taken !== undefined) return [taken];
  }
  return [...children(node)];
}
