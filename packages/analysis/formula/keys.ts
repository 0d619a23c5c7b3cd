import type { Match, Module } from '../../../compiler/ir/program.js';
import { listValues } from '../../../compiler/ir/visit.js';
import type { Formula, Holds, ListedRole } from './formula.js';
import { listDefinitions, formatStructure } from './structure.js';

/**
 * Numbers formulas by what they are made of: formulas with one number are true for the same requests, whatever set of
 * policies they come from. The order of operands does not matter.
 */
export class FormulaKeys {
  private readonly numbers = new Map<string, number>();
  private readonly known = new WeakMap<object, number>();
  private readonly conditions = new WeakMap<Match, Map<Module, number>>();

  of(formula: Formula): number {
    if (typeof formula === 'boolean') return this.number(String(formula));
    const known = this.known.get(formula) ?? this.number(this.format(formula));
    this.known.set(formula, known);
    return known;
  }

  /** The number of a list of derived roles. */
  ofList(roles: readonly ListedRole[]): number {
    return this.number(JSON.stringify(['list', ...roles.map(({ name, isActive }) => [name, this.of(isActive)])]));
  }

  private format(formula: Exclude<Formula, boolean>): string {
    switch (formula.kind) {
      case 'and':
      case 'or':
        return `${formula.kind} ${[...new Set(formula.operands.map((operand) => this.of(operand)))].sort((a, b) => a - b).join()}`;
      case 'not':
        return `not ${this.of(formula.operand)}`;
      case 'role':
        return `role ${formula.role}`;
      case 'holds':
        return `holds ${this.ofCondition(formula)} ${formula.failedIsNull} ${formula.derivedRoles && this.ofList(formula.derivedRoles)}`;
    }
  }

  private ofCondition({ condition, module }: Holds): number {
    const ofModule = this.conditions.get(condition) ?? new Map<Module, number>();
    this.conditions.set(condition, ofModule);
    const known =
      ofModule.get(module) ??
      this.number(JSON.stringify([formatStructure(condition), listDefinitions(listValues(condition), module)]));
    ofModule.set(module, known);
    return known;
  }

  private number(text: string): number {
    const number = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}
