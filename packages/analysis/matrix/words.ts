import type { Formula, Holds } from '../formula/formula.js';

/**
 * A formula in words: the authors' expressions with `and`, `or` and `not`. An expression that cannot be evaluated does
 * not hold, so `not` is not CEL's `!`.
 *
 * @param nameOf the name to write instead of a condition.
 */
export function wordFormula(formula: Formula, nameOf: (holds: Holds) => string | undefined): string {
  return write(formula, nameOf).text;
}

interface Written {
  readonly text: string;
  /** Whether `and` and `or` may stand beside it as it is. */
  readonly isOne: boolean;
}

function write(formula: Formula, nameOf: (holds: Holds) => string | undefined): Written {
  if (typeof formula === 'boolean') return { text: formula ? 'always' : 'never', isOne: true };
  switch (formula.kind) {
    case 'and':
    case 'or': {
      const parts = formula.operands.map((operand) => write(operand, nameOf));
      return {
        text: parts.map(({ text, isOne }) => (isOne ? text : `(${text})`)).join(` ${formula.kind} `),
        isOne: false,
      };
    }
    case 'not': {
      const { text } = write(formula.operand, nameOf);
      return { text: text.includes(' ') ? `not (${text})` : `not ${text}`, isOne: true };
    }
    case 'role':
      return { text: `has role ${formula.role}`, isOne: true };
    case 'holds': {
      const text = nameOf(formula) ?? formatCondition(formula.condition);
      return { text, isOne: !/&&|\|\||\?/.test(text) };
    }
  }
}

function formatCondition(condition: Holds['condition']): string {
  if (condition.kind === 'expr') return condition.expression.text.replace(/\s*\n\s*/g, ' ').trim();
  return `${condition.kind}(${condition.of.map(formatCondition).join(', ')})`;
}
