import { type SemanticTokens, SemanticTokensBuilder } from 'vscode-languageserver';
import type { Expression, PolicyFile } from '../../compiler/ast/policy.js';
import { lex } from '../cel/parse/lexer.js';
import type { Token } from '../cel/parse/tokens.js';
import { expressionsIn } from './expressions.js';
import { toLineRanges } from './positions.js';

export const SEMANTIC_TOKEN_TYPES = ['variable', 'property', 'function', 'keyword', 'string', 'number', 'operator'];
type TokenType = 'variable' | 'property' | 'function' | 'keyword' | 'string' | 'number' | 'operator';

/** The maximum number of tokens of a document. */
const MOST_TOKENS = 50_000;

/** The tokens of all expressions in a document, where its YAML scalars have them. */
export function semanticTokens(file: PolicyFile): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  const tokens = expressionsIn(file)
    .flatMap(placeTokens)
    .sort((a, b) => a.line - b.line || a.character - b.character);
  let [line, end] = [-1, -1];
  for (const token of tokens.slice(0, MOST_TOKENS)) {
    // A YAML alias repeats the expression of its anchor.
    if (token.line === line && token.character < end) continue;
    [line, end] = [token.line, token.character + token.length];
    builder.push(token.line, token.character, token.length, SEMANTIC_TOKEN_TYPES.indexOf(token.type), 0);
  }
  return builder.build();
}

interface PlacedToken {
  readonly line: number;
  readonly character: number;
  readonly length: number;
  readonly type: TokenType;
}

function placeTokens(expression: Expression): readonly PlacedToken[] {
  const { tokens } = lex(expression.text);
  return tokens.flatMap((token, index) => {
    const type = chooseType(token, tokens.slice(Math.max(0, index - 2), index), tokens[index + 1]);
    if (type === undefined) return [];
    return toLineRanges(expression.spanOf(token.start, token.end)).map(({ start, end }) => ({
      ...start,
      length: end.character - start.character,
      type,
    }));
  });
}

function chooseType(token: Token, before: readonly Token[], after: Token | undefined): TokenType | undefined {
  switch (token.type) {
    case 'EOF':
    case '[':
    case ']':
    case '{':
    case '}':
    case '(':
    case ')':
    case '.':
    case ',':
      return undefined;
    case 'in':
    case 'true':
    case 'false':
    case 'null':
      return 'keyword';
    case 'STRING':
    case 'BYTES':
      return 'string';
    case 'NUM_INT':
    case 'NUM_UINT':
    case 'NUM_FLOAT':
      return 'number';
    case 'IDENTIFIER':
    case 'ESC_IDENTIFIER':
      if (after?.type === '(') return 'function';
      return isSelected(before.map(({ type }) => type)) ? 'property' : 'variable';
    default:
      return 'operator';
  }
}

/** Whether a token follows `.`, or `.?`, which is two tokens. */
function isSelected(before: readonly Token['type'][]): boolean {
  return before.at(-1) === '.' || (before[0] === '.' && before[1] === '?');
}
