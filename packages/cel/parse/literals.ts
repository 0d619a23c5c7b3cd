/** A decoded literal, or the message that describes its error (docs/spec/conditions.md#compile-time-messages). */
export type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Decodes an int: decimal or `0x`, `-2^63` to `2^63 - 1`. `text` may begin with the sign. */
export function decodeInt(text: string): Decoded<bigint> {
  const negative = text.startsWith('-');
  const magnitude = decodeMagnitude(negative ? text.slice(1) : text);
  const limit = negative ? 1n << 63n : (1n << 63n) - 1n;
  if (magnitude === undefined || magnitude > limit) return { ok: false, message: 'invalid int literal' };
  return { ok: true, value: negative ? -magnitude : magnitude };
}

/** Decodes a uint with its suffix: decimal or `0x`, up to `2^64 - 1`. */
export function decodeUint(text: string): Decoded<bigint> {
  const magnitude = decodeMagnitude(text.slice(0, -1));
  if (magnitude === undefined || magnitude >= 1n << 64n) return { ok: false, message: 'invalid uint literal' };
  return { ok: true, value: magnitude };
}

/** Decodes a double; overflow is rejected, underflow becomes zero. `text` may begin with the sign. */
export function decodeDouble(text: string): Decoded<number> {
  const value = Number(text);
  return Number.isFinite(value) ? { ok: true, value } : { ok: false, message: 'invalid double literal' };
}

/**
 * Decodes a string token with its prefix and quotes: every escape is a code point (docs/spec/conditions.md#tokens).
 */
export function decodeString(token: string): Decoded<string> {
  const parts: string[] = [];
  for (const piece of splitToken(token)) {
    if (piece.kind === 'text') parts.push(piece.text);
    else if (isScalarValue(piece.value)) parts.push(String.fromCodePoint(piece.value));
    else return { ok: false, message: 'invalid unicode code point' };
  }
  return { ok: true, value: parts.join('') };
}

/**
 * Decodes a bytes token with its prefix and quotes: characters are UTF-8, `\x` and octal escapes are single bytes, `\u`
 * is rejected (docs/spec/conditions.md#tokens).
 */
export function decodeBytes(token: string): Decoded<Uint8Array> {
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  for (const piece of splitToken(token)) {
    if (piece.kind === 'text') for (const byte of encoder.encode(piece.text)) bytes.push(byte);
    else if (piece.kind === 'byte') bytes.push(piece.value);
    else return { ok: false, message: 'unable to unescape string' };
  }
  return { ok: true, value: Uint8Array.from(bytes) };
}

/** A literal character, a one-character escape, a `\x` or octal escape, or a `\u` or `\U` escape. */
type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'byte' | 'code-point'; readonly value: number };

const characterEscapes: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
]);
const maxDigits = 20;

/** Undefined if it has more digits than 64 bits can need, so that a long literal does not take a long conversion. */
function decodeMagnitude(text: string): bigint | undefined {
  const hex = text.startsWith('0x');
  const digits = (hex ? text.slice(2) : text).replace(/^0+/, '');
  if (digits.length > maxDigits) return undefined;
  return BigInt(`${hex ? '0x' : ''}${digits === '' ? '0' : digits}`);
}

function splitToken(token: string): Piece[] {
  const prefix = /^[bBrR]*/.exec(token)?.[0] ?? '';
  const quoted = token.slice(prefix.length);
  const width = quoted.length >= 6 && quoted.startsWith(quoted.charAt(0).repeat(3)) ? 3 : 1;
  // Line breaks come from the policy file and must not change the meaning of the literal.
  const body = quoted.slice(width, -width).replace(/\r\n?/g, '\n');
  return /[rR]/.test(prefix) ? [{ kind: 'text', text: body }] : unescape(body);
}

function unescape(body: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  while (at < body.length) {
    const backslash = body.indexOf('\\', at);
    const end = backslash < 0 ? body.length : backslash;
    if (end > at) pieces.push({ kind: 'text', text: body.slice(at, end) });
    if (backslash < 0) break;
    const escape = readEscape(body, backslash);
    pieces.push(escape.piece);
    at = backslash + escape.length;
  }
  return pieces;
}

function readEscape(body: string, backslash: number): { readonly piece: Piece; readonly length: number } {
  const char = body.charAt(backslash + 1);
  const digits = (from: number, count: number, radix: number) =>
    Number.parseInt(body.slice(backslash + from, backslash + from + count), radix);
  switch (char) {
    case 'x':
    case 'X':
      return { piece: { kind: 'byte', value: digits(2, 2, 16) }, length: 4 };
    case 'u':
      return { piece: { kind: 'code-point', value: digits(2, 4, 16) }, length: 6 };
    case 'U':
      return { piece: { kind: 'code-point', value: digits(2, 8, 16) }, length: 10 };
    case '0':
    case '1':
    case '2':
    case '3':
      return { piece: { kind: 'byte', value: digits(1, 3, 8) }, length: 4 };
  }
  return { piece: { kind: 'text', text: characterEscapes.get(char) ?? char }, length: 2 };
}

function isScalarValue(value: number): boolean {
  return value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}
