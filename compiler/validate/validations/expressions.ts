import type { CheckedExpression } from '../../../packages/cel/ast/checked-expression.js';
import type { Types } from '../../ast/checked.js';
import type { Expr } from '../../../packages/cel/ast/expr.js';
import type { Expression } from '../../ast/policy.js';
import type { SyntaxError } from '../../../packages/cel/ast/syntax-error.js';
import type { PolicySet } from '../../ast/policy-set.js';
import type { Diagnostics, Note } from '../../diagnostics/diagnostic.js';
import { onceByCause, type Problems } from '../../diagnostics/problems.js';
import type { Span } from '../../diagnostics/span.js';
import { plainSyntaxError } from '../../diagnostics/syntax-text.js';
import { checkExpression } from '../../../packages/cel/check/check-expression.js';
import type { CelProblem } from '../../../packages/cel/check/checking.js';
import { policyEnvironment } from '../../../packages/cel/check/environment.js';
import { collectExpressions } from '../expressions-of.js';

/**
 * Type-checks every expression (docs/spec/conditions.md#invalid-expressions): reports one diagnostic for each invalid
 * expression, with a note for each further problem in it. Equal expressions of a file have one.
 */
export function checkExpressions(policies: PolicySet, report: Diagnostics): Types {
  return onceByCause(report, (problems) => checkEach(collectExpressions(policies), problems, report));
}

function checkEach(expressions: Iterable<Expression>, found: Problems, report: Diagnostics): Types {
  const types = new Map<Expression, CheckedExpression>();
  const known = new Map<Expr, Judgement>();
  const reported = new Set<string>();
  for (const expression of expressions) {
    const problems = check(expression, types, known);
    if (problems.length === 0) continue;
    // An expression that two documents share, through a YAML alias or an import, is reported once.
    const { span, anchor } = expression.place;
    const key = JSON.stringify([span.source.path, anchor, expression.text]);
    if (reported.has(key)) continue;
    reported.add(key);
    const messages = problems.map((problem) => problem.message);
    const details = { notes: makeNotes(expression, problems, report), focus: findFocus(expression, problems) };
    found.add('expression/invalid', expression.place, { text: expression.text, messages }, details);
  }
  return types;
}

/** The result of checking a tree. Equal expressions share their tree and its side tables. */
interface Judgement {
  readonly problems: readonly CelProblem[];
  readonly checked: CheckedExpression;
}

function check(
  expression: Expression,
  types: Map<Expression, CheckedExpression>,
  known: Map<Expr, Judgement>,
): readonly (CelProblem | SyntaxError)[] {
  const { ast, syntaxErrors } = expression;
  if (ast === undefined || syntaxErrors.length > 0) return syntaxErrors;
  const judgement = known.get(ast) ?? judge(ast);
  known.set(ast, judgement);
  if (judgement.problems.length === 0) types.set(expression, judgement.checked);
  return judgement.problems;
}

function judge(ast: Expr): Judgement {
  const { problems, types, calls, references } = checkExpression(ast, policyEnvironment);
  return { problems, checked: { types, calls, references } };
}

function makeNotes(
  expression: Expression,
  problems: readonly (CelProblem | SyntaxError)[],
  report: Diagnostics,
): readonly Note[] {
  // An expression that YAML took for a tag is empty, too, and has advice of its own.
  if (expression.text.trim() === '' && !problems.some((problem) => 'advice' in problem)) return [WRITE_CONDITION];
  const [first] = problems;
  return problems.flatMap((problem) => {
    const span = expression.spanOf(problem.start, problem.end);
    const hints = 'hints' in problem && problem.hints !== undefined ? report.search(problem.hints) : [];
    const advice = 'advice' in problem && problem.advice !== undefined ? problem.advice : [];
    return [
      // The diagnostic itself has the message and the place of the first problem.
      ...[...(problem === first ? [] : [{ message: problem.message }]), ...hints].map((note) => ({
        ...note,
        shown: plainSyntaxError(note.message),
        span,
      })),
      ...advice.map(({ message, start, end }) => ({ message, span: expression.spanOf(start, end) })),
    ];
  });
}

const WRITE_CONDITION: Note = {
  message: 'write an expression, such as `R.attr.owner == P.id`; a rule that always applies has no `condition`',
};

/**
 * The span of the first problem. For an expression that ends too early, this is the end of its text, not the line break
 * or white space after it.
 */
function findFocus(expression: Expression, [first]: readonly (CelProblem | SyntaxError)[]): Span | undefined {
  if (first === undefined) return undefined;
  const { source, start, end } = expression.spanOf(first.start, first.end);
  if (source.text.slice(start, end).trim() !== '') return { source, start, end };
  const textEnd = source.text.slice(0, start).trimEnd().length;
  return { source, start: textEnd, end: textEnd };
}
