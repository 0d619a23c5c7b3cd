import { isSymmetric, mayBeOpaque } from '../../cel/library/opaque.js';
import { type CelType, json } from '../../cel/library/types.js';
import { holds as trueOf, fails as falseOf, toPredicate } from '../../../compiler/ir/polarity.js';
import type { Predicate } from '../../../compiler/ir/predicate.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Value } from '../../../compiler/ir/value.js';
import { readsRuntime } from '../../../compiler/lower/rules.js';
import { type Diagram, DiagramTooLarge, type Diagrams, FALSE, TRUE } from './bdd.js';
import type { Formula, Holds } from './formula.js';
import { FormulaKeys } from './keys.js';
import { type Comparing, listImplications } from './orders.js';
import { listDefinitions, formatStructure } from './structure.js';

/** A part of a predicate that is evaluated as a whole. */
export interface Atom {
  /** Undefined for a role. */
  readonly predicate: Predicate | undefined;
  readonly role: string | undefined;
  readonly within: Within | undefined;
}

/** What a predicate is evaluated with. */
export type Within = Pick<Holds, 'module' | 'failedIsNull' | 'derivedRoles'> & {
  /** The number of the list of derived roles; undefined if the condition does not read it. */
  readonly list: number | undefined;
};

/**
 * Formulas as decision diagrams. An atom is a part of a predicate that is evaluated as a whole: what it is made of, down
 * to the definitions of variables and constants, is its name. So equal atoms of two programs are true for the same
 * requests, and diagrams that are equal decide the same. Atoms are independent of each other but for a few facts; this
 * admits more than requests can show, so diagrams that differ may still decide the same.
 */
export class FormulaDiagrams {
  /** Atoms, by their numbers in the diagrams. */
  readonly atoms: Atom[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<Formula, Diagram>();
  /** The atoms that are true where an atom is, for every request. */
  private readonly implied = new Map<number, Set<number>>();
  /** The atom that is false where an atom is true: that the same is false. */
  private readonly opposites = new Map<number, number>();
  /** The comparisons of the same two values. */
  private readonly compared = new Map<string, Comparing[]>();
  /** What an atom says equals which string. */
  private readonly strings = new Map<number, { readonly subject: string; readonly text: string }>();

  constructor(
    private readonly diagrams: Diagrams,
    private readonly keys = new FormulaKeys(),
  ) {}

  /** Where a formula is true. Throws a DiagramTooLarge. */
  of(formula: Formula): Diagram {
    if (typeof formula === 'boolean') return formula ? TRUE : FALSE;
    const known = this.known.get(formula) ?? this.make(formula);
    this.known.set(formula, known);
    return known;
  }

  /**
   * What is true for every request about the atoms of a diagram and those that they imply. There are more facts, but
   * they exclude nothing more: where every other atom is false, all of them are true.
   */
  factsAbout(diagram: Diagram): Diagram {
    const { diagrams } = this;
    const atoms = new Set(diagrams.collectAtoms(diagram));
    // Atoms that are added while they are visited are visited, too.
    for (const atom of atoms) for (const other of this.implied.get(atom) ?? []) atoms.add(other);
    const equal = new Map<string, Map<string, number>>();
    let facts = TRUE;
    for (const atom of atoms) {
      const isFalse = diagrams.not(diagrams.atom(atom));
      const add = (isOther: Diagram): void => {
        facts = diagrams.and(facts, diagrams.or(isFalse, isOther));
      };
      for (const other of this.implied.get(atom) ?? []) add(diagrams.atom(other));
      const opposite = this.opposites.get(atom);
      if (opposite !== undefined && atoms.has(opposite)) add(diagrams.not(diagrams.atom(opposite)));
      const string = this.strings.get(atom);
      if (string === undefined) continue;
      const others = equal.get(string.subject) ?? new Map<string, number>();
      equal.set(string.subject, others);
      // A value does not equal two strings.
      for (const [text, other] of others) if (text !== string.text) add(diagrams.not(diagrams.atom(other)));
      if (others.size < FEW) others.set(string.text, atom);
    }
    return facts;
  }

  private make(formula: Exclude<Formula, boolean>): Diagram {
    const { diagrams } = this;
    switch (formula.kind) {
      case 'and':
        return formula.operands.reduce<Diagram>((all, operand) => diagrams.and(all, this.of(operand)), TRUE);
      case 'or':
        return formula.operands.reduce<Diagram>((all, operand) => diagrams.or(all, this.of(operand)), FALSE);
      case 'not':
        return diagrams.not(this.of(formula.operand));
      case 'role':
        return diagrams.atom(this.role(formula.role));
      case 'holds': {
        const { condition, derivedRoles } = formula;
        const list = derivedRoles && this.keys.ofList(derivedRoles);
        return this.ofPredicate(toPredicate(condition), { ...formula, list });
      }
    }
  }

  /** That the principal has a role. */
  private role(role: string): number {
    return this.atom(JSON.stringify(['role', role]), { role, predicate: undefined, within: undefined });
  }

  private ofAtom(predicate: Predicate, within: Within): number {
    return this.atom(namePredicate(predicate, within), { predicate, within, role: undefined });
  }

  private atom(name: string, atom: Atom): number {
    const known = this.numbers.get(name);
    if (known !== undefined) return known;
    if (this.atoms.length >= MOST_ATOMS) throw new DiagramTooLarge();
    const number = this.atoms.push(atom) - 1;
    this.numbers.set(name, number);
    return number;
  }

  private ofPredicate(predicate: Predicate, within: Within): Diagram {
    const { diagrams } = this;
    switch (predicate.kind) {
      case 'constant':
        return predicate.value ? TRUE : FALSE;
      case 'and':
        return predicate.operands.reduce<Diagram>(
          (all, part) => diagrams.and(all, this.ofPredicate(part, within)),
          TRUE,
        );
      case 'or':
        return predicate.operands.reduce<Diagram>(
          (all, part) => diagrams.or(all, this.ofPredicate(part, within)),
          FALSE,
        );
      case 'not':
        return diagrams.not(this.ofPredicate(predicate.operand, within));
      case 'is':
        return this.ofVariable(predicate.value, predicate.polarity, within) ?? this.ofTwoValued(predicate, within);
      case 'compare':
        return this.ofComparison(predicate, within);
      case 'in':
        return (
          this.ofMembership(predicate, within) ??
          this.ofElement(predicate, within) ??
          this.ofTwoValued(predicate, within)
        );
      case 'has':
        return this.ofTwoValued(predicate, within);
      case 'quantifier':
        return diagrams.atom(this.ofAtom(predicate, within));
    }
  }

  /** A variable holds where its expression does. */
  private ofVariable(value: Value, polarity: boolean, within: Within): Diagram | undefined {
    if (value.kind !== 'variable') return undefined;
    const definition = within.module.variables.find(({ name }) => name === value.name)?.value;
    if (definition === undefined || !survives(definition.type)) return undefined;
    return this.ofPredicate(polarity ? trueOf(definition) : falseOf(definition), within);
  }

  /** A name in the roles of the principal, or in the derived roles: it is there or not. No role is empty. */
  private ofMembership(
    { element, collection, polarity }: Predicate & { readonly kind: 'in' },
    { derivedRoles = [], list }: Within,
  ): Diagram | undefined {
    if (element.kind !== 'literal' || element.literal !== 'string' || collection.kind !== 'field') return undefined;
    const { value: name } = element;
    let there: Diagram | undefined;
    if (collection.of === 'principal' && collection.name === 'roles')
      there = name === '' ? FALSE : this.diagrams.atom(this.role(name));
    if (collection.of === 'runtime' && collection.name === 'effectiveDerivedRoles' && list !== undefined)
      there = derivedRoles.reduce<Diagram>(
        (any, role) => (role.name === name ? this.diagrams.or(any, this.of(role.isActive)) : any),
        FALSE,
      );
    return there === undefined || polarity ? there : this.diagrams.not(there);
  }

  /**
   * A value in a list of constants equals one of them, or differs from each. An opaque value may do neither: where its
   * `==` fails, it is not in the list.
   */
  private ofElement(
    { element, collection, polarity }: Predicate & { readonly kind: 'in' },
    within: Within,
  ): Diagram | undefined {
    const constants = listConstants(collection);
    if (constants.length === 0 || constants.length > FEW || mayBeOpaque(findType(element, within))) return undefined;
    const { diagrams } = this;
    const equals = constants.map((right) =>
      this.ofPredicate({ kind: 'compare', comparison: 'equals', left: element, right, polarity }, within),
    );
    return equals.reduce((one, other) => (polarity ? diagrams.or(one, other) : diagrams.and(one, other)));
  }

  private ofTwoValued(predicate: TwoValued, within: Within): Diagram {
    return this.diagrams.atom(this.twoValued(predicate, within));
  }

  /** That something is true, or that it is false: never both, and neither where it cannot be evaluated. */
  private twoValued(predicate: TwoValued, within: Within): number {
    const [isTrue, isFalse] = [true, false].map((polarity) => this.ofAtom({ ...predicate, polarity }, within)) as [
      number,
      number,
    ];
    this.opposites.set(isTrue, isFalse);
    return predicate.polarity ? isTrue : isFalse;
  }

  private ofComparison(written: Comparing, within: Within): Diagram {
    const predicate = inOneDirection(written, within);
    const atom = this.twoValued(predicate, within);
    const isTrue = predicate.polarity ? atom : this.twoValued({ ...predicate, polarity: true }, within);
    // What is compared is there.
    for (const operand of [predicate.left, predicate.right])
      for (const { operand: object, name } of attributesIn(operand))
        this.imply(isTrue, this.twoValued({ kind: 'has', operand: object, name, polarity: true }, within));
    const { comparison, left, right } = predicate;
    this.relate(predicate, within);
    const isString = right.kind === 'literal' && right.literal === 'string';
    // A trust domain equals many strings.
    if (comparison === 'equals' && isString && !mayBeOpaque(findType(left, within)))
      this.strings.set(isTrue, { subject: nameOfAll(formatStructure(left), [left], within), text: right.value });
    return this.diagrams.atom(atom);
  }

  /** Adds what a comparison has to do with the others of the same two values. */
  private relate(predicate: Comparing, within: Within): void {
    const { left, right, comparison } = predicate;
    const texts = [formatStructure(left), formatStructure(right)].sort();
    const key = nameOfAll(JSON.stringify(texts), [left, right], within);
    const others = this.compared.get(key) ?? [];
    const isSwapped = (other: Comparing): boolean => formatStructure(other.left) !== formatStructure(left);
    if (others.some((other) => other.comparison === comparison && !isSwapped(other))) return;
    for (const other of others)
      for (const [where, there] of listImplications(predicate, other, isSwapped(other)))
        this.imply(this.twoValued(where, within), this.twoValued(there, within));
    this.compared.set(key, [...others, predicate]);
  }

  private imply(atom: number, other: number): void {
    this.implied.set(atom, (this.implied.get(atom) ?? new Set()).add(other));
  }
}

/** Operations on diagrams recurse from atom to atom. */
const MOST_ATOMS = 2000;

/** The number of strings that one value is known to equal at most one of. */
const FEW = 20;

type TwoValued = Exclude<Predicate, { kind: 'constant' | 'and' | 'or' | 'not' | 'quantifier' }>;

/** A comparison as another one of its operands, so that each is written in one way, if it means the same. */
function inOneDirection(written: Comparing, within: Within): Comparing {
  const { comparison, left, right } = written;
  const swapped = { ...written, left: right, right: left };
  switch (comparison) {
    case 'greaterThan':
      return { ...swapped, comparison: 'lessThan' };
    case 'atLeast':
      return { ...swapped, comparison: 'atMost' };
    case 'equals': {
      if (right.kind === 'literal' || !isSymmetric(findType(left, within), findType(right, within))) return written;
      return left.kind === 'literal' || formatStructure(left) > formatStructure(right) ? swapped : written;
    }
    default:
      return written;
  }
}

/** The type of a value, as far as it matters whether it may be opaque. */
function findType(value: Value, within: Within): CelType {
  switch (value.kind) {
    // Configurations and policies have no opaque values.
    case 'global':
    case 'constant':
      return json;
    // What a variable stores of an opaque value is not opaque, but lists and maps keep theirs.
    case 'variable': {
      const type = within.module.variables.find(({ name }) => name === value.name)?.value.type;
      return type === undefined || type.kind === 'opaque' || !mayBeOpaque(type) ? json : value.type;
    }
    case 'select':
    case 'index': {
      const type = findType(value.operand, within);
      return mayBeOpaque(type) ? value.type : json;
    }
    default:
      return value.type;
  }
}

/** The elements of a list of constants; none if it is no such list. */
function listConstants(collection: Value): readonly Value[] {
  if (collection.kind !== 'list') return [];
  const values = collection.elements.flatMap(({ optional, value }) => (optional ? [] : [value]));
  return values.length === collection.elements.length && values.every(({ kind }) => kind === 'literal') ? values : [];
}

/** The attribute that a value reads as a whole, and the attributes above it. */
function attributesIn(value: Value): readonly (Value & { readonly kind: 'select' | 'has' | 'optional-select' })[] {
  if (value.kind !== 'select' || !isAttribute(value)) return [];
  return [value, ...attributesIn(value.operand)];
}

function isAttribute(value: Value): boolean {
  if (value.kind === 'select') return isAttribute(value.operand);
  return value.kind === 'field' && value.name === 'attr';
}

/** A predicate and all that it depends on. */
function namePredicate(predicate: Predicate, within: Within): string {
  return nameOfAll(formatStructure(predicate), valuesIn(predicate), within);
}

function nameOfAll(text: string, values: readonly Value[], { module, failedIsNull, list }: Within): string {
  const definitions = listDefinitions(values, module);
  return JSON.stringify([
    text,
    definitions,
    failedIsNull && definitions.length > 0,
    definitions.length > 0 || readsRuntime(values) ? (list ?? null) : null,
  ]);
}

function valuesIn(predicate: Predicate): readonly Value[] {
  switch (predicate.kind) {
    case 'constant':
      return [];
    case 'and':
    case 'or':
      return predicate.operands.flatMap(valuesIn);
    case 'not':
      return valuesIn(predicate.operand);
    case 'compare':
      return [predicate.left, predicate.right];
    case 'in':
      return [predicate.element, predicate.collection];
    case 'has':
      return [predicate.operand];
    case 'quantifier':
      return [predicate.range, ...valuesIn(predicate.body)];
    case 'is':
      return [predicate.value];
  }
}
