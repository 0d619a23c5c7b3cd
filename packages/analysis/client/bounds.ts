import type { AuthoredText, Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { and, type Formula, type Holds, not, or } from '../formula/formula.js';

/**
 * What is certain of a value that is partly secret, each as a formula over the parts that are not: that it is true, is
 * false, is not true, is not false. A value that fails is neither true nor false, so the four differ.
 */
interface Bounds {
  readonly isTrue: Formula;
  readonly isFalse: Formula;
  readonly notTrue: Formula;
  readonly notFalse: Formula;
}

/** Nothing is certain of a secret: it may be true, be false, fail, or be something else. */
const SECRET: Bounds = { isTrue: false, isFalse: false, notTrue: false, notFalse: false };

/** What is certain of a decision: that a formula is true, and that it is not. */
export interface Certain {
  readonly sure: Formula;
  readonly never: Formula;
}

/** Whether an expression of a policy reads only what a client may know. */
export type Visible = (value: Value, module: Module) => boolean;

/** What is certain of a formula without its secrets. Both are over conditions that are visible, and roles. */
export function certainOf(formula: Formula, isVisible: Visible): Certain {
  const known = new Map<Formula, Certain>();
  const certain = (part: Formula): Certain => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const found = certainPart(part, certain, isVisible);
    known.set(part, found);
    return found;
  };
  return certain(formula);
}

function certainPart(formula: Formula, certain: (part: Formula) => Certain, isVisible: Visible): Certain {
  if (typeof formula === 'boolean') return { sure: formula, never: !formula };
  switch (formula.kind) {
    case 'and': {
      const parts = formula.operands.map(certain);
      return { sure: and(...parts.map(({ sure }) => sure)), never: or(...parts.map(({ never }) => never)) };
    }
    case 'or': {
      const parts = formula.operands.map(certain);
      return { sure: or(...parts.map(({ sure }) => sure)), never: and(...parts.map(({ never }) => never)) };
    }
    case 'not': {
      const { sure, never } = certain(formula.operand);
      return { sure: never, never: sure };
    }
    case 'role':
      return { sure: formula, never: not(formula) };
    case 'holds':
      return matchBounds(formula.condition, new Leaves(formula, isVisible));
  }
}

function matchBounds(match: Match, leaves: Leaves): Certain {
  if (match.kind === 'expr') {
    const { isTrue, notTrue } = leaves.bounds(match.value, match.expression);
    return { sure: isTrue, never: notTrue };
  }
  const parts = match.of.map((part) => matchBounds(part, leaves));
  const [sures, nevers] = [parts.map(({ sure }) => sure), parts.map(({ never }) => never)];
  switch (match.kind) {
    case 'all':
      return { sure: and(...sures), never: or(...nevers) };
    case 'any':
      return { sure: or(...sures), never: and(...nevers) };
    case 'none':
      return { sure: and(...nevers), never: or(...sures) };
  }
}

/** The conditions of one formula's atom, taken apart at `&&`, `||`, `!` and `? :`. */
class Leaves {
  private readonly variables: ReadonlyMap<string, Module['variables'][number]>;

  constructor(
    private readonly atom: Holds,
    private readonly isVisible: Visible,
  ) {
    this.variables = new Map(atom.module.variables.map((variable) => [variable.name, variable]));
  }

  bounds(value: Value, expression: AuthoredText): Bounds {
    if (value.kind === 'literal' && value.literal === 'bool')
      return { isTrue: value.value, isFalse: !value.value, notTrue: !value.value, notFalse: value.value };
    // A boolean is stored as it is, and one that fails is neither true nor false, also where it then reads as null.
    const variable =
      value.kind === 'variable' && value.type.kind === 'bool' ? this.variables.get(value.name) : undefined;
    if (variable !== undefined) return this.bounds(variable.value, variable.expression);
    if (value.kind === 'operator') {
      const of = (operand: Value | undefined): Bounds => (operand ? this.bounds(operand, expression) : SECRET);
      const parts = (): readonly Bounds[] => value.operands.map(of);
      switch (value.operator) {
        case 'and':
          return conjunction(parts());
        case 'or':
          return negated(conjunction(parts().map(negated)));
        case 'not':
          return negated(of(value.operands[0]));
        case 'conditional':
          return choice(of(value.operands[0]), of(value.operands[1]), of(value.operands[2]));
        default:
      }
    }
    if (!this.isVisible(value, this.atom.module)) return SECRET;
    const isTrue = this.holds(value, expression);
    const isFalse = this.holds(
      { kind: 'operator', operator: 'not', operands: [value], type: { kind: 'bool' } },
      expression,
    );
    return { isTrue, isFalse, notTrue: not(isTrue), notFalse: not(isFalse) };
  }

  private holds(value: Value, expression: AuthoredText): Holds {
    const { module, failedIsNull } = this.atom;
    return { kind: 'holds', condition: { kind: 'expr', expression, value }, module, failedIsNull };
  }
}

/** True where all are, false where any is, whatever fails. */
function conjunction(parts: readonly Bounds[]): Bounds {
  return {
    isTrue: and(...parts.map(({ isTrue }) => isTrue)),
    isFalse: or(...parts.map(({ isFalse }) => isFalse)),
    notTrue: or(...parts.map(({ notTrue }) => notTrue)),
    notFalse: and(...parts.map(({ notFalse }) => notFalse)),
  };
}

function negated({ isTrue, isFalse, notTrue, notFalse }: Bounds): Bounds {
  return { isTrue: isFalse, isFalse: isTrue, notTrue: notFalse, notFalse: notTrue };
}

/** A choice whose test is neither true nor false fails. */
function choice(test: Bounds, then: Bounds, otherwise: Bounds): Bounds {
  const neither = and(test.notTrue, test.notFalse);
  const where = (of: 'isTrue' | 'isFalse'): Formula => or(and(test.isTrue, then[of]), and(test.isFalse, otherwise[of]));
  const whereNot = (of: 'notTrue' | 'notFalse'): Formula =>
    or(and(test.isTrue, then[of]), and(test.isFalse, otherwise[of]), neither, and(then[of], otherwise[of]));
  return {
    isTrue: where('isTrue'),
    isFalse: where('isFalse'),
    notTrue: whereNot('notTrue'),
    notFalse: whereNot('notFalse'),
  };
}
