import type { Match, Module } from '../../../compiler/ir/program.js';
import type { PartialAnswer as Answer } from '../../../runtime/engine/index.js';
import type { Formula, Holds, ListedRole } from '../formula/formula.js';
import { TRUE } from '../../../runtime/facts/outcomes.js';
import { Context, type ListedRoles, NO_ROLES, type PartialRequest } from './context.js';
import { evaluatePartial } from './evaluate.js';
import { type FactNames, isUnknown, NO_FACTS, union, whole } from './unknown.js';

/** Evaluates formulas of one request, each part once. */
export class PartialFormulas {
  private readonly answers = new Map<Formula, Answer>();
  private readonly contexts: readonly Map<Module, Context>[] = [new Map(), new Map()];

  constructor(private readonly given: PartialRequest) {}

  /** Whether a formula is true, whatever is unknown. */
  answer(formula: Formula): Answer {
    if (typeof formula === 'boolean') return formula;
    const before = this.answers.get(formula);
    if (before !== undefined) return before;
    const found = this.evaluate(formula);
    this.answers.set(formula, found);
    return found;
  }

  private evaluate(formula: Exclude<Formula, boolean>): Answer {
    switch (formula.kind) {
      case 'and':
        return every(formula.operands, (operand) => this.answer(operand));
      case 'or':
        return some(formula.operands, (operand) => this.answer(operand));
      case 'not':
        return negated(this.answer(formula.operand));
      case 'role':
        return this.given.request.principal.roles.includes(formula.role);
      case 'holds':
        return this.holds(formula.condition, this.makeContext(formula));
    }
  }

  /** Whether a condition holds; a part that cannot be evaluated does not. */
  private holds(match: Match, context: Context): Answer {
    const holds = (part: Match): Answer => this.holds(part, context);
    switch (match.kind) {
      case 'expr': {
        const result = whole(evaluatePartial(match.value, context));
        if (!isUnknown(result)) return result === true;
        return (result.outcomes & TRUE) !== 0 && result.facts;
      }
      case 'all':
        return every(match.of, holds);
      case 'any':
        return some(match.of, holds);
      case 'none':
        return negated(some(match.of, holds));
    }
  }

  private makeContext({ module, failedIsNull, derivedRoles }: Holds): Context {
    if (derivedRoles !== undefined)
      return new Context(module, this.given, failedIsNull, this.listed(derivedRoles), evaluatePartial);
    const contexts = this.contexts[failedIsNull ? 1 : 0] as Map<Module, Context>;
    const known = contexts.get(module);
    if (known !== undefined) return known;
    const context = new Context(module, this.given, failedIsNull, NO_ROLES, evaluatePartial);
    contexts.set(module, context);
    return context;
  }

  private listed(roles: readonly ListedRole[]): ListedRoles {
    const active: string[] = [];
    const unknown = new Map<string, FactNames>();
    for (const { name, isActive } of roles) {
      const answer = this.answer(isActive);
      if (answer === true) active.push(name);
      else if (answer !== false) unknown.set(name, union([answer, unknown.get(name) ?? NO_FACTS]));
    }
    return { active, unknown };
  }
}

/** Whether all of some things hold. */
export function every<Part>(parts: readonly Part[], answer: (part: Part) => Answer): Answer {
  const open: FactNames[] = [];
  for (const part of parts) {
    const one = answer(part);
    if (one === false) return false;
    if (one !== true) open.push(one);
  }
  return open.length === 0 || union(open);
}

/** Whether any of some things holds. */
export function some<Part>(parts: readonly Part[], answer: (part: Part) => Answer): Answer {
  const open: FactNames[] = [];
  for (const part of parts) {
    const one = answer(part);
    if (one === true) return true;
    if (one !== false) open.push(one);
  }
  return open.length > 0 && union(open);
}

function negated(answer: Answer): Answer {
  return typeof answer === 'boolean' ? !answer : answer;
}
