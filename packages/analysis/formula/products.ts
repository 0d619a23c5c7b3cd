import { type Diagram, type Diagrams, FALSE, TRUE } from './bdd.js';

/** A conjunction: the values that atoms must have, by their numbers. */
export type Product = ReadonlyMap<number, boolean>;

/** Thrown if a function has more products than the limit. */
export class TooManyProducts extends Error {}

/**
 * A function as a disjunction of products, none of which can be left out or shortened (Minato 1993). Throws a
 * TooManyProducts.
 */
export function listProducts(diagrams: Diagrams, formula: Diagram, most: number): readonly Product[] {
  return new Cover(diagrams, most).between(formula, formula).products;
}

interface Covered {
  readonly products: readonly Product[];
  /** What the products are together. */
  readonly diagram: Diagram;
}

class Cover {
  private readonly known = new Map<string, Covered>();

  constructor(
    private readonly diagrams: Diagrams,
    private readonly most: number,
  ) {}

  /** Products that are true wherever `lower` is, and only where `upper` is. */
  between(lower: Diagram, upper: Diagram): Covered {
    if (lower === FALSE) return { products: [], diagram: FALSE };
    if (upper === TRUE) return { products: [new Map()], diagram: TRUE };
    const key = `${lower},${upper}`;
    const known = this.known.get(key) ?? this.split(lower, upper);
    if (known.products.length > this.most) throw new TooManyProducts();
    this.known.set(key, known);
    return known;
  }

  private split(lower: Diagram, upper: Diagram): Covered {
    const { diagrams } = this;
    const atom = Math.min(this.readAtom(lower), this.readAtom(upper));
    const [lowerLow, lowerHigh] = this.halves(lower, atom);
    const [upperLow, upperHigh] = this.halves(upper, atom);
    const low = this.between(diagrams.and(lowerLow, diagrams.not(upperHigh)), upperLow);
    const high = this.between(diagrams.and(lowerHigh, diagrams.not(upperLow)), upperHigh);
    const left = diagrams.or(
      diagrams.and(lowerLow, diagrams.not(low.diagram)),
      diagrams.and(lowerHigh, diagrams.not(high.diagram)),
    );
    const both = this.between(left, diagrams.and(upperLow, upperHigh));
    const variable = diagrams.atom(atom);
    const with_ = (value: boolean, { products }: Covered): readonly Product[] =>
      products.map((product) => new Map([[atom, value], ...product]));
    return {
      products: [...with_(true, high), ...both.products, ...with_(false, low)],
      diagram: diagrams.or(
        both.diagram,
        diagrams.or(diagrams.and(variable, high.diagram), diagrams.and(diagrams.not(variable), low.diagram)),
      ),
    };
  }

  private readAtom(formula: Diagram): number {
    return this.diagrams.branches(formula)?.atom ?? Number.POSITIVE_INFINITY;
  }

  private halves(formula: Diagram, atom: number): readonly [low: Diagram, high: Diagram] {
    const branches = this.diagrams.branches(formula);
    return branches?.atom === atom ? [branches.low, branches.high] : [formula, formula];
  }
}
