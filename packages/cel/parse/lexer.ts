import type { SyntaxError } from '../ast/syntax-error.js';
import type { Token, TokenType } from './tokens.js';

/** The tokens of an expression, the last one being `EOF`, and the lexical errors. */
export interface Lexed {
  readonly tokens: readonly Token[];
  readonly errors: readonly SyntaxError[];
}

/**
 * Splits an expression into tokens (docs/spec/conditions.md#tokens). White space and comments are dropped. The longest
 * possible token wins; where no token can be read, everything up to the offending character is reported and skipped.
 */
export function lex(text: string): Lexed {
  const tokens: Token[] = [];
  const errors: SyntaxError[] = [];
  let at = skipBlank(text, 0);
  while (at < text.length) {
    const scan = scanToken(text, at);
    if (scan.ok) {
      tokens.push({ type: scan.type, start: at, end: scan.end });
      at = scan.end;
    } else {
      const end = Math.min(text.length, scan.failed + codePointLength(text, scan.failed));
      errors.push({ message: `Syntax error: token recognition error at: '${text.slice(at, end)}'`, start: at, end });
      at = end;
    }
    at = skipBlank(text, at);
  }
  tokens.push({ type: 'EOF', start: text.length, end: text.length });
  return { tokens, errors };
}

/** A token that ends before `end`, or the offset of the character at which every alternative failed. */
type Scan =
  | { readonly ok: true; readonly type: TokenType; readonly end: number }
  | { readonly ok: false; readonly failed: number };

const keywords: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);
const doubleSigns: ReadonlySet<string> = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const signs = '<>[]{}().,-!?:+*/%';

function skipBlank(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (' \t\r\n\f'.includes(text.charAt(at))) at++;
    else if (text.startsWith('//', at)) {
      const newline = text.indexOf('\n', at);
      at = newline < 0 ? text.length : newline;
    } else break;
  }
  return at;
}

function scanToken(text: string, at: number): Scan {
  const char = text.charAt(at);
  if (isDigit(char) || (char === '.' && isDigit(text.charAt(at + 1)))) return scanNumber(text, at);
  if (isQuote(char)) return scanString(text, at, { raw: false, type: 'STRING' });
  if (isLetter(char)) return scanPrefixedString(text, at) ?? scanWord(text, at);
  if (char === '`') return scanEscapedIdentifier(text, at);
  return scanSign(text, at);
}

function scanNumber(text: string, at: number): Scan {
  if (text.startsWith('0x', at) && isHex(text.charAt(at + 2)))
    return withUnsignedSuffix(text, skipWhile(text, at + 2, isHex));
  const whole = skipWhile(text, at, isDigit);
  const hasFraction = text.charAt(whole) === '.' && isDigit(text.charAt(whole + 1));
  const mantissa = hasFraction ? skipWhile(text, whole + 1, isDigit) : whole;
  const end = skipExponent(text, mantissa);
  if (hasFraction || end > mantissa) return { ok: true, type: 'NUM_FLOAT', end };
  return withUnsignedSuffix(text, whole);
}

function withUnsignedSuffix(text: string, end: number): Scan {
  const suffixed = text.charAt(end) === 'u' || text.charAt(end) === 'U';
  return suffixed ? { ok: true, type: 'NUM_UINT', end: end + 1 } : { ok: true, type: 'NUM_INT', end };
}

function skipExponent(text: string, at: number): number {
  if (text.charAt(at) !== 'e' && text.charAt(at) !== 'E') return at;
  const signed = text.charAt(at + 1) === '+' || text.charAt(at + 1) === '-';
  const digits = at + (signed ? 2 : 1);
  const end = skipWhile(text, digits, isDigit);
  return end > digits ? end : at;
}

/**
 * Scans a string with a prefix. Undefined if the prefix is an identifier, which includes a prefix before an
 * unterminated string.
 */
function scanPrefixedString(text: string, at: number): Scan | undefined {
  let quote = at;
  const bytes = isOneOf(text.charAt(quote), 'bB');
  if (bytes) quote++;
  const raw = isOneOf(text.charAt(quote), 'rR');
  if (raw) quote++;
  if (quote === at || !isQuote(text.charAt(quote))) return undefined;
  const scan = scanString(text, quote, { raw, type: bytes ? 'BYTES' : 'STRING' });
  return scan.ok ? scan : undefined;
}

function scanWord(text: string, at: number): Scan {
  const end = skipWhile(text, at, (char) => isLetter(char) || isDigit(char));
  const word = text.slice(at, end);
  return { ok: true, type: keywords.has(word) ? (word as TokenType) : 'IDENTIFIER', end };
}

function scanEscapedIdentifier(text: string, at: number): Scan {
  const end = skipWhile(text, at + 1, (char) => isLetter(char) || isDigit(char) || isOneOf(char, './- '));
  if (end > at + 1 && text.charAt(end) === '`') return { ok: true, type: 'ESC_IDENTIFIER', end: end + 1 };
  return { ok: false, failed: end };
}

function scanSign(text: string, at: number): Scan {
  const pair = text.slice(at, at + 2);
  if (doubleSigns.has(pair)) return { ok: true, type: pair as TokenType, end: at + 2 };
  const char = text.charAt(at);
  if (signs.includes(char)) return { ok: true, type: char as TokenType, end: at + 1 };
  return { ok: false, failed: isOneOf(char, '=&|') ? at + 1 : at };
}

interface StringForm {
  readonly raw: boolean;
  readonly type: 'STRING' | 'BYTES';
}

/** An unterminated triple-quoted string falls back to the empty string that its first two quotes form. */
function scanString(text: string, at: number, form: StringForm): Scan {
  const quote = text.charAt(at);
  const triple = quote.repeat(3);
  if (!text.startsWith(triple, at)) return scanStringBody(text, at + 1, quote, form);
  const scan = scanStringBody(text, at + 3, triple, form);
  return scan.ok ? scan : { ok: true, type: form.type, end: at + 2 };
}

function scanStringBody(text: string, from: number, closing: string, form: StringForm): Scan {
  let at = from;
  while (at < text.length) {
    if (text.startsWith(closing, at)) return { ok: true, type: form.type, end: at + closing.length };
    const char = text.charAt(at);
    if (closing.length === 1 && (char === '\n' || char === '\r')) break;
    if (char !== '\\' || form.raw) {
      at++;
      continue;
    }
    const escape = scanEscape(text, at);
    if (!escape.ok) return escape;
    at = escape.end;
  }
  return { ok: false, failed: at };
}

type EscapeScan = { readonly ok: true; readonly end: number } | { readonly ok: false; readonly failed: number };

function scanEscape(text: string, backslash: number): EscapeScan {
  const char = text.charAt(backslash + 1);
  if (char !== '' && `abfnrtv"'\\?\``.includes(char)) return { ok: true, end: backslash + 2 };
  if (isOneOf(char, 'xX')) return scanDigits(text, backslash + 2, [isHex, isHex]);
  if (char === 'u')
    return scanDigits(
      text,
      backslash + 2,
      Array.from({ length: 4 }, () => isHex),
    );
  if (char === 'U')
    return scanDigits(
      text,
      backslash + 2,
      Array.from({ length: 8 }, () => isHex),
    );
  return scanDigits(text, backslash + 1, [(first) => isOneOf(first, '0123'), isOctal, isOctal]);
}

function scanDigits(text: string, from: number, tests: readonly ((char: string) => boolean)[]): EscapeScan {
  for (const [offset, test] of tests.entries()) {
    if (!test(text.charAt(from + offset))) return { ok: false, failed: from + offset };
  }
  return { ok: true, end: from + tests.length };
}

function skipWhile(text: string, from: number, test: (char: string) => boolean): number {
  let at = from;
  while (at < text.length && test(text.charAt(at))) at++;
  return at;
}

function codePointLength(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function isOneOf(char: string, set: string): boolean {
  return char !== '' && set.includes(char);
}

function isQuote(char: string): boolean {
  return char === '"' || char === "'";
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9';
}

function isOctal(char: string): boolean {
  return char >= '0' && char <= '7';
}

function isHex(char: string): boolean {
  return isDigit(char) || (char >= 'a' && char <= 'f') || (char >= 'A' && char <= 'F');
}

function isLetter(char: string): boolean {
  return (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z') || char === '_';
}
