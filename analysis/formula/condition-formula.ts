import { holds as trueOf, fails as falseOf, predicateOf } from '../../compiler/ir/polarity.js';
import type { Predicate } from '../../compiler/ir/predicate.js';
import type { Match, Module } from '../../compiler/ir/program.js';
import { survives } from '../../compiler/ir/survives.js';
import type { Value } from '../../compiler/ir/value.js';
import { some } from '../../compiler/ir/visit.js';
import { FALSE, type Diagram, type Diagrams, TRUE } from './bdd.js';

/**
 * Conditions as formulas. An atom is a part of a predicate that is evaluated as a whole: what it is made of, down to
 * the definitions of variables and constants, is its name. So equal atoms of two programs are true for the same
 * requests, and formulas that are equal decide the same. Atoms are independent of each other but for `facts`; this
 * admits more than requests can show, so formulas that differ may still decide the same.
 */
export class ConditionFormulas {
  private readonly atoms = new Map<string, number>();
  private readonly known = new Map<Module, Map<Match, Diagram>>();
  private readonly strings = new Map<string, { readonly text: string; readonly formula: Diagram }[]>();
  /** What is true for every request. */
  facts: Diagram = TRUE;

  constructor(private readonly formulas: Diagrams) {}

  /** When a condition of a module holds. Throws a DiagramTooLarge. */
  of(condition: Match, module: Module): Diagram {
    const ofModule = this.known.get(module) ?? new Map<Match, Diagram>();
    this.known.set(module, ofModule);
    const known = ofModule.get(condition) ?? this.ofPredicate(predicateOf(condition), module);
    ofModule.set(condition, known);
    return known;
  }

  /** The formula of an atom by its name. */
  atom(name: string): Diagram {
    const number = this.atoms.get(name) ?? this.atoms.size;
    this.atoms.set(name, number);
    return this.formulas.atom(number);
  }

  private ofPredicate(predicate: Predicate, module: Module): Diagram {
    const { formulas } = this;
    switch (predicate.kind) {
      case 'constant':
        return predicate.value ? TRUE : FALSE;
      case 'and':
        return predicate.operands.reduce<Diagram>(
          (all, part) => formulas.and(all, this.ofPredicate(part, module)),
          TRUE,
        );
      case 'or':
        return predicate.operands.reduce<Diagram>(
          (all, part) => formulas.or(all, this.ofPredicate(part, module)),
          FALSE,
        );
      case 'not':
        return formulas.not(this.ofPredicate(predicate.operand, module));
      case 'is':
        return this.ofVariable(predicate.value, predicate.polarity, module) ?? this.twoValued(predicate, module);
      case 'compare':
        return this.ofComparison(predicate, module);
      case 'in':
      case 'has':
        return this.twoValued(predicate, module);
      case 'quantifier':
        return this.atom(nameOf(predicate, module));
    }
  }

  /** A variable holds where its expression does. */
  private ofVariable(value: Value, polarity: boolean, module: Module): Diagram | undefined {
    if (value.kind !== 'variable') return undefined;
    const definition = module.variables.find(({ name }) => name === value.name)?.value;
    if (definition === undefined || !survives(definition.type)) return undefined;
    return this.ofPredicate(polarity ? trueOf(definition) : falseOf(definition), module);
  }

  /** That something is true, or that it is false: never both, and neither where it cannot be evaluated. */
  private twoValued(
    predicate: Exclude<Predicate, { kind: 'constant' | 'and' | 'or' | 'not' | 'quantifier' }>,
    module: Module,
  ): Diagram {
    const [isTrue, isFalse] = [true, false].map((polarity) =>
      this.atom(nameOf({ ...predicate, polarity }, module)),
    ) as [Diagram, Diagram];
    this.add(this.formulas.not(this.formulas.and(isTrue, isFalse)));
    return predicate.polarity ? isTrue : isFalse;
  }

  private ofComparison(predicate: Predicate & { readonly kind: 'compare' }, module: Module): Diagram {
    const formula = this.twoValued(predicate, module);
    const isTrue = predicate.polarity ? formula : this.twoValued({ ...predicate, polarity: true }, module);
    // What is compared is there.
    for (const operand of [predicate.left, predicate.right])
      for (const part of attributesIn(operand))
        this.implies(
          isTrue,
          this.twoValued({ kind: 'has', operand: part.operand, name: part.name, polarity: true }, module),
        );
    if (predicate.comparison === 'equals') this.addString(predicate, module, isTrue);
    return formula;
  }

  /** A value does not equal two strings. */
  private addString({ left, right }: Predicate & { readonly kind: 'compare' }, module: Module, isTrue: Diagram): void {
    if (right.kind !== 'literal' || right.literal !== 'string') return;
    const subject = valueName(left, module);
    const others = this.strings.get(subject) ?? [];
    if (others.length >= FEW || others.some(({ text }) => text === right.value)) return;
    for (const { formula } of others) this.add(this.formulas.not(this.formulas.and(formula, isTrue)));
    this.strings.set(subject, [...others, { text: right.value, formula: isTrue }]);
  }

  private implies(a: Diagram, b: Diagram): void {
    this.add(this.formulas.or(this.formulas.not(a), b));
  }

  private add(fact: Diagram): void {
    this.facts = this.formulas.and(this.facts, fact);
  }
}

/** The number of strings that one value is known to equal at most one of. */
const FEW = 20;

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
function nameOf(predicate: Predicate, module: Module): string {
  return JSON.stringify([textOf(predicate), definitionsOf(valuesIn(predicate), module)]);
}

function valueName(value: Value, module: Module): string {
  return JSON.stringify([textOf(value), definitionsOf([value], module)]);
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

/**
 * The definitions of the variables and constants that values read; all of them where one reads `V` or `C` as a whole.
 */
function definitionsOf(values: readonly Value[], { variables, constants }: Module): readonly string[] {
  const isRead = (kind: 'variable' | 'constant', name: string, within: readonly Value[]): boolean =>
    within.some((value) =>
      some(
        value,
        (part) =>
          part.kind === 'bindings' ||
          part.kind === 'part' ||
          (part.kind === kind && part.name === name) ||
          (part.kind === 'is-set' && part.binding === kind && part.name === name),
      ),
    );
  const read = [...values];
  const found: string[] = [];
  // A variable only reads variables before it.
  for (const variable of [...variables].reverse()) {
    if (!isRead('variable', variable.name, read)) continue;
    read.push(variable.value);
    found.push(JSON.stringify(['variable', variable.name, survives(variable.value.type), textOf(variable.value)]));
  }
  for (const { name, value } of constants)
    if (isRead('constant', name, read)) found.push(JSON.stringify(['constant', name, value]));
  return found;
}

/** Everything of a value but its types: equal texts are equal functions of a request, variables and constants. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (key === 'type') return undefined;
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part === 'number' && (Object.is(part, -0) || !Number.isFinite(part))) return `number ${part}`;
    return part;
  });
}
