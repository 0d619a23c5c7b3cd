import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Diagram, Diagrams, DiagramTooLarge, TRUE } from '../../packages/analysis/formula/bdd.js';
import { type Atom, FormulaDiagrams } from '../../packages/analysis/formula/formula-diagram.js';
import { holds, makeSurroundings } from '../../packages/analysis/program/conditions.js';
import type { Request } from '../../runtime/policy/index.js';
import { isSatisfied } from '../support/analysis/predicates.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { PAIR_FAMILIES, type Pair, randomPairs } from '../support/solve/pairs.js';

/** The number of stores of each family, of conditions in each, and of requests for each condition. */
const STORES = rounds(10);
const CONDITIONS = 40;
const REQUESTS = rounds(20, 10);

const test = suite('diagrams of conditions');

/** The value of each atom for a request. */
function valuesOf(atoms: readonly Atom[], request: Request): (atom: number) => boolean {
  const known = new Map<number, boolean>();
  return (number) => {
    const before = known.get(number);
    if (before !== undefined) return before;
    const { predicate, role, within } = atoms[number] as Atom;
    const value =
      predicate === undefined || within === undefined
        ? role !== undefined && request.principal.roles.includes(role)
        : isSatisfied(predicate, makeSurroundings(within.module, request, { failedIsNull: within.failedIsNull }));
    known.set(number, value);
    return value;
  };
}

function isTrue(diagrams: Diagrams, diagram: Diagram, valueOf: (atom: number) => boolean): boolean {
  let node = diagram;
  for (let branches = diagrams.branches(node); branches !== undefined; branches = diagrams.branches(node))
    node = valueOf(branches.atom) ? branches.high : branches.low;
  return node === TRUE;
}

/** Conditions of one store in the same diagrams, with the facts about all of them. */
function check(pairs: readonly Pair[], detail: string): number {
  const diagrams = new Diagrams(50_000);
  const formulas = new FormulaDiagrams(diagrams);
  const of = ({ condition, module }: Pair): Diagram =>
    formulas.of({ kind: 'holds', condition, module, failedIsNull: false });
  let all = TRUE;
  let checked = 0;
  try {
    for (const pair of pairs) all = diagrams.and(all, formulas.factsAbout(of(pair)));
  } catch (error) {
    if (!(error instanceof DiagramTooLarge)) throw error;
    return 0;
  }
  for (const pair of pairs) {
    const { condition, module, request, expression } = pair;
    const valueOf = valuesOf(formulas.atoms, request);
    const shown = (): string => `${detail}, ${expression}: ${JSON.stringify([request.principal, request.resource])}`;
    assert.is(
      isTrue(diagrams, of(pair), valueOf),
      holds(condition, makeSurroundings(module, request)),
      `the diagram of ${shown()}`,
    );
    assert.ok(isTrue(diagrams, all, valueOf), `facts, for ${shown()}`);
    checked += 1;
  }
  return checked;
}

for (const [name, family] of Object.entries(PAIR_FAMILIES)) {
  test(`decide as conditions ${name}, and what is known about them is true`, () => {
    let checked = 0;
    for (let seed = SEED; seed < SEED + STORES; seed += 1)
      checked += check(randomPairs(family, new Random(seed), CONDITIONS, REQUESTS), `seed ${seed}`);
    assert.ok(checked > 0);
  });
}

test.run();
