/** A boolean function: equal functions are equal numbers. */
export type Diagram = number;

/** The value of an atom. */
export interface Assignment {
  readonly atom: number;
  readonly value: boolean;
}

export const FALSE: Diagram = 0;
export const TRUE: Diagram = 1;

/** A function by the value of an atom. */
export interface Branches {
  readonly atom: number;
  readonly low: Diagram;
  readonly high: Diagram;
}

/** Thrown by an operation that would need more nodes than the limit. */
export class DiagramTooLarge extends Error {}

/**
 * Boolean functions of numbered atoms as reduced ordered binary decision diagrams (Bryant 1986), so that equivalence is
 * equality. Atoms are ordered by their numbers.
 */
export class Diagrams {
  private readonly atoms: number[] = [Infinity, Infinity];
  private readonly low: Diagram[] = [FALSE, TRUE];
  private readonly high: Diagram[] = [FALSE, TRUE];
  private readonly nodes = new Map<string, Diagram>();
  private readonly results = new Map<string, Diagram>();

  /** @param limit the number of nodes. */
  constructor(private readonly limit: number) {}

  /** The function that is true where an atom is. */
  atom(atom: number): Diagram {
    return this.node(atom, FALSE, TRUE);
  }

  not(formula: Diagram): Diagram {
    return this.choose(formula, FALSE, TRUE);
  }

  and(a: Diagram, b: Diagram): Diagram {
    return this.choose(a, b, FALSE);
  }

  or(a: Diagram, b: Diagram): Diagram {
    return this.choose(a, TRUE, b);
  }

  /**
   * The first atom that a function depends on, and the function where it is false and where it is true; undefined for a
   * constant.
   */
  branches(formula: Diagram): Branches | undefined {
    if (formula === FALSE || formula === TRUE) return undefined;
    const atom = this.readAtom(formula);
    return { atom, low: this.half(formula, atom, false), high: this.half(formula, atom, true) };
  }

  /** The atoms that a function depends on. */
  collectAtoms(formula: Diagram): ReadonlySet<number> {
    const atoms = new Set<number>();
    const seen = new Set([FALSE, TRUE, formula]);
    // Nodes that are added while they are visited are visited, too.
    for (const node of seen) {
      const branches = this.branches(node);
      if (branches === undefined) continue;
      atoms.add(branches.atom);
      seen.add(branches.low).add(branches.high);
    }
    return atoms;
  }

  /** `a` where the condition is true, elsewhere `b`. Throws a DiagramTooLarge. */
  private choose(condition: Diagram, a: Diagram, b: Diagram): Diagram {
    if (condition === TRUE || a === b) return a;
    if (condition === FALSE) return b;
    if (a === TRUE && b === FALSE) return condition;
    const key = `${condition},${a},${b}`;
    const known = this.results.get(key);
    if (known !== undefined) return known;
    const atom = Math.min(this.readAtom(condition), this.readAtom(a), this.readAtom(b));
    const result = this.node(
      atom,
      this.choose(this.half(condition, atom, false), this.half(a, atom, false), this.half(b, atom, false)),
      this.choose(this.half(condition, atom, true), this.half(a, atom, true), this.half(b, atom, true)),
    );
    this.results.set(key, result);
    return result;
  }

  /** The assignments of atoms under which a function is true, one for each path through the diagram. */
  *assignments(diagram: Diagram, path: readonly Assignment[] = []): Generator<readonly Assignment[]> {
    if (diagram === FALSE) return;
    if (diagram === TRUE) {
      yield path;
      return;
    }
    const atom = this.readAtom(diagram);
    yield* this.assignments(this.half(diagram, atom, true), [...path, { atom, value: true }]);
    yield* this.assignments(this.half(diagram, atom, false), [...path, { atom, value: false }]);
  }

  private readAtom(formula: Diagram): number {
    return this.atoms[formula] as number;
  }

  /** The function where an atom, the first or one before it, has a value. */
  private half(formula: Diagram, atom: number, value: boolean): Diagram {
    if (this.readAtom(formula) !== atom) return formula;
    return (value ? this.high : this.low)[formula] as Diagram;
  }

  private node(atom: number, low: Diagram, high: Diagram): Diagram {
    if (low === high) return low;
    const key = `${atom},${low},${high}`;
    const known = this.nodes.get(key);
    if (known !== undefined) return known;
    if (this.atoms.length >= this.limit) throw new DiagramTooLarge();
    const node = this.atoms.push(atom) - 1;
    this.low.push(low);
    this.high.push(high);
    this.nodes.set(key, node);
    return node;
  }
}
