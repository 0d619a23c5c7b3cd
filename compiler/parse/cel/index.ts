import type { Expr } from '../../ast/expr.js';
import type { SyntaxError } from '../../ast/policy.js';
import { lex } from './lexer.js';
import { isTooDeep, maxCodePoints, maxNesting } from './limits.js';
import { parseTokens } from './parser.js';
import { reportSyntax } from './syntax-report.js';
import type { Token } from './tokens.js';

/** The tree of an expression, or what is wrong with its text: `ast` is undefined iff there are errors. */
export interface ParsedCel {
  readonly ast: Expr | undefined;
  readonly errors: readonly SyntaxError[];
}

/** Parses a CEL expression (conditions.md A, 6.4). All errors are listed in source order; those of the whole text come first. */
export function parseCel(text: string): ParsedCel {
  const size = countCodePoints(text);
  if (size > maxCodePoints) {
    return failed(text, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`, []);
  }
  const { tokens, errors } = lex(text);
  const parsed = parseTokens(text, tokens);
  switch (parsed.kind) {
    case 'tree':
      if (isTooDeep(parsed.ast)) return failed(text, 'max recursion depth exceeded', errors);
      if (errors.length > 0 || parsed.errors.length > 0) return { ast: undefined, errors: inOrder([...errors, ...parsed.errors]) };
      return { ast: parsed.ast, errors };
    case 'malformed':
      return malformed(text, tokens, errors);
    case 'too-deep':
      return failed(text, `expression recursion limit exceeded: ${maxNesting}`, before(parsed.at, errors));
  }
}

const maxSyntaxErrors = 100;

function malformed(text: string, tokens: readonly Token[], lexical: readonly SyntaxError[]): ParsedCel {
  const report = reportSyntax(text, tokens);
  if (report.stoppedBy === undefined) return { ast: undefined, errors: inOrder([...lexical, ...report.errors]) };
  const seen = [...before(report.at, lexical), ...report.errors];
  // A limit of the recovery itself is already in its place among the errors.
  if (report.errors.some(({ message }) => message.endsWith(report.stoppedBy ?? ''))) return { ast: undefined, errors: inOrder(seen) };
  return failed(text, report.stoppedBy, seen);
}

function failed(text: string, message: string, others: readonly SyntaxError[]): ParsedCel {
  return { ast: undefined, errors: [{ message, start: 0, end: text.length }, ...inOrder(others)] };
}

function inOrder(errors: readonly SyntaxError[]): readonly SyntaxError[] {
  const sorted = errors.toSorted((a, b) => a.start - b.start);
  const excess = sorted[maxSyntaxErrors];
  if (excess === undefined) return sorted;
  return [...sorted.slice(0, maxSyntaxErrors), { ...excess, message: `Syntax error: more than ${maxSyntaxErrors} syntax errors` }];
}

function before(offset: number, errors: readonly SyntaxError[]): readonly SyntaxError[] {
  return errors.filter(({ start }) => start < offset);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
