import type { FilePlace } from '../../../runtime/engine/parts.js';
import type { Span } from '../../../compiler/diagnostics/span.js';
import type * as ir from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { parts, listValues } from '../../../compiler/ir/visit.js';
import { placeAt } from '../program/place.js';
import type { Holds } from '../formula/formula.js';

/** What a name in a condition stands for. */
export interface Definition {
  /** `owner` for a derived role, `V.is_open` for a variable, `C.limit` for a constant. */
  readonly name: string;
  /** The condition, the expression or the JSON value. */
  readonly text: string;
  readonly place: FilePlace;
}

/** The names that conditions have, and their definitions. */
export class Definitions {
  private readonly roles = new Map<ir.Match, { readonly name: string; readonly span: Span }>();
  private readonly found = new Map<string, Definition>();
  private readonly seen = new Set<ir.Match | ir.Variable>();

  /** @param wordsOf a condition in words. */
  constructor(
    { modules }: ir.Program,
    private readonly wordsOf: (holds: Holds) => string,
  ) {
    const sets = modules.filter((module) => module.kind === 'derived-roles');
    const names = sets.flatMap(({ definitions }) => definitions.map(({ name }) => name));
    const isUnique = (name: string): boolean => names.indexOf(name) === names.lastIndexOf(name);
    for (const { name: set, definitions } of sets)
      for (const { name, condition, span } of definitions)
        if (condition !== undefined)
          this.roles.set(condition, { name: isUnique(name) ? name : `${set}.${name}`, span: span as Span });
  }

  /** The name of a condition that is that of a derived role. */
  findName({ condition }: Holds): string | undefined {
    return this.roles.get(condition)?.name;
  }

  /** Remembers the names that a condition has, and those in their definitions. */
  add(holds: Holds): void {
    const { condition, module } = holds;
    if (this.seen.has(condition)) return;
    this.seen.add(condition);
    const role = this.roles.get(condition);
    if (role !== undefined) this.define({ name: role.name, text: this.wordsOf(holds), place: placeAt(role.span) });
    for (const value of listValues(condition)) this.addValue(value, module);
  }

  /** Derived roles, variables, constants; by name. Variables of different policies may have one name. */
  get all(): readonly Definition[] {
    return [...this.found.entries()]
      .sort(([a, one], [b, other]) => rankDefinition(one) - rankDefinition(other) || (a < b ? -1 : 1))
      .map(([, definition]) => definition);
  }

  private addValue(value: Value, module: ir.Module): void {
    const pending = [value];
    for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
      pending.push(...parts(part));
      if (part.kind === 'constant') this.addConstant(part.name, module);
      if (part.kind !== 'variable') continue;
      const { name } = part;
      const variable = module.variables.find((each) => each.name === name);
      if (variable === undefined || this.seen.has(variable)) continue;
      this.seen.add(variable);
      const { text, spanOf } = variable.expression;
      this.define({ name: `V.${name}`, text: oneLine(text), place: placeAt(spanOf(0, text.length)) });
      pending.push(variable.value);
    }
  }

  private addConstant(name: string, { constants }: ir.Module): void {
    const constant = constants.find((each) => each.name === name);
    if (constant === undefined) return;
    this.define({ name: `C.${name}`, text: JSON.stringify(constant.value), place: placeAt(constant.span) });
  }

  private define(definition: Definition): void {
    const { name, place } = definition;
    this.found.set([name, place.file, place.line, place.column].join('\0'), definition);
  }
}

function rankDefinition({ name }: Definition): number {
  return 1 + ['V.', 'C.'].indexOf(name.slice(0, 2));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
