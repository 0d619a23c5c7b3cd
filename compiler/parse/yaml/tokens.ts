import { type CST, Lexer, Parser } from 'yaml';

/** The concrete syntax of a text: all tokens, or the offset at which it is nested too deep to go on. */
export type Tokens = { readonly tokens: readonly CST.Token[] } | { readonly tooDeepAt: number };

/** Tokenises without recursion, and stops at the first token below `maxDepth` levels: what comes after recurses. */
export function tokenise(text: string, maxDepth: number): Tokens {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    // One for the document, one for a scalar.
    if (parser.stack.length > maxDepth + 2) return { tooDeepAt: Math.max(0, parser.offset - lexeme.length) };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens };
}

/** Visits every item of every collection, without recursion, in no particular order. */
export function eachItem(
  tokens: readonly CST.Token[],
  visit: (item: CST.CollectionItem, parent: CST.Token) => void,
): void {
  const open = [...tokens];
  for (let token = open.pop(); token !== undefined; token = open.pop()) {
    if (token.type === 'document' && token.value !== undefined) open.push(token.value);
    if (!('items' in token)) continue;
    for (const item of token.items as readonly CST.CollectionItem[]) {
      visit(item, token);
      if (item.key) open.push(item.key);
      if (item.value) open.push(item.value);
    }
  }
}
