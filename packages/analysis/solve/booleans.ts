import { type Diagram, Diagrams, DiagramTooLarge, FALSE } from '../formula/bdd.js';
import type { Formula } from '../formula/formula.js';
import { type Atom, FormulaDiagrams } from '../formula/formula-diagram.js';
import type { FormulaKeys } from '../formula/keys.js';

const MOST_NODES = 50_000;

/** Level 1: formulas whose atoms are independent of each other, but for a few facts, as decision diagrams. */
export class Booleans {
  private room: Room;

  constructor(private readonly keys: FormulaKeys) {
    this.room = roomFor(keys);
  }

  /**
   * Whether a formula is false whatever its atoms are: a proof. False is not a proof of the opposite, and it is the
   * answer for formulas that are too large.
   */
  isImpossible(formula: Formula): boolean {
    return this.diagram(formula) === FALSE;
  }

  /** The values of atoms for which a formula is true; none if it is too large. */
  *assignments(formula: Formula): Generator<readonly (readonly [Atom, boolean])[]> {
    const diagram = this.diagram(formula);
    if (diagram === undefined) return;
    const { diagrams, formulas } = this.room;
    for (const assignment of diagrams.assignments(diagram))
      yield assignment.map(({ atom, value }) => [formulas.atoms[atom] as Atom, value] as const);
  }

  private diagram(formula: Formula): Diagram | undefined {
    const diagram = diagramIn(this.room, formula);
    if (diagram !== undefined) return diagram;
    // There may not have been enough room beside other formulas.
    this.room = roomFor(this.keys);
    const alone = diagramIn(this.room, formula);
    if (alone === undefined) this.room = roomFor(this.keys);
    return alone;
  }
}

/** Diagrams that share their nodes, and atoms. */
interface Room {
  readonly diagrams: Diagrams;
  readonly formulas: FormulaDiagrams;
}

function roomFor(keys: FormulaKeys): Room {
  const diagrams = new Diagrams(MOST_NODES);
  return { diagrams, formulas: new FormulaDiagrams(diagrams, keys) };
}

/** Where a formula can be true; undefined if it needs too many nodes. */
function diagramIn({ diagrams, formulas }: Room, formula: Formula): Diagram | undefined {
  try {
    const diagram = formulas.of(formula);
    return diagrams.and(diagram, formulas.factsAbout(diagram));
  } catch (error) {
    if (error instanceof DiagramTooLarge) return undefined;
    throw error;
  }
}
