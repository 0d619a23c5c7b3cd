import { RE2JS } from 're2js';
import { CelError, type Result, toCidr, toDuration, toIp, toTimestamp } from '#runtime/cel';
import type { CallExpr, LiteralExpr } from '../../ast/expr.js';
import type { Checking, PlacedProblem } from './checking.js';
import { formatProblem } from './format-literal.js';

/**
 * What is wrong with literal arguments whose text can be judged before anything runs
 * (docs/spec/conditions.md#literal-arguments).
 */
export function literalProblems(checking: Checking): readonly PlacedProblem[] {
  const problems: PlacedProblem[] = [];
  for (const call of checking.calls.keys()) {
    const problem = call.kind === 'call' ? problemOf(checking, call) : undefined;
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

function problemOf(checking: Checking, call: CallExpr): PlacedProblem | undefined {
  const row = checking.calls.get(call);
  const [first] = call.args;
  if (row?.runtime === 'format') return formatProblem(call, (expr) => checking.types.get(expr));
  if (first?.kind !== 'literal' || call.args.length !== 1) return undefined;
  switch (row?.runtime) {
    case 'toDuration':
      return refusalOf(first, toDuration) && problemAt(first, 'invalid duration argument');
    case 'toTimestamp':
      return refusalOf(first, toTimestamp) && problemAt(first, 'invalid timestamp argument');
    case 'matches':
      // The global form has two arguments and is not judged.
      return first.type !== 'string' || isPattern(first.value)
        ? undefined
        : problemAt(first, 'invalid matches argument');
    case 'toIp':
      return withReason(first, 'invalid ip argument', refusalOf(first, toIp));
    case 'toCidr':
      return withReason(first, 'invalid cidr argument', refusalOf(first, toCidr));
  }
  return undefined;
}

// The conversion itself is asked, so that what compiles is what runs.
function refusalOf(literal: LiteralExpr, convert: (value: string | bigint) => Result): CelError | undefined {
  if (literal.type !== 'string' && literal.type !== 'int') return undefined;
  const converted = convert(literal.value);
  return converted instanceof CelError ? converted : undefined;
}

function withReason(literal: LiteralExpr, message: string, refusal: CelError | undefined): PlacedProblem | undefined {
  return refusal && problemAt(literal, `${message}: ${refusal.message}`);
}

function problemAt({ start, end }: LiteralExpr, message: string): PlacedProblem {
  return { message, start, end, at: start };
}

function isPattern(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    // The only way in which the parser of patterns says no.
    return false;
  }
}
