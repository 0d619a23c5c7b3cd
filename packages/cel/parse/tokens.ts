/** Token types, in the order in which messages list them (docs/spec/conditions.md#syntax-errors). */
export const tokenTypes = [
  '==',
  '!=',
  'in',
  '<',
  '<=',
  '>=',
  '>',
  '&&',
  '||',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
] as const;

export type TokenType = 'EOF' | (typeof tokenTypes)[number];

/** Words that cannot be identifiers but can be field names (docs/spec/conditions.md#tokens). */
export const reservedWords: ReadonlySet<string> = new Set([
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
]);

/** A token of an expression, a half-open range of UTF-16 units. */
export interface Token {
  readonly type: TokenType;
  readonly start: number;
  readonly end: number;
}

/** A token type as messages print it: `'+'`, `NUM_INT`, `<EOF>`. */
export function tokenTypeName(type: TokenType): string {
  if (type === 'EOF') return '<EOF>';
  return /^[A-Z]/.test(type) ? type : `'${type}'`;
}
