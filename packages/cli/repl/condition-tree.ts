import type { Result } from '../../cel/runtime/index.js';
import { CelError, isFailure } from '../../cel/runtime/index.js';
import type { Expression, Match } from '../../../compiler/ast/policy.js';
import { visible } from '../../../compiler/diagnostics/visible.js';

/** The result of an expression in a condition. */
export type Evaluate = (expression: Expression) => Result;

/**
 * A condition as a tree of lines, with the result of each part: `[true]`, `[false]`, or `[false: no such key: x]` if it
 * could not be evaluated, because a part that cannot be evaluated does not hold. Every part is evaluated, even if
 * another one has already decided the result.
 *
 * @param evaluate if undefined, only the parts are shown.
 */
export function conditionTree(match: Match, evaluate: Evaluate | undefined): readonly string[] {
  return makeBranch(match, evaluate).lines;
}

interface Branch {
  readonly holds: boolean;
  readonly lines: readonly string[];
}

function makeBranch(match: Match, evaluate: Evaluate | undefined): Branch {
  switch (match.kind) {
    case 'expr':
      return makeLeaf(match.expression, evaluate);
    case 'all':
    case 'any':
    case 'none': {
      const parts = match.of.map((part) => makeBranch(part, evaluate));
      const holds = combined(match.kind, parts);
      return {
        holds,
        lines: [
          `${match.kind}${evaluate === undefined ? '' : ` [${holds}]`}`,
          ...parts.flatMap(({ lines }, index) => indented(lines, index === parts.length - 1)),
        ],
      };
    }
    case 'script':
      return { holds: false, lines: ['script [false: scripts are not supported]'] };
  }
}

function makeLeaf(expression: Expression, evaluate: Evaluate | undefined): Branch {
  const text = visible(expression.text.trim().replace(/\s*\n\s*/g, ' '));
  if (evaluate === undefined) return { holds: false, lines: [text] };
  const result = evaluate(expression);
  const holds = result === true;
  return { holds, lines: [`${text} [${holds}${whyNot(result)}]`] };
}

function whyNot(result: Result): string {
  if (isFailure(result))
    return `: ${visible(result instanceof CelError ? result.message : 'it could not be evaluated')}`;
  return typeof result === 'boolean' ? '' : ': it is not a boolean';
}

function combined(kind: 'all' | 'any' | 'none', parts: readonly Branch[]): boolean {
  switch (kind) {
    case 'all':
      return parts.every(({ holds }) => holds);
    case 'any':
      return parts.some(({ holds }) => holds);
    case 'none':
      return !parts.some(({ holds }) => holds);
  }
}

function indented(lines: readonly string[], isLast: boolean): readonly string[] {
  return lines.map((line, index) =>
    index === 0 ? `${isLast ? '└── ' : '├── '}${line}` : `${isLast ? '    ' : '│   '}${line}`,
  );
}
