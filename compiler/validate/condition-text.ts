import type { Condition, Match } from '../ast/policy.js';

/** A condition as one text: equal texts are equal conditions. Empty for a rule without condition. */
export function conditionText(condition: Condition | undefined): string {
  return condition === undefined ? '' : JSON.stringify(shapeOf(condition.match));
}

function shapeOf(match: Match): unknown {
  switch (match.kind) {
    case 'expr':
      return match.expression.text.trim();
    case 'all':
    case 'any':
    case 'none':
      return [match.kind, ...match.of.map(shapeOf)];
    case 'script':
      return [match.kind];
  }
}
