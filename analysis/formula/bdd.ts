/** A boolean function: equal functions are equal numbers. */
export type Formula = number;

export const FALSE: Formula = 0;
export const TRUE: Formula = 1;

/** Thrown by an operation that would need more nodes than the limit. */
export class FormulaTooLarge extends Error {}

/**
 * Boolean functions of numbered atoms as reduced ordered binary decision diagrams (Bryant 1986), so that equivalence is
 * equality. Atoms are ordered by their numbers.
 */
export class Formulas {
  private readonly atoms: number[] = [Infinity, Infinity];
  private readonly low: Formula[] = [FALSE, TRUE];
  private readonly high: Formula[] = [FALSE, TRUE];
  private readonly nodes = new Map<string, Formula>();
  private readonly results = new Map<string, Formula>();

  /** @param limit the number of nodes. */
  constructor(private readonly limit: number) {}

  /** The function that is true where an atom is. */
  atom(atom: number): Formula {
    return this.node(atom, FALSE, TRUE);
  }

  not(formula: Formula): Formula {
    return this.choose(formula, FALSE, TRUE);
  }

  and(a: Formula, b: Formula): Formula {
    return this.choose(a, b, FALSE);
  }

  or(a: Formula, b: Formula): Formula {
    return this.choose(a, TRUE, b);
  }

  /** `a` where the condition is true, elsewhere `b`. Throws a FormulaTooLarge. */
  private choose(condition: Formula, a: Formula, b: Formula): Formula {
    if (condition === TRUE || a === b) return a;
    if (condition === FALSE) return b;
    if (a === TRUE && b === FALSE) return condition;
    const key = `${condition},${a},${b}`;
    const known = this.results.get(key);
    if (known !== undefined) return known;
    const atom = Math.min(this.atomOf(condition), this.atomOf(a), this.atomOf(b));
    const result = this.node(
      atom,
      this.choose(this.half(condition, atom, false), this.half(a, atom, false), this.half(b, atom, false)),
      this.choose(this.half(condition, atom, true), this.half(a, atom, true), this.half(b, atom, true)),
    );
    this.results.set(key, result);
    return result;
  }

  private atomOf(formula: Formula): number {
    return this.atoms[formula] as number;
  }

  /** The function where an atom, the first or one before it, has a value. */
  private half(formula: Formula, atom: number, value: boolean): Formula {
    if (this.atomOf(formula) !== atom) return formula;
    return (value ? this.high : this.low)[formula] as Formula;
  }

  private node(atom: number, low: Formula, high: Formula): Formula {
    if (low === high) return low;
    const key = `${atom},${low},${high}`;
    const known = this.nodes.get(key);
    if (known !== undefined) return known;
    if (this.atoms.length >= this.limit) throw new FormulaTooLarge();
    const node = this.atoms.push(atom) - 1;
    this.low.push(low);
    this.high.push(high);
    this.nodes.set(key, node);
    return node;
  }
}
