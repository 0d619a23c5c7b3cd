import type { Expr } from '../ast/expr.js';
import type { SyntaxError } from '../ast/syntax-error.js';
import { lex, type Lexed } from './lexer.js';
import { isTooDeep, maxCodePoints, maxNesting } from './limits.js';
import { parseTokens } from './parser.js';
import { adviseMacro, adviseSyntax } from './syntax-advice.js';
import { reportSyntax } from './syntax-report.js';

/** The tree of an expression, or its errors: `ast` is undefined if and only if there are errors. */
export interface ParsedCel {
  readonly ast: Expr | undefined;
  readonly errors: readonly SyntaxError[];
}

/**
 * Parses a CEL expression (docs/spec/conditions.md#grammar, docs/spec/conditions.md#size-limits). Errors are listed in
 * source order; those that concern the whole expression come first.
 */
export function parseCel(text: string): ParsedCel {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  const parsed = parseText(text);
  if (text.length <= LONGEST_REMEMBERED) remember(text, parsed);
  return parsed;
}

// Expressions repeat across a folder of policies, and equal strings have equal trees: offsets are relative to the
// string, and trees never change. Later stages cache per tree what depends on the tree alone, so sharing trees saves
// their work too. The cache belongs to the module because it depends on neither a file nor a compilation; it is bounded
// because a server that watches its policies keeps compiling.
const remembered = new Map<string, ParsedCel>();
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 256;

function remember(text: string, parsed: ParsedCel): void {
  const [oldest] = remembered.size < MOST_REMEMBERED ? [] : remembered.keys();
  if (oldest !== undefined) remembered.delete(oldest);
  remembered.set(text, parsed);
}

function parseText(text: string): ParsedCel {
  const size = countCodePoints(text);
  if (size > maxCodePoints) {
    return failed(text, `expression code point size exceeds limit: size: ${size}, limit ${maxCodePoints}`, []);
  }
  const lexed = lex(text);
  const errors = lexed.errors;
  const parsed = parseTokens(text, lexed.tokens);
  switch (parsed.kind) {
    case 'tree':
      if (isTooDeep(parsed.ast)) return failed(text, 'max recursion depth exceeded', errors);
      if (errors.length > 0 || parsed.errors.length > 0)
        return {
          ast: undefined,
          errors: withAdvice(text, lexed, inOrder([...errors, ...parsed.errors.map(adviseMacro)])),
        };
      return { ast: parsed.ast, errors };
    case 'malformed':
      return malformed(text, lexed);
    case 'too-deep':
      return failed(text, `expression recursion limit exceeded: ${maxNesting}`, before(parsed.at, errors));
  }
}

const maxSyntaxErrors = 100;

function malformed(text: string, lexed: Lexed): ParsedCel {
  const report = reportSyntax(text, lexed);
  const errors = [...before(report.reached, lexed.errors), ...report.errors];
  return report.fatal === undefined
    ? { ast: undefined, errors: withAdvice(text, lexed, inOrder(errors)) }
    : failed(text, report.fatal, errors);
}

function failed(text: string, message: string, others: readonly SyntaxError[]): ParsedCel {
  return { ast: undefined, errors: [{ message, start: 0, end: text.length }, ...inOrder(others)] };
}

/** The advice goes to the first error: the others often follow from it. */
function withAdvice(text: string, lexed: Lexed, errors: readonly SyntaxError[]): readonly SyntaxError[] {
  const [first, ...others] = errors;
  const advice = adviseSyntax(text, lexed.tokens);
  if (first === undefined || advice.length === 0) return errors;
  return [{ ...first, advice: [...(first.advice ?? []), ...advice] }, ...others];
}

function inOrder(errors: readonly SyntaxError[]): readonly SyntaxError[] {
  const sorted = errors.toSorted((a, b) => a.start - b.start);
  const excess = sorted[maxSyntaxErrors];
  if (excess === undefined) return sorted;
  return [
    ...sorted.slice(0, maxSyntaxErrors),
    { ...excess, message: `Syntax error: More than ${maxSyntaxErrors} syntax errors` },
  ];
}

function before(offset: number, errors: readonly SyntaxError[]): readonly SyntaxError[] {
  return errors.filter(({ start }) => start < offset);
}

function countCodePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
