import { findExtent } from '../../../compiler/ir/origins.js';
import type { AuthoredText, Match } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { type Diagram, DiagramTooLarge, Diagrams, FALSE, TRUE } from './bdd.js';
import { and, type Formula, type HasRole, type Holds, not, or } from './formula.js';
import type { FormulaKeys } from './keys.js';
import { type Product, listProducts, TooManyProducts } from './products.js';

/** What a simplified formula is made of. */
export type Leaf = Holds | HasRole;

/** Whether a condition holds for all requests in question; undefined if that differs or is not known. */
export type ValueOf = (holds: Holds) => boolean | undefined;

const MOST_NODES = 20_000;
const MOST_LEAVES = 100;
const MOST_PRODUCTS = 64;

/**
 * A shorter formula that is true for the same requests. Its leaves are the parts of conditions below `all`, `any`,
 * `none`, `&&` and `||`: whether one holds does not depend on the others, while the operand of a `!` may also fail.
 *
 * @param isWhole conditions that are not taken apart, unless the value of a part is known.
 * @param valueOf whether a part holds, if that is known: then the formula is true for the same of the requests for which
 * it does.
 */
export function simplified(
  formula: Formula,
  keys: FormulaKeys,
  isWhole: (holds: Holds) => boolean,
  valueOf: ValueOf = () => undefined,
): Formula {
  const split = splitConditions(formula, isWhole, valueOf);
  const leaves = new Map<number, Leaf>();
  const numbers = new Map<number, number>();
  const isNamed = (leaf: Leaf): boolean => leaf.kind === 'holds' && isWhole(leaf);
  const tidy = (each: Formula): Formula => flat(each, isNamed);
  const found = listLeaves(split);
  for (const leaf of [...found.filter(isNamed), ...found.filter((each) => !isNamed(each))]) {
    const key = keys.of(leaf);
    if (!numbers.has(key)) leaves.set(numbers.size, leaf);
    numbers.set(key, numbers.get(key) ?? numbers.size);
  }
  // Operations on diagrams recurse from atom to atom.
  if (leaves.size > MOST_LEAVES) return tidy(split);
  const diagrams = new Diagrams(MOST_NODES);
  const toSum = (diagram: Diagram): Formula => factored(listProducts(diagrams, diagram, MOST_PRODUCTS), leaves);
  try {
    const diagram = makeDiagram(split, diagrams, (leaf) => numbers.get(keys.of(leaf)) as number);
    if (diagram === TRUE || diagram === FALSE) return diagram === TRUE;
    return tidy(shortest([toSum(diagram), not(toSum(diagrams.not(diagram))), split]));
  } catch (error) {
    if (error instanceof DiagramTooLarge || error instanceof TooManyProducts) return tidy(split);
    throw error;
  }
}

/** The leaves of a formula in their order, with repetitions. */
export function listLeaves(formula: Formula): readonly Leaf[] {
  if (typeof formula === 'boolean') return [];
  switch (formula.kind) {
    case 'and':
    case 'or':
      return formula.operands.flatMap(listLeaves);
    case 'not':
      return listLeaves(formula.operand);
    case 'holds':
    case 'role':
      return [formula];
  }
}

function splitConditions(formula: Formula, isWhole: (holds: Holds) => boolean, valueOf: ValueOf): Formula {
  if (typeof formula === 'boolean') return formula;
  switch (formula.kind) {
    case 'and':
      return and(...formula.operands.map((operand) => splitConditions(operand, isWhole, valueOf)));
    case 'or':
      return or(...formula.operands.map((operand) => splitConditions(operand, isWhole, valueOf)));
    case 'not':
      return not(splitConditions(formula.operand, isWhole, valueOf));
    case 'holds': {
      let isPartKnown = false;
      const parts = splitMatch(formula.condition, formula, (leaf) => {
        const value = valueOf(leaf);
        isPartKnown ||= value !== undefined;
        return value ?? leaf;
      });
      return isWhole(formula) && !isPartKnown ? formula : parts;
    }
    case 'role':
      return formula;
  }
}

function splitMatch(match: Match, holds: Holds, leafOf: (part: Holds) => Formula): Formula {
  switch (match.kind) {
    case 'expr':
      return splitValue(match.value, match.expression, holds, leafOf);
    case 'all':
      return and(...match.of.map((part) => splitMatch(part, holds, leafOf)));
    case 'any':
      return or(...match.of.map((part) => splitMatch(part, holds, leafOf)));
    case 'none':
      return not(or(...match.of.map((part) => splitMatch(part, holds, leafOf))));
  }
}

/** `a && b` is true exactly where both are, and `a || b` where one is, whatever the other is or fails with. */
function splitValue(value: Value, expression: AuthoredText, holds: Holds, leafOf: (part: Holds) => Formula): Formula {
  if (value.kind === 'literal' && value.literal === 'bool') return value.value;
  if (value.kind === 'operator' && (value.operator === 'and' || value.operator === 'or')) {
    const operands = value.operands.map((operand) => splitValue(operand, expression, holds, leafOf));
    return value.operator === 'and' ? and(...operands) : or(...operands);
  }
  return leafOf({ ...holds, condition: { kind: 'expr', expression: cutExpression(value, expression), value } });
}

function cutExpression(value: Value, expression: AuthoredText): AuthoredText {
  const extent = findExtent(value);
  if (extent === undefined) return expression;
  return {
    text: expression.text.slice(extent.start, extent.end).trim(),
    spanOf: (start, end) => expression.spanOf(extent.start + start, extent.start + end),
  };
}

function makeDiagram(formula: Formula, diagrams: Diagrams, numberOf: (leaf: Leaf) => number): Diagram {
  if (typeof formula === 'boolean') return formula ? TRUE : FALSE;
  switch (formula.kind) {
    case 'and':
      return formula.operands.reduce<Diagram>(
        (all, operand) => diagrams.and(all, makeDiagram(operand, diagrams, numberOf)),
        TRUE,
      );
    case 'or':
      return formula.operands.reduce<Diagram>(
        (any, operand) => diagrams.or(any, makeDiagram(operand, diagrams, numberOf)),
        FALSE,
      );
    case 'not':
      return diagrams.not(makeDiagram(formula.operand, diagrams, numberOf));
    case 'holds':
    case 'role':
      return diagrams.atom(numberOf(formula));
  }
}

/** A disjunction of products: what most of them have in common is written once. */
function factored(products: readonly Product[], leaves: ReadonlyMap<number, Leaf>): Formula {
  const literal = commonest(products);
  if (literal === undefined)
    return or(
      ...products.map((product) =>
        and(
          ...[...product]
            .sort(([a, isHeld], [b, other]) => Number(other) - Number(isHeld) || a - b)
            .map(([atom, value]) => makeLiteral(leaves.get(atom) as Leaf, value)),
        ),
      ),
    );
  const [atom, value] = literal;
  const having = products.filter((product) => product.get(atom) === value);
  const others = products.filter((product) => product.get(atom) !== value);
  const rest = having.map((product) => new Map([...product].filter(([each]) => each !== atom)));
  const own = makeLiteral(leaves.get(atom) as Leaf, value);
  const inner = factored(rest, leaves);
  const together = value ? and(own, inner) : and(inner, own);
  return others.length === 0 ? together : or(together, factored(others, leaves));
}

/** `not x` of a leaf. */
function makeLiteral(leaf: Leaf, value: boolean): Formula {
  return value ? leaf : not(leaf);
}

/** A junction in a junction of its kind is one with it. Names come first, negations last. */
function flat(formula: Formula, isNamed: (leaf: Leaf) => boolean): Formula {
  if (typeof formula === 'boolean') return formula;
  switch (formula.kind) {
    case 'and':
    case 'or': {
      const operands = formula.operands
        .map((operand) => flat(operand, isNamed))
        .flatMap((operand) =>
          typeof operand === 'object' && operand.kind === formula.kind ? operand.operands : [operand],
        )
        .sort((a, b) => rankFormula(a, isNamed) - rankFormula(b, isNamed));
      return formula.kind === 'and' ? and(...operands) : or(...operands);
    }
    case 'not':
      return not(flat(formula.operand, isNamed));
    case 'holds':
    case 'role':
      return formula;
  }
}

function rankFormula(formula: Formula, isNamed: (leaf: Leaf) => boolean): number {
  if (typeof formula === 'boolean') return 0;
  switch (formula.kind) {
    case 'holds':
    case 'role':
      return isNamed(formula) ? 0 : 1;
    case 'and':
    case 'or':
      return 2;
    case 'not':
      return 3;
  }
}

/** The literal that most products have, if several have one. */
function commonest(products: readonly Product[]): readonly [atom: number, value: boolean] | undefined {
  const counts = new Map<string, { readonly literal: readonly [number, boolean]; count: number }>();
  for (const product of products)
    for (const literal of product) {
      const key = literal.join();
      const counted = counts.get(key) ?? { literal, count: 0 };
      counted.count += 1;
      counts.set(key, counted);
    }
  const [best] = [...counts.values()]
    .filter(({ count }) => count > 1)
    .sort((a, b) => b.count - a.count || a.literal[0] - b.literal[0]);
  return best?.literal;
}

function shortest(formulas: readonly Formula[]): Formula {
  const sizes = formulas.map((formula) => ({ formula, size: countLeaves(formula) }));
  return sizes.reduce((best, each) => (each.size < best.size ? each : best)).formula;
}

/** The number of leaves and negations. */
function countLeaves(formula: Formula): number {
  if (typeof formula === 'boolean') return 0;
  switch (formula.kind) {
    case 'and':
    case 'or':
      return formula.operands.reduce((sum, operand) => sum + countLeaves(operand), 0);
    case 'not':
      return countLeaves(formula.operand) + 1;
    case 'holds':
    case 'role':
      return 2;
  }
}
