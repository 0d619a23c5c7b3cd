import { type CST, Lexer, Parser } from 'yaml';

/** The concrete syntax of a YAML string: all tokens, or the offset at which nesting exceeds the limit. */
export type Tokens =
  | {
      readonly tokens: readonly CST.Token[];
      /** Whether there may be a tag. */
      readonly hasTags: boolean;
    }
  | { readonly tooDeepAt: number };

/**
 * Tokenizes without recursion, and stops at the first token nested deeper than `maxDepth` levels, because later stages
 * recurse.
 *
 * @param onNewLine is called with the offset of each line.
 */
export function tokenise(text: string, maxDepth: number, onNewLine?: (offset: number) => void): Tokens {
  const parser = new Parser(onNewLine);
  onNewLine?.(0);
  const tokens: CST.Token[] = [];
  let hasTags = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('!')) hasTags = true;
    for (const token of parser.next(lexeme)) tokens.push(token);
    // One level for the document, one for a scalar.
    if (parser.stack.length > maxDepth + 2) return { tooDeepAt: Math.max(0, parser.offset - lexeme.length) };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, hasTags };
}

/** The comments of a string that `tokenise` accepts, in their order. */
export function commentsIn(text: string): readonly string[] {
  const comments: string[] = [];
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (!isScalar && lexeme.startsWith('#')) comments.push(lexeme.trimEnd());
    isScalar = lexeme === SCALAR;
  }
  return comments;
}

/** What the lexer puts before a scalar. */
const SCALAR = '\u001f';
